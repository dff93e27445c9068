"""What the torch model says on fixed inputs, with the weights as shipped: the numpy model must say the same.

python training/reference.py        writes tests/unit/models/builtin/reference.json
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from export import FOLDER, restored
from network import CELLS, Eye, Reader
from pictures import tensor
from scenes import ASKED, Drawn, ask, laid_out, lesson
from torch import Tensor

from eyechart.models.builtin.words import ANSWER
from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.pixels import draw

OUT = Path(__file__).parent.parent / "tests" / "unit" / "models" / "builtin" / "reference.json"
EACH = 2  # scenes of every setting


def main() -> None:
    torch.set_num_threads(1)
    cases = []
    for checkpoint in ("tiny", "tiny-early"):
        eye, reader, words = restored(FOLDER / f"{checkpoint}.safetensors")
        index = {word: number for number, word in enumerate(words)}
        for setting, subjects in ASKED.items():
            for number in range(EACH):
                seed = f"reference/{setting}/{number}"
                drawn = laid_out(seed, setting)
                for subject in subjects:
                    question = ask(drawn, subject, Dice(seed))
                    if question is not None:
                        asked = lesson(drawn, question, index).asked
                        seen = {"checkpoint": checkpoint, "seed": seed, "setting": setting, "asked": asked}
                        cases.append(seen | said(eye, reader, drawn, asked, index[ANSWER]))
    OUT.write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")


@torch.no_grad()
def said(eye: Eye, reader: Reader, drawn: Drawn, asked: list[int], start: int) -> dict[str, list[float]]:
    """Logits for the first two places of the answer, with the pictures and without them."""
    features = torch.stack([eye(tensor(draw(scene)[None]))[0] for scene in drawn.scenes])[None]
    cells = reader.cells(features)
    seeing = first_two(reader, asked, start, cells, torch.zeros(1, cells.shape[1]))
    hidden = torch.zeros(1, 1 + CELLS * len(drawn.scenes))
    hidden[:, 1:] = -1e4
    blind = first_two(reader, asked, start, cells, hidden)
    return {"features": rounded(features[0, :, ::9, ::7].flatten()), "seeing": seeing, "blind": blind}


def first_two(reader: Reader, asked: list[int], start: int, cells: Tensor, hide: Tensor) -> list[float]:
    """Logits after nothing was written, then after the likeliest first piece."""
    question, written = torch.tensor([asked]), torch.tensor([[start]])
    first = reader(question, written, cells, hide)[0][0, -1]
    written = torch.cat((written, first.argmax()[None, None]), dim=1)
    return rounded(torch.cat((first, reader(question, written, cells, hide)[0][0, -1])))


def rounded(values: Tensor) -> list[float]:
    return [round(value, 6) for value in values.tolist()]


if __name__ == "__main__":
    main()
