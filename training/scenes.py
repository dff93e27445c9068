"""What the tiny model learns from: drawn scenes, what each cell of a picture holds, and questions without end.

Every seed starts with "train/" or "held-out/": text, which the benchmark's whole-numbered seeds can never meet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eyechart.models.builtin.words import ANSWER, END, LETTERS, answer_pieces, option, pieces
from eyechart.sources.starter import scene as scenes
from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.page import GENERATOR, OF_PAIR, OF_TABLE
from eyechart.sources.starter.question import Question
from eyechart.sources.starter.scene import COLOURS, SHAPES, SIDE, Scene

CELL = 32  # pixels a side; two things of a table are never so near that they share one
ACROSS = SIDE // CELL
CELLS = ACROSS * ACROSS
LONGEST, LONGEST_ANSWER = 36, 3

# What each setting is asked about, and how often: what is hard is asked more.
ASKED = {
    "table": {"existence": 3, "colour": 2, "shape": 2, "count": 4, "relation": 5, "size": 4},
    "ruler": {"distance": 1},
    "pair": {"moved": 1, "direction": 1},
    "crowd": {"crowd": 1},
}
SETTINGS = {"table": scenes.table, "ruler": scenes.ruler, "crowd": scenes.crowd}


@dataclass(frozen=True)
class Drawn:
    """A scene to ask about, or two; `first` is the row of its first picture in the store of pictures."""

    setting: str
    scenes: tuple[Scene, ...]
    moved: int | None
    first: int


def laid_out(seed: str, setting: str, first: int = 0) -> Drawn:
    """A scene of a setting, from a seed that the benchmark cannot have."""
    dice = Dice(f"{GENERATOR}/{seed}")
    if setting == "pair":
        before, after, which = scenes.pair(dice)
        return Drawn(setting, (before, after), which, first)
    return Drawn(setting, (SETTINGS[setting](dice),), None, first)


def ask(drawn: Drawn, subject: str, dice: Dice) -> Question | None:
    """A question about a scene, where it has one of that kind."""
    if drawn.moved is not None:
        return OF_PAIR[subject](*drawn.scenes, drawn.moved, dice)
    return OF_TABLE[subject](drawn.scenes[0], dice)


@dataclass(frozen=True)
class Cells:
    """What every cell of a picture holds: the teacher of the model's eye."""

    shape: NDArray[np.int64]  # 0: no centre of a thing here
    colour: NDArray[np.int64]  # -1: nothing to say
    large: NDArray[np.float32]
    offset: NDArray[np.float32]  # of the centre, in cells
    dots: NDArray[np.float32]  # small dots of each colour
    bar: NDArray[np.float32]  # how much of the cell's width the scale bar spans


def cells(scene: Scene) -> Cells:
    """The truth about a picture, cell by cell."""
    found = Cells(
        shape=np.zeros(CELLS, np.int64),
        colour=np.full(CELLS, -1, np.int64),
        large=np.zeros(CELLS, np.float32),
        offset=np.zeros((CELLS, 2), np.float32),
        dots=np.zeros((CELLS, len(COLOURS)), np.float32),
        bar=np.zeros(CELLS, np.float32),
    )
    for thing in scene.things:
        cell = cell_of(thing.x, thing.y)
        if thing.radius <= scenes.CROWD_RADIUS:
            found.dots[cell, COLOURS.index(thing.colour)] += 1
            continue
        found.shape[cell] = 1 + SHAPES.index(thing.shape)
        found.colour[cell] = COLOURS.index(thing.colour)
        found.large[cell] = thing.large
        found.offset[cell] = (thing.x % CELL) / CELL - 0.5, (thing.y % CELL) / CELL - 0.5
    if scene.bar is not None:
        edges = np.arange(ACROSS) * CELL
        spanned = np.clip(13 + scene.bar.pixels - edges, 0, CELL) - np.clip(13 - edges, 0, CELL)
        found.bar[-ACROSS:] = spanned / CELL
    return found


def cell_of(x: int, y: int) -> int:
    """The cell that a pixel lies in."""
    return y // CELL * ACROSS + x // CELL


def vocabulary() -> list[str]:
    """Every word that the questions and answers of the bundled benchmark have."""
    words: set[str] = set()
    for number in range(400):
        for setting, subjects in ASKED.items():
            drawn = laid_out(f"train/words/{number}", setting)
            dice = Dice(f"train/words/{number}")
            for subject in subjects:
                question = ask(drawn, subject, dice)
                if question is not None:
                    words |= {*pieces(as_text(question)), *answer_pieces(question.answer)}
    words |= set(COLOURS) | set(SHAPES) | set("0123456789") | {option(letter) for letter in LETTERS}
    return ["<pad>", ANSWER, END, *sorted(words)]


def as_text(question: Question) -> str:
    """The question with its options, as a prompt lists them."""
    return "\n".join([question.text, *(f"{letter}. {text}" for letter, text in question.choices.items())])


@dataclass(frozen=True)
class Lesson:
    """One question as numbers: pieces, answer, and for the things that it names, where they are."""

    asked: list[int]
    answer: list[int]
    pointers: list[tuple[int, list[int]]]  # (place in the question, cell in each picture)


def lesson(drawn: Drawn, question: Question, index: dict[str, int]) -> Lesson:
    """A question and its answer in the model's own pieces."""
    words = pieces(as_text(question))
    answer = [*answer_pieces(question.answer), END]
    nouns = [place for place, word in enumerate(words) if word in SHAPES]
    if not nouns and len(question.about) == 1:
        nouns = [words.index("object")]  # "What shape is the red object?"
    named = list(zip(nouns, question.about, strict=False))
    if drawn.moved is not None:
        named.append((words.index("object"), drawn.moved))  # "Which object has moved …", "One object has moved …"
    pointers = [(place, [cell_of(one.things[i].x, one.things[i].y) for one in drawn.scenes]) for place, i in named]
    return Lesson([index[word] for word in words], [index[piece] for piece in answer], pointers)
