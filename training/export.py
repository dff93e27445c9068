"""Weights of a trained model as one safetensors file in half precision, for the package to ship."""

from __future__ import annotations

import json
from pathlib import Path

from network import Eye, Reader, Shape
from safetensors import safe_open
from safetensors.torch import load_file, save_file
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
            found[f"reader.{name}"] = value.T if transposed(name, value) else value
    return {name: value.detach().half().contiguous() for name, value in found.items()}


def transposed(name: str, value: Tensor) -> bool:
    """Matrices lie as numpy multiplies by them; embeddings are looked up row by row and stay as they are."""
    return value.dim() == 2 and not name.startswith(("word.", "place.", "where.", "which."))


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


def restored(path: Path) -> tuple[Eye, Reader, list[str]]:
    """The model as it was shipped, back in torch: the batch norms have nothing left to do."""
    with safe_open(path, "pt") as file:
        words = json.loads(file.metadata()["words"])
    stored = {name: value.float() for name, value in load_file(path).items()}
    shape = Shape(words=len(words))
    eye, reader = Eye(shape).eval(), Reader(shape).eval()
    for number, (convolution, norm) in enumerate(zip(eye.layers[0::2], eye.layers[1::2], strict=True)):
        convolution.weight.data = stored[f"eye.{number}.weight"].permute(3, 2, 0, 1).contiguous()
        norm.running_var.fill_(1 - norm.eps)
        norm.bias.data = stored[f"eye.{number}.bias"]
    for name, value in reader.state_dict().items():
        if not name.startswith("pointer"):
            value.copy_(stored[f"reader.{name}"].T if transposed(name, value) else stored[f"reader.{name}"])
    return eye, reader, words
