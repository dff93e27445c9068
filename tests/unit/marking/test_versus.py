"""compare and rescore on real runs of the bundled benchmark."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import eyechart
from eyechart.cli.main import main
from eyechart.errors import UsageError
from eyechart.runner.versus import Allowed


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with a run that always gives the commonest answer, and one that guesses."""
    for model in ("baseline:majority", "baseline:random"):
        eyechart.run("starter", model, limit=40, runs=tmp_path)
    return tmp_path


def names(runs: Path) -> tuple[str, str]:
    """The two runs: majority, then random."""
    majority, random = sorted(path.name for path in runs.iterdir() if path.is_dir())
    return majority, random


def test_compare_prints_the_verdict(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two runs of one benchmark are paired on all shared questions, with tables on demand."""
    majority, random = names(runs)
    assert main(["compare", majority, random, "-o", str(runs), "--by", "kind"]) == 0
    out = capsys.readouterr().out
    assert "paired on 40 of 40" in out
    assert "baseline:majority" in out
    assert "p (Holm)" in out


def test_compare_as_json_is_one_document(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The JSON says everything that the text says, unrounded, with its schema."""
    majority, random = names(runs)
    assert main(["compare", majority, random, "-o", str(runs), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "eyechart/compare@1"
    assert document["n"] == 40
    assert document["won"] + document["lost"] + document["same"] == 40
    assert document["difference"] == pytest.approx(document["first"]["value"] - document["second"]["value"])


def test_a_run_of_another_part_is_refused(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Runs that asked other questions are not compared unless somebody says so; the field is named."""
    eyechart.run("starter", "baseline:constant=yes", limit=20, runs=runs)
    majority, _ = sorted(path.name for path in runs.iterdir() if "constant" not in path.name)
    constant = next(path.name for path in runs.iterdir() if "constant" in path.name)
    assert main(["compare", majority, constant, "-o", str(runs)]) == 2
    assert "ids differs" in capsys.readouterr().err
    assert main(["compare", majority, constant, "-o", str(runs), "--across", "ids"]) == 0
    assert "paired on 20 of 40" in capsys.readouterr().out


def test_only_fields_of_the_signature_may_be_named() -> None:
    """A misspelt field gets the nearest one."""
    with pytest.raises(UsageError, match="promt") as error:
        Allowed(fields=["promt"])
    assert "prompt" in str(error.value)


def test_the_gate(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--fail-if-worse fails only where the first run is shown to be worse."""
    majority, random = names(runs)
    eyechart.run("starter", "baseline:echo-gold", limit=40, runs=runs)
    gold = next(path.name for path in runs.iterdir() if "gold" in path.name)
    assert main(["compare", random, gold, "-o", str(runs), "--fail-if-worse"]) == 1
    assert "is shown to be worse" in capsys.readouterr().err
    assert main(["compare", gold, majority, "-o", str(runs), "--fail-if-worse"]) == 0


def test_rescore_adds_a_metric_and_keeps_the_old_scores(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run gets another metric without any model call; the headline stays, the old revision is kept."""
    majority, random = names(runs)
    before = eyechart.open_run(majority, runs)
    score, signature = before.score, before.document.signature
    assert main(["compare", majority, random, "-o", str(runs), "--metric", "exact"]) == 2
    assert "eyechart rescore" in capsys.readouterr().err
    assert main(["rescore", majority, random, "-o", str(runs), "--metric", "exact"]) == 0
    assert "no question's mark changed" in capsys.readouterr().out
    after = eyechart.open_run(majority, runs)
    assert (after.score, after.document.signature) == (score, signature)
    assert "exact" in after.document.metrics
    assert (runs / majority / "scores" / "0001.jsonl").exists()
    assert main(["compare", majority, random, "-o", str(runs), "--metric", "exact"]) == 0


def test_rescore_of_a_run_that_was_never_marked(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a run asked before it was interrupted can be marked as it stands."""
    majority, _ = names(runs)
    (runs / majority / "scores.jsonl").unlink()
    assert main(["rescore", majority, "-o", str(runs)]) == 0
    assert "marked for the first time" in capsys.readouterr().out
    assert eyechart.open_run(majority, runs).document.n.total == 40
