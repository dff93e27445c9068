"""What shape is it? Asked about the only thing of its colour."""

from __future__ import annotations

from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.question import OTHER, Question, a
from eyechart.sources.starter.scene import Scene

_VARIANTS = {
    "circle": ("round",),
    "cross": ("plus",),
    "diamond": ("rhombus",),
    "moon": ("crescent",),
    "square": ("box",),
}
_MISTAKES = {
    "circle": "heart", "square": "diamond", "triangle": "diamond", "star": "cross",
    "heart": "circle", "cross": "star", "diamond": "square", "moon": "circle",
}  # fmt: skip


def ask(scene: Scene, dice: Dice) -> Question | None:
    """A question for a shape word, or nothing where every colour is there twice."""
    single = [index for index, thing in enumerate(scene.things) if scene.tally(colour=thing.colour) == 1]
    if not single:
        return None
    index = dice.choice(single)
    thing = scene.things[index]
    text = dice.choice(
        (f"What shape is the {thing.colour} object?", f"Which shape does the {thing.colour} object have?")
    )
    variants = (thing.shape.title(), a(thing.shape), *_VARIANTS.get(thing.shape, ()))
    return Question(text, thing.shape, OTHER, (index,), variants=variants, mistakes=(_MISTAKES[thing.shape],))
