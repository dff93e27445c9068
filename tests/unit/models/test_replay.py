"""Files of answers: every usual form is read, and one that cannot be read is said to be the person's to mend."""

from __future__ import annotations

import asyncio
import gzip
from pathlib import Path

import pytest

from eyechart.errors import InputError
from eyechart.models import get_model
from eyechart.models.replay import read_answers, read_bytes

ANSWERS = {"a": "yes", "b": "zwölf"}


def read(path: Path) -> dict[str, str]:
    """The answers in a file."""
    return dict(read_answers(path, read_bytes(path)))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list.json", '[{"question_id": "a", "answer": "yes"}, {"question_id": "b", "answer": "zwölf"}]'),
        ("lines.jsonl", '{"id": "a", "response": "yes"}\n\n{"id": "b", "prediction": "zwölf"}\n'),
        ("begins-with-a-mark.jsonl", '\ufeff{"id": "a", "text": "yes"}\n{"id": "b", "text": "zwölf"}\n'),
        ("table.csv", "index,answer\na,yes\nb,zwölf\n"),
        ("table.tsv", "\ufeffid\tanswer\r\na\tyes\r\nb\tzwölf\r\n"),
    ],
)
def test_every_usual_form_is_read(tmp_path: Path, name: str, text: str) -> None:
    """JSON lists, JSON lines and tables, plain or gzipped, under any of the usual names."""
    path, packed = tmp_path / name, tmp_path / f"{name}.gz"
    path.write_text(text, newline="")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read(path) == ANSWERS
    assert read(packed) == ANSWERS


def test_the_gold_answer_is_not_replayed(tmp_path: Path) -> None:
    """Where a file holds the gold answer beside the model's word, the word counts; a null is no answer."""
    table = tmp_path / "exported.tsv"
    table.write_text("index\tquestion\tanswer\tprediction\n1\tWhich?\tgold\tmine\n")
    assert read(table) == {"1": "mine"}
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"id": "a", "answer": "gold", "prediction": null}\n{"id": "b", "answer": "mine"}\n')
    assert read(lines) == {"b": "mine"}


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("answers.json", b"7", "holds no list of answers"),
        ("answers.json", b'{"a": "yes"}', "holds no list of answers"),
        ("answers.json", b'[{"id": 1', "not valid JSON"),
        ("answers.jsonl", b'{"id": "a", "answer": "yes"}\n{"id": "b", "answer": "\xff"}\n', "line 2: not valid JSON"),
        ("answers.jsonl", b'{"id": "a"}\n', "row 1: an answer is missing"),
        ("answers.jsonl", b"[" * 100_000 + b"\n", "line 1: not valid JSON"),
        ("answers.csv", b"id,answer\n1,\xff\n", "not a CSV file in UTF-8"),
        ("answers.json.gz", b"\x1f\x8bnonsense", "cannot unpack"),
        ("answers.json.gz", gzip.compress(b"[]")[:-4], "cannot unpack"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    """Wrong forms, wrong encodings and torn archives are malformed input, whatever library found out."""
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=says):
        read(path)


def test_a_file_that_is_not_there_is_missed_at_once(tmp_path: Path) -> None:
    """Naming the model is enough to find out; nothing has to be asked first."""
    with pytest.raises(InputError, match="no such file"):
        get_model(f"replay:{tmp_path / 'nowhere.jsonl'}")


def test_a_file_that_leaves_open_what_was_answered_is_refused(tmp_path: Path) -> None:
    """Two answers to one question: neither may become a score without a word."""
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": "a", "answer": "yes"}\n{"id": "a", "answer": "no"}\n')
    with pytest.raises(InputError, match="question a has two different answers"):
        asyncio.run(get_model(f"replay:{path}").open(lambda: iter(())))


def test_the_same_answer_twice_is_one_answer(tmp_path: Path) -> None:
    """Nothing is left open by it."""
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": "a", "answer": "yes"}\n{"id": "a", "answer": "yes"}\n')
    asyncio.run(get_model(f"replay:{path}").open(lambda: iter(())))
