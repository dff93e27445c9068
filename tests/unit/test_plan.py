"""What is asked, and in which order, follows from the seed alone."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.errors import UsageError
from eyechart.records import Entry
from eyechart.runner.plan import Selection, choose, order

ENTRIES = [
    Entry(id=str(n), locator=n, group=f"picture {n // 3}", block=n // 30, stratum="ab"[n % 10 == 0]) for n in range(100)
]


@pytest.mark.parametrize(
    ("limit", "ids"),
    [("3", ["0", "1", "2"]), ("2%", ["0", "1"]), ("99-200", ["98", "99"]), ("5-5", ["4"])],
)
def test_a_limit_takes_the_first_questions(limit: str, ids: list[str]) -> None:
    """A number, a percentage or a stretch counted from one."""
    assert [e.id for e in choose(ENTRIES, Selection(limit=limit), 0)] == ids


@pytest.mark.parametrize("limit", ["0", "-3", "x", "0%", "101%", "9-3", "", "200-300"])
def test_a_limit_that_means_nothing_is_refused(limit: str) -> None:
    """Nonsense is an error with an example, except no limit at all."""
    if limit:
        with pytest.raises(UsageError, match="limit"):
            choose(ENTRIES, Selection(limit=limit), 0)
    else:
        assert choose(ENTRIES, Selection(limit=limit), 0) == ENTRIES


def test_an_unknown_question_gets_the_nearest_id() -> None:
    """Asking for a question that is not there says so."""
    with pytest.raises(UsageError, match="no question has the id '10x'"):
        choose(ENTRIES, Selection(ids=("10x",)), 0)


@given(st.integers(1, 99), st.integers())
def test_a_sample_keeps_every_type_in_proportion(count: int, seed: int) -> None:
    """Each stratum's share is exact to less than one question, and the published order is kept."""
    chosen = choose(ENTRIES, Selection(sample=count), seed)
    assert len(chosen) == count
    assert [int(e.id) for e in chosen] == sorted({int(e.id) for e in chosen})
    for name, members in Counter(e.stratum for e in ENTRIES).items():
        assert abs(sum(e.stratum == name for e in chosen) - count * members / 100) < 1


@given(st.integers())
def test_the_order_is_a_shuffle_that_keeps_groups_and_blocks_together(seed: int) -> None:
    """Every question once; questions of one picture and of one row group stay adjacent."""
    shuffled = list(order(ENTRIES, seed))
    assert sorted(shuffled, key=lambda e: int(e.id)) == ENTRIES
    for attribute in ("group", "block"):
        runs = [shuffled[0]]
        runs += [b for a, b in itertools.pairwise(shuffled) if getattr(a, attribute) != getattr(b, attribute)]
        expected = {(e.block, getattr(e, attribute)) for e in ENTRIES}
        assert len(runs) == len(expected)
    assert shuffled == list(order(ENTRIES, seed))
