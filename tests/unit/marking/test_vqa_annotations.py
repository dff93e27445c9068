"""Annotations read piece by piece are those that the whole document holds, whatever its layout."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eyechart.errors import InputError
from eyechart.marking import vqa_annotations
from eyechart.marking.vqa_annotations import read_annotations

SEAM = '"}, {"question_id": 3, "answers": [{"answer": "'  # what ends and begins annotations, inside a text


def annotation(number: int, word: str = "red", **more: object) -> dict[str, Any]:
    """One annotation, its id first."""
    humans = [{"answer": word, "answer_id": place} for place in (1, 2)]
    return {"question_id": number, "answers": humans, "multiple_choice_answer": word, **more}


def reversed_keys(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same annotations with their keys the other way round, so that answers stand before ids."""
    return [dict(reversed(row.items())) for row in rows]


ROWS = [annotation(n, w) for n, w in enumerate(("red", SEAM, "a]b", "}\n, {", "\u0130\\", '"annotations": ['))]
LAYOUTS = {
    "object": json.dumps({"info": {}, "annotations": ROWS}),
    "bare list": json.dumps(ROWS),
    "indented": json.dumps({"annotations": ROWS, "license": {"id": 1}}, indent=2),
    "narrow": json.dumps({"annotations": ROWS}, separators=(",", ":")),
    "keys the other way round": json.dumps(reversed_keys(ROWS)),
    "humans begin alike": json.dumps([{"answers": [{"answers": 1, "answer": "x"}], "question_id": n} for n in (1, 2)]),
    "another list behind": json.dumps({"annotations": ROWS, "more": [{"question_id": 9, "answers": []}]}),
    "another list before": json.dumps({"annotations ": ROWS, "info": {"annotations": ROWS}, "annotations": ROWS}),
    "given twice": '{"annotations": ' + json.dumps(ROWS[:1]) + ', "annotations": ' + json.dumps(ROWS) + "}",
    "a lone surrogate": json.dumps([*ROWS, annotation(7, "\ud800")]),
}


def read(path: Path) -> list[tuple[Any, Any]]:
    """Every annotation with its JSON, as plain values."""
    pairs = [pair for batch in read_annotations(path) for pair in zip(*batch, strict=True)]
    return [(msgspec.to_builtins(found), json.loads(bytes(raw))) for found, raw in pairs]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_pieces_are_the_whole_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str) -> None:
    """With a cut at every seam, the same annotations in the same order as without any."""
    path = tmp_path / "annotations.json"
    path.write_text(LAYOUTS[layout], encoding="utf-8")
    document = json.loads(LAYOUTS[layout])
    expected = document if isinstance(document, list) else document["annotations"]
    monkeypatch.setattr(vqa_annotations, "_BYTES", 1)
    found = read(path)
    assert [raw for _, raw in found] == expected
    assert [row["question_id"] for row, _ in found] == [row["question_id"] for row in expected]
    assert [[h["answer"] for h in row["answers"]] for row, _ in found] == [
        [h["answer"] for h in row["answers"]] for row in expected
    ]


@pytest.mark.parametrize(
    "broken", ["[{A}, {A},]", "[{A},, {A}]", "[{A}, {A}", "[{A}, {A}]]", "[{A},\x0b{A}]", '{{"annotations": [{A}, {A}]']
)
def test_what_is_no_json_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    """Cutting lets nothing through that the document as a whole is not."""
    path = tmp_path / "annotations.json"
    path.write_text(broken.replace("{{", "{").replace("{A}", json.dumps(annotation(1))), encoding="utf-8")
    monkeypatch.setattr(vqa_annotations, "_BYTES", 1)
    with pytest.raises(InputError, match="not valid JSON"):
        read(path)


def test_most_files_are_read_in_one_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The published layouts need no first pass over the document."""
    path = tmp_path / "annotations.json"
    monkeypatch.setattr(vqa_annotations, "_told_apart", lambda *_: pytest.fail("a second pass"))
    for layout in ("object", "bare list", "indented", "narrow"):
        path.write_text(LAYOUTS[layout], encoding="utf-8")
        assert len(read(path)) == len(ROWS)
