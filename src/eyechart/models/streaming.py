"""A streamed reply put together again, with the time of its first word."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from eyechart.errors import ModelError
from eyechart.models.replies import build_response, malformed, raise_reported, read_usage, served_by, text_of
from eyechart.records import UNDECODABLE, Response


class _Delta(msgspec.Struct):
    content: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    refusal: Any = None
    tool_calls: Any = None


class _Choice(msgspec.Struct):
    delta: _Delta | None = None
    finish_reason: Any = None
    index: int = 0


class _Chunk(msgspec.Struct):
    choices: list[_Choice] | None = None
    model: Any = None
    system_fingerprint: Any = None
    usage: Any = None
    error: Any = None


_decode_chunk = msgspec.json.Decoder(_Chunk).decode


class Assembly:
    """The pieces of one reply as they come in."""

    def __init__(self, started: float) -> None:
        self._started = started
        self._content: list[str] = []
        self._reasoning: list[str] = []
        self._refusal: list[str] = []
        self._called_tool = False
        self._finish = ""
        self._usage: Any = None
        self._served_by = ""
        self._first_token_s: float | None = None
        self._chunks = 0
        self.done = False

    def add(self, event: bytes) -> None:
        """Take in the data of one server-sent event."""
        if event == b"[DONE]":
            self.done = True
            return
        try:
            chunk = _decode_chunk(event)
        except UNDECODABLE as error:
            raise malformed(event, error) from error
        if chunk.error is not None:
            raise_reported(chunk.error)
        self._chunks += 1
        if chunk.usage is not None:
            self._usage = chunk.usage
        self._served_by = self._served_by or served_by(chunk.model, chunk.system_fingerprint)
        for choice in chunk.choices or ():
            if choice.index == 0:
                self._add_choice(choice)

    def _add_choice(self, choice: _Choice) -> None:
        if isinstance(choice.finish_reason, str):
            self._finish = choice.finish_reason
        delta = choice.delta
        if delta is None:
            return
        pieces = (
            (self._content, text_of(delta.content)),
            (self._reasoning, text_of(delta.reasoning_content) or text_of(delta.reasoning)),
            (self._refusal, text_of(delta.refusal)),
        )
        for kept, piece in pieces:
            if piece is not None:
                kept.append(piece)
                if piece and self._first_token_s is None:
                    self._first_token_s = time.perf_counter() - self._started
        self._called_tool = self._called_tool or bool(delta.tool_calls)

    def response(self) -> Response:
        """The whole reply, or ModelError where the stream ended before it was whole."""
        if not self.done and not self._finish:
            if not self._chunks:
                raise ModelError("malformed_reply", "the stream ended without a single event")
            raise ModelError("connection", "the stream ended in the middle of the reply", retryable=True)
        if not self._content and not self._finish:
            raise ModelError("malformed_reply", "the stream held no choices")
        return build_response(
            content="".join(self._content) if self._content else None,
            reasoning="".join(self._reasoning),
            refusal="".join(self._refusal),
            finish=self._finish,
            called_tool=self._called_tool,
            usage=read_usage(self._usage),
            served_by=self._served_by,
            first_token_s=self._first_token_s,
        )


async def read_stream(chunks: AsyncIterator[bytes], started: float) -> Response:
    """Read server-sent events to their end."""
    assembly = Assembly(started)
    async for event in _events(chunks):
        assembly.add(event)
        if assembly.done:
            break
    return assembly.response()


async def _events(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The data of each event. One line is one event: no chat server spreads a JSON document over several."""
    rest = b""
    async for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                yield line[5:].strip()
    if rest.startswith(b"data:"):
        yield rest[5:].strip()
