"""SpatialEval: three ways of marking one reply. The official extractor has a file of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from eyechart.metrics.base import Cell, Metric, Sums, plain_mean
from eyechart.metrics.letters import fold, read_letter
from eyechart.metrics.robust import robust
from eyechart.records import Sample, Score

TASKS = ("spatialmap", "mazenav", "spatialgrid", "spatialreal")

_SENTENCE_END = re.compile(r"[.!?]")
_OPENINGS = (
    "the answer is",
    "the correct answer is",
    "based on the image",
    "looking at the image",
    "from the image",
    "in the image",
)
_IGNORED = str.maketrans("", "", ".,!?;:")


def sample_id(sample: Sample) -> str:
    """The published id, `spatialmap.vqa.12.0`: it carries task and question number, which no column does."""
    return sample.tags.get("sample_id") or sample.id


def _answer(sample: Sample) -> str:
    return sample.references[0] if sample.references else ""


class ByTask(Metric):
    """What the three scorers share: the mean over all questions, and a table by task."""

    def cell(self, sample: Sample) -> Cell:
        # An id that is a mere number, as in other people's results, names no task.
        task, dot, _ = sample_id(sample).partition(".")
        return (sample.tags.get("task") or (task if dot else ""),)

    def aggregate(self, sums: Mapping[Cell, Sums]) -> dict[str, float]:
        means = {cell[0]: total / n for cell, (n, total, *_) in sums.items() if n and cell[0]}
        listed = [*(task for task in TASKS if task in means), *(task for task in means if task not in TASKS)]
        return plain_mean(sums) | {f"task={task}": means[task] for task in listed}


@dataclass(frozen=True)
class SpatialEvalSeed(ByTask):
    """The first sentence, stripped of an opening, must equal the answer or its option."""

    id: str = "spatialeval_seed"
    version: int = 1
    upstream: str = "vcstkv/cobra@554d3338 scripts/evaluate_spatialeval.py"
    title: str = "SpatialEval: the first sentence equals the answer or its option letter"

    def score(self, sample: Sample, text: str) -> Score:
        read = first_sentence(text)
        hit = None
        for name, gold in (("answer", _answer(sample)), ("option", sample.tags.get("oracle_option", ""))):
            if _plain(read) == _plain(gold):
                hit = hit or name
        rule = f"first sentence equals the {hit}" if hit else "first sentence"
        return Score(value=float(hit is not None), read_as=read or None, rule=rule)


def first_sentence(text: str) -> str:
    """The text before the first `.`, `!` or `?`, without at most one known opening and a comma after it.

    "3.5" becomes "3" and "U.S." becomes "U": kept, that is where the published scores come from.
    """
    read = _SENTENCE_END.split(text.strip(), maxsplit=1)[0].strip()
    folded = read.lower()
    for opening in _OPENINGS:
        if folded.startswith(opening):
            return read[len(opening) :].strip().removeprefix(",").strip()
    return read


def _plain(text: str) -> str:
    # Trimmed before the marks go and not after: ": x" becomes " x", which differs from "x". Kept.
    return text.lower().strip().translate(_IGNORED)


@dataclass(frozen=True)
class SpatialEvalOfficial(ByTask):
    """The repository's own extractor and its substring test, every quirk kept."""

    id: str = "spatialeval_official"
    version: int = 1
    upstream: str = "jiayuww/SpatialEval@d82ba382 evals/evaluation.py"
    title: str = "SpatialEval as its repository scores it: per-task extraction, then substring"

    def score(self, sample: Sample, text: str) -> Score:
        from eyechart.metrics.spatialeval_extract import NotSupported, Undefined, extract

        try:
            found = extract(text, sample_id(sample), sample.tags.get("model"))
        except NotSupported as reason:
            # The official loop skips such a line after it has counted it: wrong, and in the denominator.
            return Score(value=0.0, rule=f"skipped by the official program: {reason}")
        except Undefined as reason:
            return Score(value=None, error=f"official_undefined: {reason}")
        return self._compared(sample, found)

    @staticmethod
    def _compared(sample: Sample, found: str | int | None) -> Score:
        # str(None) is "none", so that a gold answer "no" or "on" counts as found where nothing was. Kept.
        compared = str(found).lower()
        value = float(_answer(sample).lower() in compared)
        return Score(value=value, read_as=None if found is None else str(found), rule="official extractor, substring")

    def null(self, sample: Sample) -> Score:
        # The extractor of maps alone asks for a null first, and finds nothing; the others stop (TypeError).
        task, _, question = sample_id(sample).partition(".")
        mapped = task == "spatialmap" and question.rpartition(".")[2].strip("+-").isdecimal()
        return self._compared(sample, None) if mapped else super().null(sample)

    def wrong(self, sample: Sample) -> Score:
        score = self.score(sample, "")
        return score if score.error else Score(value=0.0)


@dataclass(frozen=True)
class SpatialEvalOption(ByTask):
    """Our reading: the option letter or the answer in whole words, and no other option beside it."""

    id: str = "spatialeval_option"
    version: int = 1
    upstream: str = ""
    title: str = "SpatialEval: the option or the answer in whole words, never a substring"

    def score(self, sample: Sample, text: str) -> Score:
        option, answer = sample.tags.get("oracle_option", "").strip().upper(), _answer(sample)
        letter, rule = read_letter(text, sample.choices or _FOUR)
        if rule.startswith("ambiguous"):
            return Score(value=0.0, rule=rule)
        # A letter that merely stands somewhere is weaker evidence than the answer in words: "from A to the Northeast".
        if letter is None or rule == "lone letter":
            words, words_rule = _words(text, answer)
            if words is not None:
                return Score(value=float(fold(words) == fold(answer)), read_as=words, rule=words_rule)
        if letter is None:
            return Score(value=0.0, rule=rule)
        if option:
            return Score(value=float(letter == option), read_as=letter, rule=rule)
        return Score(value=float(fold(sample.choices.get(letter, "")) == fold(answer)), read_as=letter, rule=rule)


_FOUR = {"A": "", "B": "", "C": "", "D": ""}
# Answers that exclude each other: the one that the reply names first is its answer.
_FAMILIES = (
    ("yes", "no"),
    ("northeast", "northwest", "southeast", "southwest"),
    ("giraffe", "cat", "dog", "elephant", "rabbit"),
)


def _words(text: str, answer: str) -> tuple[str | None, str]:
    """What the reply answers in words, judged by the kind of answer that is asked for; None if it says nothing."""
    gold = fold(answer)
    if not gold:
        return None, "no letter found"
    if gold.isdecimal():
        reading = robust(text, "count")
        return reading.text, reading.rule
    family = next((family for family in _FAMILIES if gold in family), ())
    said = re.search(rf"(?<![^\W_])({'|'.join(family)})(?![^\W_])", text, re.IGNORECASE) if family else None
    if said:
        return said[1], "first answer of its kind"
    held = not family and f" {gold} " in f" {fold(text)} "
    return (answer, "answer in whole words") if held else (None, "no letter found, answer not in the reply")


def seed() -> Metric:
    """Factory of `spatialeval_seed`."""
    return SpatialEvalSeed()


def official() -> Metric:
    """Factory of `spatialeval_official`."""
    return SpatialEvalOfficial()


def option() -> Metric:
    """Factory of `spatialeval_option`."""
    return SpatialEvalOption()
