"""A chat server that misbehaves as it is told to: by question, by try, or by seeded chance.

It runs in a thread on a free port of this machine and writes down every request, with the hashes of the pictures that
arrived. What it does is said in words: `"say:yes"`, `"429:0.2"` (Retry-After 0.2 s), `"500"`, `"stall"`, `"drop"` …;
BEHAVIOURS lists them all.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from random import Random
from types import TracebackType
from typing import Any

from aiohttp import web


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One request, as it arrived."""

    key: str  # the words of the last turn: what scripts go by
    text: str  # all words, in order
    pictures: tuple[str, ...]  # sha256 of each picture that was sent along
    addresses: tuple[str, ...]  # pictures sent by address
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    attempt: int  # 1 for the first request with these words and pictures
    behaviour: str  # the script's word for what was done

    @property
    def question(self) -> tuple[str, tuple[str, ...]]:
        """What was asked: requests that share it are tries of one question."""
        return self.key, self.pictures


Behaviour = Callable[["Exchange"], Awaitable[web.StreamResponse]]


@dataclass(kw_only=True)
class Exchange:
    """A request on its way to its answer."""

    request: web.Request
    seen: Seen
    argument: str  # what follows the colon in the script's word
    answer: str

    def reply(self, content: str | None, *, finish: str = "stop", **message: Any) -> web.Response:
        """A well-formed chat completion."""
        return json_reply(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "model": self.seen.body.get("model"),
                "system_fingerprint": "fp_scripted",
                "choices": [
                    {
                        "index": 0,
                        "message": {"role": "assistant", "content": content, **message},
                        "finish_reason": finish,
                    }
                ],
                "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
            }
        )


def json_reply(document: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """A document as the server sends it."""
    return web.Response(text=json.dumps(document), status=status, content_type="application/json", headers=headers)


def error_reply(status: int, message: str, code: str | None = None, **headers: str) -> web.Response:
    """An error in the protocol's shape."""
    return json_reply({"error": {"message": message, "type": "scripted", "code": code}}, status, headers)


BEHAVIOURS: dict[str, Behaviour] = {}


def behaviour(name: str) -> Callable[[Behaviour], Behaviour]:
    """Give a behaviour the word by which scripts call it."""

    def named(function: Behaviour) -> Behaviour:
        BEHAVIOURS[name] = function
        return function

    return named


@behaviour("say")
async def say(exchange: Exchange) -> web.StreamResponse:
    """Answer; with no text after the colon, what the server answers anyway."""
    answer = exchange.argument or exchange.answer
    if not exchange.seen.body.get("stream"):
        return exchange.reply(answer)
    return await stream(exchange, ["", *answer], finished=True)


async def stream(exchange: Exchange, pieces: Sequence[str], *, finished: bool) -> web.StreamResponse:
    """Send pieces as server-sent events."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(exchange.request)

    async def event(document: Mapping[str, Any]) -> None:
        await response.write(b"data: " + json.dumps(document).encode() + b"\n\n")

    model = exchange.seen.body.get("model")
    for piece in pieces:
        choice = {"index": 0, "delta": {"content": piece}, "finish_reason": None}
        await event({"model": model, "choices": [choice]})
    if finished:
        await event({"model": model, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        await event({"model": model, "choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})
        await response.write(b"data: [DONE]\n\n")
    return response


@behaviour("slow")
async def slow(exchange: Exchange) -> web.StreamResponse:
    """Answer after so many seconds."""
    await asyncio.sleep(float(exchange.argument or 0.2))
    exchange.argument = ""
    return await say(exchange)


@behaviour("slow-429")
async def slow_rate_limited(exchange: Exchange) -> web.StreamResponse:
    """Too many requests, said after a second only; Retry-After in seconds after the colon."""
    await asyncio.sleep(1.0)
    return await rate_limited(exchange)


@behaviour("stall")
async def stall(exchange: Exchange) -> web.StreamResponse:
    """Never answer."""
    await asyncio.sleep(3600)
    return await say(exchange)


@behaviour("drop")
async def drop(exchange: Exchange) -> web.StreamResponse:
    """Close the connection without a word."""
    _hang_up(exchange)
    return web.Response()


@behaviour("truncated-body")
async def truncated_body(exchange: Exchange) -> web.StreamResponse:
    """Announce a reply, send half of it, hang up."""
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "1000"})
    await response.prepare(exchange.request)
    await response.write(b'{"choices": [{"message": {"content": "y')
    await asyncio.sleep(0.01)
    _hang_up(exchange)
    return response


@behaviour("cut-stream")
async def cut_stream(exchange: Exchange) -> web.StreamResponse:
    """Stream half an answer and end as if that were all."""
    return await stream(exchange, ["ye"], finished=False)


def _hang_up(exchange: Exchange) -> None:
    transport = exchange.request.transport
    assert transport is not None
    transport.abort()


@behaviour("429")
async def rate_limited(exchange: Exchange) -> web.StreamResponse:
    """Too many requests; after the colon Retry-After in seconds, `date` for two seconds from now as a date, `ms`."""
    match exchange.argument:
        case "":
            headers = {}
        case "date":
            headers = {"Retry-After": format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)}
        case "ms":
            headers = {"retry-after-ms": "50"}
        case seconds:
            headers = {"Retry-After": seconds}
    return error_reply(429, "slow down", **headers)


@behaviour("no-credit")
async def no_credit(exchange: Exchange) -> web.StreamResponse:
    """The 429 that no waiting cures."""
    return error_reply(429, "You exceeded your current quota", "insufficient_quota")


def _status(status: int, message: str, code: str | None = None) -> Behaviour:
    async def refuse(exchange: Exchange) -> web.StreamResponse:
        return error_reply(status, exchange.argument or message, code)

    return refuse


BEHAVIOURS.update(
    {
        "400": _status(400, "images must be at least 28 pixels wide", "invalid_request_error"),
        "401": _status(401, "Incorrect API key provided"),
        "402": _status(402, "insufficient credits"),
        "403": _status(403, "not for you"),
        "404": _status(404, "The model `x` does not exist.", "model_not_found"),
        "408": _status(408, "gave up waiting"),
        "413": _status(413, "request entity too large"),
        "500": _status(500, "internal error"),
        "502": _status(502, "bad gateway"),
        "503": _status(503, "overloaded"),
        "529": _status(529, "overloaded"),
        "filter-400": _status(400, "flagged by the content policy", "content_filter"),
    }
)


@behaviour("503-wait")
async def unavailable(exchange: Exchange) -> web.StreamResponse:
    """Overloaded, with Retry-After in seconds after the colon."""
    return error_reply(503, "overloaded", **{"Retry-After": exchange.argument})


@behaviour("redirect")
async def redirect(exchange: Exchange) -> web.StreamResponse:
    """Send the client elsewhere."""
    return web.Response(status=301, headers={"Location": "https://elsewhere.example/v1"})


@behaviour("html")
async def html(exchange: Exchange) -> web.StreamResponse:
    """A login page in place of JSON."""
    page = "<!doctype html><html><title>Sign in</title><body>Who are you?</body></html>"
    return web.Response(text=page, content_type="text/html")


@behaviour("raw")
async def raw(exchange: Exchange) -> web.StreamResponse:
    """The text after the colon, as it is, with status 200; a lone `\\udcff` in it goes out as the byte 0xff."""
    return web.Response(body=exchange.argument.encode("utf-8", "surrogateescape"), content_type="application/json")


@behaviour("truncated-json")
async def truncated_json(exchange: Exchange) -> web.StreamResponse:
    """A whole HTTP reply with half a document."""
    return web.Response(text='{"choices": [{"message": {"content": "yes', content_type="application/json")


@behaviour("empty")
async def empty(exchange: Exchange) -> web.StreamResponse:
    """Nothing at all, politely."""
    return web.Response(content_type="application/json")


@behaviour("empty-choices")
async def empty_choices(exchange: Exchange) -> web.StreamResponse:
    """A completion without completions."""
    return json_reply({"choices": []})


@behaviour("no-content")
async def no_content(exchange: Exchange) -> web.StreamResponse:
    """A message that holds no text."""
    return exchange.reply(None)


@behaviour("error-200")
async def error_200(exchange: Exchange) -> web.StreamResponse:
    """A router's way to report its upstream: status 200, and an error inside; its code after the colon."""
    return json_reply({"error": {"message": "upstream failed", "code": int(exchange.argument or 502)}})


@behaviour("filter")
async def content_filter(exchange: Exchange) -> web.StreamResponse:
    """An answer withheld by a content filter."""
    return exchange.reply(None, finish="content_filter")


@behaviour("refusal")
async def refusal(exchange: Exchange) -> web.StreamResponse:
    """A refusal in its own field."""
    return exchange.reply(None, refusal="I cannot help with that.")


@behaviour("reasoning")
async def reasoning(exchange: Exchange) -> web.StreamResponse:
    """An answer with its reasoning in the field named after the colon."""
    return exchange.reply(exchange.answer, **{exchange.argument or "reasoning_content": "Let me look closely."})


@behaviour("think")
async def think(exchange: Exchange) -> web.StreamResponse:
    """Reasoning inside the text."""
    return exchange.reply(f"<think>\nLet me look closely.\n</think>\n\n{exchange.answer}")


@behaviour("length")
async def length(exchange: Exchange) -> web.StreamResponse:
    """An answer cut off at the token limit, after so many seconds."""
    await asyncio.sleep(float(exchange.argument or 0))
    return exchange.reply("The picture sho", finish="length")


Script = Mapping[str, str | Sequence[str]]


@dataclass(kw_only=True)
class ScriptedServer:
    """The server; use it as a context manager, then `url` is where it answers."""

    script: Script = field(default_factory=dict)  # part of a question's text → what to do at each try; last one stays
    chance: Mapping[str, float] = field(default_factory=dict)  # behaviour → probability, at each try
    seed: int = 0
    answer: str | Callable[[Seen], str] = "yes"
    models: Sequence[str] = ("scripted",)
    requests: list[Seen] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._attempts: Counter[tuple[str, tuple[str, ...]]] = Counter()
        self._loop = asyncio.new_event_loop()
        self._started = threading.Event()
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="scripted-server", daemon=True)
        self.port = 0
        self.in_flight = 0
        self.most_in_flight = 0

    @property
    def url(self) -> str:
        """The base URL, as after `-m`."""
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        assert self._started.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._stop is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    def wait_for(self, count: int, sender: subprocess.Popen[str]) -> None:
        """Return when so many requests have come in all, or when the process that sends them has ended."""
        while len(self.requests) < count and sender.poll() is None:
            time.sleep(0.01)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        # Handlers end with their connection: otherwise a stalled one would hold up the end of the test.
        app = web.Application(client_max_size=2**30)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_post("/openai/deployments/{deployment}/chat/completions", self._chat)
        app.router.add_get("/v1/models", self._list)
        runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port = runner.addresses[0][1]
        self._started.set()
        await self._stop.wait()
        await runner.cleanup()

    async def _list(self, request: web.Request) -> web.Response:
        return json_reply({"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            seen = self._see(request, json.loads(await request.read()))
            word, _, argument = seen.behaviour.partition(":")
            answer = self.answer if isinstance(self.answer, str) else self.answer(seen)
            return await BEHAVIOURS[word](Exchange(request=request, seen=seen, argument=argument, answer=answer))
        finally:
            self.in_flight -= 1

    def _see(self, request: web.Request, body: Mapping[str, Any]) -> Seen:
        words: list[str] = []
        pictures: list[str] = []
        addresses: list[str] = []
        key = ""
        for message in body["messages"]:
            content = message["content"]
            parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
            key = "".join(part["text"] for part in parts if part["type"] == "text")
            words.append(key)
            for part in parts:
                if part["type"] != "image_url":
                    continue
                url = part["image_url"]["url"]
                if url.startswith("data:"):
                    data = base64.b64decode(url.partition(",")[2], validate=True)
                    pictures.append(hashlib.sha256(data).hexdigest())
                else:
                    addresses.append(url)
        self._attempts[key, tuple(pictures)] += 1
        attempt = self._attempts[key, tuple(pictures)]
        seen = Seen(
            key=key,
            text="\n".join(words),
            pictures=tuple(pictures),
            addresses=tuple(addresses),
            body=body,
            headers=dict(request.headers),
            attempt=attempt,
            behaviour=self._next(key, pictures, attempt),
        )
        self.requests.append(seen)
        return seen

    def _next(self, key: str, pictures: Sequence[str], attempt: int) -> str:
        for part, steps in self.script.items():
            if part in key:
                words = [steps] if isinstance(steps, str) else steps
                return words[min(attempt, len(words)) - 1]
        draw = Random(f"{self.seed}/{key}/{pictures}/{attempt}").random()
        for word, probability in self.chance.items():
            draw -= probability
            if draw < 0:
                return word
        return "say"
