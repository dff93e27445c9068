"""The numpy model says what the torch model says that it was trained as."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eyechart.models.builtin.network import Network
from eyechart.models.builtin.weights import load
from eyechart.models.builtin.words import ANSWER
from eyechart.sources.starter import scene as scenes
from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.page import GENERATOR
from eyechart.sources.starter.pixels import draw

# Written by training/reference.py, with torch, from the weights as shipped.
CASES = json.loads((Path(__file__).parent / "reference.json").read_text())
CLOSE = 1e-4


@cache
def network(checkpoint: str) -> Network:
    return Network(load(checkpoint))


def pictures(case: dict[str, Any]) -> list[np.ndarray]:
    dice = Dice(f"{GENERATOR}/{case['seed']}")
    drawn = scenes.pair(dice)[:2] if case["setting"] == "pair" else (getattr(scenes, case["setting"])(dice),)
    return [draw(scene) for scene in drawn]


def two_places(model: Network, asked: list[int], seen: list[np.ndarray]) -> np.ndarray:
    """Logits after nothing was written, then after the likeliest first piece."""
    reading = model.read(asked, model.look_at(seen))
    first = reading.after(model.index[ANSWER])
    return np.concatenate((first, reading.after(int(first.argmax()))))


@pytest.mark.parametrize("number", range(len(CASES)))
def test_numpy_equals_torch(number: int) -> None:
    """Features and logits, with the pictures and without."""
    case = CASES[number]
    model = network(case["checkpoint"])
    seen = [model.see(pixels) for pixels in pictures(case)]
    np.testing.assert_allclose(np.stack(seen)[:, ::9, ::7].ravel(), case["features"], atol=CLOSE)
    np.testing.assert_allclose(two_places(model, case["asked"], seen), case["seeing"], atol=CLOSE)
    np.testing.assert_allclose(two_places(model, case["asked"], []), case["blind"], atol=CLOSE)


def test_both_checkpoints_and_every_setting_are_compared() -> None:
    """The reference covers what ships."""
    assert {case["checkpoint"] for case in CASES} == {"tiny", "tiny-early"}
    assert {case["setting"] for case in CASES} == {"table", "ruler", "pair", "crowd"}


@pytest.mark.parametrize("checkpoint", ["tiny", "tiny-early"])
def test_weights_are_small(checkpoint: str) -> None:
    """At most two million numbers in at most four megabytes."""
    weights = load(checkpoint)
    assert sum(tensor.size for tensor in weights.tensors.values()) <= 2_000_000
    path = Path(load.__code__.co_filename).parent / "weights" / f"{checkpoint}.safetensors"
    assert path.stat().st_size <= 4_000_000
