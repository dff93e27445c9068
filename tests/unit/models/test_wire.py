"""The body of a request: pieces that make one document, pictures sent from where they are."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import Callable
from typing import Any

from msgspec import structs

from eyechart.models import Request, get_model
from eyechart.models.wire import EncodedPictures, chat_body
from eyechart.records import Media, Picture, Prompt, Sampling, Turn
from servers.scripted import ScriptedServer

Start = Callable[..., ScriptedServer]


def picture(name: str, data: bytes) -> Picture:
    """A picture made ready; what its bytes show does not matter here."""
    return Picture(
        name=name, data=data, mime="image/png", width=1, height=1, sha256="", original_width=1, original_height=1
    )


def request(*pictures: Picture, text: str = "what?") -> Request:
    """Each picture with a word before it, then the text."""
    parts: list[str | Media] = []
    for shown in pictures:
        parts += [f"{shown.name}: ", Media(name=shown.name)]
    prompt = Prompt(sample_id="q", style="s", turns=(Turn(role="user", parts=(*parts, text)),))
    return Request(prompt=prompt, pictures=pictures, sampling=Sampling(stop=("\0",)))


def document(asked: Request, encoded: EncodedPictures) -> Any:
    """The body as a server reads it."""
    return json.loads(b"".join(chat_body(asked, model="m", pictures=encoded)))


def test_pieces_make_one_document_with_every_picture_in_its_place() -> None:
    """Pictures stand where the prompt shows them, also beside words that hold a zero byte."""
    first, second = picture("first", b"one"), picture("second", b"two")
    body = document(request(first, second, first, text="a\0b"), EncodedPictures())
    words = ["first: ", b"one", "second: ", b"two", "first: ", b"one", "a\0b"]
    found = [
        part["text"] if part["type"] == "text" else base64.b64decode(part["image_url"]["url"].partition(",")[2])
        for part in body["messages"][0]["content"]
    ]
    assert found == words
    assert body["stop"] == ["\0"]


def test_frames_are_sent_in_the_order_that_was_asked_for() -> None:
    """Times may go back, and one may be named twice; a video shown twice has its frames in both places."""
    frames = tuple(structs.replace(picture("v", b"%d" % frame), frame=frame) for frame in (60, 30, 30))
    video = Media(name="v", kind="video")
    prompt = Prompt(sample_id="q", style="s", turns=(Turn(role="user", parts=(video, "again: ", video)),))
    body = document(Request(prompt=prompt, pictures=frames * 2, sampling=Sampling()), EncodedPictures())
    found = [
        part.get("text") or base64.b64decode(part["image_url"]["url"].partition(",")[2])
        for part in body["messages"][0]["content"]
    ]
    assert found == [b"60", b"30", b"30", "again: ", b"60", b"30", b"30"]


def test_a_picture_asked_about_again_is_not_copied() -> None:
    """Two questions about one picture send the very same bytes object."""
    shown, encoded = picture("p", b"x" * 1000), EncodedPictures()
    first, second = (chat_body(request(shown, text=text), model="m", pictures=encoded) for text in ("a?", "b?"))
    assert first[1] is second[1]
    assert first != second


def test_words_alone_are_one_piece() -> None:
    """Nothing is cut where nothing is shown."""
    assert len(chat_body(request(text="a\0b"), model="m", pictures=EncodedPictures())) == 1


def test_pictures_of_many_megabytes_arrive_whole(scripted: Start) -> None:
    """Large pieces are written bit by bit, and every byte arrives."""
    server = scripted()
    data = [bytes(range(256)) * 12_000, b"small", bytes(reversed(range(256))) * 8_000]

    async def ask() -> str:
        model = get_model(f"{server.url}#m")
        await model.open(lambda: iter(()))
        try:
            return (await model.generate(request(*(picture(f"p{i}", each) for i, each in enumerate(data))))).text
        finally:
            await model.close()

    assert asyncio.run(ask()) == "yes"
    assert server.requests[0].pictures == tuple(hashlib.sha256(each).hexdigest() for each in data)
