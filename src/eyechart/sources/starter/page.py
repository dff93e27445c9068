"""A page: one picture, or a pair, with the questions that share it. Same seed and number, same page, for ever."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from eyechart.sources.starter import scene as scenes
from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.kinds import (
    colour,
    count,
    crowd,
    direction,
    distance,
    existence,
    moved,
    relation,
    shape,
    size,
)
from eyechart.sources.starter.question import Question
from eyechart.sources.starter.scene import Scene

# Raised with any change to a question or a pixel: published numbers name it.
GENERATOR = "starter.v1"

Asker: TypeAlias = Callable[[Scene, Dice], Question | None]


class Subject(NamedTuple):
    """What a question is after: the part of the benchmark it belongs to, and its question type."""

    kind: str
    question_type: str


SUBJECTS: Mapping[str, Subject] = {
    "existence": Subject("existence", "existence"),
    "colour": Subject("colour", "colour"),
    "shape": Subject("shape", "shape"),
    "count": Subject("count", "count"),
    "relation": Subject("relation", "relation"),
    "size": Subject("size", "size"),
    # Estimates carry the names that other benchmarks of spatial estimates use.
    "distance": Subject("estimate", "object_abs_distance"),
    "crowd": Subject("estimate", "object_counting"),
    "moved": Subject("moved", "moved_object"),
    "direction": Subject("moved", "moved_direction"),
}
KINDS = tuple(dict.fromkeys(subject.kind for subject in SUBJECTS.values()))

OF_TABLE: Mapping[str, Asker] = {
    "existence": existence.ask,
    "colour": colour.ask,
    "shape": shape.ask,
    "count": count.ask,
    "relation": relation.ask,
    "size": size.ask,
    "distance": distance.ask,
    "crowd": crowd.ask,
}
OF_PAIR = {"moved": moved.ask, "direction": direction.ask}
_SETTINGS = {"table": scenes.table, "ruler": scenes.ruler, "crowd": scenes.crowd}

# Ten pages, then the same again: three questions of each of the eight kinds, in pages of one to three questions.
SCHEDULE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("table", ("existence", "colour", "count")),
    ("ruler", ("distance", "distance")),
    ("table", ("shape", "relation", "size")),
    ("pair", ("moved", "direction")),
    ("table", ("existence", "relation", "count")),
    ("crowd", ("crowd",)),
    ("table", ("colour", "shape", "size")),
    ("pair", ("moved",)),
    ("table", ("existence", "shape", "size")),
    ("table", ("colour", "count", "relation")),
)


class Page(NamedTuple):
    """One or two scenes, and the questions about them by subject."""

    scenes: tuple[Scene, ...]
    subjects: tuple[str, ...]
    questions: tuple[Question, ...]
    moved: int | None = None  # of a pair: which thing has moved


def page(seed: str, number: int) -> Page:
    """Page `number` of the endless stream that a seed opens."""
    setting, subjects = SCHEDULE[number % len(SCHEDULE)]
    return compose(f"{seed}/{number}", setting, subjects)


def compose(seed: str, setting: str, subjects: Sequence[str]) -> Page:
    """A page of any setting ("table", "ruler", "crowd", "pair") with these questions: what training draws from."""
    dice = Dice(f"{GENERATOR}/{seed}")
    if setting == "pair":
        before, after, which = scenes.pair(dice)
        pair_questions = tuple(OF_PAIR[subject](before, after, which, dice) for subject in subjects)
        return Page((before, after), tuple(subjects), pair_questions, which)
    while True:
        scene = _SETTINGS[setting](dice)
        questions: list[Question] = []
        for subject in subjects:
            question = _new_question(OF_TABLE[subject], scene, dice, questions)
            if question is None:
                break  # this scene has no such question: draw another scene
            questions.append(question)
        else:
            return Page((scene,), tuple(subjects), tuple(questions))


def _new_question(ask: Asker, scene: Scene, dice: Dice, asked: Sequence[Question]) -> Question | None:
    """A question that this page does not have yet."""
    for _ in range(6):
        question = ask(scene, dice)
        if question is None or all(_differ(question, other) for other in asked):
            return question
    return None


def _differ(question: Question, other: Question) -> bool:
    same_pair = len(question.about) > 1 and sorted(question.about) == sorted(other.about)
    return question.text != other.text and not same_pair
