"""Second lessons: the eye is held still, and the reader learns to answer questions about what it sees."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from log import say
from network import CELLS, Reader
from pictures import Album
from scenes import ASKED, LONGEST, LONGEST_ANSWER, Drawn, Lesson, ask, lesson
from torch import Tensor
from torch.nn import functional

from eyechart.models.builtin.words import ANSWER
from eyechart.sources.starter.dice import Dice

RATE = 1.2e-3
BLIND = 0.04  # so many sets are asked about without their pictures
# Sets a step, and questions a set.
BATCH = {"table": (96, 5), "ruler": (40, 2), "pair": (80, 2), "crowd": (32, 1)}


def lessons(drawn: Drawn, questions: int, dice: Dice, index: dict[str, int]) -> list[tuple[str, Lesson]]:
    """So many questions about one set, of the kinds that its setting has."""
    kinds = [kind for kind, weight in ASKED[drawn.setting].items() for _ in range(weight)]
    found: list[tuple[str, Lesson]] = []
    while len(found) < questions:
        kind = dice.choice(kinds)
        question = ask(drawn, kind, dice)
        if question is None and drawn.setting == "ruler":
            return []
        if question is not None:
            found.append((kind, lesson(drawn, question, index)))
    return found


class Batch:
    """Questions about some sets of one setting, picture by picture."""

    def __init__(
        self, sets: Sequence[Drawn], questions: int, features: Tensor, dice: Dice, index: dict[str, int]
    ) -> None:
        asked = [(one, found) for one in sets if (found := lessons(one, questions, dice, index))]
        self.rows = [one.first + place for one, _ in asked for place in range(len(one.scenes))]
        self.sets = len(asked)
        pictures = len(self.rows) // max(1, self.sets)
        self.features = features[self.rows].view(self.sets, pictures, CELLS, -1).float()
        self.hide = torch.zeros(self.sets, 1 + pictures * CELLS)
        self.kinds = [kind for _, found in asked for kind, _ in found]
        every = [one for _, found in asked for _, one in found]
        length = max(len(one.asked) for one in every)
        assert length <= LONGEST
        self.asked = torch.zeros(len(every), length, dtype=torch.long)
        self.answer = torch.zeros(len(every), LONGEST_ANSWER, dtype=torch.long)
        self.target = torch.full((len(every), LONGEST_ANSWER), -100)
        self.pointers = torch.full((len(every), length, pictures), -100)
        for row, one in enumerate(every):
            self.asked[row, : len(one.asked)] = torch.tensor(one.asked)
            self.answer[row, : len(one.answer)] = torch.tensor([index[ANSWER], *one.answer[:-1]])
            self.target[row, : len(one.answer)] = torch.tensor(one.answer)
            for place, cells in one.pointers:
                self.pointers[row, place] = torch.tensor(cells)

    def blindfold(self, chosen: Tensor) -> None:
        """Some sets are asked about without pictures; then nothing can be pointed at."""
        self.hide[chosen, 1:] = -1e4
        each = len(self.kinds) // self.sets
        self.pointers[chosen.repeat_interleave(each)] = -100

    def right(self, logits: Tensor) -> Tensor:
        """Which answers are right to the last piece."""
        return ((logits.argmax(-1) == self.target) | (self.target < 0)).all(dim=1)


@dataclass(frozen=True)
class School:
    """What can be asked about: scenes, and what the eye makes of their pictures."""

    album: Album
    features: Tensor
    index: dict[str, int]

    def batch(self, sets: Sequence[Drawn], questions: int, dice: Dice) -> Batch:
        """Questions about these sets."""
        return Batch(sets, questions, self.features, dice, self.index)


def teach_reader(reader: Reader, train: School, held_out: School, *, steps: int, seed: int) -> Iterator[int]:
    """Fresh questions at every step about pictures seen before; yields each step's number when it is done."""
    optimiser = torch.optim.AdamW(reader.parameters(), lr=RATE, weight_decay=0.02, betas=(0.9, 0.98))
    dice = Dice(f"train/questions/{seed}")
    chance = np.random.default_rng(seed)
    started = time.time()
    running: dict[str, float] = defaultdict(float)
    for step in range(1, steps + 1):
        rate = RATE * min(1, step / 200) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * step / steps)))
        for group in optimiser.param_groups:
            group["lr"] = rate
        optimiser.zero_grad()
        for setting, (sets, questions) in BATCH.items():
            drawn = train.album.sets[setting]
            chosen = [drawn[i] for i in chance.choice(len(drawn), sets, replace=False)]
            batch = train.batch(chosen, questions, dice)
            batch.blindfold(torch.from_numpy(chance.random(batch.sets) < BLIND))
            loss, right = reader_loss(reader, batch)
            (loss * len(batch.kinds) / 600).backward()
            for kind in set(batch.kinds):
                mean = right[torch.tensor([k == kind for k in batch.kinds])].float().mean().item()
                running[kind] += (mean - running[kind]) * max(0.02, 1 / step)
        torch.nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimiser.step()
        if step % 100 == 0:
            every = "  ".join(f"{kind} {value:.3f}" for kind, value in sorted(running.items()))
            say(f"reader {step:5d}  {time.time() - started:.0f} s  {every}")
        if step % 1000 == 0 or step == steps:
            check_reader(reader, held_out)
        yield step


def reader_loss(reader: Reader, batch: Batch) -> tuple[Tensor, Tensor]:
    """How far off the answers are, and where the words point; and which answers were right."""
    with torch.autocast("cpu", torch.bfloat16):
        logits, pointed = reader(batch.asked, batch.answer, reader.cells(batch.features), batch.hide)
    loss = functional.cross_entropy(logits.float().flatten(0, 1), batch.target.flatten(), ignore_index=-100)
    if (batch.pointers >= 0).any():
        said = pointed.unflatten(-1, (2, CELLS))[:, :, : batch.pointers.shape[-1]].float()
        pointing = functional.cross_entropy(said.flatten(0, 2), batch.pointers.flatten(), ignore_index=-100)
        loss = loss + 0.3 * pointing
    return loss, batch.right(logits)


def check_reader(reader: Reader, held_out: School) -> None:
    """Every kind of question on pictures never trained on."""
    reader.eval()
    dice = Dice("held-out/questions")
    tally: dict[str, list[bool]] = defaultdict(list)
    with torch.no_grad():
        for setting, sets in held_out.album.sets.items():
            for start in range(0, len(sets), 250):
                batch = held_out.batch(sets[start : start + 250], 6 if setting == "table" else 1, dice)
                logits, _ = reader(batch.asked, batch.answer, reader.cells(batch.features), batch.hide)
                for kind, right in zip(batch.kinds, batch.right(logits).tolist(), strict=True):
                    tally[kind].append(right)
    reader.train()
    say("held out:  " + "  ".join(f"{kind} {np.mean(right):.4f}" for kind, right in sorted(tally.items())))
