"""Proves that a benchmark's marking is sound before any model is called.

Gold answers must get full marks and wrong ones less; empty, odd and absurdly long answers and missing categories must
not break marking or aggregation. Nothing is sent anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import msgspec

from eyechart.benchmarks.base import Benchmark
from eyechart.marking.mark import Answered, mark
from eyechart.metrics.base import Metric
from eyechart.records import Entry, Failure, Response, Sample, Score

# Answers that have broken scorers of other tools. None of them may raise, and each must get a defined or a named score.
ODD: Mapping[str, str] = {
    "empty": "",
    "spaces": " \t\n ",
    "None": "None",
    "null": "null",
    "nan": "nan",
    "inf": "-inf",
    "huge exponent": "1e999999",
    "many digits": "9" * 6000,
    "control characters": "\x00\x01\x1b[2J\x7f",
    "lone surrogate": "\ud800yes",
    "combining": "e\u0301" * 50 + "\u202e\u200b",
    "other digits": "٣ ３ Ⅲ ½",
    "brackets": "{" * 2000 + "[(" * 500,
    "markup": "<script>alert(1)</script> `A` ``{B}``",
    "JSON": '{"answer": ["A", null]}',
    "a refusal": "I'm sorry, but I can't help with that.",
    "absurdly long": "yes or no, A or B, 12.5 metres. " * 31_250,  # a million characters
}
_LONG = 100_000
_LONG_ASKED = 3  # of so many questions: a million characters take their time
_NONSENSE = "qzxwv flumpterion"
# What a metric, ours or somebody's plugin, raises when an answer is not what its author had in mind.
_BROKEN = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is not as it should be."""

    level: Literal["error", "note"]  # an error fails the check
    metric: str
    what: str
    sample: str = ""


class MetricCheck(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of one metric."""

    ceiling: float | None  # the mean score of the best gold answer of each question: no model can do better
    full: int  # questions whose gold answer gets full marks
    undefined: int  # questions without a defined score
    wrong: float | None  # the mean score of wrong answers


class CheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a check."""

    schema: Literal["eyechart/check@1"] = "eyechart/check@1"
    benchmark: str
    questions: int  # that the benchmark has
    checked: int
    odd_answers: int  # that were marked without trouble
    metrics: dict[str, MetricCheck]
    findings: list[Finding]

    @property
    def sound(self) -> bool:
        """Whether nothing failed."""
        return not any(finding.level == "error" for finding in self.findings)


def check(benchmark: Benchmark, metrics: Sequence[Metric], *, limit: int = 200) -> CheckReport:
    """Check marking on up to `limit` questions, spread over the whole benchmark and over all its types."""
    index = benchmark.source.index()
    entries = spread(index.entries, limit)
    samples = [benchmark.source.fetch(entry, media=False) for entry in entries]
    checking = _Checking(benchmark, metrics)
    for place, sample in enumerate(samples):
        checking.references(sample)
        for metric in metrics:
            checking.gold_and_wrong(metric, sample)
            checking.odd(metric, sample, long=place < _LONG_ASKED)
    checking.aggregation(entries, samples)
    return CheckReport(
        benchmark=benchmark.id,
        questions=len(index.entries),
        checked=len(samples),
        odd_answers=checking.odd_answers,
        metrics={metric.id: checking.seen[metric.id].result() for metric in metrics},
        findings=checking.findings,
    )


def spread(entries: Sequence[Entry], limit: int) -> list[Entry]:
    """Up to `limit` entries: the first of every type, then evenly spaced ones."""
    if len(entries) <= limit:
        return list(entries)
    first = {entry.stratum: place for place, entry in reversed(list(enumerate(entries)))}
    places = dict.fromkeys(sorted(first.values())[:limit])
    places.update(dict.fromkeys(int(k * len(entries) / limit) for k in range(limit)))
    return [entries[place] for place in sorted(list(places)[:limit])]


def gold_answers(sample: Sample) -> list[str]:
    """Everything that the benchmark would accept as the right answer, the likeliest first."""
    texts = dict.fromkeys(sample.references)
    for name in ("multiple_choice_answer", "oracle_option"):
        if sample.tags.get(name):
            texts[sample.tags[name]] = None
    return list(texts)


def wrong_answers(sample: Sample) -> list[str]:
    """Answers that are wrong, by the kind of question: another option, another number, nonsense."""
    gold = {text.strip().casefold() for text in gold_answers(sample)}
    letters = [letter for letter in sample.choices if letter.casefold() not in gold]
    if sample.choices and len(letters) < len(sample.choices):
        return letters[:1]
    number = as_number(sample.references[0]) if sample.references else None
    if number is not None:
        return [f"{abs(number) * 40 + 1000:g}"]
    if gold & {"yes", "no"}:
        return ["no" if "yes" in gold else "yes"] if not {"yes", "no"} <= gold else []
    return [_NONSENSE]


def as_number(text: str) -> float | None:
    """The number that a text is, if it is one."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


@dataclass
class _Seen:
    """Sums of one metric."""

    best: list[float] = field(default_factory=list)
    wrong: list[float] = field(default_factory=list)
    undefined: int = 0

    def result(self) -> MetricCheck:
        return MetricCheck(
            ceiling=_mean(self.best),
            full=sum(value >= 1.0 - 1e-9 for value in self.best),
            undefined=self.undefined,
            wrong=_mean(self.wrong),
        )


class _Checking:
    """One check while it runs."""

    def __init__(self, benchmark: Benchmark, metrics: Sequence[Metric]) -> None:
        self.benchmark, self.metrics = benchmark, metrics
        self.seen = {metric.id: _Seen() for metric in metrics}
        self.findings: list[Finding] = []
        self.odd_answers = 0

    def find(self, metric: str, what: str, *, sample: str = "", level: Literal["error", "note"] = "error") -> None:
        """Note one finding."""
        self.findings.append(Finding(level=level, metric=metric, what=what, sample=sample))

    def references(self, sample: Sample) -> None:
        """A question needs a gold answer; of a choice the gold answer should be one of the options."""
        if not sample.references:
            self.find(self.benchmark.headline, "the question has no gold answer", sample=sample.id)
        elif sample.choices and not self._among_options(sample):
            gold = sample.references[0][:40]
            self.find(
                self.benchmark.headline,
                f"the gold answer {gold!r} is none of the options",
                sample=sample.id,
                level="note",
            )

    @staticmethod
    def _among_options(sample: Sample) -> bool:
        options = {word.strip().casefold() for pair in sample.choices.items() for word in pair}
        return any(text.strip().casefold() in options for text in gold_answers(sample))

    def gold_and_wrong(self, metric: Metric, sample: Sample) -> None:
        """The best gold answer against wrong ones."""
        seen = self.seen[metric.id]
        scores = [self.scored(metric, sample, text, "gold answer") for text in gold_answers(sample)]
        known = [score.value for score in scores if score is not None and score.value is not None]
        if not known:
            seen.undefined += 1
            return
        best = max(known)
        seen.best.append(best)
        headline = metric.id == self.metrics[0].id
        if headline and best < 1.0 - 1e-9 and len(set(sample.references)) == 1:
            gold = sample.references[0][:40]
            self.find(metric.id, f"the gold answer {gold!r} gets {best:g}, not full marks", sample=sample.id)
        for text in wrong_answers(sample):
            score = self.scored(metric, sample, text, "wrong answer")
            if score is None or score.value is None:
                continue
            seen.wrong.append(score.value)
            if headline and score.value >= best and best > 0:
                self.find(
                    metric.id,
                    f"the wrong answer {text!r} gets {score.value:g}, no less than the gold one",
                    sample=sample.id,
                )

    def odd(self, metric: Metric, sample: Sample, *, long: bool) -> None:
        """Answers that have broken scorers elsewhere."""
        for name, text in ODD.items():
            if len(text) > _LONG and not long:
                continue
            if self.scored(metric, sample, text, f"odd answer ({name})") is not None:
                self.odd_answers += 1

    def scored(self, metric: Metric, sample: Sample, text: str, what: str) -> Score | None:
        """One score, or a finding where the metric raises or gives none that could be used."""
        try:
            score = metric.score(sample, text)
            wrong = unusable(score)
            if not wrong:
                metric.explain(sample, text[:2000])
        except _BROKEN as error:
            wrong = f"raises {type(error).__name__}: {error}"
        if wrong:
            self.find(metric.id, f"{what}: {wrong}", sample=sample.id)
            return None
        return score

    def aggregation(self, entries: Sequence[Entry], samples: Sequence[Sample]) -> None:
        """Whole runs of good, bad and missing answers, and each type left out once."""
        by_id = {sample.id: sample for sample in samples}

        def gold(identity: str) -> Answered:
            answers = gold_answers(by_id[identity])
            return Response(text=answers[0]) if answers else None

        timed_out = Failure(kind="timeout", stage="request", message="checked")
        runs: dict[str, tuple[Sequence[Entry], Mapping[str, Answered]]] = {
            "gold answers": (entries, {e.id: gold(e.id) for e in entries}),
            "empty answers": (entries, {e.id: Response(text="") for e in entries}),
            "failures alone": (entries, {e.id: timed_out for e in entries}),
            "no answers": (entries, {}),
            "no questions": ([], {}),
        }
        for name, left in without_each_type(entries):
            runs[f"type {name!r} missing"] = (left, {e.id: gold(e.id) for e in left})
        for name, (asked, answers) in runs.items():
            self.aggregated(name, asked, answers)

    def aggregated(self, name: str, entries: Sequence[Entry], answers: Mapping[str, Answered]) -> None:
        """One whole run."""
        for metric in self.metrics:
            try:
                document = mark(self.benchmark, [metric], answers.get, entries)
            except _BROKEN as error:
                self.find(metric.id, f"{name}: raises {type(error).__name__}: {error}")
                continue
            value = document.result.value
            if value is not None and not 0.0 <= value <= 1.0:
                self.find(metric.id, f"{name}: the score {value} is outside 0 to 1")


def without_each_type(entries: Sequence[Entry]) -> Iterator[tuple[str, list[Entry]]]:
    """The entries with one type left out, for every type; at most twelve."""
    types = list(dict.fromkeys(entry.stratum for entry in entries))
    if len(types) < 2:
        return
    for name in types[:12]:
        yield name, [entry for entry in entries if entry.stratum != name]


def unusable(score: Score) -> str:
    """Why a score cannot be used, or nothing."""
    if score.value is None:
        return "" if score.error else "no score, and no reason given"
    return "" if 0.0 <= score.value <= 1.0 else f"the score {score.value} is outside 0 to 1"


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
