"""Read the JSON files of benchmarks, plain or gzipped, with errors that say file, line and column."""

from __future__ import annotations

import gzip
import json
import mmap
import os
import zlib
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import msgspec

from eyechart.errors import InputError

T = TypeVar("T")
Content: TypeAlias = bytes | bytearray | mmap.mmap

_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
_CHUNK = 1 << 22


def read_content(path: Path) -> Content:
    """The file's content; a large plain file is mapped instead of copied."""
    try:
        with path.open("rb") as file:
            begins = file.peek(3)
            if os.fstat(file.fileno()).st_size >= _CHUNK and not begins.startswith((_GZIP, _BOM)):
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError:
        pass  # not a plain file, or none at all: the other way reads it or says why not
    return read_bytes(path)


def read_bytes(path: Path) -> bytes | bytearray:
    """The file's content, unpacked where it is gzipped (told by its first bytes, whatever its name)."""
    try:
        with path.open("rb") as file:
            packed = file.read(2) == _GZIP
        data = _unpacked(path) if packed else path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read", why=str(error)) from error
    if len(data) < _CHUNK and not data.strip():
        raise InputError(f"{path}: the file is empty", why="it must hold a JSON document")
    return data.removeprefix(_BOM)  # the same object where there is none


def _unpacked(path: Path) -> bytearray:
    data = bytearray()  # grows in place: joining pieces would need the memory twice
    try:
        with gzip.open(path) as file:
            while chunk := file.read(_CHUNK):
                data += chunk
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path}: the gzip file is damaged or cut off", why=str(error)) from error
    return data


def decode(data: Content, decoder: msgspec.json.Decoder[T], path: Path) -> T:
    """The document as the decoder's type."""
    try:
        return decoder.decode(data)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: {error}", why="the file does not have the official layout") from error
    except (msgspec.DecodeError, UnicodeDecodeError):
        # The standard reader also takes lone surrogates, as the official programs do; and it says where it stopped.
        return _convert(parse(data, path), decoder.type, path)


def _convert(document: object, wanted: type[T], path: Path) -> T:
    try:
        return msgspec.convert(document, wanted)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: {error}", why="the file does not have the official layout") from error


def parse(data: Content, path: Path) -> Any:
    """The document as plain lists and dicts, or an error with line and column."""
    text = data[:] if isinstance(data, mmap.mmap) else data
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}:{error.lineno}:{error.colno}: not valid JSON", why=error.msg, fix="is the download complete?"
        ) from error
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        column = error.start - text.rfind(b"\n", 0, error.start)
        raise InputError(f"{path}:{line}:{column}: not UTF-8 text", why=error.reason) from error
    except RecursionError as error:
        raise InputError(f"{path}: brackets are nested too deeply", why="no official file nests them so") from error
