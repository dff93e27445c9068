"""The source of `starter`: a table of contents without drawing, and one question at a time, drawn when wanted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from eyechart.records import Entry, Index, Media, Sample
from eyechart.sources.starter.annotators import ten
from eyechart.sources.starter.dice import Dice
from eyechart.sources.starter.page import GENERATOR, SCHEDULE, SUBJECTS, Page, page
from eyechart.sources.starter.question import CHOICE, ESTIMATE, Question

_SLOTS = 8  # room for questions in a locator; more than any page has


@dataclass(frozen=True)
class StarterSource:
    """The first `count` questions that a seed draws, of all kinds or of one."""

    seed: int
    count: int
    kind: str = ""

    def index(self) -> Index:
        """Every question's place; no scene is laid out for it, let alone drawn."""
        entries: list[Entry] = []
        for number, slot, subject, name in _places(self.seed):
            if len(entries) == self.count:
                break
            kind, question_type = SUBJECTS[subject]
            if self.kind in ("", kind):
                group = _page_name(self.seed, number)
                entries.append(Entry(id=name, locator=number * _SLOTS + slot, group=group, stratum=question_type))
        # The texts follow from generator and seed; a change to either draws other data.
        data = hashlib.sha256(f"{GENERATOR}/{self.seed}".encode()).hexdigest()[:16]
        return Index(entries=tuple(entries), data=data)

    def fetch(self, entry: Entry, *, media: bool = True) -> Sample:
        """One question; with its pictures only where they are asked for."""
        number, slot = divmod(int(entry.locator), _SLOTS)
        leaf = _page(str(self.seed), number)
        question = leaf.questions[slot]
        kind, question_type = SUBJECTS[leaf.subjects[slot]]
        tags = {"kind": kind, "question_type": question_type, "answer_type": question.answer_type}
        if question.answer_type == ESTIMATE:
            tags["unit"] = question.unit
        elif question.answer_type != CHOICE:
            tags["multiple_choice_answer"] = question.answer
        pictures: tuple[Media, ...] = ()
        if media:
            names = _picture_names(entry.group, len(leaf.scenes))
            drawn = _pictures(str(self.seed), number)
            pictures = tuple(Media(name=name, data=data) for name, data in zip(names, drawn, strict=True))
        return Sample(
            id=entry.id,
            question=question.text,
            media=pictures,
            choices=question.choices,
            references=_references(question, entry.id),
            tags=tags,
            cluster=entry.group,
        )


def _places(seed: int) -> Iterator[tuple[int, int, str, str]]:
    """Page number, slot, subject and id of every question, without end."""
    number = 0
    while True:
        subjects = SCHEDULE[number % len(SCHEDULE)][1]
        for slot, subject in enumerate(subjects):
            again = subjects[:slot].count(subject)
            yield number, slot, subject, f"{_page_name(seed, number)}-{subject}{again + 1 if again else ''}"
        number += 1


def _page_name(seed: int, number: int) -> str:
    return f"s{seed}-p{number:04d}"


def _picture_names(group: str, count: int) -> list[str]:
    return [group] if count == 1 else [f"{group}-{place}" for place in range(1, count + 1)]


def _references(question: Question, sample_id: str) -> tuple[str, ...]:
    """One gold answer for estimates and letters, ten annotators for the rest."""
    if question.answer_type in (ESTIMATE, CHOICE):
        return (question.answer,)
    dice = Dice(f"{GENERATOR}/annotators/{sample_id}")
    return ten(dice, question.answer, variants=question.variants, mistakes=question.mistakes)


@lru_cache(maxsize=256)
def _page(seed: str, number: int) -> Page:
    return page(seed, number)


@lru_cache(maxsize=64)
def _pictures(seed: str, number: int) -> tuple[bytes, ...]:
    # Questions of one page are asked close together: their picture is drawn once and its bytes are shared.
    from eyechart.sources.starter.pixels import draw, png

    return tuple(png(draw(scene)) for scene in _page(seed, number).scenes)
