"""The parity tables of the pages are what marking the official programs' cases gives, now."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def rows() -> Any:
    """Every comparison, made once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "tools"))
        import parity

        yield parity, [parity.compare(comparison) for comparison in parity.comparisons()]
    sys.modules.pop("parity")


def test_no_case_differs_without_a_reason(rows: Any) -> None:
    """Every case is equal to 1e-9, undefined on both sides, or one of the differences that the page names."""
    for row in rows[1]:
        assert row.wrong == (), (row.comparison.metric, row.comparison.program)
        assert row.equal >= 280, (row.comparison.metric, row.comparison.program)


def test_the_tables_are_current(rows: Any) -> None:
    """Each page holds what `python tools/parity.py` would write."""
    parity, compared = rows
    blocks = parity.tables(compared)
    assert len(blocks) == 9
    for page, block in blocks.items():
        assert block in page.read_text(), f"{page.name}: run `python tools/parity.py`"
