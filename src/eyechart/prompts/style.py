"""Prompt styles as they stand in `styles/NAME.vN.yaml`: data with a source, never code."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from eyechart.errors import InputError
from eyechart.registry import nearest, unknown

PLACEHOLDERS = ("question", "choices", "image", "letter", "text")  # and tag.NAME

FOLDER = Path(__file__).parent / "styles"


class Style(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One way of wording a question. Placeholders: {question}, {choices}, {letter}, {text} and {tag.NAME}."""

    source: str  # where the words come from: a paper, or a repository and commit
    about: str  # one line for people
    open: str  # for questions without options
    choice: str = ""  # for questions with options; empty: the open form serves both
    choice_line: str = "{letter}. {text}"
    options_once: bool = False  # leave the line {choices} out where the question itself lists the options
    by_tag: dict[str, dict[str, str]] = {}  # tag → value → template, for benchmarks that word question types apart
    by_model: dict[str, dict[str, str]] = {}  # model name or pattern → fields that replace these
    system: str = ""  # sent only if a style says so, and recorded like everything else
    pictures: str = "first"  # "first": before the words; "inline": where {image} stands in the template
    max_tokens: int | None = None  # the longest reply, where the words ask for a longer one than the benchmark does
    note: str = ""  # what has to be said aloud before it is used
    name: str = ""  # "short.v1", set when loaded
    hash: str = ""  # of the file, so that a changed style is noticed even if nobody raised its version

    def __post_init__(self) -> None:
        """Refuse a placeholder with a typo: it would be sent as it stands, in the question's place."""
        templates = (self.open, self.choice, self.choice_line, *(t for by in self.by_tag.values() for t in by.values()))
        for name in re.findall(r"\{(\w+)\}", " ".join(templates)):
            meant = [] if name in PLACEHOLDERS else nearest(name, list(PLACEHOLDERS))
            if meant:  # other words in braces are the author's own: JSON that the model is to write
                raise ValueError(f"{{{name}}} is no placeholder; did you mean {{{meant[0]}}}?")


def load_style(name: str, model: str = "") -> Style:
    """The style with this name (`short.v1`, or a path to a YAML file), with what it says for this model."""
    own = name.endswith((".yaml", ".yml"))
    path = Path(name) if own else FOLDER / f"{name}.yaml"
    if not path.is_file():
        raise unknown("prompt style", name, style_names(), listing="eyechart ls prompts")
    text = path.read_bytes()
    import yaml

    try:
        style = msgspec.convert(yaml.safe_load(text), Style)
    except (yaml.YAMLError, msgspec.ValidationError) as error:
        raise InputError(f"prompt style {path} cannot be read", why=str(error).replace("\n", " ")) from error
    digest = hashlib.sha256(text).hexdigest()[:8]
    # Nobody raises the version of a file of one's own: its words are told apart by their hash.
    label = f"{path.stem}@{digest[:4]}" if own else path.stem
    changes = overrides(style.by_model, model)
    if changes:
        style = msgspec.structs.replace(style, **changes)
        label = f"{label}+{model}"
    return msgspec.structs.replace(style, name=label, hash=digest)


def overrides(by_model: Mapping[str, dict[str, str]], model: str) -> dict[str, str]:
    """The fields that a style replaces for this model: the first pattern that matches its name."""
    from fnmatch import fnmatchcase

    for pattern, changes in by_model.items():
        if model and fnmatchcase(model.casefold(), pattern.casefold()):
            return changes
    return {}


def style_names() -> list[str]:
    """All built-in styles."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))
