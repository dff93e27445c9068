"""MMSI-Bench: the option letter, read with the extractor that its authors publish."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from eyechart.errors import UsageError
from eyechart.metrics.base import Cell, Metric, Sums, plain_mean
from eyechart.records import Sample, Score

# The eleven categories under their published names (en dashes), in the order of our tables.
CATEGORIES = (
    "Positional Relationship (Cam.–Cam.)",
    "Positional Relationship (Obj.–Obj.)",
    "Positional Relationship (Reg.–Reg.)",
    "Positional Relationship (Cam.–Obj.)",
    "Positional Relationship (Obj.–Reg.)",
    "Positional Relationship (Cam.–Reg.)",
    "Attribute (Meas.)",
    "Attribute (Appr.)",
    "Motion (Cam.)",
    "Motion (Obj.)",
    "MSR",
)

# Each replaces the text by what it holds, if it is found: inside the first, the second is looked for, and so on.
_QUOTES = (
    (re.compile(r"``([^`]*)``"), "double backquotes"),
    (re.compile(r"`([^`]*)`"), "backquotes"),
    # Upstream looks from every brace in turn: if the first is never closed none is, and a megabyte of them took hours.
    (re.compile(r"\A[^{]*\{([^}]*)\}"), "braces"),
)
# A letter before a blank and another letter is taken for an article: "A bike", but also "A left", is no answer.
_LETTER = re.compile(r"\b[A-D]\b(?!\s[a-zA-Z])")
_LETTER_ANY_CASE = re.compile(r"\b[A-F]\b(?!\s[a-zA-Z])", re.IGNORECASE)


def published_category(name: str) -> str:
    """The category with the en dashes of the published tables; some files have hyphens."""
    return name.replace(".-", ".–")


@dataclass(frozen=True)
class Mmsi(Metric):
    """Whether the option letter that the reply names is the right one."""

    id: str
    lmms_head: bool
    upstream: str
    version: int = 1
    title: str = "MMSI-Bench: the option letter, by the authors' extractor"

    def score(self, sample: Sample, text: str) -> Score:
        gold = sample.references[0] if sample.references else ""
        letter, rule = self._read(text)
        if letter is None:
            return Score(value=0.0, rule=rule)  # the paper asks a language model here; the published programs count 0
        return Score(value=float(gold.lower().replace("\n", " ").strip() == letter.lower()), read_as=letter, rule=rule)

    def null(self, sample: Sample) -> Score:
        # The README's extractor stops at a null (TypeError); lmms-eval asks for it first and counts it wrong.
        return self.score(sample, "") if self.lmms_head else super().null(sample)

    def _read(self, text: str) -> tuple[str | None, str]:
        inside: list[str] = []
        for pattern, name in _QUOTES:
            quoted = pattern.search(text)
            if quoted:
                text = quoted[1]
                inside.append(name)
        rule = "first lone letter" + (f" in {' in '.join(reversed(inside))}" if inside else "")
        found = (_LETTER_ANY_CASE if self.lmms_head else _LETTER).search(text)
        return (found[0].upper() if found else None), rule

    def explain(self, sample: Sample, text: str) -> str:
        score = self.score(sample, text)
        gold = sample.references[0] if sample.references else ""
        if score.read_as is None:
            return f"no letter found ({score.rule}): 0"
        return f"read {score.read_as} ({score.rule}), gold {gold.strip()}: {score.value:g}"

    def cell(self, sample: Sample) -> Cell:
        return (published_category(sample.tags.get("category") or sample.tags.get("question_type", "")),)

    def aggregate(self, sums: Mapping[Cell, Sums]) -> dict[str, float]:
        means = {cell[0]: total / n for cell, (n, total, *_) in sums.items() if n and cell[0]}
        listed = [*(name for name in CATEGORIES if name in means), *(name for name in means if name not in CATEGORIES)]
        return plain_mean(sums) | {f"category={name}": means[name] for name in listed}

    def printed(self, value: float) -> str:
        return f"{value * 100:.2f}"


def mmsi(lmms_head: str = "false") -> Metric:
    """Factory of `mmsi`; with lmms_head=true the extractor of lmms-eval since version 0.7 (A to F, any case)."""
    if lmms_head not in ("true", "false"):
        raise UsageError(f"lmms_head is true or false, not {lmms_head!r}", fix="mmsi[lmms_head=true]")
    if lmms_head == "true":
        return Mmsi(
            id="mmsi[lmms_head=true]",
            lmms_head=True,
            upstream="EvolvingLMMs-Lab/lmms-eval@75571cfe lmms_eval/tasks/mmsi_bench/utils.py",
        )
    return Mmsi(id="mmsi", lmms_head=False, upstream="InternRobotics/MMSI-Bench@5de2f3d2 README.md")
