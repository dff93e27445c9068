"""`builtin/tiny`: a small vision-language model that comes with Eyechart and really looks.

It was trained on the pictures and questions of the bundled benchmark's generator, with other seeds, and knows nothing
else: a question with a word that it has never met gets "unknown". Its arithmetic is numpy; nothing is downloaded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

from eyechart.models.base import Model, Request, Samples
from eyechart.models.builtin.weights import CHECKPOINTS, load
from eyechart.models.builtin.words import UNKNOWN, answer_text, pieces
from eyechart.records import Picture, Response, Usage
from eyechart.registry import unknown

if TYPE_CHECKING:
    from eyechart.models.builtin.network import Network, View

MOST_PICTURES = 2
PICTURES_KEPT = 64  # what the eye made of pictures seen lately: questions about one come close together


def builtin(checkpoint: str) -> Model:
    """Factory of the small models in the box: `builtin/tiny` and `builtin/tiny-early`."""
    if checkpoint not in CHECKPOINTS:
        raise unknown("model", f"builtin/{checkpoint}", [f"builtin/{name}" for name in CHECKPOINTS])
    return TinyModel(checkpoint)


class TinyModel(Model):
    """Pictures and a question in, a word or a number out."""

    concurrency = 1  # one question keeps one processor core busy
    looks = True

    def __init__(self, checkpoint: str) -> None:
        self.checkpoint = checkpoint
        self.name = f"builtin/{checkpoint}"
        self.identity: Mapping[str, str] = {}
        self._mind: Mind | None = None

    async def open(self, samples: Samples) -> None:
        """Read the weights."""
        del samples  # a model that is evaluated does not look
        self._mind = Mind(self.checkpoint)
        self.identity = {"weights": self._mind.sha256[:12]}

    async def generate(self, request: Request) -> Response:
        """Look and answer, off the event loop."""
        if self._mind is None:
            raise RuntimeError("the model was not opened")
        asked = request.prompt.turns[-1].parts
        text = "".join(part for part in asked if isinstance(part, str))
        return await asyncio.to_thread(self._mind.answer, text, request.pictures, request.sampling.max_tokens)

    async def close(self) -> None:
        """Let go of the weights."""
        if self._mind is not None:
            self._mind.close()
            self._mind = None


class Mind:
    """A checkpoint in memory. Both the model and the server ask it, so both give the same answers."""

    def __init__(self, checkpoint: str) -> None:
        from threadpoolctl import threadpool_limits

        from eyechart.models.builtin.network import Network

        # Products this small gain nothing from a second core, and wait for it ten times their length where it is busy.
        self._one_core = threadpool_limits(limits=1, user_api="blas")
        weights = load(checkpoint)
        self.sha256 = weights.sha256
        self._network: Network = Network(weights)
        self._lock = Lock()
        self._view = lru_cache(maxsize=PICTURES_KEPT)(self._look)

    def answer(self, text: str, pictures: Sequence[Picture], max_tokens: int | None = None) -> Response:
        """What the model says; "unknown" where the question is in words, or about pictures, that it never learnt."""
        network = self._network
        asked = [network.index.get(piece) for piece in pieces(text)]
        known = [number for number in asked if number is not None]
        if not known or len(known) < len(asked) or len(known) > network.longest or len(pictures) > MOST_PICTURES:
            return Response(text=UNKNOWN, finish="stop", usage=Usage(input_tokens=len(asked), output_tokens=1))
        with self._lock:  # views are made once, also when many ask at the same time
            view = self._view(tuple(map(ByContent, pictures)))
        limit = network.longest_answer if max_tokens is None else max_tokens
        written, finished = network.answer(known, view, limit)
        usage = Usage(input_tokens=len(asked), output_tokens=len(written))
        return Response(text=answer_text(written), finish="stop" if finished else "length", usage=usage)

    def close(self) -> None:
        """Give numpy back the cores that it had."""
        self._one_core.restore_original_limits()

    def _look(self, pictures: tuple[ByContent, ...]) -> View:
        from eyechart.models.builtin.picture import pixels

        return self._network.look_at([self._network.see(pixels(one.picture)) for one in pictures])


class ByContent:
    """A picture that equals another one with the same bytes."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ByContent) and other.picture.sha256 == self.picture.sha256

    def __hash__(self) -> int:
        return hash(self.picture.sha256)
