"""What the first bytes of a JPEG, PNG or WebP file say: enough to send it on without decoding it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

JPEG_MAGIC = b"\xff\xd8\xff"
PNG_MAGIC = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True, kw_only=True)
class Header:
    """What a picture's header says of it."""

    format: Literal["JPEG", "PNG", "WEBP"]
    width: int
    height: int
    complete: bool  # the file's own end mark is there: it was not cut short
    orientation: int = 1  # EXIF's number from 1 (upright) to 8
    bits: int = 8  # of one channel
    cmyk: bool = False
    alpha: bool = False  # may hold transparent pixels
    animated: bool = False
    lossless: bool = False


def read_header(data: bytes) -> Header | None:
    """The header of a JPEG, PNG or WebP file, or None where these bytes are none of them or are damaged."""
    try:
        if data.startswith(JPEG_MAGIC):
            return _read_jpeg(data)
        if data.startswith(PNG_MAGIC):
            return _read_png(data)
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return _read_webp(data)
    except IndexError:  # a length in the file points past its end
        return None
    return None


# Start-of-frame markers: every C0 to CF but DHT (C4), JPG (C8) and DAC (CC).
_START_OF_FRAME = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_START_OF_SCAN = 0xDA
_APP1, _APP14 = 0xE1, 0xEE


def _read_jpeg(data: bytes) -> Header | None:
    at, orientation = 2, 1
    size = (0, 0)
    bits, channels = 8, 0
    while True:
        if data[at] != 0xFF:
            return None
        while data[at] == 0xFF:  # any number of fill bytes may stand before a marker
            at += 1
        marker = data[at]
        at += 1
        length = (data[at] << 8) | data[at + 1]
        body = data[at + 2 : at + length]
        if marker in _START_OF_FRAME:
            bits, channels = body[0], body[5]
            size = ((body[3] << 8) | body[4], (body[1] << 8) | body[2])
        elif marker == _APP1 and body.startswith(b"Exif\0\0"):
            orientation = read_orientation(body[6:])
        elif marker == _START_OF_SCAN:
            break
        at += length
    if 0 in size:
        return None
    return Header(
        format="JPEG",
        width=size[0],
        height=size[1],
        # Within the scan FF is always escaped, so an end mark after its start is the real one.
        complete=data.rfind(b"\xff\xd9") > at,
        orientation=orientation,
        bits=bits,
        cmyk=channels == 4,
    )


def _read_png(data: bytes) -> Header | None:
    if data[12:16] != b"IHDR":
        return None
    width, height = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    bits, colour = data[24], data[25]
    if not (width and height):
        return None
    at, orientation = 8, 1
    complete = animated = False
    alpha = colour in (4, 6)
    while at + 12 <= len(data):
        length, kind = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        if kind == b"IEND":
            complete = True
            break
        alpha |= kind == b"tRNS"
        animated |= kind == b"acTL" and int.from_bytes(data[at + 8 : at + 12], "big") > 1
        if kind == b"eXIf":
            orientation = read_orientation(data[at + 8 : at + 8 + length])
        at += length + 12
    return Header(
        format="PNG",
        width=width,
        height=height,
        complete=complete,
        orientation=orientation,
        bits=max(bits, 8),  # fewer bits than eight are read alike by everybody
        alpha=alpha,
        animated=animated,
        lossless=True,
    )


def _read_webp(data: bytes) -> Header | None:
    end = 8 + int.from_bytes(data[4:8], "little")
    size = (0, 0)
    orientation = 1
    alpha = animated = lossless = False
    at = 12
    while at + 8 <= min(end, len(data)):
        kind, length = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        body = data[at + 8 : at + 8 + min(length, 1 << 16)]
        if kind == b"VP8X":
            alpha, animated = bool(body[0] & 0x10), bool(body[0] & 0x02)
            size = (int.from_bytes(body[4:7], "little") + 1, int.from_bytes(body[7:10], "little") + 1)
        elif kind == b"VP8 " and size == (0, 0):
            size = (int.from_bytes(body[6:8], "little") & 0x3FFF, int.from_bytes(body[8:10], "little") & 0x3FFF)
        elif kind == b"VP8L":
            lossless = True
            fields = int.from_bytes(body[1:5], "little")
            if size == (0, 0):
                size, alpha = ((fields & 0x3FFF) + 1, ((fields >> 14) & 0x3FFF) + 1), bool(fields >> 28 & 1)
        elif kind == b"ANMF":  # a frame of an animation, its picture inside
            lossless |= body[16:20] == b"VP8L"
        elif kind == b"EXIF":
            orientation = read_orientation(body.removeprefix(b"Exif\0\0"))
        at += 8 + length + (length & 1)
    if 0 in size:
        return None
    return Header(
        format="WEBP",
        width=size[0],
        height=size[1],
        complete=end <= len(data),
        orientation=orientation,
        alpha=alpha,
        animated=animated,
        lossless=lossless,
    )


_ORIENTATION_TAG = 0x0112


def read_orientation(tiff: bytes) -> int:
    """The orientation in a block of EXIF data; 1 (upright) where there is none or it cannot be read."""
    order: Literal["little", "big"] | None = {b"II": "little", b"MM": "big"}.get(tiff[:2])  # type: ignore[assignment]
    if order is None or len(tiff) < 8:
        return 1
    at = int.from_bytes(tiff[4:8], order)
    for entry in range(int.from_bytes(tiff[at : at + 2], order)):
        field = tiff[at + 2 + 12 * entry : at + 14 + 12 * entry]
        if len(field) < 12:
            break
        if int.from_bytes(field[:2], order) == _ORIENTATION_TAG:
            value = int.from_bytes(field[8:10], order)
            return value if 1 <= value <= 8 else 1
    return 1
