"""Controls: the picture is taken away or swapped, and nothing else changes."""

from collections import Counter

import msgspec
import pytest

from eyechart.benchmarks import get_benchmark
from eyechart.errors import InputError, UsageError
from eyechart.methods.controls import Donors, controlled
from eyechart.records import Entry, Index, Media, Sample
from eyechart.runner.settle import settle
from eyechart.runner.spec import RunSpec
from eyechart.sources.base import Source


class Slides(Source):
    """Questions by name, each with a picture of its group."""

    def __init__(self, groups: list[str], strata: list[str] | None = None) -> None:
        kinds = strata or [""] * len(groups)
        self.entries = tuple(
            Entry(id=str(i), locator=i, group=group, stratum=kind)
            for i, (group, kind) in enumerate(zip(groups, kinds, strict=True))
        )
        self.drawn = 0

    def index(self) -> Index:
        return Index(entries=self.entries, data="x")

    def fetch(self, entry: Entry, *, media: bool = True) -> Sample:
        self.drawn += media
        picture = (Media(name=entry.group or entry.id),) if media else ()
        return Sample(id=entry.id, question=f"q{entry.id}", references=("r",), media=picture, cluster=entry.group)


def test_blind_sends_no_picture_and_reads_none():
    """Everything stays but the pictures, and the source is never asked for them."""
    slides = Slides(["a", "a", "b"])
    source = controlled(slides, "blind")
    for entry in source.index().entries:
        plain = slides.fetch(entry, media=False)
        assert source.fetch(entry) == msgspec.structs.replace(plain, media=())
    assert slides.drawn == 0


def test_shuffled_never_sends_the_right_picture():
    """Whatever the seed, the picture is that of another group; question and references stay."""
    slides = Slides([f"g{i // 3}" for i in range(30)])
    for seed in range(20):
        source = controlled(slides, "shuffled", seed=seed)
        for entry in slides.entries:
            sample = source.fetch(entry)
            assert sample.media[0].name != entry.group
            assert (sample.id, sample.question, sample.references, sample.cluster) == (
                entry.id, f"q{entry.id}", ("r",), entry.group,
            )  # fmt: skip


def test_shuffled_is_seeded_and_spreads():
    """One seed, one assignment; another seed, another; and no picture is handed to everybody."""
    entries = [Entry(id=str(i), locator=i, group=f"g{i}") for i in range(200)]
    first = [Donors(entries, 1).of(entry).id for entry in entries]
    assert first == [Donors(entries, 1).of(entry).id for entry in entries]
    assert first != [Donors(entries, 2).of(entry).id for entry in entries]
    assert max(Counter(first).values()) <= 8


def test_shuffled_prefers_questions_of_the_same_type():
    """A question about two pictures gets two pictures, as long as its type has another."""
    source = get_benchmark("starter", {"n": "240"}).source
    shuffled = controlled(source, "shuffled", seed=5)
    for entry in source.index().entries[:60]:
        assert len(shuffled.fetch(entry).media) == len(source.fetch(entry).media)


def test_shuffled_falls_back_to_any_other_picture():
    """A type with a single picture borrows from other types."""
    entries = Slides(["a", "a", "b"], ["one", "one", "two"]).entries
    donors = Donors(entries, 0)
    assert donors.of(entries[0]).group == "b"
    assert donors.of(entries[2]).group == "a"


def test_shuffled_needs_two_pictures():
    """Where all questions share one picture there is nothing to swap, and it is said."""
    source = controlled(Slides(["a", "a"]), "shuffled")
    with pytest.raises(InputError, match="at least two pictures"):
        source.fetch(source.index().entries[0])


def test_marking_under_a_control_reads_no_picture():
    """Samples without media stay without media, so scoring is as cheap as ever."""
    slides = Slides(["a", "b"])
    assert not controlled(slides, "shuffled").fetch(slides.entries[0], media=False).media
    assert slides.drawn == 0


def test_unknown_controls_are_refused_with_the_nearest_name():
    """A typo gets a suggestion; no control is the plain source."""
    slides = Slides(["a", "b"])
    assert controlled(slides, "") is slides
    with pytest.raises(UsageError, match="did you mean shuffled"):
        controlled(slides, "shuffle")


@pytest.mark.parametrize("control", ["blind", "shuffled"])
def test_text_has_no_picture_to_take_away(control):
    """A control that changes nothing would look like a result."""
    with pytest.raises(UsageError, match=f"--control {control} means nothing to starter:maze:tqa"):
        settle(RunSpec(benchmark="starter:maze:tqa", model="baseline:random", control=control))
