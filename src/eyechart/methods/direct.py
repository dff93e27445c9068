"""The plain way: one prompt, one reply."""

from __future__ import annotations

from eyechart.methods import Ask, Steps
from eyechart.prompts import Style, render
from eyechart.records import Sample


def direct(sample: Sample, style: Style) -> Steps:
    """Ask the question as the style words it."""
    yield Ask(prompt=render(sample, style))
