"""The models in the box behind an OpenAI-compatible server on this machine.

For trying the way over HTTP with pictures, without a key or a GPU. It answers what `-m builtin/tiny` answers, because
both ask the same mind. It listens on loopback only, and fetches nothing: pictures come as data URLs.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from eyechart.errors import ModelError
from eyechart.media.prepare import prepare
from eyechart.media.rule import MediaRule
from eyechart.models.builtin import Mind
from eyechart.models.builtin.weights import CHECKPOINTS
from eyechart.records import Media, Picture, Response

if TYPE_CHECKING:
    from aiohttp import web

HOST = "127.0.0.1"
LARGEST_BODY = 64 * 1024 * 1024  # two photographs of any camera, in base64


class _Address(msgspec.Struct):
    url: str


class _Part(msgspec.Struct):
    type: str
    text: str = ""
    image_url: _Address | None = None


class _Message(msgspec.Struct):
    role: str
    content: str | list[_Part] | None = None


class _StreamOptions(msgspec.Struct):
    include_usage: bool = False


class _Chat(msgspec.Struct):
    """The fields that mean something to a model without chance; others are let pass, as servers do."""

    model: str
    messages: list[_Message]
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    stream: bool = False
    stream_options: _StreamOptions | None = None


class Refusal(Exception):
    """What the client is told in place of an answer."""

    def __init__(self, status: int, message: str, code: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


def application() -> web.Application:
    """The server's routes; the weights are read before the first request."""
    from aiohttp import web

    minds = {name: Mind(name) for name in CHECKPOINTS}
    app = web.Application(client_max_size=LARGEST_BODY)

    async def models(request: web.Request) -> web.Response:
        del request
        listed = [{"id": name, "object": "model", "owned_by": "eyechart"} for name in minds]
        return _json({"object": "list", "data": listed})

    async def chat(request: web.Request) -> web.StreamResponse:
        try:
            asked = _read(await request.read())
            mind = _chosen(minds, asked.model)
            response = await asyncio.to_thread(_answer, mind, asked)
        except Refusal as refusal:
            error = {"message": str(refusal), "type": "invalid_request_error", "code": refusal.code}
            return _json({"error": error}, refusal.status)
        document = _completion(asked.model, mind.sha256, response)
        return await _stream(request, asked, document) if asked.stream else _json(document)

    app.router.add_get("/v1/models", models)
    app.router.add_post("/v1/chat/completions", chat)
    return app


def _read(body: bytes) -> _Chat:
    try:
        return msgspec.json.decode(body, type=_Chat)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Refusal(400, f"the request cannot be read: {error}", "invalid_request") from error


def _chosen(minds: dict[str, Mind], name: str) -> Mind:
    mind = minds.get(name.removeprefix("builtin/"))
    if mind is None:
        raise Refusal(404, f"there is no model {name!r} here, only {' and '.join(minds)}", "model_not_found")
    return mind


def _answer(mind: Mind, asked: _Chat) -> Response:
    """The words of the last message, and the pictures of all."""
    if not asked.messages or asked.messages[-1].role != "user":
        raise Refusal(400, "the last message must be the user's", "invalid_messages")
    contents = [_parts(message.content) for message in asked.messages]
    text = "".join(part.text for part in contents[-1] if part.type == "text")
    limit = asked.max_tokens if asked.max_completion_tokens is None else asked.max_completion_tokens
    try:
        pictures = tuple(_pictures(part for parts in contents for part in parts if part.type != "text"))
        return mind.answer(text, pictures, limit)
    except ModelError as error:
        raise Refusal(400, error.what, "invalid_image") from error


def _parts(content: str | list[_Part] | None) -> list[_Part]:
    if isinstance(content, str):
        return [_Part("text", content)]
    return content or []


def _pictures(parts: Iterator[_Part]) -> Iterator[Picture]:
    import pybase64

    for number, part in enumerate(parts, start=1):
        if part.type != "image_url" or part.image_url is None:
            raise Refusal(
                400, f"a part of type {part.type!r} is not understood: text and image_url are", "invalid_part"
            )
        head, _, encoded = part.image_url.url.partition(",")
        if not (head.startswith("data:image/") and head.endswith(";base64")):
            raise Refusal(400, "pictures come as data URLs here; nothing is fetched", "invalid_image_url")
        try:
            data = pybase64.b64decode(encoded, validate=True)
        except ValueError as error:
            raise Refusal(400, f"picture {number} is not valid base64: {error}", "invalid_base64") from error
        yield from prepare(Media(name=f"picture {number}", data=data), MediaRule())


def _completion(model: str, sha256: str, response: Response) -> dict[str, Any]:
    read, written = response.usage.input_tokens or 0, response.usage.output_tokens or 0
    return {
        "id": f"chatcmpl-{time.time_ns():x}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "system_fingerprint": sha256[:12],
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": response.text},
                "finish_reason": response.finish,
            }
        ],
        "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
    }


async def _stream(request: web.Request, asked: _Chat, document: dict[str, Any]) -> web.StreamResponse:
    """The same answer as server-sent events."""
    from aiohttp import web

    response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-store"})
    await response.prepare(request)
    async for event in _events(asked, document):
        await response.write(b"data: " + event + b"\n\n")
    return response


async def _events(asked: _Chat, document: dict[str, Any]) -> AsyncIterator[bytes]:
    usage = document.pop("usage")
    (choice,) = document.pop("choices")
    chunk = {**document, "object": "chat.completion.chunk"}
    deltas = [(choice["message"], None), ({}, choice["finish_reason"])]
    for delta, finish in deltas:
        yield msgspec.json.encode({**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    if asked.stream_options is not None and asked.stream_options.include_usage:
        yield msgspec.json.encode({**chunk, "choices": [], "usage": usage})
    yield b"[DONE]"


def _json(document: dict[str, Any], status: int = 200) -> web.Response:
    from aiohttp import web

    return web.Response(body=msgspec.json.encode(document), status=status, content_type="application/json")
