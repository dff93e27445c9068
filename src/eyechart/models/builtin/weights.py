"""The weights of a tiny model: a safetensors file that describes itself, read with numpy alone."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec

from eyechart.errors import SetupError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = "eyechart-tiny.v1"
CHECKPOINTS = {
    "tiny": "the finished model",
    "tiny-early": "the same model after an eighth of its reading lessons: weaker, for comparisons",
}


@dataclass(frozen=True)
class Weights:
    """Tensors by name, what the file says about them, and the hash of the whole file."""

    tensors: Mapping[str, NDArray[np.float32]]
    about: Mapping[str, str]
    sha256: str


def load(name: str) -> Weights:
    """The checkpoint with this name, from the package."""
    path = files("eyechart.models.builtin").joinpath("weights", f"{name}.safetensors")
    try:
        return parse(path.read_bytes())
    except (OSError, ValueError, KeyError, TypeError, msgspec.DecodeError) as error:
        raise SetupError(
            f"the weights of builtin/{name} cannot be read",
            why=f"{path}: {error}",
            fix="pip install --force-reinstall eyechart",
        ) from error


def parse(data: bytes) -> Weights:
    """A safetensors file: the length of a JSON header, the header, the numbers. Half precision becomes single."""
    import numpy as np

    length = int.from_bytes(data[:8], "little")
    header = msgspec.json.decode(data[8 : 8 + length])
    about = header.pop("__metadata__", {})
    if about.get("format") != FORMAT:
        raise ValueError(f"it is not of the format {FORMAT}")
    tensors = {}
    for name, tensor in header.items():
        start, end = (8 + length + offset for offset in tensor["data_offsets"])
        numbers = np.frombuffer(data[start:end], dtype={"F16": "<f2", "F32": "<f4"}[tensor["dtype"]])
        tensors[name] = numbers.astype(np.float32).reshape(tensor["shape"])
    return Weights(tensors, about, hashlib.sha256(data).hexdigest())
