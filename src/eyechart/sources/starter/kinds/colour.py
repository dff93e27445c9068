"""What colour is it? Asked about the only thing of its shape."""

from __future__ import annotations

from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.question import OTHER, Question
from eyechart.sources.starter.scene import Scene

_VARIANTS = {"purple": ("violet",), "pink": ("light pink",), "black": ("dark",), "blue": ("royal blue",)}
_MISTAKES = {
    "red": "orange", "orange": "red", "yellow": "gold", "green": "dark green",
    "blue": "purple", "purple": "blue", "pink": "purple", "black": "grey",
}  # fmt: skip


def ask(scene: Scene, dice: Dice) -> Question | None:
    """A question for a colour word, or nothing where every shape is there twice."""
    single = [index for index, thing in enumerate(scene.things) if scene.tally(shape=thing.shape) == 1]
    if not single:
        return None
    index = dice.choice(single)
    thing = scene.things[index]
    text = dice.choice((f"What colour is the {thing.shape}?", f"Which colour does the {thing.shape} have?"))
    variants = (thing.colour.title(), *_VARIANTS.get(thing.colour, ()))
    return Question(text, thing.colour, OTHER, (index,), variants=variants, mistakes=(_MISTAKES[thing.colour],))
