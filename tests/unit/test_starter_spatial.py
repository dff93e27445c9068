"""Maps, mazes and grids drawn from a seed: the same for ever, and every answer follows from the text alone."""

from __future__ import annotations

import hashlib
import io
import re
from itertools import pairwise

import pytest

from eyechart.benchmarks import get_benchmark
from eyechart.cli.main import main
from eyechart.errors import UsageError
from eyechart.metrics import get_metric
from eyechart.records import Sample
from eyechart.sources.starter.spatial import FAMILIES, MODES, SpatialTable

# Written once, with starter-spatial.v1. A change here is a change of published numbers: raise the generator's version.
PINNED = {
    "map": ("09f20e90524b8815", "8d6bfe870256b293"),
    "maze": ("14620c90ebcf6982", "35279b030da3be32"),
    "grid": ("2e095f369147a78c", "3033fb5be4f9c0f7"),
}
OPPOSITE = {"Northeast": "Southwest", "Southwest": "Northeast", "Northwest": "Southeast", "Southeast": "Northwest"}


def asked(family: str, mode: str, n: int = 90, seed: int = 0) -> list[Sample]:
    """Questions without pictures."""
    source = get_benchmark(f"starter:{family}:{mode}", {"n": str(n), "seed": str(seed)}).source
    return [source.fetch(entry, media=False) for entry in source.index().entries]


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_seed_draws_the_same_questions_and_pixels_for_ever(family: str) -> None:
    """Words of sixty questions in three modalities, and the pixels of ten scenes, have known hashes."""
    from PIL import Image

    words, pixels = hashlib.sha256(), hashlib.sha256()
    for mode in MODES:
        for sample in asked(family, mode, n=60, seed=7):
            words.update(repr((sample.id, sample.question, dict(sample.choices), sorted(sample.tags.items()))).encode())
    table = SpatialTable(family, "vqa", seed=7, count=30)
    for locator in range(0, 30, 3):
        pixels.update(Image.open(io.BytesIO(table.row(locator, pictures=True)["image"]["bytes"])).tobytes())
    assert (words.hexdigest()[:16], pixels.hexdigest()[:16]) == PINNED[family]


@pytest.mark.parametrize("family", FAMILIES)
def test_the_three_modalities_ask_the_same(family: str) -> None:
    """Same answers, same scenes; text where there is text, a picture where there is one."""
    by_mode = {mode: asked(family, mode) for mode in MODES}
    for text, seen, both in zip(*by_mode.values(), strict=True):
        assert text.references == seen.references == both.references
        assert text.cluster == seen.cluster == both.cluster
        about, _, question = seen.question.rpartition("\n\n")
        assert text.question.endswith(question)
        assert both.question == f"{about}\n\n{text.question}"
    for mode, pictures in (("tqa", 0), ("vqa", 1), ("vtqa", 1)):
        source = get_benchmark(f"starter:{family}:{mode}", {"n": "3"}).source
        assert all(len(source.fetch(entry).media) == pictures for entry in source.index().entries)


def test_maps_answers_follow_from_the_sentences() -> None:
    """Each direction, place and number can be read off what the text says."""
    for sample in asked("map", "tqa"):
        said = {
            (one, other): where
            for one, where, other in re.findall(r"([A-Z][\w ]+?) is to the (\w+) of ([\w ]+)\.", sample.question)
        }
        for (one, other), where in list(said.items()):
            said[other, one] = OPPOSITE[where]
        asked_for = sample.question.rpartition("information. ")[2].partition("?")[0]
        right = sample.references[0]
        if match := re.fullmatch(r"In which direction is (.+) relative to (.+)", asked_for):
            assert said[match[1], match[2]] == right
        elif match := re.fullmatch(r"Which object is in the (\w+) of (.+)", asked_for):
            fitting = [name for name in sample.choices.values() if said.get((name, match[2])) == match[1]]
            assert fitting == [right]
        else:
            match = re.fullmatch(r"How many objects are in the (\w+) of (.+)", asked_for)
            assert match is not None
            assert sum(where == match[1] and other == match[2] for (_, other), where in said.items()) == int(right)


def test_mazes_answers_follow_from_the_characters() -> None:
    """Walked from S to E along the marks: the turns, and where the exit lies."""
    for sample in asked("maze", "tqa"):
        rows = sample.question.split("\n\n")[1].split("\n")
        marks = {(r, c): mark for r, row in enumerate(rows) for c, mark in enumerate(row) if mark in "SEX"}
        (start,) = [cell for cell, mark in marks.items() if mark == "S"]
        way, left = [start], set(marks) - {start}
        while left:
            r, c = way[-1]
            (step,) = left & {(r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)}
            way.append(step)
            left.remove(step)
        assert marks[way[-1]] == "E"
        steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(way)]
        turns = [a[0] * b[1] - a[1] * b[0] for a, b in pairwise(steps) if a != b]
        down, along = way[-1][0] - start[0], way[-1][1] - start[1]
        right, question = sample.references[0], sample.question
        if "right turns are there" in question:
            assert sum(turn < 0 for turn in turns) == int(right)
        elif "total turns" in question:
            assert len(turns) == int(right)
        else:
            words = question.rpartition("Is the exit (E) ")[2]
            up = {"above": down < 0, "below": down > 0, "top": down < 0, "bottom": down > 0}
            side = {"left": along < 0, "right": along > 0}
            named = words.partition("?")[0].replace("starting point", "")
            truth = all(holds for word, holds in {**up, **side}.items() if re.search(rf"\b{word}\b", named))
            if "directly" in named:
                truth = truth and (along == 0 if "horizontal" in named else down == 0)
            else:
                truth = truth and down != 0 and along != 0
            assert right == ("Yes" if truth else "No")


def test_grids_answers_follow_from_the_words() -> None:
    """Counted and looked up in the text."""
    ordinals = ["first", "second", "third", "fourth", "fifth"]
    for sample in asked("grid", "tqa"):
        grid = [row.split(" | ") for row in sample.question.split("\n\n")[0].split("\n")[1:]]
        question, right = sample.question.rpartition("information. ")[2], sample.references[0]
        if match := re.match(r"How many blocks contain (\w+)\?", question):
            assert sum(row.count(match[1]) for row in grid) == int(right)
        elif "top-left corner" in question:
            assert grid[0][0] == right
        else:
            match = re.search(r"the (\w+) row, (\w+) column", question)
            assert match is not None
            assert grid[ordinals.index(match[1])][ordinals.index(match[2])] == right


@pytest.mark.parametrize("family", FAMILIES)
def test_options_are_fair_and_the_scorers_know_the_form(family: str) -> None:
    """Right letters are spread, options differ, and the right answer is right to the scorers."""
    samples = asked(family, "vqa", n=300)
    letters = [sample.tags["oracle_option"] for sample in samples]
    for sample in samples:
        assert len(set(sample.choices.values())) == len(sample.choices)
        assert sample.choices[sample.tags["oracle_option"]] == sample.references[0]
        assert sample.tags["oracle_full_answer"] == f"{sample.tags['oracle_option']}. {sample.references[0]}"
        for metric in ("spatialeval_seed", "spatialeval_option"):
            assert get_metric(metric).score(sample, sample.references[0]).value == 1.0
    assert all(letters.count(letter) > 30 for letter in "ABCD")


def test_they_are_no_part_of_the_whole_and_are_checked() -> None:
    """`starter` without a part asks none of them; marking them is sound; a wrong modality gets the right ones."""
    whole = get_benchmark("starter", {"n": "240"}).source
    assert all(entry.id.startswith("s0-p") for entry in whole.index().entries)
    assert main(["check", "starter:maze"]) == 0
    assert get_benchmark("starter:grid").id == "starter:grid:vqa"
    with pytest.raises(UsageError, match="unknown modality of starter:map"):
        get_benchmark("starter:map:text-tqa")
