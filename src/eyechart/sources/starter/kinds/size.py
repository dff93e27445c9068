"""Which is bigger? Two named things, or the one that stands out."""

from __future__ import annotations

from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.question import OTHER, Question, yes_no
from eyechart.sources.starter.scene import COLOURS, SHAPES, Scene


def ask(scene: Scene, dice: Dice) -> Question | None:
    """A question about size, or nothing where all things are of a size."""
    large = [index for index, thing in enumerate(scene.things) if thing.large]
    small = [index for index, thing in enumerate(scene.things) if not thing.large]
    if not large or not small:
        return None
    if len(large) == 1 and dice.chance(2):
        return _standout(scene, dice, large[0], "largest")
    if len(small) == 1 and dice.chance(2):
        return _standout(scene, dice, small[0], "smallest")
    big, little = dice.choice(large), dice.choice(small)
    first, second = (big, little) if dice.chance(2) else (little, big)
    word = dice.choice(("larger", "smaller"))
    text = f"Is the {scene.things[first].words} {word} than the {scene.things[second].words}?"
    return yes_no(text, (first == big) == (word == "larger"), (first, second))


def _standout(scene: Scene, dice: Dice, index: int, word: str) -> Question:
    thing = scene.things[index]
    if dice.chance(2):
        other = dice.choice([colour for colour in COLOURS if colour != thing.colour])
        variants = (thing.colour.title(), thing.words)
        return Question(f"What colour is the {word} object?", thing.colour, OTHER, variants=variants, mistakes=(other,))
    other = dice.choice([shape for shape in SHAPES if shape != thing.shape])
    variants = (thing.shape.title(), thing.words)
    return Question(f"What shape is the {word} object?", thing.shape, OTHER, variants=variants, mistakes=(other,))
