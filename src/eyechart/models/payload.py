"""A request's body that is sent piece by piece from where the pieces are, without being put together first."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aiohttp.abc import AbstractStreamWriter
    from aiohttp.payload import Payload

# What is written at once, so that a picture of many megabytes lets other requests in between. Most go as one piece:
# every write is a moment in which another thread can take over.
AT_ONCE = 2**20


def in_pieces(pieces: Sequence[bytes]) -> Payload:
    """A JSON body made of these pieces, its length known."""
    payload: Payload = _payload_class()(pieces)
    return payload


@cache
def _payload_class() -> Any:
    """The class, made at the first need: importing aiohttp is what start-up must not pay for."""
    from aiohttp.payload import Payload

    class Pieces(Payload):
        """Holds nothing that would have to be closed."""

        _autoclose = True

        def __init__(self, pieces: Sequence[bytes]) -> None:
            super().__init__(pieces, content_type="application/json")
            self._size = sum(map(len, pieces))

        def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
            return b"".join(self._value).decode(encoding, errors)

        async def write(self, writer: AbstractStreamWriter) -> None:
            for piece in self._value:
                if len(piece) <= AT_ONCE:
                    await writer.write(piece)
                    continue
                view = memoryview(piece)
                for start in range(0, len(piece), AT_ONCE):
                    await writer.write(view[start : start + AT_ONCE])

    return Pieces
