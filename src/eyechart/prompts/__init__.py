"""How a question is worded: versioned styles kept as text, rendered by one pure function."""

from eyechart.prompts.render import render
from eyechart.prompts.style import Style, load_style, style_names

__all__ = ["Style", "load_style", "render", "style_names"]
