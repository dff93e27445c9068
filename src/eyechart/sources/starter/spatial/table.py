"""The drawn scenes as rows with SpatialEval's columns, so that one reader serves both."""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import lru_cache
from types import ModuleType
from typing import Any

from eyechart.sources.rows import Row
from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.spatial import animal_grid, maze, place_map
from eyechart.sources.starter.spatial.asked import Asked

# Raised with any change to a question or a pixel: published numbers name it.
GENERATOR = "starter-spatial.v1"

FAMILIES: dict[str, ModuleType] = {"map": place_map, "maze": maze, "grid": animal_grid}
MODES = ("tqa", "vqa", "vtqa")
_EACH = 3  # questions about a scene
_PLEASE = "Please answer the following multiple-choice question based on the provided information."


class SpatialTable:
    """The first `count` questions of one family in one modality."""

    def __init__(self, family: str, mode: str, *, seed: int, count: int) -> None:
        self.name = f"{GENERATOR} {family} seed {seed}"
        self.columns: tuple[str, ...] = ("id", "text", "oracle_answer", "oracle_option", "oracle_full_answer")
        self._family, self._mode, self._seed, self._count = family, mode, seed, count

    def scan(self) -> Iterator[tuple[int, int, Row]]:
        """Every question, without its picture."""
        for locator in range(self._count):
            yield locator, 0, self.row(locator, pictures=False)

    def row(self, locator: int, *, pictures: bool) -> Row:
        """One question in the published form; drawn only where the picture is wanted."""
        number, slot = divmod(locator, _EACH)
        maker = FAMILIES[self._family]
        scene, asked = _scene(self._family, self._seed, number)
        question = asked[slot]
        about = {"tqa": maker.as_text(scene), "vqa": maker.ABOUT_PICTURE}
        both = f"{maker.ABOUT_PICTURE}\n\n{about['tqa']}"
        row: dict[str, Any] = {
            "id": f"{maker.TASK}.{self._mode}.{number}.{slot}",
            "text": f"{about.get(self._mode, both)}\n\n{_PLEASE} {question.words}",
            "oracle_answer": question.answer,
            "oracle_option": question.letter,
            "oracle_full_answer": f"{question.letter}. {question.answer}",
        }
        if pictures and self._mode != "tqa":
            row["image"] = {"bytes": _picture(self._family, self._seed, number), "path": None}
        return row


@lru_cache(maxsize=256)
def _scene(family: str, seed: int, number: int) -> tuple[Any, tuple[Asked, ...]]:
    """A scene and its questions; the same in every modality."""
    dice = Dice(f"{GENERATOR}/{family}/{seed}/{number}")
    scene = FAMILIES[family].make(dice)
    return scene, FAMILIES[family].ask(scene, dice)


@lru_cache(maxsize=32)
def _picture(family: str, seed: int, number: int) -> bytes:
    file = io.BytesIO()
    FAMILIES[family].paint(_scene(family, seed, number)[0]).save(file, "PNG")
    return file.getvalue()
