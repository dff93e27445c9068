"""From a sample and a style to the prompt as it is sent. Pure: the same input, the same words."""

from __future__ import annotations

import re

from eyechart.errors import InputError
from eyechart.prompts.style import Style
from eyechart.records import Media, Prompt, Sample, Turn

# Only placeholders that we know are replaced, in one pass, so that braces in questions and answers stay what they are.
_PLACEHOLDER = re.compile(r"\{(question|choices|image|tag\.[\w.-]+)\}")


def render(sample: Sample, style: Style) -> Prompt:
    """Word one sample in one style."""
    words = fill(template(sample, style), sample, style)
    parts: list[str | Media] = inline(words, sample) if style.pictures == "inline" else [*sample.media, words]
    turns: tuple[Turn, ...] = (Turn(role="user", parts=tuple(parts)),)
    if style.system:
        turns = (Turn(role="system", parts=(style.system,)), *turns)
    return Prompt(sample_id=sample.id, style=style.name, turns=turns)


def template(sample: Sample, style: Style) -> str:
    """The wording that fits this sample: by its tags, then by whether it has options."""
    for tag, by_value in style.by_tag.items():
        found = by_value.get(sample.tags.get(tag, ""))
        if found is not None:
            return found
    if not (sample.choices and style.choice):
        return style.open
    return re.sub(r"\n?{choices}", "", style.choice) if style.options_once and told(sample) else style.choice


def told(sample: Sample) -> bool:
    """Whether the question itself lists all options by letter, as MMSI-Bench and SpatialEval publish theirs."""
    return all(
        re.search(rf"\b{re.escape(letter)}\s?[.:)]\s+{re.escape(choice)}", sample.question)
        for letter, choice in sample.choices.items()
    )


def fill(text: str, sample: Sample, style: Style) -> str:
    """Replace the placeholders of a template by what the sample says."""

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name == "question":
            return sample.question
        if name == "image":
            return match[0]
        if name == "choices":
            lines = (
                style.choice_line.replace("{letter}", letter).replace("{text}", choice)
                for letter, choice in sample.choices.items()
            )
            return "\n".join(lines)
        tag = name.removeprefix("tag.")
        if tag not in sample.tags:
            raise InputError(
                f"prompt style {style.name} asks for the tag {tag!r}, which sample {sample.id} does not have",
                fix=f"its tags are: {', '.join(sample.tags) or 'none'}",
            )
        return sample.tags[tag]

    return _PLACEHOLDER.sub(value, text)


def inline(words: str, sample: Sample) -> list[str | Media]:
    """Put the pictures where {image} stands; pictures that are left over go first, so none is lost."""
    pieces = words.split("{image}")
    placed = list(sample.media[: len(pieces) - 1])
    parts: list[str | Media] = list(sample.media[len(pieces) - 1 :])
    for position, piece in enumerate(pieces):
        if piece:
            parts.append(piece)
        if position < len(placed):
            parts.append(placed[position])
    return parts
