"""Which questions are asked, and in which order. Pure: the same seed, the same plan."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from eyechart.errors import UsageError
from eyechart.records import Entry
from eyechart.registry import nearest, unknown


@dataclass(frozen=True, kw_only=True)
class Selection:
    """A part of a benchmark: the first N, a stratified sample, or single questions."""

    limit: str = ""  # "20", "10%", "5-15"
    sample: int = 0
    ids: tuple[str, ...] = ()
    where: tuple[tuple[str, str], ...] = ()  # tags that a question must have, before anything else is chosen

    def __str__(self) -> str:
        words = [f"filter {','.join(f'{tag}={value}' for tag, value in self.where)}"] if self.where else []
        words += [f"limit {self.limit}"] if self.limit else []
        words += [f"sample {self.sample}"] if self.sample else []
        words += [f"questions {','.join(self.ids)}"] if self.ids else []
        return " · ".join(words) or "all"


def choose(entries: Sequence[Entry], selection: Selection, seed: int) -> list[Entry]:
    """The questions that are asked, in published order."""
    if selection.limit and selection.sample:
        raise UsageError(
            "--limit and --sample exclude each other", fix="--sample N for estimates, --limit N to try out"
        )
    if selection.ids:
        return by_id(entries, selection.ids)
    if selection.limit:
        first, last = limits(selection.limit, len(entries))
        chosen = list(entries[first:last])
        if not chosen:
            raise UsageError(f"--limit {selection.limit} leaves no question", why=f"there are {len(entries)}")
        return chosen
    return stratified(entries, selection.sample, seed) if selection.sample else list(entries)


_LIMIT = re.compile(r"(?P<count>[1-9]\d*)|(?P<share>\d+(?:\.\d+)?)%|(?P<first>[1-9]\d*)-(?P<last>[1-9]\d*)")


def limits(text: str, total: int) -> tuple[int, int]:
    """`20`, `10%` or `5-15` (counted from 1, both ends included) as a slice."""
    match = _LIMIT.fullmatch(text)
    if match is not None:
        if match["count"]:
            return 0, int(match["count"])
        if match["share"] and 0 < float(match["share"]) <= 100:
            return 0, max(1, round(total * float(match["share"]) / 100))
        if match["first"] and int(match["first"]) <= int(match["last"]):
            return int(match["first"]) - 1, int(match["last"])
    raise UsageError(f"cannot read --limit {text}", fix="--limit 20, --limit 10% or --limit 5-15")


def having(
    entries: Sequence[Entry], where: Sequence[tuple[str, str]], tags: Callable[[Entry], Mapping[str, str]]
) -> Sequence[Entry]:
    """The questions with these tags; a tag or a value that none has is met with those that there are."""
    for tag, wanted in where:
        values = [tags(entry).get(tag) for entry in entries]
        there = sorted({value for value in values if value is not None})
        if not there:
            raise unknown("tag", tag, sorted({name for entry in entries for name in tags(entry)}))
        if wanted not in there:
            raise unknown(tag, wanted, there)
        entries = [entry for entry, value in zip(entries, values, strict=True) if value == wanted]
    return entries


def by_id(entries: Sequence[Entry], ids: Sequence[str]) -> list[Entry]:
    """Single questions."""
    known = {entry.id: entry for entry in entries}
    for wanted in ids:
        if wanted not in known:
            hints = nearest(wanted, list(known)) if len(known) <= 20_000 else []
            raise UsageError(
                f"no question has the id {wanted!r}",
                why=f"{len(known)} questions are there, the first is {entries[0].id!r}",
                fix=f"did you mean {', '.join(hints)}?" if hints else "",
            )
    wanted_ids = set(ids)
    return [entry for entry in entries if entry.id in wanted_ids]


def stratified(entries: Sequence[Entry], count: int, seed: int) -> list[Entry]:
    """A random sample in which every question type keeps its share (largest remainders), in published order."""
    if count < 1:
        raise UsageError(f"--sample takes a number of at least 1, not {count}")
    if count >= len(entries):
        return list(entries)
    strata: dict[str, list[int]] = defaultdict(list)
    for position, entry in enumerate(entries):
        strata[entry.stratum].append(position)
    exact = {name: count * len(members) / len(entries) for name, members in strata.items()}
    quota = {name: int(share) for name, share in exact.items()}
    by_remainder = sorted(strata, key=lambda name: (quota[name] - exact[name], name))
    for name in by_remainder[: count - sum(quota.values())]:
        quota[name] += 1
    chosen: list[int] = []
    for name, members in strata.items():
        chosen += Random(f"sample/{seed}/{name}").sample(members, quota[name])
    return [entries[position] for position in sorted(chosen)]


def order(entries: Sequence[Entry], seed: int) -> Iterator[Entry]:
    """A seeded shuffle that keeps together what is read together and what shares a picture.

    Blocks (row groups of a file) come in random order, so that reading stays sequential within each; in a block the
    groups (questions on one picture) come in random order, so that pictures and prefix caches are reused. The running
    score is then an honest estimate of the final one, although the file may be sorted by category.
    """
    blocks: dict[int, dict[str, list[int]]] = {}
    for position, entry in enumerate(entries):
        groups = blocks.setdefault(entry.block, {})
        groups.setdefault(entry.group or f"\0{position}", []).append(position)
    chance = Random(f"order/{seed}")
    names = list(blocks)
    chance.shuffle(names)
    for name in names:
        members = list(blocks.pop(name).values())
        chance.shuffle(members)
        for positions in members:
            for position in positions:
                yield entries[position]
