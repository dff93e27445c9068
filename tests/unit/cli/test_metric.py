"""`eyechart metric`: JSON lines in, JSON lines out, errors with file and line."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from eyechart.cli.main import main

LINES: list[dict[str, Any]] = [
    {"id": "a", "answer": "80", "references": ["100"], "tags": {"question_type": "object_counting"}},
    {"id": 2, "answer": "about 80", "references": [100], "tags": {"question_type": "object_counting"}},
    {
        "id": "c",
        "answer": "3",
        "references": ["0"],
        "tags": {"question_type": "object_counting", "extra": None, "boxes": [1, {"x": 2}]},
    },
    {
        "id": "d",
        "answer": "B.",
        "references": ["B"],
        "choices": ["x", "y"],
        "tags": {"question_type": "route_planning"},
    },
    {"id": "e", "answer": None, "references": ["B"], "tags": {"question_type": "route_planning"}, "more": [1]},
]
EXPECTED = [
    {"id": "a", "score": 0.6, "read_as": "80"},
    {"id": 2, "score": 0.0, "read_as": None},
    {"id": "c", "error": "gold_zero"},
    {"id": "d", "score": 1.0, "read_as": "B"},
    {"id": "e", "error": "no_answer"},
]


def written(lines: list[dict[str, Any]]) -> bytes:
    """Lines as a file holds them."""
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def kinds(output: bytes) -> list[dict[str, Any]]:
    """The lines of an output, errors by their kind."""
    found = [json.loads(line) for line in output.splitlines()]
    return [line | ({"error": line["error"].partition(":")[0]} if "error" in line else {}) for line in found]


def test_from_standard_input_to_standard_output() -> None:
    """The command works in a pipe, takes gzip by its content, and lines without a score do not change the exit code."""
    for given in (written(LINES), gzip.compress(written(LINES)), b"\xef\xbb\xbf" + written(LINES) + b"\n\n"):
        done = subprocess.run(
            [sys.executable, "-m", "eyechart.cli.main", "metric", "vsi"], input=given, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert kinds(done.stdout) == EXPECTED


@pytest.mark.parametrize(("name_in", "name_out"), [("in.jsonl", "out.jsonl"), ("in.jsonl.gz", "out.jsonl.gz")])
def test_from_file_to_file(tmp_path: Path, name_in: str, name_out: str) -> None:
    """Files may be gzipped on either side."""
    source, target = tmp_path / name_in, tmp_path / name_out
    content = written(LINES)
    source.write_bytes(gzip.compress(content) if name_in.endswith("gz") else content)
    assert main(["metric", "vsi", "--in", str(source), "--out", str(target)]) == 0
    output = target.read_bytes()
    assert kinds(gzip.decompress(output) if name_out.endswith("gz") else output) == EXPECTED


def test_options(tmp_path: Path) -> None:
    """`--option` is the same as brackets."""
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(written(LINES[1:2]))
    for words in (["mra[reader=robust]"], ["mra", "--option", "reader=robust"]):
        assert main(["metric", *words, "--in", str(source), "--out", str(target)]) == 0
        assert json.loads(target.read_bytes()) == {"id": 2, "score": 0.6, "read_as": "80"}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{not json}", "line 2"),
        (b'{"id": "x", "references": ["1"]}', "answer"),
        (b'{"id": "x", "answer": "1", "references": "1"}', "references"),
        (b'{"id": "x", "answer": {"a": 1}, "references": ["1"]}', "answer"),
        (b"[1, 2]", "line 2"),
        (b"9" * 3_000 + b"]", "line 2"),
        (b'{"id": "x", "answer": "1", "references": ["1"], "tags": ' + b'{"a":' * 9_000, "nested too deeply"),
        (b'{"id": "x", "answer": "\xff", "references": ["1"]}', "line 2"),
    ],
)
def test_malformed_input_names_file_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: bytes, said: str
) -> None:
    """Exit code 2, the file, the line and the reason; no half-written output is left."""
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(written(LINES[:1]) + line + b"\n")
    assert main(["metric", "vsi", "--in", str(source), "--out", str(target)]) == 2
    message = capsys.readouterr().err
    assert f"{source}: line 2" in message
    assert said in message
    assert list(tmp_path.iterdir()) == [source]


def test_without_references_nothing_is_marked(tmp_path: Path) -> None:
    """No metric takes an absent gold answer for an empty text, which the substring test would find anywhere."""
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    tags = {"question_type": "object_counting", "sample_id": "spatialmap.vqa.0.0"}
    source.write_bytes(written([{"id": "x", "answer": "1", "references": [], "tags": tags}]))
    for metric in ("exact", "mra", "mmsi", "spatialeval_official", "choice", "wups@0.9"):
        assert main(["metric", metric, "--in", str(source), "--out", str(target)]) == 0
        assert kinds(target.read_bytes()) == [{"id": "x", "error": "no_reference"}]


def test_a_null_where_the_program_expects_one(tmp_path: Path) -> None:
    """lmms-eval counts a null as a wrong answer; the extractor of the README stops at it."""
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(written([{"id": "x", "answer": None, "references": ["A"]}]))
    assert main(["metric", "mmsi[lmms_head=true]", "--in", str(source), "--out", str(target)]) == 0
    assert kinds(target.read_bytes()) == [{"id": "x", "score": 0.0, "read_as": None}]
    assert main(["metric", "mmsi", "--in", str(source), "--out", str(target)]) == 0
    assert kinds(target.read_bytes()) == [{"id": "x", "error": "no_answer"}]


def test_a_null_about_a_map(tmp_path: Path) -> None:
    """SpatialEval's extractor of maps takes a null for a reply in which nothing is found; its others stop."""
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    asked = (("spatialmap.vqa.1.1", "no"), ("spatialmap.vqa.1.1", "Oz"), ("mazenav.vqa.1.2", "No"))
    lines = [{"id": row, "answer": None, "references": [gold], "tags": {"sample_id": row}} for row, gold in asked]
    source.write_bytes(written(lines))
    assert main(["metric", "spatialeval_official", "--in", str(source), "--out", str(target)]) == 0
    assert kinds(target.read_bytes()) == [
        {"id": "spatialmap.vqa.1.1", "score": 1.0, "read_as": None},  # "no" is found in "none"
        {"id": "spatialmap.vqa.1.1", "score": 0.0, "read_as": None},
        {"id": "mazenav.vqa.1.2", "error": "no_answer"},
    ]


def test_damaged_gzip_and_missing_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What cannot be read is an input error with the file's name, never a crash."""
    source = tmp_path / "in.jsonl.gz"
    source.write_bytes(gzip.compress(written(LINES * 50))[:-20])
    assert main(["metric", "vsi", "--in", str(source), "--out", str(tmp_path / "o")]) == 2
    assert "damaged gzip" in capsys.readouterr().err
    assert main(["metric", "vsi", "--in", str(tmp_path / "none")]) == 2
    assert main(["metric", "vzi"]) == 2
    assert "vsi" in capsys.readouterr().err


def test_an_empty_file_gives_an_empty_file(tmp_path: Path) -> None:
    """Nothing in, nothing out, no error."""
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b"")
    assert main(["metric", "mmsi", "--in", str(source), "--out", str(target)]) == 0
    assert target.read_bytes() == b""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """Ten times the lines take the same memory: nothing is held."""
    peaks = []
    for count in (5_000, 50_000):
        source = tmp_path / "in.jsonl"
        source.write_bytes(written(LINES[:1]) * count)
        # VmHWM and not ru_maxrss: a new process inherits the latter's peak from the one that started it.
        code = (
            "import re; from pathlib import Path; from eyechart.cli.main import main;"
            f"main(['metric', 'vsi', '--in', {str(source)!r}, '--out', '/dev/null']);"
            "print(re.search(r'VmHWM:\\s+(\\d+)', Path('/proc/self/status').read_text())[1])"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        peaks.append(int(done.stdout))
    assert peaks[1] < peaks[0] + 2_000


@pytest.mark.parametrize("name", ["vqa_accuracy", "exact", "f1", "anls", "bleu1", "meteor", "wups@0.9", "vqa_enhanced"])
def test_half_a_character_is_a_character(tmp_path: Path, name: str) -> None:
    """A reply that was cut within an emoji is marked as the official programs mark it, and leaves as valid JSON."""
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text('{"id": "\\udfff", "answer": "dog \\ud83d", "references": ["dog", "dog"]}\n')
    assert main(["metric", name, "--in", str(source), "--out", str(target)]) == 0
    marked = json.loads(target.read_bytes())
    assert marked["id"] == "\udfff"
    assert 0 <= marked["score"] <= 1


def test_broken_escapes_are_malformed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What no reader of JSON takes is refused with its line."""
    source = tmp_path / "in.jsonl"
    source.write_text('{"id": 1, "answer": "\\ud8", "references": ["dog"]}\n')
    assert main(["metric", "exact", "--in", str(source)]) == 2
    assert "line 1" in capsys.readouterr().err
