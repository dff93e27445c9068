"""Wu-Palmer similarity of nouns: how deep in WordNet two senses part, relative to how deep they lie.

The numbers are those of NLTK's `wup_similarity`, which differs from the textbook in how it chooses the common ancestor
and how it measures the way there; each difference is marked where it happens.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from eyechart.metrics.wordnet import LONGEST, wordnet


class Lineage(NamedTuple):
    """The ancestors of a noun synset, itself among them.

    Ways are kept as heights, so that a child copies what its parent has and adds itself: from the synset to an
    ancestor it is as far as their heights differ.
    """

    order: tuple[int, ...]  # the one with the longest shortest way to the root first, ties in the order of names
    height: int  # of the synset itself
    heights: dict[int, int]  # ancestor → height, for ways as NLTK counts them
    upwards: dict[int, int]  # ancestor → height, for the shortest ways upwards; mostly the same


class Kinship(NamedTuple):
    """The closest pair of senses of two words."""

    similarity: float
    left: int
    right: int
    ancestor: int


@lru_cache(maxsize=1 << 15)
def lineage(synset: int) -> Lineage:
    """All ancestors of a synset with the ways to them, built upon those of its parents."""
    net = wordnet()
    above = [lineage(parent) for parent in net.parents[synset]]
    return _child(synset, above[0], net.min_depth) if len(above) == 1 else _knot(synset, above, net.min_depth)


def _child(synset: int, parent: Lineage, min_depth: bytes) -> Lineage:
    """The common case: everything is as it is for the only parent, and one step further."""
    height = parent.height + 1
    upwards = {**parent.upwards, synset: height}
    heights = upwards if parent.heights is parent.upwards else {**parent.heights, synset: height}
    deepest = min_depth[synset] > min_depth[parent.order[0]]
    return Lineage((synset, *parent.order) if deepest else _by_depth(upwards, min_depth), height, heights, upwards)


def _knot(synset: int, above: list[Lineage], min_depth: bytes) -> Lineage:
    """The root, or a synset of several parents: the shortest of the ways counts."""
    steps = {synset: 0}
    for parent in above:
        for ancestor, height in parent.upwards.items():
            steps[ancestor] = min(parent.height - height + 1, steps.get(ancestor, 1 << 16))
    distance = {synset: 0}
    for ancestor in list(steps)[1:]:
        # NLTK's way to an ancestor may lead over one of *its* ancestors and back down. Kept: parity.
        beyond = lineage(ancestor)
        distance[ancestor] = min(steps[over] + beyond.height - height for over, height in beyond.upwards.items())
    upwards = {ancestor: -n for ancestor, n in steps.items()}
    heights = upwards if distance == steps else {ancestor: -n for ancestor, n in distance.items()}
    return Lineage(_by_depth(upwards, min_depth), 0, heights, upwards)


def _by_depth(ancestors: Iterable[int], min_depth: bytes) -> tuple[int, ...]:
    return tuple(sorted(ancestors, key=lambda ancestor: (-min_depth[ancestor], ancestor)))


def closest(left: str, right: str) -> Kinship | None:
    """The most similar pair of noun senses of two words; None where either has no noun sense."""
    if len(left) > LONGEST or len(right) > LONGEST:
        return None
    return _closest(left, right)


@lru_cache(maxsize=1 << 16)
def _closest(left: str, right: str) -> Kinship | None:
    net = wordnet()
    lefts = [(sense, *_ways_up(sense)) for sense in net.synsets(left, "noun")]
    rights = [(sense, *_ways_up(sense)) for sense in (net.synsets(right, "noun") if lefts else ())]
    min_depth, max_depth = net.min_depth, net.max_depth
    best: tuple[float, int, int, int] | None = None
    for a, order, height_a, heights_a in lefts:
        for b, _, height_b, heights_b in rights:
            if a == b:
                value, ancestor = _with_itself(a)
            else:
                # The common ancestor is chosen by its *shortest* way to the root, yet counted with its longest; among
                # equals the left synset itself wins, so that the measure is not quite symmetric. Kept: parity.
                for candidate in order:
                    if candidate in heights_b:
                        break
                ancestor = a if a in heights_b and min_depth[a] == min_depth[candidate] else candidate
                depth = 2 * (max_depth[ancestor] + 1)
                value = depth / (depth + height_a - heights_a[ancestor] + height_b - heights_b[ancestor])
            if best is None or value > best[0]:
                best = value, a, b, ancestor
    return Kinship(*best) if best else None


def _ways_up(synset: int) -> tuple[tuple[int, ...], int, dict[int, int]]:
    """Order, height and heights of a synset. What has no children is nobody's ancestor, so its parent's will do."""
    net = wordnet()
    parents = net.parents[synset]
    if len(parents) == 1 and not net.has_children[synset]:
        parent = lineage(parents[0])
        return parent.order, parent.height + 1, parent.heights
    own = lineage(synset)
    return own.order, own.height, own.heights


def _with_itself(synset: int) -> tuple[float, int]:
    """The similarity of a synset with itself: below 1 where an ancestor has the longer way to the root (parity)."""
    net = wordnet()
    own = lineage(synset)
    ancestor = own.order[0]
    if net.min_depth[ancestor] == net.min_depth[synset]:
        return 1.0, synset
    depth = net.max_depth[ancestor] + 1
    return depth / (depth + own.height - own.heights[ancestor]), ancestor
