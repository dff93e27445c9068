"""The tiny model in torch: an eye that turns a picture into 64 cells, and a reader that asks the cells.

The eye is a small convolutional network; a cell is 32 pixels a side, the last picture's cell for cell beside the
first's, so that a change shows. The reader is a transformer over the words of the question whose every layer looks at
the cells, by heads that choose one cell (softmax) and heads that add cells up (sigmoid), which is how it counts.
`eyechart/models/builtin/network.py` is the same arithmetic in numpy.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

CELLS = 64


@dataclass(frozen=True)
class Shape:
    """The sizes of everything."""

    words: int
    channels: tuple[int, ...] = (24, 48, 48, 96, 96, 128, 128, 128)
    strides: tuple[int, ...] = (4, 2, 1, 2, 1, 2, 1, 1)
    width: int = 128
    heads: int = 4
    layers: int = 4
    inner: int = 256
    longest: int = 36
    longest_answer: int = 3


class Eye(nn.Module):
    """Picture (3 × 256 × 256, 0 to 1) → 64 cells of features."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        before = 3
        for channels, stride in zip(shape.channels, shape.strides, strict=True):
            size, padding = (4, 0) if stride == 4 else (3, 1)
            layers += [nn.Conv2d(before, channels, size, stride, padding, bias=False), nn.BatchNorm2d(channels)]
            before = channels
        self.layers = nn.ModuleList(layers)

    def forward(self, picture: Tensor) -> Tensor:
        hidden = picture * 2 - 1
        for convolution, norm in zip(self.layers[0::2], self.layers[1::2], strict=True):
            hidden = functional.relu(norm(convolution(hidden)))
        return hidden.flatten(2).transpose(1, 2)


class Teacher(nn.Module):
    """What training asks of every cell; not shipped."""

    def __init__(self, channels: int, shapes: int, colours: int) -> None:
        super().__init__()
        self.parts = [1 + shapes, colours, 1, 2, colours, 1]
        self.out = nn.Linear(channels, sum(self.parts))

    def forward(self, cells: Tensor) -> tuple[Tensor, ...]:
        return self.out(cells).split(self.parts, dim=-1)


class Layer(nn.Module):
    """Words attend to words, then to cells, then think."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        width = shape.width
        self.heads = shape.heads
        self.norm_words, self.norm_look, self.norm_think = (nn.LayerNorm(width) for _ in range(3))
        self.words, self.words_out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.look, self.look_out = nn.Linear(width, width), nn.Linear(width, width)
        self.seen = nn.Linear(width, 2 * width)
        self.think, self.think_out = nn.Linear(width, shape.inner), nn.Linear(shape.inner, width)
        self.sum_bias = nn.Parameter(torch.full((shape.heads // 2,), -2.0))

    def forward(self, hidden: Tensor, mask: Tensor, cells: Tensor, hide: Tensor) -> Tensor:
        """`hidden` is questions × places × width, `cells` pictures × cells × width; questions come picture by picture.

        `mask` (questions × places × places) and `hide` (pictures × cells) are added to what attention weighs.
        """
        questions, places, width = hidden.shape
        pictures = cells.shape[0]
        size = width // self.heads

        def split(x: Tensor, rows: int) -> Tensor:
            return x.view(rows, -1, self.heads, size).transpose(1, 2)

        query, key, value = (split(x, questions) for x in self.words(self.norm_words(hidden)).chunk(3, dim=-1))
        weights = (query @ key.transpose(2, 3) / size**0.5 + mask[:, None]).softmax(dim=-1)
        hidden = hidden + self.words_out((weights @ value).transpose(1, 2).reshape(questions, places, width))

        query = split(self.look(self.norm_look(hidden)).view(pictures, -1, width), pictures)
        key, value = (split(x, pictures) for x in self.seen(cells).chunk(2, dim=-1))
        logits = query @ key.transpose(2, 3) / size**0.5 + hide[:, None, None]
        choose, add = logits.chunk(2, dim=1)
        weights = torch.cat((choose.softmax(dim=-1), (add + self.sum_bias[:, None, None]).sigmoid()), dim=1)
        looked = (weights.to(value.dtype) @ value).transpose(1, 2).reshape(questions, places, width)
        hidden = hidden + self.look_out(looked)

        return hidden + self.think_out(functional.relu(self.think(self.norm_think(hidden))))


class Reader(nn.Module):
    """Cells and the pieces of a question → logits of the answer's pieces."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        width, features = shape.width, shape.channels[-1]
        self.word = nn.Embedding(shape.words, width)
        self.place = nn.Embedding(shape.longest + shape.longest_answer, width)
        self.cell = nn.Linear(features, width)
        self.change = nn.Linear(2 * features, width)  # of a pair: own and other picture's features of the cell
        self.where = nn.Embedding(CELLS, width)
        self.which = nn.Embedding(2, width)
        self.nothing = nn.Parameter(torch.randn(width) * 0.1)  # always in view: where there is nothing to look at
        self.cell_think, self.cell_out = nn.Linear(width, shape.inner), nn.Linear(shape.inner, width)
        self.cell_norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(width)
        self.out = nn.Linear(width, shape.words)
        self.pointer = nn.Linear(width, 2 * CELLS)  # training only: where the thing is that a noun names, per picture

    def cells(self, features: Tensor) -> Tensor:
        """Features (sets × pictures × 64 × channels) → what the layers look at, with the empty cell first."""
        sets, pictures = features.shape[:2]
        seen = self.cell(features) + self.where.weight + self.which.weight[:pictures, None]
        if pictures == 2:
            seen = seen + self.change(torch.cat((features, features.flip(1)), dim=-1))
        seen = seen.view(sets, pictures * CELLS, -1)
        seen = seen + self.cell_out(functional.relu(self.cell_think(seen)))
        return self.cell_norm(torch.cat((self.nothing.expand(sets, 1, -1), seen), dim=1))

    def forward(self, asked: Tensor, answer: Tensor, cells: Tensor, hide: Tensor) -> tuple[Tensor, Tensor]:
        """Logits for the answer's places, and pointers for the question's after the first half of the layers."""
        length, written = asked.shape[1], answer.shape[1]
        places = torch.cat((torch.arange(length), self.shape.longest + torch.arange(written)))
        hidden = self.word(torch.cat((asked, answer), dim=1)) + self.place(places)
        mask = attention_mask(asked, written)
        pointed = hidden
        for number, layer in enumerate(self.layers):
            hidden = layer(hidden, mask, cells, hide)
            if number == 0:
                pointed = hidden
        return self.out(self.norm(hidden[:, length:])), self.pointer(pointed[:, :length])


def attention_mask(asked: Tensor, written: int) -> Tensor:
    """The question sees itself; the answer sees the question and what is written so far; nobody sees padding."""
    questions, length = asked.shape
    total = length + written
    sees = torch.zeros(total, total, dtype=torch.bool)
    sees[:, :length] = True
    sees[length:, length:] = torch.tril(torch.ones(written, written, dtype=torch.bool))
    real = torch.cat((asked != 0, torch.ones(questions, written, dtype=torch.bool)), dim=1)
    return torch.zeros(questions, total, total).masked_fill(~(sees & real[:, None]), -1e4)
