"""WordNet 3.0 in the box: which senses a word has, what their synonyms are, what a noun is a kind of.

The table `data/wordnet30.bin` holds Princeton's database reduced to what metrics ask for (tools/wordnet builds it).
Words are looked up exactly as NLTK's `wordnet.synsets` does, its reading of "morphy" included, because the metrics that
stand on it are defined by what that program finds. Nothing is read before the first question; a first noun costs some
tens of milliseconds.
"""

from __future__ import annotations

import json
import sys
import zlib
from array import array
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Literal

_TABLE = Path(__file__).parent / "data" / "wordnet30.bin"
_MAGIC = b"eyechart wordnet table 1\n"

PartOfSpeech = Literal["noun", "verb", "adj", "adv"]
PARTS_OF_SPEECH: tuple[PartOfSpeech, ...] = ("noun", "verb", "adj", "adv")

# No lemma or irregular form is longer than 71 letters, and no rule takes away more than two.
LONGEST = 80

# Ending → what stands in its place. NLTK tries all of them, once each, where Princeton's own morphy stops at the first.
_ENDINGS: dict[str, tuple[tuple[str, str], ...]] = {
    "noun": (
        ("s", ""),
        ("ses", "s"),
        ("ves", "f"),
        ("xes", "x"),
        ("zes", "z"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("men", "man"),
        ("ies", "y"),
    ),
    "verb": (
        ("s", ""),
        ("ies", "y"),
        ("es", "e"),
        ("es", ""),
        ("ed", "e"),
        ("ed", ""),
        ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}
_ANY_ENDING = {pos: tuple({ending for ending, _ in endings}) for pos, endings in _ENDINGS.items()}


class Rows:
    """Lists of numbers of varying length, laid end to end."""

    def __init__(self, counts: bytes, numbers: array[int]) -> None:
        self._ends = array("I", accumulate(counts, initial=0))
        self.numbers = numbers

    def __getitem__(self, row: int) -> array[int]:
        return self.numbers[self._ends[row] : self._ends[row + 1]]


class WordNet:
    """The table, read section by section as questions need it. Synsets are numbers; nouns come first, in name order."""

    def __init__(self, path: Path = _TABLE) -> None:
        content = path.read_bytes()
        if not content.startswith(_MAGIC):
            raise ValueError(f"{path} is not a WordNet table of this version; tools/wordnet/build.py writes one")
        head, _, self._packed = content[len(_MAGIC) :].partition(b"\n")
        self.head: dict[str, Any] = json.loads(head)
        ends = list(accumulate((self.head["sizes"][pos] for pos in PARTS_OF_SPEECH), initial=0))
        self._range = dict(zip(PARTS_OF_SPEECH, pairwise(ends), strict=True))

    def section(self, name: str) -> bytes:
        """The bytes of one section, unpacked."""
        place = self.head["sections"][name]
        return zlib.decompress(self._packed[place["at"] : place["at"] + place["packed"]])

    # ── words → senses ────────────────────────────────────────────────────────

    def synsets(self, word: str, pos: PartOfSpeech) -> list[int]:
        """The senses of a word in any case and number, most frequent first; without repeats."""
        if len(word) > LONGEST:
            return []
        low, high = self._range[pos]
        found: list[int] = []
        for form in self._forms(word.lower(), pos):
            row = self._places.get(form)
            if row is not None:
                found += [sense for sense in self._senses[row] if low <= sense < high]
        return list(dict.fromkeys(found))

    def _forms(self, lemma: str, pos: PartOfSpeech) -> Iterator[str]:
        """The word itself, then the base forms it may have come from, whether or not they exist."""
        yield lemma
        irregular = self._exceptions[pos].get(lemma)
        if irregular is not None:
            yield from irregular
            return
        if lemma.endswith(_ANY_ENDING[pos]):
            for ending, replacement in _ENDINGS[pos]:
                if lemma.endswith(ending):
                    yield lemma[: -len(ending)] + replacement

    def synonyms(self, word: str) -> frozenset[str]:
        """The words that share any sense with this one, in any part of speech; lower-case single words only."""
        senses = [sense for pos in PARTS_OF_SPEECH for sense in self.synsets(word, pos)]
        return frozenset(self._lemmas[lemma] for sense in senses for lemma in self._members[sense])

    @cached_property
    def _lemmas(self) -> list[str]:
        return self.section("lemmas").decode().split("\n")

    @cached_property
    def _places(self) -> dict[str, int]:
        return {lemma: place for place, lemma in enumerate(self._lemmas)}

    @cached_property
    def _exceptions(self) -> dict[str, dict[str, tuple[str, ...]]]:
        tables: dict[str, dict[str, tuple[str, ...]]] = {pos: {} for pos in PARTS_OF_SPEECH}
        for line in self.section("exceptions").decode().split("\n"):
            pos, form, *bases = line.split(" ")
            tables[pos][form] = tuple(bases)
        return tables

    @cached_property
    def _senses(self) -> Rows:
        return Rows(self.section("sense_counts"), _numbers(self.section("senses")))

    @cached_property
    def _members(self) -> Rows:
        return Rows(self.section("member_counts"), _numbers(self.section("members")))

    # ── nouns: what is a kind of what ─────────────────────────────────────────

    @cached_property
    def parents(self) -> Rows:
        """Noun synset → the synsets it is a kind or an instance of."""
        return Rows(self.section("parent_counts"), _numbers(self.section("parents")))

    @cached_property
    def has_children(self) -> bytes:
        """Noun synset → 1 where another one is a kind or an instance of it."""
        flags = bytearray(self.head["sizes"]["noun"])
        for parent in self.parents.numbers:
            flags[parent] = 1
        return bytes(flags)

    @cached_property
    def min_depth(self) -> bytes:
        """Noun synset → length of the shortest way to the root."""
        return self.section("min_depth")

    @cached_property
    def max_depth(self) -> bytes:
        """Noun synset → length of the longest way to the root."""
        return self.section("max_depth")

    @cached_property
    def _first_lemma(self) -> array[int]:
        return _numbers(self.section("first_lemma"))

    def noun_name(self, synset: int) -> str:
        """`dog.n.01`: the first word of a noun synset, and which of the word's senses it is."""
        lemma = self._first_lemma[synset]
        senses: Sequence[int] = self._senses[lemma]
        return f"{self._lemmas[lemma]}.n.{senses.index(synset) + 1:02}"


@cache
def wordnet() -> WordNet:
    """The table that comes with Eyechart, opened once."""
    return WordNet()


def _numbers(planes: bytes) -> array[int]:
    """24-bit numbers that were stored as three planes of bytes, lowest first."""
    n = len(planes) // 3
    wide = bytearray(4 * n)
    for plane in range(3):
        wide[plane::4] = planes[plane * n : (plane + 1) * n]
    numbers = array("I")
    numbers.frombytes(wide)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
