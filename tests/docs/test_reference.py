"""The reference is what the program says of itself, and pages point at things that exist."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


def test_the_command_reference_is_current() -> None:
    """docs/reference/commands.md is what `make docs` would write now."""
    tool = runpy.run_path(str(ROOT / "tools" / "reference.py"))
    assert (ROOT / "docs" / "reference" / "commands.md").read_text() == tool["page"](), "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link of a page names a file that is there."""
    for target in LINK.findall(page.read_text()):
        assert (page.parent / target).exists(), target
