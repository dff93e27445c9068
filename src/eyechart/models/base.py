"""The contract of a model: pictures and words in, words out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol, TypeAlias

import msgspec

from eyechart.records import Picture, Prompt, Response, Sample, Sampling

# The benchmark's samples without their pictures. Baselines study them; nothing that is evaluated may look.
Samples: TypeAlias = Callable[[], Iterator[Sample]]


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One prompt with its pictures made ready, in the order in which the prompt shows them."""

    prompt: Prompt
    pictures: tuple[Picture, ...] = ()
    sampling: Sampling = Sampling()
    repeat: int = 0


class Model(Protocol):
    """Who answers. `generate` is called many times at once from one event loop."""

    name: str  # as it was asked for, without secrets
    identity: Mapping[str, str]  # what the second part of the signature says: weights hash, server, version
    concurrency: int | None  # how many requests make sense at once; None: find out
    looks: bool = True  # baselines and stored answers do not look: then no picture is read or prepared

    async def open(self, samples: Samples) -> None:
        """Get ready; raise SetupError where no retry would help."""
        ...

    async def generate(self, request: Request) -> Response:
        """Answer one request, or raise ModelError with the kind of failure. No retries here: the loop retries."""
        ...

    async def close(self) -> None:
        """Let go of connections and memory."""
        ...
