"""What a person types and sees: tables, JSON, errors with what, why and fix, exit codes."""

from __future__ import annotations

import json
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import COMMAND, CommandLine
from servers.scripted import ScriptedServer

Start = Callable[..., ScriptedServer]
MAJORITY = ("-m", "baseline:majority", "--quiet")


def test_a_run_prints_a_table_with_intervals_and_its_signature(eyechart: CommandLine) -> None:
    """The whole way: question, answer, mark, table; stdout holds the result, stderr the rest."""
    result = eyechart("run", "starter", *MAJORITY)
    assert result.stdout.startswith("starter · starter · n = 120 · baseline:majority\n")
    overall = next(line for line in result.stdout.splitlines() if line.startswith("overall"))
    assert "[" in overall
    assert "signature: starter|ids=120:" in result.stdout
    assert "Saved  runs/" in result.stderr
    assert "\x1b" not in result.stdout + result.stderr


def test_json_is_one_document(eyechart: CommandLine) -> None:
    """--json prints the published schema with all the numbers that the table has."""
    document = json.loads(eyechart("run", "starter", *MAJORITY, "-m", "baseline:echo-gold", "--json").stdout)
    assert document["schema"] == "eyechart/run@1"
    majority, gold = document["runs"]
    assert gold["model"] == "baseline:echo-gold"
    assert gold["metrics"]["starter"]["value"] == pytest.approx(1.0)
    score = majority["metrics"]["starter"]
    assert 0 < score["ci"][0] < score["value"] < score["ci"][1] < 1
    assert majority["n"]["total"] == 120
    assert set(score["by"]) == {"kind", "question_type", "answer_type"}


def test_the_bare_form_and_other_tools_flags(eyechart: CommandLine) -> None:
    """`eyechart --model … --tasks …` with lmms-eval's and the early scripts' spellings is the same run."""
    eyechart("run", "starter", *MAJORITY, "--limit", "10")
    words = ("--model", "baseline:majority", "--tasks", "starter", "--num_questions", "10", "--output_path", "runs")
    again = eyechart(*words, "--batch_size", "4", "--log_samples", "--verbose")
    assert "n = 10" in again.stdout
    assert len(list((eyechart.folder / "runs").iterdir())) == 1


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("run", "startr", *MAJORITY), 2, "did you mean starter?"),
        (("run", "starter:cuont", *MAJORITY), 2, "did you mean count"),
        (("run", "starter", "-m", "baseline:majorty"), 2, "did you mean majority?"),
        (("run", "starter", "-m", "bselin:majority"), 2, "did you mean baseline"),
        (("run", "starter", *MAJORITY, "--metric", "exactt"), 2, "did you mean exact"),
        (("run", "starter", *MAJORITY, "--tempreature", "0"), 2, "did you mean --temperature"),
        (("run", "starter", *MAJORITY, "--prompt", "shrt.v1"), 2, "did you mean short.v1"),
        (("run", "starter", "-m", "baseline:random", "-M", "sede=1"), 2, "did you mean seed?"),
        (("run", "starter", *MAJORITY, "-T", "sede=1"), 2, "did you mean seed?"),
        (("run", "starter", *MAJORITY, "--limit", "x"), 2, "cannot read --limit x"),
        (("run", "starter", *MAJORITY, "--filter", "count"), 2, "--filter takes key=value"),
        (("run", "starter", *MAJORITY, "--filter", "kidn=count"), 2, "did you mean kind?"),
        (("run", "starter", *MAJORITY, "--filter", "kind=cuont"), 2, "did you mean count?"),
        (("run", "starter", *MAJORITY, "-j", "0"), 2, "-j takes auto or a number"),
        (("run", "starter", *MAJORITY, "--gen", "temperature=hot"), 2, "temperature takes a number"),
        (("run", "starter", *MAJORITY, "--gen", "temperature=nan"), 2, "temperature takes a number"),
        (("run", "starter", *MAJORITY, "--gen", "api_key=sk-1"), 2, "a key is not given as the sampling option"),
        (("run", "starter", *MAJORITY, "--timeout", "0"), 2, "--timeout takes a number of seconds above 0"),
        (("run", "starter", *MAJORITY, "--timeout", "nan"), 2, "--timeout takes a number of seconds above 0"),
        (("run", "starter", *MAJORITY, "--retries", "-1"), 2, "--retries takes a number of at least 0"),
        (
            ("run", "starter", "-m", "openai/m", "-M", "max_tokens_field=none", "--retry-truncated"),
            2,
            "--retry-truncated has no limit to raise",
        ),
        (
            ("run", "starter", *MAJORITY, "--frames", "4", "--fps", "1"),
            2,
            "--fps and --frames: a video is sampled in one",
        ),
        (("run", "starter", *MAJORITY, "--timestamps", "1+x"), 2, "--timestamps 0.5+2"),
        (("run", "starter", *MAJORITY, "--max-side", "x"), 2, "--max-side 1024"),
        (("run", "starter", *MAJORITY, "--sample", "0", "--seed", "x"), 2, "--seed"),
        (("run", "starter", *MAJORITY, "--by", "kidn"), 2, "did you mean kind?"),
        (("run", "starter", *MAJORITY, "--fail-under", "nan"), 2, "--fail-under takes a share"),
        (("run", "starter", *MAJORITY, "--fail-under", "70"), 2, "--fail-under takes a share"),
        (("run", "starter", *MAJORITY, "--fail-if-worse-than", "nothing"), 2, "no run 'nothing'"),
        (("run", "starter", *MAJORITY, "-m", "baselin:random"), 2, "did you mean baseline?"),
        (("run", "starter", "-m", "baselin:random", "--dry-run"), 2, "did you mean baseline?"),
        (("--model", "qwen_vl", "--model_args", "pretrained=a/b", "--tasks", "starter"), 2, "unknown model 'qwen_vl'"),
        (("run", "starter", *MAJORITY, "--config"), 2, "--config takes the name of a file"),
        (("run", "starter"), 2, "no model is named"),
        (("run", *MAJORITY), 2, "no benchmark is named"),
        (("run", "starter", "-m", "openai/gpt-x"), 4, "OPENAI_API_KEY"),
        (("run", "starter", "-m", "http://127.0.0.1:9/v1#x", "--retries", "0"), 4, "127.0.0.1:9"),
        (("run", "starter", "-m", "replay:nowhere.jsonl"), 2, "nowhere.jsonl"),
        (("show", "nothing"), 2, "no run 'nothing'"),
        (("sohw",), 2, "did you mean show?"),
    ],
)
def test_bad_input_gets_one_clear_message(eyechart: CommandLine, words: tuple[str, ...], code: int, says: str) -> None:
    """What, why and how to fix, on stderr, without a traceback; the exit code says whose turn it is."""
    result = eyechart(*words, code=code)
    assert says in result.stderr
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


def test_a_key_is_never_written_down(eyechart: CommandLine, scripted: Start) -> None:
    """Neither the run's folder nor anything printed holds the key that was sent."""
    server, key = scripted(), "sk-very-secret-0123456789"
    eyechart.environment["MY_SECRET_NAME"] = key
    words = ("run", "starter", "-m", f"{server.url}#scripted", "-M", "key_env=MY_SECRET_NAME", "--limit", "4", "-v")
    result = eyechart(*words)
    assert server.requests[0].headers["Authorization"] == f"Bearer {key}"
    assert key not in result.stdout + result.stderr
    for path in eyechart.folder.rglob("*"):
        assert not path.is_file() or key.encode() not in path.read_bytes(), path


def test_failures_make_the_exit_code_three(eyechart: CommandLine, scripted: Start) -> None:
    """More failures than allowed: the table is printed, the results are kept, the exit code says so."""
    server = scripted(script={"Is": "400"})
    words = ("run", "starter", "-m", f"{server.url}#scripted", "--quiet")
    result = eyechart(*words, code=3)
    assert "ended in a failure" in result.stderr
    assert "counted wrong above" in result.stdout
    assert eyechart(*words, "--max-error-rate", "100%").returncode == 0


@pytest.mark.parametrize(
    ("word", "said", "fix"),
    [
        ("html", "the server sent an HTML page in place of JSON, titled 'Sign in'", "--retry malformed_reply"),
        ("truncated-json", "the reply is not a chat completion", "--retry malformed_reply"),
        ("empty-choices", "the reply has no choices", "--retry malformed_reply"),
        ("400", "images must be at least 28 pixels wide", "--retry refused_request"),
        ("500", "server error 500", "the same command asks again what ended in server_error"),
    ],
)
def test_too_many_failures_are_explained_by_an_example(
    eyechart: CommandLine, scripted: Start, word: str, said: str, fix: str
) -> None:
    """A count says nothing about the cause: each kind comes with a question, what was said, and the way out."""
    server = scripted(script={"": word})
    result = eyechart("run", "starter", "-m", f"{server.url}#m", "--retries", "0", "--limit", "8", code=3)
    error = result.stderr[result.stderr.index("error: ") :]
    assert "such as question s0-" in error
    assert said in error
    assert fix in error
    assert said in result.stderr[: result.stderr.index("error: ")]  # the warning while it ran


def test_an_unreadable_picture_is_named(eyechart: CommandLine, scripted: Start) -> None:
    """The question and the path of a picture that is not there are on the screen, not in the log alone."""
    (eyechart.folder / "q.tsv").write_text("index\timage_path\tquestion\tanswer\n7\tnowhere.png\tWhat?\tred\n")
    result = eyechart("run", "q.tsv", "-m", f"{scripted().url}#m", "--quiet", code=3)
    assert "unreadable_media 1, such as question 7: picture 'nowhere.png'" in result.stderr
    assert "there is no such file" in result.stderr


def test_what_a_server_says_cannot_move_the_cursor(eyechart: CommandLine, scripted: Start) -> None:
    """Escape sequences in a quoted message are shown as marks."""
    server = scripted(script={"": "400:\x1b[2Jgone"})
    result = eyechart("run", "starter", "-m", f"{server.url}#m", "--retries", "0", "--limit", "8", code=3)
    assert "[2Jgone" in result.stderr
    assert "\x1b" not in result.stderr


def test_a_gate_makes_the_exit_code_one(eyechart: CommandLine) -> None:
    """--fail-under: the number is printed, and the exit code is 1."""
    assert "is below 0.99" in eyechart("run", "starter", *MAJORITY, "--fail-under", "0.99", code=1).stderr
    eyechart("run", "starter", *MAJORITY, "--fail-under", "1%")


def test_a_dry_run_sends_nothing(eyechart: CommandLine) -> None:
    """One prompt as it would be sent, and the size of the job; no run folder appears."""
    result = eyechart("run", "starter", "-m", "http://127.0.0.1:9/v1#x", "--dry-run")
    assert "[image s0-p0000 256×256" in result.stdout
    assert "would ask 120 questions" in result.stdout
    assert not (eyechart.folder / "runs").exists()


def test_a_dry_run_shows_a_prompt_once_for_all_models(eyechart: CommandLine) -> None:
    """One prompt per benchmark, not per model; --json is one document."""
    words = ("run", "starter", "starter:count", *MAJORITY, "-m", "baseline:random", "--dry-run")
    text = eyechart(*words).stdout
    assert text.count("Answer the question using a single word or phrase.") == 2
    assert text.count("would ask 120 questions (120 requests) to each of 2 models") == 2
    document = json.loads(eyechart(*words, "--json").stdout)
    assert document["schema"] == "eyechart/dry_run@1"
    assert [(job["benchmark"], job["models"], job["requests_per_model"]) for job in document["jobs"]] == [
        (name, ["baseline:majority", "baseline:random"], 120) for name in ("starter", "starter:count")
    ]


def test_one_spoilt_run_does_not_hide_the_others(eyechart: CommandLine) -> None:
    """`ls runs` says what cannot be read, and lists the rest."""
    eyechart("run", "starter", *MAJORITY)
    eyechart("run", "starter", "-m", "baseline:random", "--quiet")
    spoilt = next((eyechart.folder / "runs").glob("*random"))
    (spoilt / "run.json").write_bytes(b"\xff{")
    listed = eyechart("ls", "runs").stdout
    assert "run.json cannot be read" in listed
    assert "baseline:majority" in listed


def test_a_terminal_without_some_letters_is_enough(eyechart: CommandLine) -> None:
    """Where `·` cannot be shown there is a question mark, not a crash."""
    eyechart.environment["PYTHONIOENCODING"] = "ascii"
    assert eyechart("run", "starter", *MAJORITY).stdout.startswith("starter ? starter ? n = 120")


@pytest.mark.parametrize("words", [("run", "caf\udce9.tsv", *MAJORITY), ("run", "starter", *MAJORITY, "-o", "\udcff")])
def test_arguments_that_are_no_text_are_refused(eyechart: CommandLine, words: tuple[str, ...]) -> None:
    """Bytes that are not UTF-8 are a matter for the person, with exit code 2."""
    assert "is not text in UTF-8" in eyechart(*words, code=2).stderr


@pytest.mark.parametrize("target", ["taken", "taken/below"])
@pytest.mark.parametrize("form", ["jsonl", "seed001", "lmms-eval"])
def test_a_place_that_cannot_be_written_is_not_our_bug(eyechart: CommandLine, form: str, target: str) -> None:
    """A file where a folder should be: one clear message and exit code 4, from whichever export."""
    eyechart("run", "starter", *MAJORITY, "--limit", "4")
    (eyechart.folder / "taken").write_text("here")
    refused = eyechart("export", eyechart.run_folder().name, "--as", form, "-o", target, code=4)
    assert refused.stderr.startswith("error: ")
    assert "taken" in refused.stderr


def test_hints_may_be_pasted_wherever_the_run_is(eyechart: CommandLine) -> None:
    """Four letters name a run in ./runs; of a run elsewhere the hint gives the path."""
    for folder in ("runs", "other runs"):
        said = eyechart("run", "starter", *MAJORITY, "--limit", "4", "-o", folder).stderr
        hint = said.partition("Look  ")[2].partition("    ")[0]
        assert "overall" in eyechart(*shlex.split(hint)[1:]).stdout


def test_words_may_stand_between_flags(eyechart: CommandLine) -> None:
    """`run A --flag B` and `show RUN --flag QUESTION` mean what they say, whatever the order."""
    result = eyechart("run", "starter:count", *MAJORITY, "--limit", "3", "starter:size")
    first, second = result.stdout.split("\n\n")
    assert first.startswith("starter:count · ")
    assert second.startswith("starter:size · ")
    run = next((eyechart.folder / "runs").glob("*count*"))
    shown = json.loads(eyechart("show", str(run), "--json", "s0-p0000-count").stdout)
    assert [question["row"]["sample"] for question in shown] == ["s0-p0000-count"]


def test_the_doctor_says_what_to_do_about_a_server(eyechart: CommandLine) -> None:
    """A server that is not there: which one, why, and what to try."""
    found = eyechart("doctor", "-m", "http://127.0.0.1:9/v1#x", code=4).stdout
    assert "✗ model" in found
    assert "cannot reach the server at http://127.0.0.1:9/v1 (127.0.0.1:9: Connection refused)" in found
    assert "fix: is it running" in found


def test_a_filter_asks_questions_with_a_tag(eyechart: CommandLine) -> None:
    """The table holds them alone, says so, and a limit counts among them."""
    filtered = eyechart("run", "starter", *MAJORITY, "--filter", "kind=count", "--no-color").stdout
    assert "FILTERED to 15 of 120 questions (--filter kind=count)" in filtered
    limited = eyechart("run", "starter", *MAJORITY, "--filter", "kind=count", "--limit", "4").stdout
    assert "n = 4" in limited
    assert "LIMITED to 4 of 120 questions" in limited


def test_everything_is_not_limited(eyechart: CommandLine) -> None:
    """A limit that leaves nothing out earns no stamp."""
    assert "LIMITED" not in eyechart("run", "starter", *MAJORITY, "--limit", "100%").stdout
    assert "LIMITED to 119 of 120" in eyechart("run", "starter", *MAJORITY, "--limit", "1-119").stdout


def test_a_sample_is_stratified_and_says_so(eyechart: CommandLine) -> None:
    """--sample takes every kind in proportion and stamps the table."""
    result = eyechart("run", "starter", *MAJORITY, "--sample", "16", "--seed", "3")
    assert "SAMPLE of 16 of 120 questions, every type in proportion, seed 3" in result.stdout
    assert sum(line.split()[1:2] == ["2"] for line in result.stdout.splitlines()) == 8


def test_show_explains_a_question(eyechart: CommandLine) -> None:
    """One question with prompt, reply, gold, and what the scorer made of it."""
    eyechart("run", "starter", *MAJORITY)
    run = eyechart.run_folder().name
    shown = eyechart("show", run, "--wrong", "-n", "1").stdout
    for word in ("user:", "reply:", "gold:", "starter: "):
        assert word in shown
    assert "versions" in eyechart("show", run, "--sheet").stdout
    assert "overall" in eyechart("show", run).stdout


def test_flags_from_a_file(eyechart: CommandLine) -> None:
    """--config reads flags from YAML; flags on the command line win."""
    (eyechart.folder / "run.yaml").write_text("tasks: starter\nmodel: baseline:majority\nlimit: 7\nquiet: true\n")
    assert "n = 7" in eyechart("run", "--config", "run.yaml").stdout
    assert "n = 9" in eyechart("run", "--config", "run.yaml", "--limit", "9").stdout


def test_a_run_that_is_shown_to_be_worse_fails_its_gate(eyechart: CommandLine) -> None:
    """--fail-if-worse-than compares paired, and fails only where the data show it."""
    eyechart("run", "starter", *MAJORITY)
    before = eyechart.run_folder().name
    worse = eyechart("run", "starter", "-m", "baseline:constant=no idea", "-q", "--fail-if-worse-than", before, code=1)
    assert "points" in worse.stderr
    eyechart("run", "starter", "-m", "baseline:echo-gold", "-q", "--fail-if-worse-than", before)


def test_classic_result_files_are_written_beside_the_run(eyechart: CommandLine) -> None:
    """--layout seed leaves the benchmark's own result files, with all models in one."""
    eyechart("run", "starter", *MAJORITY, "-m", "baseline:random", "--layout", "seed", "--limit", "20")
    (written,) = (eyechart.folder / "results").glob("vqa2_results_*.json")
    assert set(json.loads(written.read_text())["results"]) == {"baseline-majority", "baseline-random"}


def test_lists_and_mappings_in_a_file_of_flags(eyechart: CommandLine) -> None:
    """`--config`: lists repeat a flag, mappings are its k=v words, and what is typed wins."""
    (eyechart.folder / "run.yaml").write_text(
        "model: [baseline:majority, baseline:random]\ntasks: starter\nlimit: 9\nquiet: true\n"
        "gen: {temperature: 0.5, max_tokens: 8}\nlog_samples: false\n"
    )
    runs = json.loads(eyechart("run", "--config", "run.yaml", "--limit", "5", "--json").stdout)["runs"]
    assert [run["model"] for run in runs] == ["baseline:majority", "baseline:random"]
    assert {run["n"]["total"] for run in runs} == {5}
    assert "gen=t0.5,max8" in runs[0]["signature"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no file that is always full")
@pytest.mark.parametrize("words", [("--version",), ("ls",), ("ls", "metrics", "--json")])
def test_output_onto_a_full_disk_is_not_our_bug(eyechart: CommandLine, words: tuple[str, ...]) -> None:
    """However much there is to write, it ends in one line and in exit code 4."""
    with Path("/dev/full").open("w") as full:
        process = subprocess.Popen(
            [*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, text=True, cwd=eyechart.folder
        )
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (4, "error: the disk is full: the output could not be written\n")


def test_a_style_of_ones_own_is_kept_in_the_run(eyechart: CommandLine) -> None:
    """The words are in run.json: two versions of a file are not compared unasked, and exports need the file no more."""
    style = eyechart.folder / "mine.yaml"
    for words in ("Briefly.", "At length."):
        style.write_text(f"source: me\nabout: mine\nopen: '{{question}} {words}'\nchoice: '{{question}} {{choices}}'\n")
        eyechart("run", "starter", *MAJORITY, "--prompt", "mine.yaml", "--limit", "8")
    style.unlink()
    first, second = sorted((eyechart.folder / "runs").iterdir())
    assert "prompt differs" in eyechart("compare", str(first), str(second), code=2).stderr
    words_kept = [json.loads((run / "run.json").read_text())["prompt"]["open"] for run in (first, second)]
    assert words_kept == ["{question} Briefly.", "{question} At length."]
    eyechart("export", str(first), "--as", "lmms-eval", "-o", "out")
    exported = next((eyechart.folder / "out").rglob("*samples*")).read_text()
    assert "Briefly." in exported


def test_the_settings_of_a_start_are_recorded_wherever_they_were_said(eyechart: CommandLine) -> None:
    """A file of flags may be gone tomorrow: pace and patience stand in run.json as they took effect."""
    (eyechart.folder / "run.yaml").write_text("concurrency: 3\ntimeout: 7\nretries: 1\n")
    eyechart("run", "starter", *MAJORITY, "--limit", "4", "--config", "run.yaml")
    eyechart("run", "starter", *MAJORITY, "--limit", "4")
    first, second = json.loads((eyechart.run_folder() / "run.json").read_text())["sessions"]
    assert (first["settings"]["concurrency"], first["settings"]["timeout_s"], first["settings"]["tries"]) == (3, 7.0, 2)
    assert second["settings"]["concurrency"] == "auto"
