"""Marking: counts, both readings, tables, intervals, statuses and the signature."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
import pytest
from little_benchmark import ListSource, benchmark_of

from eyechart.marking import signature
from eyechart.marking.document import Document
from eyechart.marking.mark import mark
from eyechart.marking.rows import ScoredRow
from eyechart.marking.status import reply_status
from eyechart.metrics import get_metric
from eyechart.metrics.base import Cell, Metric, Sums
from eyechart.records import Failure, Outcome, Response, Sample, Sampling, Score

EXACT = get_metric("exact")


def question(number: int, *, kind: str = "colour", answer: str = "red", cluster: str = "") -> Sample:
    """One question about colours."""
    return Sample(id=str(number), references=(answer,), tags={"kind": kind}, cluster=cluster)


def document_of(
    samples: list[Sample], replies: Mapping[str, Outcome], *, metrics: tuple[Metric, ...] = (EXACT,), **options: object
) -> Document:
    """The document of marking these replies."""
    benchmark = benchmark_of(samples)
    entries = benchmark.source.index().entries
    return mark(benchmark, metrics, replies.get, entries, **options)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Macro(Metric):
    """The mean of the kinds' means, with a table of its own that merges two kinds; undefined where gold is "?"."""

    id: str = "macro"
    version: int = 1
    upstream: str = ""
    title: str = "macro mean"

    def score(self, sample: Sample, text: str) -> Score:
        if sample.references[0] == "?":
            return Score(value=None, error="no_gold: nobody knows")
        return Score(value=float(text == sample.references[0]), read_as=text, stats=(2.0,))

    def cell(self, sample: Sample) -> Cell:
        return (sample.tags["kind"],)

    def aggregate(self, sums: Mapping[Cell, Sums]) -> dict[str, float]:
        means = {kind[0]: s[1] / s[0] for kind, s in sums.items()}
        assert all(len(s) == 3 and s[2] <= 2.0 * s[0] for s in sums.values())
        if not means:
            return {}
        merged = [mean for kind, mean in means.items() if kind.startswith("shade")]
        lines = {f"kind={kind}": mean for kind, mean in means.items() if not kind.startswith("shade")}
        lines |= {"kind=shade": sum(merged) / len(merged)} if merged else {}
        return {"value": sum(lines.values()) / len(lines), **lines}


def test_both_readings_and_every_count() -> None:
    """Failures and missing answers count as wrong in the headline and are left out beside it; nothing is dropped."""
    samples = [question(i) for i in range(6)]
    replies: dict[str, Outcome] = {
        "0": Response(text="red"),
        "1": Response(text="blue"),
        "2": Response(text=" "),
        "3": Response(text="red", finish="length"),
        "4": Failure(kind="timeout", stage="request", message="too slow"),
    }
    document = document_of(samples, replies)
    assert document.result.value == 2 / 6
    assert document.result.value_left_out == 2 / 4
    assert document.result.printed == "33.33"
    counts = msgspec.to_builtins(document.n)
    assert counts == {
        "total": 6, "answered": 4, "missing": 1, "failed": 1,
        "ok": 2, "unreadable": 1, "empty": 1, "truncated": 1, "refusal": 0,
    }  # fmt: skip
    assert document.failures == {"timeout": 1}
    assert document.result.by["kind"]["colour"].unanswered == 2


def test_missing_may_be_skipped() -> None:
    """With missing="skip" a question without an answer is in no mean, and is still counted."""
    document = document_of([question(0), question(1)], {"0": Response(text="red")}, missing="skip")
    assert (document.result.value, document.result.n, document.n.missing) == (1.0, 1, 1)


def test_tables_and_intervals_of_a_plain_mean() -> None:
    """Single right-or-wrong questions get Wilson's interval; shared pictures the clustered one."""
    samples = [question(i, kind="a" if i < 13 else "b") for i in range(20)]
    replies = {str(i): Response(text="red" if i < 13 else "blue") for i in range(20)}
    result = document_of(samples, replies).result
    assert result.ci == pytest.approx((0.4329, 0.8188), abs=1e-4)
    assert result.interval == "Wilson"
    assert [(name, line.value, line.n) for name, line in result.by["kind"].items()] == [("a", 1.0, 13), ("b", 0.0, 7)]
    shared = [msgspec.structs.replace(sample, cluster=str(i // 2)) for i, sample in enumerate(samples)]
    document = document_of(shared, replies)
    assert document.result.interval == "cluster-robust t"
    assert (document.clusters.n, document.clusters.of) == (10, "picture")


def test_a_metric_with_cells_and_its_own_table() -> None:
    """The metric's own table replaces the plain one, merged lines count their questions, undefined ones are named."""
    kinds = ["shade-light", "shade-dark", "shape", "shape"] * 6
    samples = [question(i, kind=kind, cluster=str(i // 4)) for i, kind in enumerate(kinds)]
    samples.append(question(24, kind="shape", answer="?"))
    replies = {str(i): Response(text="red" if i % 3 else "blue") for i in range(25)}
    document = document_of(samples, replies, metrics=(Macro(),))
    result = document.result
    shade = (sum(i % 3 > 0 for i in range(0, 24, 4)) + sum(i % 3 > 0 for i in range(1, 24, 4))) / 12
    shape = sum(i % 3 > 0 for i in range(24) if i % 4 > 1) / 12
    assert result.value == pytest.approx((shade + shape) / 2)
    assert {name: line.n for name, line in result.by["kind"].items()} == {"shade": 12, "shape": 12}
    assert (result.n, result.undefined, result.errors) == (24, 1, {"no_gold": 1})
    assert result.interval == "cluster bootstrap"
    assert result.ci is not None
    assert result.ci[0] < (shade + shape) / 2 < result.ci[1]
    assert result.by["kind"]["shade"].ci is not None


def test_a_failure_among_marks_with_sums() -> None:
    """A wrong mark without sums of its own fits among marks that carry some."""
    samples = [question(0), question(1)]
    document = document_of(
        samples,
        {"0": Failure(kind="timeout", stage="request", message=""), "1": Response(text="red")},
        metrics=(Macro(),),
    )
    assert document.result.value == 0.5


def test_nothing_to_mark() -> None:
    """A benchmark without questions has no score, and says so without failing."""
    document = document_of([], {})
    assert (document.result.value, document.result.printed, document.result.ci, document.n.total) == (None, "", None, 0)


def test_rows_tell_everything_that_comparing_needs() -> None:
    """Each row carries status, marks, cluster and the tags of the tables, and survives JSON."""
    rows: list[ScoredRow] = []
    document_of(
        [question(0, cluster="p1"), question(1)],
        {"0": Response(text="red"), "1": Failure(kind="timeout", stage="request", message="")},
        metrics=(Macro(), EXACT),
        on_row=rows.append,
    )
    again = [msgspec.json.decode(msgspec.json.encode(row), type=ScoredRow) for row in rows]
    assert again == rows
    assert (again[0].cluster, again[0].tags, again[0].marks["macro"].cell) == ("p1", {"kind": "colour"}, ("colour",))
    assert [row.status for row in again] == ["ok", "failed"]
    assert again[1].failure == "timeout"


def test_marking_is_deterministic() -> None:
    """The same answers and seed give the same bytes."""
    samples = [question(i, kind=f"k{i % 3}", cluster=str(i % 7)) for i in range(50)]
    replies = {str(i): Response(text="red" if i % 4 else "x") for i in range(50)}
    first, second = (msgspec.json.encode(document_of(samples, replies, metrics=(Macro(),), seed=3)) for _ in "ab")
    assert first == second


@pytest.mark.parametrize(
    ("text", "finish", "score", "status"),
    [
        ("red", "stop", Score(value=1.0, read_as="red"), "ok"),
        ("", "stop", Score(value=0.0), "empty"),
        ("", "length", Score(value=0.0), "truncated"),
        ("I think that", "length", Score(value=0.0), "truncated"),
        ("I'm sorry, I can’t help with that.", "stop", Score(value=0.0, read_as="i m sorry"), "refusal"),
        ("I cannot see much, but B", "stop", Score(value=1.0, read_as="B"), "ok"),
        ("hm", "stop", Score(value=0.0), "unreadable"),
        ("hm", "stop", Score(value=None, error="gold_zero: x"), "ok"),
    ],
)
def test_reply_status(text: str, finish: str, score: Score, status: str) -> None:
    """Each reply has one status, by the first rule that holds."""
    assert reply_status(Response(text=text, finish=finish), score) == status


# ── signature ─────────────────────────────────────────────────────────────────


def signed(**changes: str) -> str:
    """A signature with some fields changed."""
    fields = {"benchmark": "vqav2:val", "data": "9d24ffff", "prompt": "short.v1", "method": "direct", **changes}
    gen = signature.describe_sampling(Sampling(temperature=0.0, max_tokens=16))
    metric = get_metric("exact")
    return signature.asked_and_marked(ids=["a", "b"], metric=metric, media="native", gen=gen, **fields)  # type: ignore[arg-type]


def test_signature_has_the_published_form() -> None:
    """Fields in the published order, benchmark first and the metric last."""
    text = signed()
    assert text.startswith("vqav2:val|ids=2:")
    assert text.endswith("|data=9d24|prompt=short.v1|method=direct|media=native|gen=t0,max16|seed=0|exact.v1")
    assert signature.parse(text)["metric"] == "exact.v1"
    assert signature.parse("b|ids=1:aa|vqa_enhanced[keywords=word].v1")["metric"] == "vqa_enhanced[keywords=word].v1"


def test_signature_names_the_field_that_differs() -> None:
    """Two signatures are compared field by field."""
    assert signature.differences(signed(), signed()) == {}
    assert signature.differences(signed(), signed(prompt="long.v1")) == {"prompt": ("short.v1", "long.v1")}


def test_order_of_ids_does_not_matter_but_ids_do() -> None:
    """The fingerprint of the questions changes with the questions only."""
    assert signature.fingerprint_ids(["a", "b"]) == signature.fingerprint_ids(["b", "a"])
    assert signature.fingerprint_ids(["a", "b"]) != signature.fingerprint_ids(["a", "c"])


def test_memory_per_question_is_small() -> None:
    """Marking holds some hundred bytes a question, whatever the answers' length."""
    import tracemalloc

    count = 20_000
    samples = tuple(question(i, cluster=str(i // 5)) for i in range(count))
    benchmark = benchmark_of(samples)
    assert isinstance(benchmark.source, ListSource)
    entries = benchmark.source.index().entries
    tracemalloc.start()
    mark(benchmark, [EXACT, Macro()], lambda key: Response(text="red" * 50), entries)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak / count < 1500
