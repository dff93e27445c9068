"""WUPS, BLEU-1 and METEOR give the numbers that the programs they are named after wrote down."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eyechart.metrics import get_metric
from eyechart.metrics.base import Metric
from eyechart.records import Sample, Score

CASES = Path(__file__).parent / "words"


def cases(name: str) -> Iterator[dict[str, Any]]:
    """The lines of one file."""
    with gzip.open(CASES / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def mark(metric: Metric, answer: str, references: list[str]) -> float:
    """The score of one answer; it must have one."""
    value = metric.score(Sample(id="q", references=tuple(references)), answer).value
    assert value is not None
    return value


def total(metric: Metric, scores: list[Score]) -> float:
    """What the metric makes of a whole data set."""
    rows = [(1.0, score.value or 0.0, *score.stats) for score in scores]
    return metric.aggregate({(): tuple(map(sum, zip(*rows, strict=True)))})["value"]


@pytest.mark.parametrize(
    ("spec", "column"),
    [("wups@0.9", "wups_0.9"), ("wups@0.0", "wups_0.0"), ("wups@0.925", "wups_0.925_default"), ("wups@-1", "accuracy")],
)
def test_wups_pairs(spec: str, column: str) -> None:
    """Each of 1,500 pairs scores as the official script has it, at every threshold."""
    metric = get_metric(spec)
    expected = {case["id"]: case["outputs"][column] for case in cases("wups_pairs")}
    actual = {case["id"]: mark(metric, case["inputs"]["pred"], [case["inputs"]["gt"]]) for case in cases("wups_pairs")}
    assert len(expected) == 1500
    assert actual == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("at", "column"), [("0.9", "wups_0.9"), ("0.0", "wups_0.0"), ("-1", "accuracy")])
def test_wups_corpora(at: str, column: str) -> None:
    """Corpus means agree, with one reference each and with ten under either consensus."""
    one, least, average = (get_metric(f"wups@{at}{form}") for form in ("", "", "[consensus=average]"))
    n = 0
    for case in cases("wups_corpora"):
        inputs, expected = case["inputs"], case["outputs"][column]
        single = [mark(one, answer, [gold]) for answer, gold in zip(inputs["pred"], inputs["gt"], strict=True)]
        assert single == pytest.approx(expected["per_item"], abs=1e-9)
        for metric, references, key in (
            (one, [[gold] for gold in inputs["gt"]], "mean"),
            (least, inputs["consensus10"], "min_consensus"),
            (average, inputs["consensus10"], "average_consensus"),
        ):
            pairs = zip(inputs["pred"], references, strict=True)
            scores = [metric.score(Sample(id="q", references=tuple(golds)), answer) for answer, golds in pairs]
            assert total(metric, scores) == pytest.approx(expected[key], abs=1e-9), case["id"]
        n += 1
    assert n == 300


@pytest.mark.parametrize(("spec", "column"), [("bleu1", "nltk_bleu1"), ("meteor", "nltk_meteor")])
def test_sentences(spec: str, column: str) -> None:
    """Each of 1,000 answers, with one to several references, scores as NLTK has it."""
    metric = get_metric(spec)
    expected = {case["id"]: case["outputs"][column] for case in cases("textgen")}
    actual = {
        case["id"]: mark(metric, case["inputs"]["hypothesis"], case["inputs"]["references"])
        for case in cases("textgen")
    }
    assert len(expected) == 1000
    assert actual == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("spec", "column"),
    [
        ("bleu1", "nltk_sentence_bleu1_mean"),
        ("bleu1_corpus", "nltk_corpus_bleu1"),
        ("bleu1_corpus", "sacrebleu1_corpus"),
        ("meteor", "nltk_meteor_mean"),
    ],
)
def test_corpora(spec: str, column: str) -> None:
    """Each of 300 data sets gets NLTK's number; for corpus BLEU sacrebleu's as well."""
    metric = get_metric(spec)
    n = 0
    for case in cases("textgen_corpus"):
        scores = [
            metric.score(Sample(id="q", references=tuple(item["references"])), item["hypothesis"])
            for item in case["inputs"]["items"]
        ]
        assert total(metric, scores) == pytest.approx(case["outputs"][column], abs=1e-9), case["id"]
        n += 1
    assert n == 300
