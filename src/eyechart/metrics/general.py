"""Metrics for anybody's own data: exact match, whole words, choice letter, number, edit distance, token F1."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass

from eyechart.metrics.base import Metric
from eyechart.metrics.letters import fold, read_letter
from eyechart.metrics.readers import get_reader, number_option, reader_option, shown
from eyechart.metrics.relative import asked_unit
from eyechart.records import Sample, Score


@dataclass(frozen=True)
class Exact(Metric):
    """The reply equals a reference once case and outer white space are folded."""

    id: str = "exact"
    version: int = 1
    upstream: str = ""
    title: str = "exact match, case and outer spaces ignored"

    def score(self, sample: Sample, text: str) -> Score:
        read = text.strip().casefold()
        hit = any(read == reference.strip().casefold() for reference in sample.references)
        return Score(value=float(hit), read_as=read or None, rule="whole reply")


@dataclass(frozen=True)
class Contains(Metric):
    """A reference stands in the reply in whole words."""

    id: str = "contains"
    version: int = 1
    upstream: str = ""
    title: str = "a reference stands in the reply, in whole words, case and punctuation ignored"

    def score(self, sample: Sample, text: str) -> Score:
        words = fold(text)
        for reference in sample.references:
            wanted = fold(reference)
            if wanted and f" {wanted} " in f" {words} ":
                return Score(value=1.0, read_as=reference, rule="whole words")
        return Score(value=0.0, read_as=words or None, rule="whole words")


@dataclass(frozen=True)
class Choice(Metric):
    """The reply names the right option, by its letter or by its text."""

    id: str = "choice"
    version: int = 1
    upstream: str = ""
    title: str = "the option letter, read with care and never guessed"

    def score(self, sample: Sample, text: str) -> Score:
        letter, rule = read_letter(text, sample.choices)
        return Score(value=float(letter is not None and letter in self._gold(sample)), read_as=letter, rule=rule)

    @staticmethod
    def _gold(sample: Sample) -> set[str]:
        """The right letters: a reference is a letter, or the text of a choice."""
        letters = {reference.strip().strip("().:").upper() for reference in sample.references}
        texts = {fold(reference) for reference in sample.references}
        return letters | {letter.upper() for letter, choice in sample.choices.items() if fold(choice) in texts}


@dataclass(frozen=True)
class Number(Metric):
    """The reply's number equals a reference within a tolerance."""

    id: str
    tolerance: float
    relative: float
    reader: str
    version: int = 1
    upstream: str = ""
    title: str = "the number in the reply, within a tolerance"

    def score(self, sample: Sample, text: str) -> Score:
        number, said, rule = get_reader(self.reader)(text, asked_unit(sample))
        if number is None or not math.isfinite(number):
            return Score(value=0.0, rule=rule)
        for reference in sample.references:
            gold = get_reader("robust")(reference, asked_unit(sample)).number
            # Equal to nine digits is equal: 0.1 + 0.2 against 0.3 is no mistake of the model.
            if gold is not None and abs(number - gold) <= max(self.tolerance, max(self.relative, 1e-9) * abs(gold)):
                return Score(value=1.0, read_as=said, rule=rule)
        return Score(value=0.0, read_as=said, rule=rule)


@dataclass(frozen=True)
class Anls(Metric):
    """One minus the edit distance to the nearest reference, and 0 from half of its length on."""

    id: str = "anls"
    threshold: float = 0.5
    version: int = 1
    upstream: str = ""
    title: str = "average normalised Levenshtein similarity (document and scene-text questions)"

    def score(self, sample: Sample, text: str) -> Score:
        read = " ".join(text.lower().split())
        value = max((self._similarity(read, reference) for reference in sample.references), default=0.0)
        return Score(value=value, read_as=read or None, rule="whole reply, lower case")

    def _similarity(self, read: str, reference: str) -> float:
        gold = " ".join(reference.lower().split())
        longest = max(len(read), len(gold))
        if not longest:
            return 1.0
        # The distance is at least the difference in length, so that a long reply is settled without a table.
        if abs(len(read) - len(gold)) >= self.threshold * longest:
            return 0.0
        distance = edit_distance(read, gold) / longest
        return 1.0 - distance if distance < self.threshold else 0.0


def edit_distance(a: str, b: str) -> int:
    """The number of characters to insert, delete or replace to make one text of the other."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        above, row[0] = row[0], i
        for j, y in enumerate(b, start=1):
            above, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, above + (x != y))
    return row[-1]


_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")


@dataclass(frozen=True)
class TokenF1(Metric):
    """The overlap of the reply's words with the nearest reference, as precision and recall in one."""

    id: str = "f1"
    version: int = 1
    upstream: str = ""
    title: str = "token F1: words shared with a reference (articles and punctuation ignored)"

    def score(self, sample: Sample, text: str) -> Score:
        tokens = self._tokens(text)
        value = max((self._f1(tokens, self._tokens(reference)) for reference in sample.references), default=0.0)
        return Score(value=value, read_as=" ".join(tokens) or None, rule="words")

    @staticmethod
    def _tokens(text: str) -> list[str]:
        return _ARTICLES.sub(" ", _PUNCTUATION.sub("", text.lower())).split()

    @staticmethod
    def _f1(read: list[str], gold: list[str]) -> float:
        if not read or not gold:
            return float(read == gold)
        shared = sum((Counter(read) & Counter(gold)).values())
        return 2 * shared / (len(read) + len(gold))


def exact() -> Metric:
    """Factory of `exact`."""
    return Exact()


def contains() -> Metric:
    """Factory of `contains`."""
    return Contains()


def choice() -> Metric:
    """Factory of `choice`."""
    return Choice()


def number(tolerance: str = "0", relative: str = "0", reader: str = "robust") -> Metric:
    """Factory of `number`: tolerance is absolute, relative is a share of the reference; the wider one counts."""
    absolute, share = number_option("tolerance", tolerance), number_option("relative", relative)
    options = [f"tolerance={shown(absolute)}"] if absolute else []
    options += [f"relative={shown(share)}"] if share else []
    options += [f"reader={reader}"] if reader != "robust" else []
    return Number(
        id=f"number[{','.join(options)}]" if options else "number",
        tolerance=absolute,
        relative=share,
        reader=reader_option(reader),
    )


def anls() -> Metric:
    """Factory of `anls`."""
    return Anls()


def f1() -> Metric:
    """Factory of `f1`."""
    return TokenF1()
