"""Laws that WUPS, BLEU-1 and METEOR keep for any text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.metrics import get_metric
from eyechart.metrics.wordnet import wordnet
from eyechart.records import Sample

SPECS = ("wups@0.9", "wups@0.0", "wups@-1", "wups@0.9[consensus=average]", "bleu1", "bleu1_corpus", "meteor")
WORDS = ("dog", "Dogs", "puppy", "cat", "sofa", "couch", "two", "2", "happy", "mice", "fire_hydrant", "running", "ran")

answers = st.one_of(
    st.text(),
    st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join),
    st.lists(st.sampled_from(WORDS), max_size=6).map(", ".join),
)


def mark(spec: str, answer: str, *references: str) -> float:
    """The score of an answer against its references."""
    value = get_metric(spec).score(Sample(id="q", references=references), answer).value
    assert value is not None
    return value


@given(st.sampled_from(SPECS), answers, st.lists(answers, min_size=1, max_size=3))
def test_scores_are_fractions_and_explained(spec: str, answer: str, references: list[str]) -> None:
    """Any text against any references gives a number from 0 to 1, the same each time, with words for it."""
    value = mark(spec, answer, *references)
    assert 0.0 <= value <= 1.0
    assert mark(spec, answer, *references) == value
    assert get_metric(spec).explain(Sample(id="q", references=tuple(references)), answer)


@given(st.sampled_from(("wups@0.9", "wups@0.0", "wups@-1")), answers, answers)
def test_wups_is_symmetric(spec: str, left: str, right: str) -> None:
    """Answer and reference may change places: the smaller of both ways counts."""
    assert abs(mark(spec, left, right) - mark(spec, right, left)) < 1e-12


@given(st.sampled_from(("wups@0.9", "wups@0.0", "wups@-1")), answers)
def test_wups_of_the_same_text_is_one(spec: str, text: str) -> None:
    """An answer that is written like the reference is worth 1, whatever it says."""
    assert mark(spec, text, text) == 1.0


@given(answers, answers)
def test_a_higher_threshold_never_helps(left: str, right: str) -> None:
    """WUPS at 0.0 is at least WUPS at 0.9, and that is at least exact match."""
    assert mark("wups@0.0", left, right) >= mark("wups@0.9", left, right) - 1e-12
    assert mark("wups@0.9", left, right) >= mark("wups@-1", left, right) - 1e-12


@given(answers)
def test_the_same_text_in_bleu_and_meteor(text: str) -> None:
    """The reference itself has BLEU 1; METEOR keeps its penalty for one stretch, 0.5 / n³."""
    n = len(text.split())
    assert mark("bleu1", text, text) == (1.0 if n else 0.0)
    meteor = mark("meteor", text, text)
    assert meteor >= (1 - 0.5) * (n > 0)
    if n and len(set(text.lower().split())) == n:
        assert abs(meteor - (1 - 0.5 / n**3)) < 1e-12


@given(st.sampled_from(("wups@0.9", "meteor")), answers, answers, answers)
def test_another_reference_never_hurts(spec: str, answer: str, first: str, second: str) -> None:
    """With several references the best one counts."""
    assert mark(spec, answer, first, second) == max(mark(spec, answer, first), mark(spec, answer, second))


@settings(max_examples=300)
@given(st.text(min_size=1))
def test_lookups_take_any_text(text: str) -> None:
    """Any text can be looked up, and what is found comes without repeats."""
    for pos in ("noun", "verb", "adj", "adv"):
        found = wordnet().synsets(text, pos)  # type: ignore[arg-type]
        assert len(found) == len(set(found))
