"""Prompts are words from files, filled in by one pure function."""

from __future__ import annotations

from pathlib import Path

import pytest

from eyechart.errors import EyechartError
from eyechart.prompts import Style, load_style, render, style_names
from eyechart.records import Media, Sample

PICTURE = Media(name="a"), Media(name="b")


def style(**fields: object) -> Style:
    return Style(source="test", about="test", **{"open": "{question}", **fields})  # type: ignore[arg-type]


def test_the_short_style_asks_for_a_word_or_a_letter() -> None:
    """Open questions get the short-answer sentence, questions with options get the letter sentence."""
    short = load_style("short.v1")
    open_question = render(Sample(id="1", question="What colour?"), short)
    choice = render(Sample(id="2", question="Which?", choices={"A": "left", "B": "right"}), short)
    assert open_question.text == "What colour?\nAnswer the question using a single word or phrase."
    assert choice.text == "Which?\nA. left\nB. right\nAnswer with the option's letter from the given choices directly."


@pytest.mark.parametrize("name", ["short.v1", "plain.v1"])
def test_options_that_stand_in_the_question_are_not_listed_twice(name: str) -> None:
    """MMSI-Bench and SpatialEval publish questions that list their options; a style that must repeat them does."""
    choices = {"A": "left", "B": "right"}
    for question in ("Which? Options: A: left, B: right", "Which?\nA. left\nB. right."):
        sample = Sample(id="1", question=question, choices=choices)
        assert render(sample, load_style(name)).text.count("left") == 1
        assert render(sample, load_style("vlmevalkit.v1")).text.count("left") == 2
    half = Sample(id="1", question="Is A: left better? Or is B?", choices=choices)
    assert render(half, load_style(name)).text.count("right") == 1


def test_braces_in_data_stay_what_they_are() -> None:
    """A question that looks like a placeholder is not filled in a second time."""
    sample = Sample(id="1", question="{choices} {question} {x}", choices={"A": "{question}"})
    assert render(sample, style(choice="{question}|{choices}")).text == "{choices} {question} {x}|A. {question}"


def test_pictures_come_first_unless_the_style_places_them() -> None:
    """By default pictures precede the words; an inline style puts them where {image} stands and loses none."""
    sample = Sample(id="1", question="Q", media=PICTURE)
    assert render(sample, style()).turns[0].parts == (*PICTURE, "Q")
    inline = style(open="see {image} and {image}: {question}", pictures="inline")
    assert render(sample, inline).turns[0].parts == ("see ", PICTURE[0], " and ", PICTURE[1], ": Q")
    one_place = style(open="{image}{question}", pictures="inline")
    assert set(render(sample, one_place).media) == set(PICTURE)


def test_a_style_may_word_question_types_apart() -> None:
    """A template chosen by a tag goes before the general one."""
    by_type = style(by_tag={"question_type": {"counting": "{question} Number only."}})
    assert render(Sample(id="1", question="Q", tags={"question_type": "counting"}), by_type).text == "Q Number only."
    assert render(Sample(id="1", question="Q", tags={"question_type": "other"}), by_type).text == "Q"


def test_a_missing_tag_is_named() -> None:
    """A template that needs a tag says which sample lacks it."""
    with pytest.raises(EyechartError, match=r"tag 'task'.*sample s7"):
        render(Sample(id="s7", question="Q"), style(open="{tag.task}"))


def test_a_placeholder_with_a_typo_is_not_sent(tmp_path: Path) -> None:
    """It would stand where the question should; words in braces that are none of ours are the author's own."""
    path = tmp_path / "mine.yaml"
    path.write_text('source: test\nabout: test\nopen: "{quesiton}"\n')
    with pytest.raises(EyechartError, match=r"did you mean \{question\}"):
        load_style(str(path))
    with pytest.raises(ValueError, match=r"did you mean \{choices\}"):
        style(by_tag={"kind": {"colour": "{question} {choises}"}})
    assert style(open='{question} Write {"answer": {value}}').open.endswith("{value}}")


@pytest.mark.parametrize("name", style_names())
def test_every_style_loads_and_names_its_source(name: str) -> None:
    """Built-in styles are complete: a source, a description, and words that render."""
    loaded = load_style(name)
    assert loaded.source
    assert loaded.about
    assert loaded.name == name


def test_an_unknown_style_offers_the_nearest_name() -> None:
    """A typing error in a style's name is met with a suggestion."""
    with pytest.raises(EyechartError, match=r"did you mean short\.v1"):
        load_style("shrt.v1")


def test_a_style_of_ones_own_is_told_apart_by_its_words(tmp_path: Path) -> None:
    """Nobody raises the version of a file of their own: other words give another name, which the signature carries."""
    path = tmp_path / "mine.yaml"
    names = []
    for words in ("Briefly.", "At length."):
        path.write_text(f"source: me\nabout: mine\nopen: '{{question}} {words}'\n")
        names.append(load_style(str(path)).name)
    assert len(set(names)) == 2
    assert all(name.startswith("mine@") for name in names)
