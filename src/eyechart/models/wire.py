"""From a request to the bytes of a chat completion; a picture is encoded once, however often it is asked about."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from eyechart.errors import SetupError
from eyechart.models.base import Request
from eyechart.records import Media, Picture, Sampling, Turn

_encoder = msgspec.json.Encoder()


class EncodedPictures:
    """The data URLs of the pictures asked about last, ready to be embedded, up to so many bytes.

    Keyed by identity: questions that share a picture are asked close together and share the object, and no hash of
    300 kB is needed to find out.
    """

    def __init__(self, max_bytes: int = 64_000_000) -> None:
        self._max_bytes = max_bytes
        self._bytes = 0
        # The picture is held beside its encoding, so that its id cannot come to mean another one.
        self._kept: OrderedDict[int, tuple[Picture, msgspec.Raw]] = OrderedDict()

    def data_url(self, picture: Picture) -> msgspec.Raw:
        """The picture as a JSON string: `"data:image/jpeg;base64,…"`."""
        key = id(picture)
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
            return found[1]
        # The standard library takes a hundred times as long, which every new picture would pay.
        from pybase64 import b64encode

        encoded = b64encode(picture.data)
        url = msgspec.Raw(b"".join((b'"data:', picture.mime.encode(), b";base64,", encoded, b'"')))
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
) -> bytes:
    """The body of a chat completion, complete and ready to be sent. What is not set is not sent."""
    ready = iter(request.pictures)

    def picture_part(url: msgspec.Raw | str) -> dict[str, Any]:
        image: dict[str, Any] = {"url": url}
        if detail:
            image["detail"] = detail
        return {"type": "image_url", "image_url": image}

    messages = []
    for turn, taken in _with_pictures(request.prompt.turns, ready, by_url=by_url):
        content: Any
        if not taken:
            content = "".join(part for part in turn.parts if isinstance(part, str))
        else:
            content = []
            for part in turn.parts:
                if isinstance(part, str):
                    content.append({"type": "text", "text": part})
                elif by_url:
                    content.append(picture_part(_address(part)))
                else:
                    content += [picture_part(pictures.data_url(picture)) for picture in taken.pop(0)]
        messages.append({"role": turn.role, "content": content})
    body: dict[str, Any] = {"model": model, "messages": messages}
    body.update(sampling_fields(request.sampling, max_tokens_field, request.repeat))
    if stream:
        body["stream"] = True
        body["stream_options"] = {"include_usage": True}
    body.update(extra or {})
    return _encoder.encode(body)


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


def _with_pictures(
    turns: tuple[Turn, ...], ready: Iterator[Picture], *, by_url: bool
) -> Iterator[tuple[Turn, list[list[Picture]]]]:
    """Each turn with the pictures of each of its media: one for a picture, all its frames for a video."""
    waiting = next(ready, None)
    for turn in turns:
        taken: list[list[Picture]] = []
        for part in turn.parts:
            if isinstance(part, str):
                continue
            if by_url:
                taken.append([])
                continue
            if waiting is None:
                raise ValueError(f"no picture was made ready for {part.name!r}")
            group = [waiting]
            waiting = next(ready, None)
            while part.kind == "video" and waiting is not None and _continues(group[-1], waiting):
                group.append(waiting)
                waiting = next(ready, None)
            taken.append(group)
        yield turn, taken
    if waiting is not None and not by_url:
        raise ValueError(f"picture {waiting.name!r} was made ready, but the prompt does not show it")


def _continues(last: Picture, following: Picture) -> bool:
    """Whether a picture is a later frame of the same video, not the first one of the video shown again."""
    if last.name != following.name:
        return False
    return last.frame is None or following.frame is None or following.frame > last.frame


def _address(media: Media) -> str:
    if media.kind == "image" and media.url:
        return media.url
    raise SetupError(
        f"{media.name!r} cannot be sent by address",
        why="images=url needs the address of every picture, and videos are sent as frames",
        fix="leave out images=url, so that pictures are sent along",
    )
