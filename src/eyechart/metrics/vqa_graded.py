"""Two lenient scorers of a public VQA comparison: "simple accuracy" and the graded "VQA accuracy".

Both mark against the one gold answer: the tag `multiple_choice_answer` where a sample has it, else the first reference.
What that comparison's own program does differs from what its description says; the options choose:

* by default, keywords count as **substrings**, as in the program: "no" is found in "snow" and in "know";
* `keywords=word` looks for whole words;
* `literal=true` follows the description, which leaves out that white space is collapsed after punctuation is blanked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from eyechart.errors import UsageError
from eyechart.metrics.base import Metric
from eyechart.records import Sample, Score

UPSTREAM = "yitzuliu/DissertationDemo@721fe04 vqa_framework.py"
YES = ("yes", "yeah", "yep", "correct", "true", "right", "sure", "okay")
NO = ("no", "nope", "not", "false", "wrong", "incorrect", "negative")
NO_GOLD = "official_undefined: the question has no gold answer"
NO_WORDS = "official_undefined: the gold answer has no words, and the description divides by their number"

_NOT_A_WORD = re.compile(r"[^\w\s]")
_NUMBER_WORDS = """
    zero one two three four five six seven eight nine ten
    eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty
"""
_NUMBERS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS.split())}
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_NUMBERS)})\b")


def prepare(text: str, *, literal: bool = False) -> str:
    """Lower case, punctuation blanked, number words to digits; white space collapsed unless `literal`."""
    # The published contraction rules all look for an apostrophe, which has been blanked by then: they never apply.
    blanked = _NOT_A_WORD.sub(" ", text.lower().strip())
    if not literal:
        blanked = " ".join(blanked.split())
    return _NUMBER_WORD.sub(lambda match: _NUMBERS[match[0]], blanked)


def says(prepared: str, keywords: tuple[str, ...], *, whole_words: bool) -> bool:
    """Whether any keyword occurs in the text, as a word of its own or anywhere."""
    if whole_words:
        return not set(prepared.split()).isdisjoint(keywords)
    return any(keyword in prepared for keyword in keywords)


def gold_of(sample: Sample) -> str | None:
    """The one gold answer."""
    named = sample.tags.get("multiple_choice_answer")
    if named is not None:
        return named
    return sample.references[0] if sample.references else None


@dataclass(frozen=True)
class Contains(Metric):
    """The prepared gold answer occurs in the prepared reply; a yes/no gold goes by keywords."""

    id: str = "vqa_contains"
    version: int = 1
    upstream: str = UPSTREAM
    title: str = "gold answer contained in the reply (keywords for yes and no)"

    def score(self, sample: Sample, text: str) -> Score:
        """1 where the reply contains the gold answer."""
        raw_gold = gold_of(sample)
        if raw_gold is None:
            return Score(value=None, error=NO_GOLD)
        gold, reply = prepare(raw_gold), prepare(text)
        if gold in ("yes", "no"):
            meant, other = (YES, NO) if gold == "yes" else (NO, YES)
            hit = says(reply, meant, whole_words=False) and not says(reply, other, whole_words=False)
            rule = "keywords of yes and no, as substrings"
        else:
            hit = gold in reply
            rule = f"{gold!r} as a substring"
        return Score(value=float(hit), read_as=reply or None, rule=rule)


@dataclass(frozen=True)
class Enhanced(Metric):
    """A graded mark: exact 1, all words 0.9, most 0.7, some 0.3, substring 0.5; yes/no by keywords."""

    id: str = "vqa_enhanced"
    version: int = 1
    upstream: str = UPSTREAM
    title: str = "graded match with the one gold answer"
    whole_words: bool = False
    literal: bool = False

    def score(self, sample: Sample, text: str) -> Score:
        """The first rule of the list that applies."""
        raw_gold = gold_of(sample)
        if raw_gold is None:
            return Score(value=None, error=NO_GOLD)
        gold, reply = prepare(raw_gold, literal=self.literal), prepare(text, literal=self.literal)
        if not text and not self.literal:  # the program returns at once, the description does not
            value, rule = 0.0, "empty reply"
        elif gold in ("yes", "no"):
            value, rule = self._yes_or_no(gold, reply)
        elif self.literal and gold != reply and not gold.split():
            return Score(value=None, error=NO_WORDS)
        else:
            value, rule = self._by_words(gold, reply)
        return Score(value=value, read_as=reply if reply.strip() else None, rule=rule)

    def _by_words(self, gold: str, reply: str) -> tuple[float, str]:
        if gold == reply:
            return 1.0, "exact match"
        wanted, given = set(gold.split()), set(reply.split())
        if wanted:
            share = len(wanted & given) / len(wanted)
            for least, value, amount in _SHARES:
                if share >= least:
                    return value, f"{amount} gold words: {len(wanted & given)} of {len(wanted)}"
        # A whole gold answer inside a longer word ("ball" in "football") thus beats a third of its words.
        return (0.5, "gold answer inside the reply") if gold in reply else (0.0, "no match")

    def _yes_or_no(self, gold: str, reply: str) -> tuple[float, str]:
        yes = says(reply, YES, whole_words=self.whole_words)
        no = says(reply, NO, whole_words=self.whole_words)
        if yes and no:
            return 0.1, "keywords of both yes and no"
        if not yes and not no:
            return 0.2, "keywords of neither yes nor no"
        said = "yes" if yes else "no"
        return float(said == gold), f"keywords of {said} only"


_SHARES = ((1.0, 0.9, "all"), (0.7, 0.7, "most"), (0.3, 0.3, "some"))


def contains() -> Metric:
    """Factory of `vqa_contains`."""
    return Contains()


def enhanced(keywords: str = "substring", literal: str = "false") -> Metric:
    """Factory of `vqa_enhanced`; options `keywords=word` and `literal=true`."""
    if keywords not in ("substring", "word"):
        raise UsageError(f"vqa_enhanced cannot look for keywords by {keywords!r}", fix="keywords=substring or word")
    if literal not in ("true", "false"):
        raise UsageError(f"vqa_enhanced cannot read literal={literal!r}", fix="literal=true or literal=false")
    # In the id the options stand in one order, so that a metric has one name.
    options = [f"keywords={keywords}"] if keywords != "substring" else []
    options += ["literal=true"] if literal == "true" else []
    name = f"vqa_enhanced[{','.join(options)}]" if options else "vqa_enhanced"
    return Enhanced(id=name, whole_words=keywords == "word", literal=literal == "true")
