"""Trains the tiny model from nothing, on one processor core, in an hour and a quarter; writes the two checkpoints.

    python training/train.py --work /tmp/tiny        everything, from drawing to the weights in the package

First the eye learns to say what is in every cell of a picture. Then it is held still, and the reader learns to answer
questions about what the eye sees, which is quick because no picture is looked at twice.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from export import FOLDER, save
from log import say
from network import Eye, Reader, Shape
from pictures import album
from scenes import vocabulary
from teach_eye import all_features, teach_eye
from teach_reader import School, teach_reader

SEED = 5
SETS = {"table": 34_000, "ruler": 8_000, "pair": 8_000, "crowd": 8_000}
HELD_OUT = {"table": 1_000, "ruler": 250, "pair": 500, "crowd": 250}
EYE_STEPS, READER_STEPS = 3_000, 4_200
EARLY = 0.12  # the weaker checkpoint: the reader after this part of its steps
TRIAL = 40  # sets and steps of everything, to try the code


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="a folder for pictures and half-done work (14 GB)")
    parser.add_argument("--out", type=Path, default=FOLDER, help="where the weights go (into the package)")
    parser.add_argument("--trial", action="store_true", help="a few steps of everything, to try the code")
    options = parser.parse_args()
    train_sizes, held_out_sizes, eye_steps, reader_steps = SETS, HELD_OUT, EYE_STEPS, READER_STEPS
    if options.trial:
        train_sizes, held_out_sizes = dict.fromkeys(SETS, 3 * TRIAL), dict.fromkeys(SETS, TRIAL)
        eye_steps = reader_steps = TRIAL
    options.work.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    torch.manual_seed(SEED)

    words = vocabulary()
    shape = Shape(words=len(words))
    say(f"{len(words)} words; seed {SEED}; torch {torch.__version__}")
    train, held_out = album(options.work, "train", train_sizes), album(options.work, "held-out", held_out_sizes)
    eye, reader = Eye(shape), Reader(shape)
    say(f"{count(eye) + count(reader):,} parameters ({count(eye):,} eye, {count(reader):,} reader)")

    kept = options.work / "eye.pt"
    if kept.exists():
        eye.load_state_dict(torch.load(kept, weights_only=True))
    else:
        teach_eye(eye, train, held_out, steps=eye_steps, seed=SEED)
        torch.save(eye.state_dict(), kept)
    index = {word: number for number, word in enumerate(words)}
    schools = [School(one, all_features(eye, one), index) for one in (train, held_out)]
    for step in teach_reader(reader, *schools, steps=reader_steps, seed=SEED):
        if step == int(reader_steps * EARLY):
            save(options.out / "tiny-early.safetensors", eye, reader, words)
        if step % 500 == 0 or step == reader_steps:
            save(options.out / "tiny.safetensors", eye, reader, words)


def count(module: torch.nn.Module) -> int:
    """Parameters that are shipped."""
    return sum(p.numel() for name, p in module.named_parameters() if not name.startswith("pointer"))


if __name__ == "__main__":
    main()
