"""The mean over groups of any plain metric, and a published leaderboard made with it from stored letters."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from eyechart.cli.main import main
from eyechart.errors import UsageError
from eyechart.metrics import get_metric
from eyechart.records import Sample

REAL = Path(os.environ.get("EYECHART_SHARED_DATA") or Path(__file__).parents[4] / "shared" / "data")


def test_every_group_counts_alike() -> None:
    """Three of four in one group and none of one in the other make 37.5 per cent, not 60."""
    metric = get_metric("exact[mean=category]")
    assert metric.id == "exact[mean=category]"
    assert metric.cell(Sample(id="1", tags={"category": "a"})) == ("a",)
    numbers = metric.aggregate({("a",): (4.0, 3.0), ("b",): (1.0, 0.0), ("c",): (0.0, 0.0)})
    assert numbers == {"value": 0.375, "category=a": 0.75, "category=b": 0.0}
    assert metric.aggregate({}) == {}


def test_options_stay_beside_it() -> None:
    """The option joins those that the metric has."""
    assert get_metric("mmsi[lmms_head=true,mean=category]").id == "mmsi[lmms_head=true,mean=category]"
    assert get_metric("wups@0.9[mean=question_type]").id == "wups@0.9[mean=question_type]"


def test_odd_questions_are_counted_as_well() -> None:
    """What the metric finds odd about a question, its mean over groups finds odd too."""
    sample = Sample(id="1", references=("-3",), tags={"question_type": "object_counting"})
    assert get_metric("mra[mean=question_type]").oddity(sample) == get_metric("mra").oddity(sample) == "gold_negative"


def test_a_mean_of_a_mean_is_refused() -> None:
    """A metric that has a formula of its own keeps it."""
    with pytest.raises(UsageError, match="mean of its own"):
        get_metric("vsi[mean=question_type]")


LEADERBOARD = {"GPT4o": "60.04", "llava_v1.5_7b": "37.13"}  # printed there as 60.0 and 37.1


@pytest.mark.parametrize("model", LEADERBOARD)
def test_a_leaderboard_from_stored_letters(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """BLINK as own data, without code: the mean over fourteen tasks is what its authors print."""
    folder = REAL / "blink"
    if not folder.is_dir():
        pytest.skip("the folder of real data is not here")
    key = json.loads((folder / "val_answers.json").read_text())
    rows = [f"{name}\tWhich?\t{gold}\t{name[4:].rpartition('_')[0]}\n" for name, gold in key.items()]
    (tmp_path / "blink.tsv").write_text("id\tquestion\tanswer\ttask\n" + "".join(rows))
    (tmp_path / "blink.yaml").write_text("source: blink.tsv\nmetric: exact[mean=task]\ngroup: task\n")
    answers = folder / "saved_val_predictions" / f"{model}.json"
    assert main(["score", str(tmp_path / "blink.yaml"), "--predictions", str(answers), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)["metrics"]["exact[mean=task]"]
    assert result["printed"] == LEADERBOARD[model]
    assert result["n"] == 1901
    assert len(result["by"]["task"]) == 14
    assert result["ci"][0] < result["value"] < result["ci"][1]
