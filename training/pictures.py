"""The pictures that training looks at: drawn once and kept in one file, with the scenes that they show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path

import numpy as np
import torch
from log import say
from scenes import Drawn, laid_out
from torch import Tensor

from eyechart.sources.starter.pixels import draw
from eyechart.sources.starter.scene import SIDE, Scene

CHUNK = 256  # pictures looked at together where nothing is learnt


@dataclass(frozen=True)
class Album:
    """The scenes of every setting, and their pictures row by row."""

    sets: dict[str, list[Drawn]]
    pixels: np.ndarray

    def scenes(self) -> Iterator[Scene]:
        """Every scene, in the order of the pictures."""
        return (scene for drawn in self.sets.values() for one in drawn for scene in one.scenes)

    def chunks(self) -> Iterator[Tensor]:
        """All pictures, some at a time."""
        for start in range(0, len(self.pixels), CHUNK):
            yield tensor(self.pixels[start : start + CHUNK])


def album(work: Path, name: str, sizes: dict[str, int]) -> Album:
    """So many sets of every setting; drawn if the folder does not have them yet."""
    sets: dict[str, list[Drawn]] = {}
    count = 0
    for setting, size in sizes.items():
        sets[setting] = []
        for number in range(size):
            sets[setting].append(laid_out(f"{name}/{setting}/{number}", setting, count))
            count += len(sets[setting][-1].scenes)
    path = work / f"{name}.{count}.bytes"
    if not path.exists():
        say(f"drawing {count:,} pictures: {name}")
        store = np.memmap(path.with_suffix(".part"), np.uint8, "w+", shape=(count, SIDE, SIDE, 3))
        with Pool(2) as pool:
            for row, picture in enumerate(pool.imap(draw, Album(sets, store).scenes(), chunksize=64)):
                store[row] = picture
        store.flush()
        path.with_suffix(".part").rename(path)
    return Album(sets, np.memmap(path, np.uint8, "r", shape=(count, SIDE, SIDE, 3)))


def tensor(pixels: np.ndarray) -> Tensor:
    """Pictures as the eye takes them."""
    colours = torch.from_numpy(np.array(pixels)).permute(0, 3, 1, 2)
    return colours.float().div_(255).contiguous(memory_format=torch.channels_last)
