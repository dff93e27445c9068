"""Marks a file of answers: finds the gold answers, matches the ids, marks, and says what does not add up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from eyechart.benchmarks.base import Benchmark
from eyechart.marking.choose import choose_metrics
from eyechart.marking.file_result import Disagreement, FileResult, ScoreRequest
from eyechart.marking.files.answers import AnswerSet
from eyechart.marking.files.gold import open_gold
from eyechart.marking.keyed import keyed, read_answer_key, refuse_outside
from eyechart.marking.mark import Answers, mark
from eyechart.marking.matching import IdMatch, Mismatch
from eyechart.marking.rows import ScoredRow
from eyechart.marking.score_vqa import refuse_mismatch, score_in_columns
from eyechart.marking.signature import answered_by, asked_and_marked
from eyechart.metrics.base import Metric
from eyechart.records import Entry, Index, Response, Sample
from eyechart.registry import unknown
from eyechart.sources.base import Source


def score_file(request: ScoreRequest, *, keep_rows: bool = False) -> list[FileResult]:
    """Mark every model's answers in the file. Marked questions are kept on demand, and where models are compared."""
    in_columns = None if keep_rows else score_in_columns(request)
    if in_columns is not None:
        return [in_columns]
    sets = chosen(request.answer_sets(), request)
    results = []
    for answers in sets:
        benchmark = open_gold(request.benchmark, request.files, answers.rows)
        results.append(_mark_set(request, tagged(benchmark, request.model), answers, keep_rows or len(sets) > 1))
    return results


def chosen(sets: list[AnswerSet], request: ScoreRequest) -> list[AnswerSet]:
    """All models of the file, or the one that was named; a file of one model takes the name that is given."""
    if not request.model:
        return sets
    if len(sets) == 1:
        return [replace(sets[0], model=request.model)]
    found = [answers for answers in sets if answers.model == request.model]
    if not found:
        raise unknown(f"model in {request.source}", request.model, [answers.model for answers in sets])
    return found


def _mark_set(
    request: ScoreRequest,
    benchmark: Benchmark,
    answers: AnswerSet,
    keep_rows: bool,
) -> FileResult:
    index = benchmark.source.index()
    match = match_ids([entry.id for entry in index.entries], answers)
    metrics = choose_metrics(benchmark, request.metrics, len(index.entries))
    if request.files.answer_key is not None:
        key = read_answer_key(request.files.answer_key)
        refuse_outside(key, answers.answers, request.files.answer_key.name)
        metrics = [keyed(metric, key) for metric in metrics]
    if request.missing == "error" and not (match.official and not match.duplicates.n):
        document = mark(benchmark, [metrics[0]], lookup(answers), index.entries)
        refuse_mismatch(match, metrics[0].id, document.result.printed)
    seen = _Compared(answers.recorded)

    rows: list[ScoredRow] = []

    def row(scored: ScoredRow) -> None:
        seen.add(scored)
        if keep_rows:
            rows.append(scored)

    document = mark(
        benchmark,
        metrics,
        lookup(answers),
        index.entries,
        seed=request.seed,
        on_row=row,
        missing="skip" if request.missing == "skip" else "wrong",
        signature=signature(benchmark, metrics[0], index, request.seed),
        answered_by=answered_by(model=answers.model, identity={"answers": request.source}),
    )
    document = msgspec.structs.replace(document, notes=match.findings())
    return FileResult(
        model=answers.model,
        document=document,
        metrics=metrics,
        benchmark=benchmark,
        answers=answers.answers,
        rows=rows,
        recorded={metric: sum(by.values()) / len(by) for metric, by in answers.recorded.items() if by},
        disagreements=seen.explained(benchmark.source, index, answers, metrics),
    )


def lookup(answers: AnswerSet) -> Answers:
    """How marking finds the answer to a question."""

    def answer(identity: str) -> Response | None:
        text = answers.answers.get(identity)
        return None if text is None else Response(text=text)

    return answer


def match_ids(ids: Sequence[str], answers: AnswerSet) -> IdMatch:
    """Which questions have no answer, and which answers no question."""
    known = set(ids)
    return IdMatch(
        annotations=len(ids),
        predictions=len(answers.answers),
        missing=Mismatch.of(identity for identity in ids if identity not in answers.answers),
        extra=Mismatch.of(identity for identity in answers.answers if identity not in known),
        duplicates=Mismatch.of(answers.duplicates),
    )


def signature(benchmark: Benchmark, metric: Metric, index: Index, seed: int) -> str:
    """The first part of the signature; of answers in a file nobody knows how they were asked for."""
    ids = (entry.id for entry in index.entries)
    return asked_and_marked(benchmark=benchmark.id, ids=ids, data=index.data, metric=metric, seed=seed)


# ── the model's name as a tag ─────────────────────────────────────────────────


@dataclass(frozen=True)
class TaggedSource:
    """A source whose samples carry one more tag."""

    source: Source
    name: str
    value: str

    def index(self) -> Index:
        """The source's own."""
        return self.source.index()

    def fetch(self, entry: Entry, *, media: bool = True) -> Sample:
        """The source's sample, with the tag."""
        sample = self.source.fetch(entry, media=media)
        return msgspec.structs.replace(sample, tags={**sample.tags, self.name: self.value})


def tagged(benchmark: Benchmark, model: str) -> Benchmark:
    """SpatialEval's official extractor looks at the model's name, so that it has to be known."""
    return replace(benchmark, source=TaggedSource(benchmark.source, "model", model)) if model else benchmark


# ── what the file says about itself ───────────────────────────────────────────


class _Compared:
    """Recorded scores beside ours."""

    def __init__(self, recorded: Mapping[str, Mapping[str, float]]) -> None:
        self._recorded = recorded
        self._differing: list[tuple[str, str, float, float]] = []

    def add(self, row: ScoredRow) -> None:
        """Note where the file says another score than the answer gives."""
        for metric, by in self._recorded.items():
            mark_ = row.marks.get(metric)
            said = by.get(row.sample)
            if mark_ is not None and mark_.value is not None and said is not None and abs(said - mark_.value) > 1e-9:
                self._differing.append((row.sample, metric, said, mark_.value))

    def explained(
        self, source: Source, index: Index, answers: AnswerSet, metrics: Iterable[Metric]
    ) -> list[Disagreement]:
        """Each of them with the arithmetic of ours."""
        if not self._differing:
            return []
        by_id = {metric.id: metric for metric in metrics}
        entries = {entry.id: entry for entry in index.entries}
        return list(self._explain(source, entries, answers, by_id))

    def _explain(
        self, source: Source, entries: Mapping[str, Entry], answers: AnswerSet, metrics: Mapping[str, Metric]
    ) -> Iterator[Disagreement]:
        for sample, metric, said, ours in self._differing:
            told = metrics[metric].explain(source.fetch(entries[sample], media=False), answers.answers[sample])
            yield Disagreement(sample=sample, metric=metric, recorded=said, ours=ours, explanation=told)
