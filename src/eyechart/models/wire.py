"""From a request to the bytes of a chat completion; a picture is encoded once, however often it is asked about."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from collections.abc import Mapping
from typing import Any

import msgspec

from eyechart.errors import SetupError
from eyechart.models.base import Request
from eyechart.records import Media, Picture, Sampling, Turn

_encoder = msgspec.json.Encoder()

# Holds a picture's place while the words are encoded: no JSON text has this byte in it.
_GAP = b"\0"


class EncodedPictures:
    """The data URLs of the pictures asked about last, ready to be embedded, up to so many bytes.

    Keyed by identity: questions that share a picture are asked close together and share the object, and no hash of
    300 kB is needed to find out.
    """

    def __init__(self, max_bytes: int = 64_000_000) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        # The picture is held beside its encoding, so that its id cannot come to mean another one.
        self._kept: OrderedDict[int, tuple[Picture, bytes]] = OrderedDict()

    def data_url(self, picture: Picture) -> bytes:
        """The picture as a JSON string: `"data:image/jpeg;base64,…"`."""
        key = id(picture)
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            return found[1]
        # The standard library takes a hundred times as long, which every new picture would pay.
        from pybase64 import b64encode

        encoded = b64encode(picture.data)
        url = b"".join((b'"data:', picture.mime.encode(), b";base64,", encoded, b'"'))
        self._kept[key] = (picture, url)
        self._bytes += len(picture.data) + len(encoded)
        while self._bytes > self._max_bytes and len(self._kept) > 1:
            _, (old, _) = self._kept.popitem(last=False)
            self._bytes -= len(old.data) + 4 * -(-len(old.data) // 3)
        return url


def chat_body(
    request: Request,
    *,
    model: str,
    pictures: EncodedPictures,
    by_url: bool = False,
    detail: str = "",
    max_tokens_field: str = "max_tokens",
    stream: bool = False,
    extra: Mapping[str, msgspec.Raw] | None = None,
) -> list[bytes]:
    """The body of a chat completion, in pieces to be sent one after the other. What is not set is not sent.

    Pictures are pieces of their own, so that those asked about again are sent from where they are: copying them into
    a body for every question costs a quarter of all requests.
    """
    parts = _Parts(request, pictures, by_url=by_url, detail=detail)
    messages = [{"role": turn.role, "content": parts.content(turn)} for turn in request.prompt.turns]
    parts.check_all_shown()
    body: dict[str, Any] = {"model": model, "messages": messages}
    body.update(sampling_fields(request.sampling, max_tokens_field, request.repeat))
    if stream:
        body["stream"] = True
        body["stream_options"] = {"include_usage": True}
    body.update(extra or {})
    words, *further = _encoder.encode(body).split(_GAP)
    pieces = [words]
    for picture, words in zip(parts.sent, further, strict=True):
        pieces += [picture, words]
    return pieces


def sampling_fields(sampling: Sampling, max_tokens_field: str, repeat: int = 0) -> dict[str, Any]:
    """How to write, in the protocol's words. A repeat moves the seed on: the same seed would repeat the same answer."""
    given = {
        "temperature": sampling.temperature,
        max_tokens_field: sampling.max_tokens,
        "top_p": sampling.top_p,
        "seed": None if sampling.seed is None else sampling.seed + repeat,
        "stop": list(sampling.stop) or None,
    }
    given.pop("none", None)  # max_tokens_field=none: the server takes no limit
    return {**{name: value for name, value in given.items() if value is not None}, **sampling.extra}


class _Parts:
    """The parts of the turns, each taking its pictures from those made ready, in order."""

    def __init__(self, request: Request, encoded: EncodedPictures, *, by_url: bool, detail: str) -> None:
        self._ready = deque(request.pictures)
        # A video that is shown twice was made ready twice, with as many frames each time.
        shown = Counter(media.name for media in request.prompt.media)
        ready = Counter(picture.name for picture in self._ready)
        self._each = {name: count // max(1, shown[name]) for name, count in ready.items()}
        self._encoded, self._by_url, self._detail = encoded, by_url, detail
        self.sent: list[bytes] = []  # the data URLs, in the order of their gaps

    def content(self, turn: Turn) -> str | list[dict[str, Any]]:
        """A turn's content: plain text where there is nothing else."""
        if all(isinstance(part, str) for part in turn.parts):
            return "".join(turn.parts)  # type: ignore[arg-type]
        content: list[dict[str, Any]] = []
        for part in turn.parts:
            if isinstance(part, str):
                content.append({"type": "text", "text": part})
            elif self._by_url or (part.url and not part.path and not part.data):
                # What is only an address was not made ready: the server fetches it.
                content.append(self._shown("image_url", _address(part)))
            else:
                content += [self._sent(picture) for picture in self._taken(part)]
        return content

    def _sent(self, picture: Picture) -> dict[str, Any]:
        # Servers that take whole videos (vLLM, SGLang) take them under a name of their own.
        kind = "video_url" if picture.mime.startswith("video/") else "image_url"
        self.sent.append(self._encoded.data_url(picture))
        return self._shown(kind, msgspec.Raw(_GAP))

    def _shown(self, kind: str, url: msgspec.Raw | str) -> dict[str, Any]:
        shown: dict[str, Any] = {"url": url}
        if self._detail and kind == "image_url":
            shown["detail"] = self._detail
        return {"type": kind, kind: shown}

    def _taken(self, media: Media) -> list[Picture]:
        """What was made ready for a medium: one for a picture, all its frames for a video."""
        count = self._each.get(media.name, 0)
        if not 0 < count <= len(self._ready):
            raise ValueError(f"no picture was made ready for {media.name!r}")
        return [self._ready.popleft() for _ in range(count)]

    def check_all_shown(self) -> None:
        """A picture that was made ready and not shown is a bug, and would make every score wrong."""
        if self._ready and not self._by_url:
            raise ValueError(f"picture {self._ready[0].name!r} was made ready, but the prompt does not show it")


def _address(media: Media) -> str:
    if media.kind == "image" and media.url:
        return media.url
    raise SetupError(
        f"{media.name!r} cannot be sent by address",
        why="images=url needs the address of every picture, and videos are sent as frames",
        fix="leave out images=url, so that pictures are sent along",
    )
