"""Anybody's own questions as a benchmark: columns told by their names, and a YAML file that says it instead."""

from __future__ import annotations

import base64
import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from layouts import jpeg, real_data, samples, write_kit_tsv, write_parquet

from eyechart.benchmarks import Benchmark, get_benchmark
from eyechart.errors import EyechartError, InputError, UsageError
from eyechart.media.rule import MediaRule
from eyechart.prompts import load_style, render


def test_a_vlmevalkit_tsv_is_a_benchmark_as_it_is(tmp_path: Path) -> None:
    """Base64, lists, references to rows, gaps for options, hints, circular rows; without a picture a row is none."""
    write_kit_tsv(tmp_path / "kit.tsv")
    benchmark = get_benchmark(str(tmp_path / "kit.tsv"))
    asked = {sample.id: sample for sample in samples(benchmark)}
    assert list(asked) == ["1", "2", "3", "1000001"]
    assert asked["1"].choices == {"A": "red", "B": "blue", "C": "green"}
    assert [media.data for media in asked["1"].media] == [jpeg((200, 0, 0))]
    assert [media.data for media in asked["2"].media] == [jpeg((200, 0, 0)), jpeg((0, 0, 200))]
    assert asked["3"].media == asked["1"].media  # the same name, so it is prepared once
    assert asked["3"].question == 'Say "red"?'
    assert asked["1000001"].media == asked["1"].media
    assert [asked[i].cluster for i in asked] == ["1", "2", "1", "1"]  # questions on one picture are not independent
    assert benchmark.metrics == ("choice",)
    assert benchmark.groups == ("category", "l2-category", "split")
    assert benchmark.style == "vlmevalkit.v1"
    assert "multiple choice" in benchmark.note
    assert "options from A–D" in benchmark.note
    words = "".join(p for p in render(asked["2"], load_style(benchmark.style)).turns[0].parts if isinstance(p, str))
    assert words.startswith("Hint: Look twice.\nQuestion: Which differs?\nOptions:\nA. first\nB. second\nPlease")


@pytest.mark.parametrize("gap", ["nan", "NaN"])
def test_gaps_that_a_table_program_wrote_in_letters_are_gaps(gap: str, tmp_path: Path) -> None:
    """No option, no hint, no group and no picture is called nan."""
    columns = "index\timage\tquestion\thint\tA\tB\tC\tanswer\tcategory"
    picture = base64.b64encode(jpeg()).decode()
    rows = [f"1\t{picture}\tQ\t{gap}\tx\t{gap}\tz\tC\t{gap}", f"2\t{gap}\tQ\tLook\tx\ty\tz\tA\tc"]
    (tmp_path / "kit.tsv").write_text("\n".join([columns, *rows]) + "\n")
    (sample,) = samples(get_benchmark(str(tmp_path / "kit.tsv")))
    assert sample.choices == {"A": "x", "C": "z"}
    assert sample.tags == {}


def test_the_folder_that_one_stands_in_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`eyechart run .` is called as the folder is."""
    (tmp_path / "birds").mkdir()
    (tmp_path / "birds" / "q.csv").write_text("question,answer\nWhat?,x\n")
    monkeypatch.chdir(tmp_path / "birds")
    assert get_benchmark(".").title == "birds"


def test_numbers_in_brackets_are_one_answer(tmp_path: Path) -> None:
    """A box in a text cell is not four right answers; quoted texts are several, and so is a list that JSON says."""
    (tmp_path / "q.csv").write_text("question,answer\nWhere?,\"[10, 20, 30, 40]\"\nWhat?,\"['cat', 'kitten']\"\n")
    assert [s.references for s in samples(get_benchmark(str(tmp_path / "q.csv")))] == [
        ("[10, 20, 30, 40]",),
        ("cat", "kitten"),
    ]
    (tmp_path / "q.json").write_text('[{"question": "How many?", "answer": [3, 4]}]')
    assert [s.references for s in samples(get_benchmark(str(tmp_path / "q.json")))] == [("3", "4")]


def test_a_file_of_thousands_of_fields_is_not_told_whole(tmp_path: Path) -> None:
    """Answers by id are no questions: a few of their names and how many more there are."""
    (tmp_path / "letters.json").write_text(json.dumps({f"val_{number}": "(A)" for number in range(1901)}))
    with pytest.raises(InputError, match="holds no list of questions") as error:
        get_benchmark(str(tmp_path / "letters.json"))
    assert "val_0, val_1, " in error.value.why
    assert error.value.why.endswith("val_19 … and 1,881 more")


def test_a_folder_of_pictures_with_a_csv_is_a_benchmark(tmp_path: Path) -> None:
    """Open answers are recognised; pictures are found beside the table or in its folder `images`."""
    (tmp_path / "images").mkdir()
    (tmp_path / "one.jpg").write_bytes(jpeg())
    (tmp_path / "images" / "two.jpg").write_bytes(jpeg())
    (tmp_path / "questions.csv").write_text(
        "Image,Question,Answer,Category\none.jpg,What colour?,red,colour\n"
        "two.jpg,What colour?,\"['red', 'crimson']\",colour\n"
        "gone.jpg,What?,nothing,other\n"
    )
    benchmark = get_benchmark(str(tmp_path))
    asked = samples(benchmark)
    assert [sample.id for sample in asked] == ["row-1", "row-2", "row-3"]
    assert [sample.references for sample in asked] == [("red",), ("red", "crimson"), ("nothing",)]
    assert [media.path for sample in asked for media in sample.media] == [
        str(tmp_path / "one.jpg"),
        str(tmp_path / "images" / "two.jpg"),
        str(tmp_path / "gone.jpg"),
    ]
    assert benchmark.headline == "exact"
    assert "open answers: id from the row number" in benchmark.note
    assert benchmark.groups == ("Category",)


@pytest.mark.parametrize("ending", ["jsonl", "json", "parquet", "arrow"])
def test_other_formats_are_read_the_same_way(tmp_path: Path, ending: str) -> None:
    """Numbers are recognised; options may be a list, the right one given by its text."""
    rows = [
        {"id": 1, "question": "Which?", "options": ["a cat", "a dog"], "answer": "a dog", "image": "a.png"},
        {"id": 2, "question": "Which?", "options": ["a cat", "a dog"], "answer": "A", "image": "a.png"},
    ]
    path = tmp_path / f"own.{ending}"
    if ending == "parquet":
        write_parquet(path, rows)
    elif ending == "arrow":
        pa = pytest.importorskip("pyarrow")
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, pa.Table.from_pylist(rows).schema) as writer:
            writer.write_table(pa.Table.from_pylist(rows))
    else:
        path.write_text(json.dumps(rows) if ending == "json" else "\n".join(json.dumps(row) for row in rows))
    benchmark = get_benchmark(str(path))
    assert [sample.references for sample in samples(benchmark)] == [("B",), ("A",)]
    assert samples(benchmark)[0].choices == {"A": "a cat", "B": "a dog"}
    assert {sample.cluster for sample in samples(benchmark)} == {"a.png"}


def test_numbers_are_recognised(tmp_path: Path) -> None:
    """Where every gold answer is a number, the headline is one for numbers."""
    (tmp_path / "n.csv").write_text("question,answer\nHow long?,2.5\nHow many?,3\n")
    benchmark = get_benchmark(str(tmp_path / "n.csv"))
    assert benchmark.headline == "number"
    assert benchmark.modality == "text"
    assert "answers are numbers" in benchmark.note


def test_a_yaml_file_says_what_names_do_not(tmp_path: Path) -> None:
    """Columns, pictures, prompt, metric, grouping and what questions share, with paths relative to the file."""
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "q.csv").write_text("nr,frage,antwort,bild,raum,art\n7,Wo?,hier,k.png,kitchen,ort\n")
    (tmp_path / "style.yaml").write_text('source: mine\nabout: mine\nopen: "Frage: {question}"\n')
    (tmp_path / "bench.yaml").write_text(
        "source: tables/q.csv\nname: meine\ntitle: Meine Fragen\nmedia: pictures\nprompt: style.yaml\n"
        "columns: {id: nr, question: frage, answer: antwort, image: bild}\nmetric: [f1, exact]\ngroup: art\n"
        "cluster: raum\nmax_tokens: 20\nlicence: CC0\n"
    )
    benchmark = get_benchmark(str(tmp_path / "bench.yaml"))
    sample = samples(benchmark)[0]
    assert (sample.id, sample.question, sample.references, sample.cluster) == ("7", "Wo?", ("hier",), "kitchen")
    assert sample.media[0].path == str(tmp_path / "pictures" / "k.png")
    assert benchmark.metrics == ("f1", "exact")
    assert benchmark.groups == ("art",)
    assert sample.tags == {"art": "ort"}
    assert load_style(benchmark.style).open == "Frage: {question}"
    assert (benchmark.title, benchmark.sampling.max_tokens, benchmark.licence) == ("Meine Fragen", 20, "CC0")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("q.csv", "frage,antwort\nWo?,hier\n", "no column for the question"),
        ("q.csv", "question,antwort\nWo?,hier\n", "no column for the answer"),
        ("q.csv", "id,question,answer\n1,a,b\n1,c,d\n", "'1' stands in rows 1 and 2"),
        ("q.csv", "question,A,B,answer\nWo?,hier,dort,C\n", "not among the options"),
        ("q.csv", "question,A,B,answer\nWo?,da,da,da\n", "the answer 'da' is the text of several options"),
        ("q.csv", "question,answer\nWo?,\n", "row 1: column 'answer' is empty"),
        ("q.csv", "question,answer\n", "holds no questions"),
        ("b.yaml", "source: gone.csv\n", "no such file or folder"),
        ("b.yaml", "sauce: q.csv\n", "unknown field `sauce`"),
        ("b.yaml", "source: b.csv\nmax_tokens: 0\n", "Expected `int` >= 1"),
        ("b.yaml", "source: b.csv\nframes: -1\n", "Expected `int` >= 1"),
        ("b.yaml", "source: empty\n", "must hold one table of questions"),
        ("b.yaml", "a: [\n", "is not YAML"),
        ("b.yaml", "source: b.csv\ncolumns: {bild: x}\n", "unknown role of a column 'bild'"),
        ("b.yaml", "source: b.csv\ncolumns: {question: x}\n", "has no column 'x'"),
    ],
)
def test_bad_input_is_one_clear_line_each(tmp_path: Path, name: str, content: str, words: str) -> None:
    """Every way in which a file can be wrong is said with its place."""
    (tmp_path / "b.csv").write_text("question,answer\na,b\n")
    (tmp_path / "empty").mkdir()
    (tmp_path / name).write_text(content)
    with pytest.raises(EyechartError) as error:
        get_benchmark(str(tmp_path / name)).source.index()
    assert words in str(error.value)
    assert error.value.exit_code == 2


def test_a_path_that_is_not_there_is_a_missing_file_and_no_unknown_benchmark(tmp_path: Path) -> None:
    """Known endings mean files; other words mean benchmarks."""
    with pytest.raises(InputError, match="no such file"):
        get_benchmark(str(tmp_path / "my.tsv"))
    with pytest.raises(UsageError, match="unknown benchmark 'vqav3'"):
        get_benchmark("vqav3")
    with pytest.raises(InputError, match="must hold one table"):
        get_benchmark(str(tmp_path))


def test_options_go_over_what_the_file_says(tmp_path: Path) -> None:
    """Metric, grouping and style can be given with the path."""
    (tmp_path / "q.csv").write_text("question,answer,room\nWo?,hier,bath\n")
    benchmark = get_benchmark(
        str(tmp_path / "q.csv"), {"metric": "f1", "group": "room", "style": "plain.v1", "cluster": "room"}
    )
    assert (benchmark.metrics, benchmark.groups, benchmark.style) == (("f1",), ("room",), "plain.v1")
    assert samples(benchmark)[0].cluster == "bath"
    assert samples(benchmark)[0].tags == {"room": "bath"}
    with pytest.raises(UsageError, match="unknown option"):
        get_benchmark(str(tmp_path / "q.csv"), {"metrik": "f1"})


def test_a_benchmark_in_another_package_is_found_by_its_entry_point(tmp_path: Path) -> None:
    """Three lines in that package's metadata are enough."""
    (tmp_path / "zoo_eyes.py").write_text(
        "from eyechart.benchmarks import get_benchmark\n\n\n"
        "def zoo(part='', **options):\n    return get_benchmark('starter', options)\n"
    )
    info = tmp_path / "zoo_eyes-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: zoo-eyes\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[eyechart.benchmarks]\nzoo = zoo_eyes:zoo\n")
    script = (
        "from eyechart.benchmarks import BENCHMARKS, get_benchmark\n"
        "print('zoo' in BENCHMARKS.names(), get_benchmark('zoo').name)"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    result = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.split() == ["True", "starter"]


def test_cells_with_commas_and_lines_survive_the_csv(tmp_path: Path) -> None:
    """What a spreadsheet quotes is read back as it was."""
    with (tmp_path / "q.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["question", "answer"], ['He said "where, now?"\nTwice.', "here, there"]])
    assert samples(get_benchmark(str(tmp_path / "q.csv")))[0].question == 'He said "where, now?"\nTwice.'


def loaded(folder: Path, name: str, content: str) -> Benchmark:
    """A table written down and read as a benchmark."""
    (folder / name).write_text(content)
    return get_benchmark(str(folder / name))


def test_options_by_letter_and_answers_as_objects_are_read(tmp_path: Path) -> None:
    """JSON says options as an object of letters, and answers as VQA publishes them; whole numbers stay whole."""
    text = '{"id": 1, "question": "q", "options": {"A": "left", "B": 2.0, "C": null}, "answer": "B"}\n'
    (sample,) = samples(loaded(tmp_path, "o.jsonl", text))
    assert (sample.choices, sample.references) == ({"A": "left", "B": "2"}, ("B",))
    text = '{"id": 1, "question": "q", "answers": [{"answer": "yes", "answer_id": 1}, "no", 3.0], "type": ["a", "b"]}\n'
    (sample,) = samples(loaded(tmp_path, "a.jsonl", text))
    assert sample.references == ("yes", "no", "3")
    assert sample.tags == {"type": "a, b"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"question": ["a", "b"], "answer": "a"}', "row 1: column 'question' holds a list, where text is needed"),
        ('{"question": "a", "answer": {"x": 1}}', "row 1: column 'answer' holds an object, where an answer is needed"),
        ('{"question": "a", "answer": [{"x": 1}]}', "column 'answer' holds an object"),
        ('{"question": {"en": "a"}, "answer": "x"}', "column 'question' holds an object, where text is needed"),
    ],
)
def test_a_cell_that_is_no_text_is_refused_with_its_place(tmp_path: Path, content: str, words: str) -> None:
    """Nothing is asked that reads like a program's own notation."""
    with pytest.raises(InputError) as error:
        loaded(tmp_path, "q.jsonl", content + "\n").source.index()
    assert words in str(error.value)


def test_a_description_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    """Its bytes are the user's to mend."""
    (tmp_path / "q.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not UTF-8"):
        get_benchmark(str(tmp_path / "q.yaml"))


def test_videos_of_ones_own_have_a_number_of_frames(tmp_path: Path) -> None:
    """Sixteen, said aloud; another number from the command line or the description."""
    benchmark = loaded(tmp_path, "q.csv", "video,question,answer\na.mp4,What?,x\n")
    assert benchmark.media == MediaRule(frames=16)
    assert "16 frames of each video" in benchmark.note
    assert get_benchmark(str(tmp_path / "q.csv"), {"frames": "4"}).media == MediaRule(frames=4)
    described = loaded(tmp_path, "q.yaml", "source: q.csv\nframes: 8\n")
    assert described.media == MediaRule(frames=8)


@pytest.mark.parametrize("answer", ["B", "b", "(B)", "B.", "B. right", "right"])
def test_options_in_lines_and_the_ways_of_naming_one(tmp_path: Path, answer: str) -> None:
    """Options in one cell, each on its line; the right one by its letter, with or without its text, or by its text."""
    row = {"question": "Where?", "choices": "A. left\nB. right\nC. (A) both", "answer": answer}
    (sample,) = samples(loaded(tmp_path, "q.json", json.dumps([row])))
    assert (sample.choices, sample.references) == ({"A": "left", "B": "right", "C": "(A) both"}, ("B",))


@pytest.mark.parametrize("answer", ["B. left", "(D)", "D", "neither"])
def test_an_answer_that_names_no_option_or_two_is_refused(tmp_path: Path, answer: str) -> None:
    """A letter with another option's text is as wrong as a letter that is not there."""
    row = {"question": "Where?", "choices": ["left", "right"], "answer": answer}
    with pytest.raises(InputError, match="is not among the options"):
        loaded(tmp_path, "q.json", json.dumps([row])).source.index()


def test_real_published_questions_run_as_they_are() -> None:
    """Questions as ViewSpatial publishes them: options in lines, answers with letter and text, lists of pictures."""
    benchmark = get_benchmark(str(real_data() / "viewspatial" / "every_12th.json"))
    asked = [benchmark.source.fetch(entry, media=False) for entry in benchmark.source.index().entries]
    assert len(asked) == 476
    assert benchmark.headline == "choice"
    assert {len(sample.choices) for sample in asked} <= {2, 3, 4}
    assert all(sample.references[0] in sample.choices for sample in asked)
