"""The reference is what the program says of itself, and pages point at things that exist."""

from __future__ import annotations

import re
import runpy
from dataclasses import fields
from pathlib import Path

import pytest

from eyechart.models.options import Options

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *ROOT.glob("docs/**/*.md")])
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


def test_the_command_reference_is_current() -> None:
    """docs/reference/commands.md is what `make docs` would write now."""
    tool = runpy.run_path(str(ROOT / "tools" / "reference.py"))
    assert (ROOT / "docs" / "reference" / "commands.md").read_text() == tool["page"](), "run `make docs`"


def test_every_argument_of_a_server_is_explained() -> None:
    """The page on models has a line for each word that `-M` takes."""
    page = (ROOT / "docs" / "guides" / "models.md").read_text()
    for option in fields(Options):
        assert re.search(rf"^\| `{option.name}[=.]", page, re.MULTILINE), option.name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link of a page names a file that is there."""
    for target in LINK.findall(page.read_text()):
        assert (page.parent / target).exists(), target
