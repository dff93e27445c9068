"""Answers without looking: what guessing earns, so that a score can be read against it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from random import Random

from eyechart.errors import UsageError
from eyechart.models.base import Model, Request, Samples
from eyechart.records import Response, Sample
from eyechart.registry import unknown

KINDS = ("random", "majority", "constant", "echo-gold")


def baseline(rest: str, *, seed: str = "0") -> Model:
    """Factory of guesses and the gold answers: `baseline:random`, `:majority`, `:constant=TEXT`, `:echo-gold`."""
    kind, equals, text = rest.partition("=")
    if kind not in KINDS:
        raise unknown("baseline", kind, list(KINDS))
    if (kind == "constant") != bool(equals):
        raise UsageError(f"cannot read baseline:{rest}", fix="baseline:constant=TEXT, or baseline:majority alone")
    return Baseline(kind, text, seed)


class Baseline(Model):
    """Says what it would say without seeing the picture; only echo-gold cheats, to test the marking."""

    concurrency = 64
    looks = False

    def __init__(self, kind: str, text: str, seed: str) -> None:
        self.kind, self.text, self.seed = kind, text, seed
        self.name = f"baseline:{kind}" + (f"={text}" if kind == "constant" else "")
        self.identity: Mapping[str, str] = {"seed": seed} if kind == "random" else {}
        self._answers: dict[str, str] = {}

    async def open(self, samples: Samples) -> None:
        """Study the benchmark's answers, as far as this kind of guessing is allowed to."""
        match self.kind:
            case "constant":
                self._answers = {}
            case "echo-gold":
                self._answers = {sample.id: gold(sample) for sample in samples()}
            case "majority":
                self._answers = majority_answers(samples)
            case _:
                self._answers = random_answers(samples, self.seed)

    async def generate(self, request: Request) -> Response:
        """The answer that was settled when the benchmark was opened."""
        if self.kind == "constant":
            return Response(text=self.text, finish="stop")
        return Response(text=self._answers[request.prompt.sample_id], finish="stop")

    async def close(self) -> None:
        """Nothing to let go of."""


def gold(sample: Sample) -> str:
    """The reference that most annotators gave; the first of them where several lead."""
    return Counter(sample.references).most_common(1)[0][0] if sample.references else ""


def kind_of_question(sample: Sample) -> str:
    """What guessing is done by: the question type, apart for questions with and without options."""
    tags = sample.tags
    return f"{tags.get('question_type') or tags.get('category') or tags.get('task', '')}/{bool(sample.choices)}"


def majority_answers(samples: Samples) -> dict[str, str]:
    """For every question the commonest gold answer of its type, over the whole benchmark."""
    by_type: dict[str, Counter[str]] = {}
    types: dict[str, str] = {}
    for sample in samples():
        types[sample.id] = kind_of_question(sample)
        by_type.setdefault(types[sample.id], Counter())[gold(sample)] += 1
    commonest = {name: answers.most_common(1)[0][0] for name, answers in by_type.items()}
    return {sample_id: commonest[name] for sample_id, name in types.items()}


def random_answers(samples: Samples, seed: str) -> dict[str, str]:
    """For every question one of its options, or the gold answer of a random question of its type."""
    pools: dict[str, list[str]] = {}
    types: dict[str, str] = {}
    options: dict[str, list[str]] = {}
    for sample in samples():
        types[sample.id] = kind_of_question(sample)
        if sample.choices:
            options[sample.id] = list(sample.choices)
        else:
            pools.setdefault(types[sample.id], []).append(gold(sample))
    answers = {}
    for sample_id, name in types.items():
        # Seeded by the question, not by the order of asking, so that a resumed run guesses the same.
        chance = Random(hashlib.sha256(f"{seed}/{sample_id}".encode()).digest())
        answers[sample_id] = chance.choice(options.get(sample_id) or pools[name])
    return answers
