"""How a question is put: a method is a generator that asks and is told, so it needs no network and can be resumed.

It yields what it wants to ask and is sent the reply. Replies that a journal already holds are sent in the same way:
a step that was paid for is never paid for twice.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeAlias

from eyechart.prompts import Style
from eyechart.records import Prompt, Record, Response, Sample
from eyechart.registry import Registry


class Ask(Record, frozen=True):
    """One step of a method: what to put to the model now."""

    prompt: Prompt
    final: bool = True  # the reply to this ends the question


Steps: TypeAlias = Generator[Ask, Response, None]
Method: TypeAlias = Callable[[Sample, Style], Steps]

METHODS = Registry(
    "method", {"direct": "eyechart.methods.direct:direct"}, group="eyechart.methods", listing="eyechart run --help"
)
