"""Weights of a trained model as one safetensors file in half precision, for the package to ship."""

from __future__ import annotations

import json
from pathlib import Path

from network import Eye, Reader
from safetensors.torch import save_file
from torch import Tensor

FOLDER = Path(__file__).parent.parent / "src" / "eyechart" / "models" / "builtin" / "weights"


def tensors(eye: Eye, reader: Reader) -> dict[str, Tensor]:
    """Everything that answering needs; batch norms are folded into their convolutions."""
    found: dict[str, Tensor] = {}
    for number, (convolution, norm) in enumerate(zip(eye.layers[0::2], eye.layers[1::2], strict=True)):
        scale = norm.weight / (norm.running_var + norm.eps).sqrt()
        # Rows, columns, channels in, channels out: the order in which numpy multiplies.
        found[f"eye.{number}.weight"] = (convolution.weight * scale[:, None, None, None]).permute(2, 3, 1, 0)
        found[f"eye.{number}.bias"] = norm.bias - norm.running_mean * scale
    for name, value in reader.state_dict().items():
        if not name.startswith("pointer"):
            matrix = value.dim() == 2 and not name.startswith(("word.", "place.", "where.", "which."))
            found[f"reader.{name}"] = value.T if matrix else value
    return {name: value.detach().half().contiguous() for name, value in found.items()}


def save(path: Path, eye: Eye, reader: Reader, words: list[str]) -> None:
    """Write one checkpoint into the package."""
    shape = reader.shape
    about = {
        "format": "eyechart-tiny.v1",
        "words": json.dumps(words),
        "strides": json.dumps(shape.strides),
        "heads": str(shape.heads),
        "layers": str(shape.layers),
        "longest": str(shape.longest),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    training = eye.training
    save_file(tensors(eye.eval(), reader), path, about)
    eye.train(training)
