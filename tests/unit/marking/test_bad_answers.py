"""Files that are not as they should be: each has its own clear error, exit code 2, and nothing is dropped silently."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from eyechart.cli.main import main

Json = dict[str, Any]


def annotation(number: int, answers: list[str] | None = None) -> Json:
    """One annotation with ten humans."""
    humans = [{"answer": text, "answer_id": i} for i, text in enumerate(answers or ["red"] * 10)]
    return {
        "question_id": number,
        "image_id": number // 3,
        "question_type": "what",
        "answer_type": "other",
        "multiple_choice_answer": "red",
        "answers": humans,
    }


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with twelve annotated questions."""
    monkeypatch.chdir(tmp_path)
    Path("a.json").write_text(json.dumps({"annotations": [annotation(i) for i in range(12)]}))
    return tmp_path


def answers(count: int = 12, *, text: object = "red") -> list[Json]:
    """The same answer to every question."""
    return [{"question_id": number, "answer": text} for number in range(count)]


def outcome(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of `eyechart score`."""
    code = main(["score", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


MISMATCHES = {
    "missing": (answers()[3:], "3 (for example 0, 1, 2) without an answer", "would be 75.00"),
    "extra": ([*answers(), {"question_id": 98, "answer": "x"}, {"question_id": 99, "answer": "x"}],
              "2 (for example 98, 99) answered but not in the annotations", "would be 100.00"),
    "duplicate": ([*answers(), {"question_id": 3, "answer": "blue"}],
                  "1 (for example 3) answered again", "would be 91.67"),
    "null": (answers(text=None), "12 (for example 0, 1, 2) without an answer", "would be 0.00"),
}  # fmt: skip


@pytest.mark.parametrize("name", MISMATCHES)
def test_ids_that_do_not_match(folder: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Counts, three examples, what the score would be; --missing wrong and skip go on and say what was left aside."""
    rows, finding, would_be = MISMATCHES[name]
    Path("p.json").write_text(json.dumps(rows))
    code, out, err = outcome(capsys, "vqav2", "--annotations", "a.json", "--predictions", "p.json")
    assert (code, out) == (2, "")
    assert finding in err
    assert would_be in err
    assert "--missing wrong" in err
    for missing in ("wrong", "skip"):
        words = ("--annotations", "a.json", "--predictions", "p.json", "--missing", missing, "--json")
        code, out, _ = outcome(capsys, "vqav2", *words)
        document = json.loads(out)
        assert code == 0
        assert document["n"]["total"] == 12
        assert any(finding.partition(" answered again")[0] in note for note in document["notes"])


UNREADABLE = {
    "p.json": [
        ("", "p.json: the file is empty"),
        (" \n", "p.json: the file is empty"),
        ("[]", "the file holds no answers"),
        ('"red"', "no list of answers"),
        ("[1, 2]", "entry 1: not an object"),
        ('{"foo": {"a": 1}}', "no answers found in this JSON object"),
        ('[{"question_id": 1}]', "no column for the answer"),
        ('[{"answer": "red"}]', "no column for the id"),
        ('[{"question_id": null, "answer": "red"}]', "entry 1: question_id is null"),
        ('[{"question_id": 1, "answer": ["red"]}]', "entry 1: answer is a list"),
        ('[{"question_id": 1, "answer": true}]', "entry 1: answer is true or false"),
        ('[{"question_id": 1, "answer": "red"},\n {"question_id": 2, "answer": }]', "p.json:2:31: not valid JSON"),
        ("[" * 100_000, "nested too deeply"),
    ],
    "p.jsonl": [
        ('{"question_id": 1, "answer": "red"}\n{"question_id": 2, answer: 1}\n', "p.jsonl:2:20: not valid JSON"),
    ],
    "p.csv": [
        ("", "p.csv: the file is empty"),
        ("id,answer\n", "the file holds no answers"),
        ("id,answer\n1,a,b,c\n", "row 1 has 4 cells where the header has 2"),
        ("id,reply\n1,a\n", "no column for the answer"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "content", "message"), [(n, c, m) for n, cases in UNREADABLE.items() for c, m in cases]
)
def test_files_that_cannot_be_read(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, content: str, message: str
) -> None:
    """One clear error each, with file, and line and column where there are any."""
    Path(name).write_text(content)
    code, out, err = outcome(capsys, "vqav2", "--annotations", "a.json", "--predictions", name)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("error: ")


def test_bytes_that_cannot_be_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file cut off while it was packed, and one that is not UTF-8."""
    Path("p.json.gz").write_bytes(gzip.compress(json.dumps(answers()).encode())[:40])
    Path("p.csv").write_bytes("id,answer\n1,café\n".encode("latin-1"))
    for name, message in (("p.json.gz", "damaged or cut off"), ("p.csv", "not UTF-8"), ("none.json", "no such file")):
        code, _, err = outcome(capsys, "vqav2", "--annotations", "a.json", "--predictions", name)
        assert code == 2
        assert message in err


def test_odd_answers_are_marked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A megabyte of text, control characters, numbers and half characters are answers like others."""
    rows = answers()
    for place, text in enumerate(("a" * 1_000_000, "\x00\x1b[2J\x07 red", 3, 0.5, "\ud800", "", "None", "nan")):
        rows[place]["answer"] = text
    Path("p.json").write_text(json.dumps(rows))
    code, out, _ = outcome(capsys, "vqav2", "--annotations", "a.json", "--predictions", "p.json", "--json")
    document = json.loads(out)
    assert code == 0
    assert document["n"]["answered"] == 12
    assert document["metrics"]["vqa_accuracy"]["printed"] == "33.33"
    code, out, _ = outcome(capsys, "vqav2", "--annotations", "a.json", "--predictions", "p.json")
    assert "\x1b" not in out


def test_json_lines_of_a_single_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One object with an id and an answer is one answer, not two of them under the names of its fields."""
    Path("p.json").write_text(json.dumps(answers(1)[0]))
    code, _, err = outcome(capsys, "vqav2", "--annotations", "a.json", "--predictions", "p.json")
    assert code == 2
    assert "11 (for example 1, 2, 3) without an answer" in err
    assert "answered but not" not in err


def test_an_annotation_without_answers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A question that nobody can be right about is refused, and named."""
    broken = [annotation(0), {**annotation(7), "answers": []}]
    Path("a.json").write_text(json.dumps({"annotations": broken}))
    Path("p.json").write_text(json.dumps([{"question_id": 0, "answer": "x"}, {"question_id": 7, "answer": "x"}]))
    code, _, err = outcome(capsys, "vqav2", "--annotations", "a.json", "--predictions", "p.json")
    assert code == 2
    assert "question 7" in err
    assert "no answers" in err


def test_annotations_that_are_not_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The error says file, line and column."""
    Path("a.json").write_text('{"annotations": [\n{"question_id": 1,}\n]}')
    Path("p.json").write_text(json.dumps(answers()))
    code, _, err = outcome(capsys, "vqav2", "--annotations", "a.json", "--predictions", "p.json")
    assert code == 2
    assert "a.json:2:" in err


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("red 1\nblue 2\n", "key.csv:1: no comma in 'red 1'"),
        ("blue,2\n", "outside the answer key key.csv: 12"),
        ("red,one\n", "'one' is not a whole number"),
        ("", "the file is empty"),
    ],
)
def test_answer_keys(folder: Path, capsys: pytest.CaptureFixture[str], key: str, message: str) -> None:
    """Spaces in place of commas, answers outside the key, and keys that are none."""
    Path("key.csv").write_text(key)
    Path("p.json").write_text(json.dumps(answers()))
    words = ("--annotations", "a.json", "--predictions", "p.json", "--answer-key", "key.csv")
    code, _, err = outcome(capsys, "tdiuc", *words)
    assert code == 2
    assert message in err


def test_gold_numbers_of_zero_and_below(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A gold of zero has no score and a negative one the official score; both are counted and said."""
    golds = ["0", "-3", "4", "2"]
    rows = [{"id": i, "question_type": "object_counting", "ground_truth": gold} for i, gold in enumerate(golds)]
    Path("d.json").write_text(json.dumps(rows))
    Path("p.json").write_text(json.dumps([{"id": i, "prediction": "4"} for i in range(4)]))
    code, out, _ = outcome(capsys, "vsibench", "--data", "d.json", "--predictions", "p.json", "--json")
    result = json.loads(out)["metrics"]["vsi"]
    assert code == 0
    assert (result["n"], result["undefined"], result["errors"]) == (3, 1, {"gold_zero": 1})
    assert result["oddities"] == {"gold_negative": 1}
    assert result["value"] == pytest.approx((1 + 1 + 0) / 3)
    _, out, _ = outcome(capsys, "vsibench", "--data", "d.json", "--predictions", "p.json")
    assert "gold_zero 1" in out
    assert "gold_negative 1" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("vqav2x", "--predictions", "p.json"), "did you mean vqav2"),
        (("mmsi", "--annotations", "a.json", "--predictions", "p.json"), "mmsi has no questions and annotations"),
        (("vqav2", "--questions", "a.json", "--predictions", "p.json"), "--questions without --annotations"),
        (("mmsi", "--data", "a.json", "--answer-key", "a.json", "--predictions", "p.json"), "mmsi has no answer key"),
        (("vqav2", "--annotations", "b.json", "--predictions", "p.json"), "--annotations: no such file: b.json"),
        (("vqav2", "--annotations", "a.json", "--predictions", "p.json", "--metric", "wupz"), "did you mean wups"),
        (("vqav2", "--annotations", "a.json", "--predictions", "p.json", "--missing", "maybe"), "maybe"),
        (("vqav2", "--annotations", "a.json", "--prediction", "p.json"), "--predictions"),
        (("vsibench", "--data", "p.json", "--predictions", "p.json"), "has no columns"),
    ],
)
def test_flags_that_cannot_be_meant(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    """Names and flags that do not fit are refused before anything is marked."""
    Path("p.json").write_text(json.dumps(answers()))
    code, _, err = outcome(capsys, *words)
    assert code == 2
    assert message in err


def test_a_model_that_the_file_does_not_hold(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The nearest names are offered."""
    question = {"question_id": 1, "question": "?", "model_answer": "red", "ground_truth": "red"}
    models = {name: {"question_results": [question]} for name in ("alpha", "beta")}
    Path("p.json").write_text(json.dumps({"results": models}))
    code, _, err = outcome(capsys, "vqav2", "--predictions", "p.json", "--model", "alpa")
    assert code == 2
    assert "did you mean alpha" in err
