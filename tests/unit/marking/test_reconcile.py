"""reconcile: where scorers disagree, how often, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import eyechart
from eyechart.cli.main import main

COMPARISON = Path(__file__).parents[2] / "parity" / "vqa_comparison" / "vqa2_results_coco_20250729_131258.json.gz"


def test_scorers_of_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    """On published answers the two lenient scorers disagree on some questions, each told with its arithmetic."""
    words = ["reconcile", "vqav2", "--predictions", str(COMPARISON), "--model", "moondream2", "--show", "3"]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "eyechart/reconcile@1"
    assert found["n"] == 20
    pair = next(p for p in found["pairs"] if {p["first"], p["second"]} == {"vqa_enhanced", "vqa_contains"})
    assert pair["differ"] == pair["first_higher"] + pair["second_higher"] == 9
    assert found["means"] == pytest.approx({"vqa_enhanced": 0.625, "vqa_contains": 0.65, "vqa_exact": 0.0})
    assert len(found["questions"]) == 3
    for question in found["questions"]:
        assert len(set(question["values"].values())) > 1
        assert all(question["why"].values())
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "scorers disagree on 14 (70.0%)" in out
    assert "gold: no" in out


def test_scorers_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that was marked with one scorer is sent to rescore; then both are side by side."""
    run = eyechart.run("starter", "baseline:majority", limit=16, runs=tmp_path)
    words = ["reconcile", run.path.name, "-o", str(tmp_path)]
    assert main(words) == 2
    assert "eyechart rescore" in capsys.readouterr().err
    assert main(["rescore", run.path.name, "-o", str(tmp_path), "--metric", "exact,contains"]) == 0
    assert main(words) == 0
    out = capsys.readouterr().out
    assert "16 answers" in out
    assert "contains" in out
    assert main([*words, "--metric", "exact,f1"]) == 2
    assert "was not marked with f1" in capsys.readouterr().err
