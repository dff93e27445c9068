"""The tiny model's arithmetic in numpy: an eye that turns a picture into 64 cells, and a reader that asks the cells.

`training/network.py` is the same in torch, with the reasons; a test holds the two together. The eye's layers are
convolutions (batch norms are folded in), a cell is 32 pixels a side. The reader is a transformer over the pieces of the
question whose layers look at the cells by heads that choose (softmax) and heads that add up (sigmoid).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeAlias

# This module is imported when the model is opened, never before
import numpy as np  # noqa: TID253
from numpy.typing import NDArray  # noqa: TID253

from eyechart.models.builtin.weights import Weights
from eyechart.models.builtin.words import ANSWER, END

Array: TypeAlias = NDArray[np.float32]
View: TypeAlias = list[tuple[Array, Array]]  # keys and values, layer by layer: what can be looked at

SIDE = 256  # pictures are brought to this size
LAYER_NORM_EPSILON = 1e-5


class Network:
    """Weights made ready to answer with."""

    def __init__(self, weights: Weights) -> None:
        about = weights.about
        self._w = weights.tensors
        self.words: list[str] = json.loads(about["words"])
        self.index = {word: number for number, word in enumerate(self.words)}
        self.strides: list[int] = json.loads(about["strides"])
        self.heads, self.layers, self.longest = int(about["heads"]), int(about["layers"]), int(about["longest"])
        self.longest_answer = len(self._w["reader.place.weight"]) - self.longest

    # ── the eye ───────────────────────────────────────────────────────────────

    def see(self, pixels: NDArray[np.uint8]) -> Array:
        """A picture of SIDE × SIDE × 3 bytes → cells × features."""
        hidden = pixels.astype(np.float32) / 127.5 - 1
        for number, stride in enumerate(self.strides):
            hidden = convolve(hidden, self._w[f"eye.{number}.weight"], self._w[f"eye.{number}.bias"], stride)
        return hidden.reshape(-1, hidden.shape[-1])

    # ── the reader ────────────────────────────────────────────────────────────

    def look_at(self, pictures: Sequence[Array]) -> View:
        """What each layer can look at: keys and values of all cells of no, one or two pictures."""
        seen = [self._w["reader.nothing"][None]]
        for number, features in enumerate(pictures):
            cells = self._linear("cell", features) + self._w["reader.where.weight"]
            cells += self._w["reader.which.weight"][number]
            if len(pictures) > 1:
                cells += self._linear("change", np.concatenate((features, pictures[1 - number]), axis=1))
            seen.append(cells + self._linear("cell_out", np.maximum(self._linear("cell_think", cells), 0)))
        cells = self._norm("cell_norm", np.concatenate(seen))
        ready: View = []
        for layer in range(self.layers):
            key, value = np.split(self._linear(f"layers.{layer}.seen", cells), 2, axis=1)
            ready.append((self._split(key), self._split(value)))
        return ready

    def answer(self, asked: Sequence[int], view: View, limit: int) -> tuple[list[str], bool]:
        """The pieces of the answer, the likeliest at each place, and whether it was finished within the limit."""
        reading = self.read(asked, view)
        written: list[str] = []
        piece = self.index[ANSWER]
        for _ in range(min(limit + 1, self.longest_answer)):
            piece = int(reading.after(piece).argmax())
            if self.words[piece] == END:
                return written, True
            written.append(self.words[piece])
        return written[:limit], len(written) <= limit

    def read(self, asked: Sequence[int], view: View) -> Reading:
        """The question, read; ready to be answered piece by piece."""
        return Reading(self, asked, view)

    def think(self, hidden: Array, view: View, past: View) -> Array:
        """All layers over some places; `past` keeps what later places attend to."""
        for layer in range(self.layers):
            name = f"layers.{layer}."
            query, key, value = np.split(self._linear(name + "words", self._norm(name + "norm_words", hidden)), 3, 1)
            key, value = self._split(key), self._split(value)
            if layer < len(past):
                key = np.concatenate((past[layer][0], key), axis=1)
                value = np.concatenate((past[layer][1], value), axis=1)
                past[layer] = key, value
            else:
                past.append((key, value))
            weights = softmax(self._weigh(self._split(query), key))
            hidden = hidden + self._linear(name + "words_out", self._join(weights @ value))

            key, value = view[layer]
            query = self._split(self._linear(name + "look", self._norm(name + "norm_look", hidden)))
            choose, add = np.split(self._weigh(query, key), 2)
            add = sigmoid(add + self._w[f"reader.{name}sum_bias"][:, None, None])
            hidden = hidden + self._linear(
                name + "look_out", self._join(np.concatenate((softmax(choose), add)) @ value)
            )

            thought = np.maximum(self._linear(name + "think", self._norm(name + "norm_think", hidden)), 0)
            hidden = hidden + self._linear(name + "think_out", thought)
        return hidden

    def embed(self, numbers: Sequence[int], place: int) -> Array:
        """Pieces as the layers take them, the first of them at this place."""
        places = self._w["reader.place.weight"][place : place + len(numbers)]
        embedded: Array = self._w["reader.word.weight"][list(numbers)] + places
        return embedded

    def logits(self, hidden: Array) -> Array:
        """How likely each piece is, after what the layers made of a place."""
        return self._linear("out", self._norm("norm", hidden))

    def _linear(self, name: str, x: Array) -> Array:
        return x @ self._w[f"reader.{name}.weight"] + self._w[f"reader.{name}.bias"]

    def _norm(self, name: str, x: Array) -> Array:
        centred: Array = x - x.mean(axis=-1, keepdims=True)
        spread: Array = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + LAYER_NORM_EPSILON)
        scaled: Array = centred / spread * self._w[f"reader.{name}.weight"] + self._w[f"reader.{name}.bias"]
        return scaled

    def _split(self, x: Array) -> Array:
        """Places × width → heads × places × size."""
        return x.reshape(len(x), self.heads, -1).transpose(1, 0, 2)

    def _join(self, x: Array) -> Array:
        return x.transpose(1, 0, 2).reshape(x.shape[1], -1)

    def _weigh(self, query: Array, key: Array) -> Array:
        size = query.shape[-1]
        weights: Array = query @ key.transpose(0, 2, 1) * np.float32(size**-0.5)
        return weights


class Reading:
    """A question that was read, and the answer as far as it is written."""

    def __init__(self, network: Network, asked: Sequence[int], view: View) -> None:
        self._network = network
        self._view = view
        self._past: View = []
        self._place = network.longest  # answers have places of their own, behind those of the longest question
        network.think(network.embed(asked, 0), view, self._past)

    def after(self, piece: int) -> Array:
        """How likely each next piece is once this one is written (logits)."""
        hidden = self._network.embed([piece], self._place)
        self._place += 1
        last: Array = self._network.logits(self._network.think(hidden, self._view, self._past))[0]
        return last


def convolve(x: Array, weight: Array, bias: Array, stride: int) -> Array:
    """A convolution and what is above zero of it: rows × columns × channels, padded as the size of the window asks."""
    size = weight.shape[0]
    padding = 0 if size == stride else size // 2
    padded = np.pad(x, ((padding, padding), (padding, padding), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (size, size), axis=(0, 1))[::stride, ::stride]
    rows, columns = windows.shape[:2]
    patches = windows.transpose(0, 1, 3, 4, 2).reshape(rows * columns, -1)
    out: Array = patches @ weight.reshape(-1, weight.shape[-1]) + bias
    return np.maximum(out, 0).reshape(rows, columns, -1)


def softmax(x: Array) -> Array:
    """Weights that add up to one along the last axis."""
    raised: Array = np.exp(x - x.max(axis=-1, keepdims=True))
    weights: Array = raised / raised.sum(axis=-1, keepdims=True)
    return weights


def sigmoid(x: Array) -> Array:
    """Weights between zero and one, each on its own."""
    raised: Array = np.exp(-np.clip(x, -60, 60))
    return np.reciprocal(1 + raised)
