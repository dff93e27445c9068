"""check: marking that is sound passes, marking that is not is found out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from little_benchmark import benchmark_of

from eyechart.cli.main import main
from eyechart.marking.check import CheckReport, check, spread
from eyechart.marking.choose import choose_metrics, split_metrics
from eyechart.metrics import get_metric
from eyechart.metrics.base import Cell, Metric, Sums
from eyechart.records import Entry, Sample, Score

VQA = {"question_type": "what", "answer_type": "other"}


def annotations(path: Path) -> Path:
    """Nine annotated questions of three types, as VQA, VQA-CP and TDIUC publish them."""
    golds = ["red", "2", "yes"] * 3
    rows = [
        {
            "question_id": i,
            "image_id": i // 2,
            "question": "what is it?",
            "question_type": ("color", "counting", "object_presence")[i % 3],
            "answer_type": ("other", "number", "yes/no")[i % 3],
            "multiple_choice_answer": gold,
            "answers": [{"answer": gold if k else "blue", "answer_id": k} for k in range(10)],
        }
        for i, gold in enumerate(golds)
    ]
    path.write_text(json.dumps({"annotations": rows}))
    return path


def questions(path: Path) -> Path:
    """The questions of those annotations."""
    rows = [{"question_id": i, "image_id": i // 2, "question": "what is it?"} for i in range(9)]
    path.write_text(json.dumps({"questions": rows}))
    return path


def rows_of(name: str) -> list[Mapping[str, object]]:
    """A few rows in the published columns."""
    if name == "vsibench":
        kinds = ("object_counting", "room_size_estimation", "route_planning", "object_rel_direction_easy")
        return [
            {"id": i, "question_type": kinds[i % 4], "question": "?", "scene_name": f"s{i // 3}", "dataset": "d",
             "ground_truth": "B" if i % 4 > 1 else f"{i + 1}.5",
             "options": ["A. left", "B. right"] if i % 4 > 1 else None}
            for i in range(12)
        ]  # fmt: skip
    if name == "mmsi":
        question = "Where? Options: A: left, B: right, C: up, D: down"
        return [
            {"id": i, "question_type": ("MSR", "Motion (Obj.)")[i % 2], "question": question, "answer": "ABCD"[i % 4]}
            for i in range(8)
        ]
    tasks = ("spatialmap", "mazenav", "spatialgrid", "spatialreal")
    text = "Where?\nA. Northeast\nB. Southwest\nC. North\nD. South"
    return [
        {"id": f"{tasks[i % 4]}.vqa.{i}.0", "text": text, "oracle_answer": "Northeast", "oracle_option": "A",
         "oracle_full_answer": "A. Northeast"}
        for i in range(8)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "name", ["vqav2", "vqacp_v1", "vqacp_v2", "tdiuc", "vsibench", "mmsi", "spatialeval", "starter"]
)
def test_every_built_in_benchmark_is_sound(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Gold answers get full marks, wrong ones less, and nothing odd breaks marking or aggregation."""
    options: tuple[str, ...] = ()
    if name in ("vsibench", "mmsi", "spatialeval"):
        data = tmp_path / "rows.json"
        data.write_text(json.dumps(rows_of(name)))
        options = ("-T", f"data={data}")
    elif name != "starter":
        files = questions(tmp_path / "questions.json"), annotations(tmp_path / "annotations.json")
        options = ("-T", f"questions={files[0]},annotations={files[1]}")
    code = main(["check", name, *options, "--limit", "40"])
    captured = capsys.readouterr()
    assert code == 0, captured.out + captured.err
    assert "sound: marking may be trusted" in captured.out


def test_own_data_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A table of one's own is checked in the same way, and as JSON."""
    table = tmp_path / "mine.tsv"
    table.write_text("id\tquestion\tA\tB\tanswer\tcategory\n1\tWhere?\tleft\tright\tB\tx\n2\tWho?\tme\tyou\tA\ty\n")
    assert main(["check", str(table), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["schema"] == "eyechart/check@1"
    assert report["checked"] == 2
    assert report["metrics"]["choice"]["ceiling"] == 1.0


@dataclass(frozen=True)
class Broken(Metric):
    """A metric with one fault."""

    fault: str
    id: str = "broken"
    version: int = 1
    upstream: str = ""
    title: str = "for tests"

    def score(self, sample: Sample, text: str) -> Score:
        match self.fault:
            case "raises":
                return Score(value=1.0 / max(0, len(text)), read_as=text)
            case "always right":
                return Score(value=1.0, read_as=text)
            case "never right":
                return Score(value=0.0, read_as=text)
            case "no reason":
                return Score(value=None)
            case "out of range":
                return Score(value=float(len(text)), read_as=text)
        return Score(value=float(text in sample.references), read_as=text)

    def aggregate(self, sums: Mapping[Cell, Sums]) -> dict[str, float]:
        if self.fault == "aggregate":
            return {"value": sums["nowhere",][0]}
        return super().aggregate(sums)


def report_of(fault: str) -> CheckReport:
    """The check of a little benchmark with a broken metric."""
    samples = [Sample(id=str(i), references=("red",), tags={"kind": "colour"}) for i in range(3)]
    return check(benchmark_of(samples, metrics=("broken",)), [Broken(fault)])


@pytest.mark.parametrize(
    ("fault", "finding"),
    [
        ("raises", "odd answer (empty): raises ZeroDivisionError"),
        ("always right", "gets 1, no less than the gold one"),
        ("never right", "gets 0, not full marks"),
        ("no reason", "no score, and no reason given"),
        ("out of range", "outside 0 to 1"),
        ("aggregate", "empty answers: raises KeyError"),
    ],
)
def test_faults_are_found(fault: str, finding: str) -> None:
    """Each kind of fault is found and said."""
    report = report_of(fault)
    assert not report.sound
    assert any(finding in found.what for found in report.findings)


def test_a_sound_metric_has_no_findings() -> None:
    """Without a fault the same benchmark is sound."""
    report = report_of("")
    assert report.sound
    assert report.findings == []
    assert report.metrics["broken"].full == 3


def test_a_gold_answer_outside_the_options_is_noted() -> None:
    """That may be meant, so it is a note and no error; a question without gold is an error."""
    odd = Sample(id="1", references=("E",), choices={"A": "left", "B": "right"})
    report = check(benchmark_of([odd]), [get_metric("exact")])
    assert [(f.level, "none of the options" in f.what) for f in report.findings] == [("note", True)]
    assert not check(benchmark_of([Sample(id="1")]), [get_metric("exact")]).sound


def test_the_check_is_spread_over_all_types() -> None:
    """Of a benchmark sorted by type, every type is looked at."""
    entries = [Entry(id=str(i), locator=i, stratum=f"t{i // 100}") for i in range(1000)]
    chosen = spread(entries, 50)
    assert len(chosen) == 50
    assert {entry.stratum for entry in chosen} == {f"t{k}" for k in range(10)}


def test_which_metrics_are_marked() -> None:
    """Everything where it is cheap, what the official program prints where it is not, and what is asked for."""
    benchmark = benchmark_of([], metrics=("vqa_accuracy", "vqa_exact"))
    assert [m.id for m in choose_metrics(benchmark, [], 100)] == ["vqa_accuracy", "vqa_exact"]
    assert [m.id for m in choose_metrics(benchmark, [], 100_000)] == ["vqa_accuracy"]
    assert [m.id for m in choose_metrics(benchmark, ["wups@0.9"], 100_000)] == ["vqa_accuracy", "wups@0.9"]
    assert [m.id for m in choose_metrics(benchmark, ["all"], 100_000)] == ["vqa_accuracy", "vqa_exact"]
    assert split_metrics("a,b[x=1,y=2], wups@0.9") == ["a", "b[x=1,y=2]", "wups@0.9"]
