"""Pictures that stand in a row itself: bytes, the struct that the hub uses, base64, or lists of them."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Any

from eyechart.errors import ModelError
from eyechart.records import Media
from eyechart.sources.rows import absent


def embedded(value: Any, name: str) -> tuple[Media, ...]:
    """The pictures of a cell. A single one is called `name`, several `name#1`, `name#2` …"""
    items = list(value) if isinstance(value, Sequence) and not isinstance(value, (str, bytes)) else [value]
    pictures = [item for item in items if not absent(item)]
    if len(pictures) == 1:
        return (_picture(pictures[0], name),)
    return tuple(_picture(item, f"{name}#{number}") for number, item in enumerate(pictures, 1))


def _picture(value: Any, name: str) -> Media:
    if isinstance(value, dict):
        # The hub's struct: the bytes, or the path of a file that was not packed in.
        path = value.get("path")
        if not value.get("bytes") and (path is None or isinstance(path, str)):
            return Media(name=name, path=path or "")
        value = value.get("bytes")
    if isinstance(value, str):
        return Media(name=name, data=from_base64(value, name))
    if isinstance(value, (bytes, bytearray)):
        return Media(name=name, data=bytes(value))
    what = f"neither bytes nor base64 nor a path ({type(value).__name__})"
    raise ModelError("unreadable_media", f"picture {name!r} cannot be read: it is {what}")


def from_base64(value: str, name: str) -> bytes:
    """The bytes of a picture that is written as base64, with or without a `data:` prefix."""
    _, _, plain = value.rpartition(",") if value.startswith("data:") else ("", "", value)
    try:
        return base64.b64decode("".join(plain.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ModelError("unreadable_media", f"picture {name!r} cannot be read: it is not base64 ({error})") from error
