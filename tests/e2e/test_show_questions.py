"""`eyechart show RUN`: single questions, each as it ended, with every scorer's reasons in lines that can be read."""

from __future__ import annotations

import json
from collections.abc import Callable

from command_line import CommandLine
from servers.scripted import ScriptedServer

Start = Callable[..., ScriptedServer]


def test_a_question_that_was_asked_again_is_shown_as_it_ended(eyechart: CommandLine, scripted: Start) -> None:
    """The failure of the first start is in the journal and in the log; what is shown is the reply that counts."""
    server = scripted(script={"Is there": ["500", "say:yes"]})
    words = ("run", "starter", "-m", f"{server.url}#scripted", "--retries", "0", "--limit", "1", "--quiet")
    eyechart(*words, code=3)
    eyechart(*words)
    (run,) = (eyechart.folder / "runs").iterdir()
    assert len((run / "outcomes.jsonl").read_text().splitlines()) == 2
    shown = eyechart("show", str(run), "s0-p0000-existence").stdout
    assert shown.count("── s0-p0000-existence") == 1
    assert "failure" not in shown
    (told,) = json.loads(eyechart("show", str(run), "s0-p0000-existence", "--json").stdout)
    assert told["exchange"]["response"]["text"] == "yes"


def test_every_repeat_of_a_question_is_shown(eyechart: CommandLine) -> None:
    """A question that was asked three times has three replies to look at."""
    eyechart("run", "starter", "-m", "baseline:majority", "--limit", "2", "--repeats", "3", "--quiet")
    (run,) = (eyechart.folder / "runs").iterdir()
    shown = eyechart("show", str(run), "s0-p0000-existence").stdout
    first, second, third = [line for line in shown.splitlines() if line.startswith("── s0-p0000-existence")]
    assert first == "── s0-p0000-existence · ok"
    assert second == "── s0-p0000-existence · repeat 2 · ok"
    assert third == "── s0-p0000-existence · repeat 3 · ok"


def test_a_part_of_a_filtered_part_says_both(eyechart: CommandLine) -> None:
    """A sample of the questions about number is not one of the whole benchmark."""
    words = ("run", "starter", "-m", "baseline:majority", "--quiet", "--filter", "kind=count")
    for flag in ("--sample", "--limit"):
        stamp = eyechart(*words, flag, "5").stdout.splitlines()[1]
        assert "5 of 120 questions" in stamp
        assert stamp.endswith("; only those with kind=count (--filter)")


def test_reasons_of_several_lines_are_lines(eyechart: CommandLine) -> None:
    """No line break is shown as a mark, neither for one question nor where scorers disagree."""
    eyechart("run", "starter", "-m", "baseline:majority", "--metric", "wups@0.9", "--limit", "4", "--quiet")
    (run,) = (eyechart.folder / "runs").iterdir()
    shown = eyechart("show", str(run), "s0-p0000-colour").stdout
    reconciled = eyechart("reconcile", str(run)).stdout
    assert "      reference → answer: product 0.0875\n" in shown
    assert "a tenth: 0.0875; reference → answer" in reconciled
    assert "␤" not in shown + reconciled


def test_a_control_stands_above_every_table(eyechart: CommandLine) -> None:
    """`run`, `rescore` and `show` say alike what was asked, of whom, and that it was asked without the picture."""
    words = ("run", "starter", "-m", "baseline:majority", "--control", "blind", "--quiet")
    first = eyechart(*words).stdout.splitlines()[0]
    (run,) = (eyechart.folder / "runs").iterdir()
    assert first == "starter · starter · n = 120 · baseline:majority · blind"
    assert eyechart("rescore", str(run)).stdout.splitlines()[0] == first
    assert eyechart("show", str(run)).stdout.splitlines()[0] == f"{first} · run {run.name}"


def test_one_scorer_is_set_against_the_headline(eyechart: CommandLine) -> None:
    """`reconcile RUN --metric ID`; where the run has not been marked with it, the command that does so is named."""
    eyechart("run", "starter", "-m", "baseline:majority", "--limit", "9", "--quiet")
    (run,) = (eyechart.folder / "runs").iterdir()
    assert "eyechart ls metrics" in eyechart("reconcile", str(run), code=2).stderr
    refused = eyechart("reconcile", str(run), "--metric", "exact", code=2).stderr
    (fix,) = [line.removeprefix("  fix:  eyechart ") for line in refused.splitlines() if line.startswith("  fix:")]
    eyechart(*fix.split())
    document = json.loads(eyechart("reconcile", str(run), "--metric", "exact", "--json").stdout)
    assert list(document["means"]) == ["starter", "exact"]


def test_json_is_json_whatever_is_shown(eyechart: CommandLine) -> None:
    """The run sheet and the prompts of a benchmark are documents for programs too."""
    eyechart("run", "starter", "-m", "baseline:majority", "--limit", "3", "--quiet")
    (run,) = (eyechart.folder / "runs").iterdir()
    sheet = json.loads(eyechart("show", str(run), "--sheet", "--json").stdout)
    assert sheet == json.loads((run / "run.json").read_text())
    first, _ = json.loads(eyechart("show", "starter", "--prompt", "-n", "2", "--json").stdout)
    assert (first["sample"], first["style"]) == ("s0-p0000-existence", "short.v1")
    assert first["prompt"][0]["parts"][1].startswith("Is there a star in the picture?")


def test_a_run_is_read_without_its_data(eyechart: CommandLine) -> None:
    """After the table was moved or edited, or elsewhere: prompt, reply and marks are in the run's own folder."""
    (eyechart.folder / "mine.csv").write_text("id,question,answer\n1,Which colour?,red\n")
    eyechart("run", "mine.csv", "-m", "baseline:constant=blue", "--quiet")
    (run,) = (eyechart.folder / "runs").iterdir()
    assert "gold:     red" in eyechart("show", str(run), "--wrong").stdout
    (eyechart.folder / "mine.csv").write_text("id,question,answer\n1,Which colour?,blue\n")
    changed = eyechart("show", str(run), "--wrong").stdout
    (eyechart.folder / "mine.csv").unlink()
    for shown in (changed, eyechart("show", str(run), "--wrong").stdout):
        assert "user:     Which colour?" in shown
        assert "reply:    blue" in shown
        assert "gold:     not known" in shown
        assert "exact: 0" in shown


def test_markdown_tables_stand_apart(eyechart: CommandLine) -> None:
    """An empty line before and behind each table: not every reader of Markdown takes it for one without."""
    words = ("-m", "baseline:majority", "--limit", "9", "--metric", "exact", "--quiet", "--md")
    texts = [eyechart("run", "starter", *words).stdout]
    (run,) = (eyechart.folder / "runs").iterdir()
    texts += [eyechart(command, str(run), "--md").stdout for command in ("show", "rescore", "reconcile")]
    for text in texts:
        lines = ["", *text.splitlines(), ""]
        edges = [i for i in range(1, len(lines)) if lines[i].startswith("|") != lines[i - 1].startswith("|")]
        assert len(edges) == 2
        assert lines[edges[0] - 1] == lines[edges[1]] == ""
