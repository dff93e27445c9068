"""First lessons: the eye learns what is in each cell of a picture."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import torch
from log import say
from network import Eye, Teacher
from pictures import Album, tensor
from scenes import CELL, cells
from torch import Tensor
from torch.nn import functional

from eyechart.sources.starter.scene import COLOURS, SHAPES

BATCH, RATE = 64, 2e-3
NOISY, NOISE = 0.3, 0.02  # so many pictures get so much noise


def truths(album: Album) -> tuple[Tensor, ...]:
    """What every cell of every picture holds, in the order of the pictures."""
    found = [cells(scene) for scene in album.scenes()]
    names = ("shape", "colour", "large", "offset", "dots", "bar")
    return tuple(torch.from_numpy(np.stack([getattr(one, name) for one in found])) for name in names)


def teach_eye(eye: Eye, train: Album, held_out: Album, *, steps: int, seed: int) -> None:
    """Cell by cell: which shape, colour and size has its centre here, where exactly; dots; the bar."""
    truth = truths(train)
    teacher = Teacher(eye.layers[-2].out_channels, len(SHAPES), len(COLOURS))
    eye.to(memory_format=torch.channels_last)
    optimiser = torch.optim.AdamW([*eye.parameters(), *teacher.parameters()], lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps + 1, pct_start=0.1)
    chance = np.random.default_rng(seed)
    eye.train()
    started = time.time()
    running = 0.0
    for step in range(1, steps + 1):
        rows = np.sort(chance.choice(len(train.pixels), BATCH, replace=False))
        seen = tensor(train.pixels[rows])
        noisy = torch.from_numpy(chance.random(len(rows)) < NOISY)[:, None, None, None]
        seen = seen + noisy * NOISE * torch.randn(seen.shape)
        with torch.autocast("cpu", torch.bfloat16):
            features = eye(seen)
        loss = eye_loss(teacher(features.float()), [part[rows] for part in truth])
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(eye.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        running += (loss.item() - running) * max(0.01, 1 / step)
        if step % 500 == 0 or step == steps:
            say(f"eye {step:5d}  loss {running:.4f}  {time.time() - started:.0f} s")
    check_eye(eye, teacher, held_out)


def eye_loss(said: Sequence[Tensor], truth: Sequence[Tensor]) -> Tensor:
    """Empty cells weigh as one in their picture; what a thing looks like is asked where there is one."""
    shape, colour, large, offset, dots, bar = truth
    there = shape > 0
    loss = functional.cross_entropy(said[0].flatten(0, 1), shape.flatten()) * 8
    loss = loss + functional.cross_entropy(said[1][there], colour[there])
    loss = loss + 0.5 * functional.binary_cross_entropy_with_logits(said[2][there].squeeze(-1), large[there])
    loss = loss + 2 * functional.smooth_l1_loss(said[3][there], offset[there], beta=0.1)
    return loss + 4 * functional.mse_loss(said[4], dots) + 20 * functional.mse_loss(said[5].squeeze(-1), bar)


def check_eye(eye: Eye, teacher: Teacher, held_out: Album) -> None:
    """How often a cell is read right, on pictures never trained on."""
    eye.eval()
    shape, colour, large, offset, dots, bar = truths(held_out)
    with torch.no_grad():
        said = [torch.cat(part) for part in zip(*(teacher(eye(seen)) for seen in held_out.chunks()), strict=True)]
    there = shape > 0
    right = said[0].argmax(-1) == shape
    found = {
        "cells": right.float().mean(),
        "things": right[there].float().mean(),
        "colour": (said[1].argmax(-1) == colour)[there].float().mean(),
        "size": ((said[2].squeeze(-1) > 0) == (large > 0))[there].float().mean(),
        "place off by px": CELL * (said[3] - offset)[there].abs().mean(),
        "dots off by": (said[4] - dots).abs().mean(),
        "bar off by": (said[5].squeeze(-1) - bar).abs().mean(),
    }
    say("eye held out:  " + "  ".join(f"{name} {value:.4f}" for name, value in found.items()))


def all_features(eye: Eye, album: Album) -> Tensor:
    """What the eye makes of every picture."""
    eye.eval()
    with torch.no_grad():
        return torch.cat([eye(seen).half() for seen in album.chunks()])
