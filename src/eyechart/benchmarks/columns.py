"""Which column of somebody's table means what, told from their names and said aloud."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from eyechart.errors import InputError, few
from eyechart.registry import unknown
from eyechart.sources.own_pictures import cell, names_of, refers
from eyechart.sources.rows import Row, gap, letter_at, text
from eyechart.sources.table import ROW_NUMBER

# What people and other tools call their columns; the first that is there counts.
NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "question_id", "index", "sample_id", "qid", "uid"),
    "question": ("question", "query", "prompt", "instruction", "text"),
    "answer": ("answer", "answers", "ground_truth", "gold", "label", "target", "reference", "references"),
    "image": ("image", "images", "image_path", "picture", "pictures", "img", "photo", "filename", "file_name", "file"),
    "video": ("video", "video_path"),
    "choices": ("choices", "options", "candidates"),
    "hint": ("hint",),
}
GROUPS = (
    "category",
    "l2-category",
    "question_type",
    "type",
    "task",
    "kind",
    "difficulty",
    "subject",
    "split",
    "source",
)


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The columns of one table; an empty name: there is none."""

    id: str
    question: str
    answer: str
    image: str = ""
    video: str = ""
    choices: str = ""
    hint: str = ""
    letters: tuple[str, ...] = ()  # options in columns A, B, C …
    groups: tuple[str, ...] = ()
    keep: Callable[[Row], bool] | None = None

    @property
    def modality(self) -> str:
        """What a model has to be able to see."""
        return "image" if self.image else "video" if self.video else "text"

    def picture_of(self, row: Row) -> str:
        """The picture or video that questions share, by its file or by the row that holds it."""
        value = cell(row, self.image or self.video)
        if isinstance(value, str) and not gap(value):
            names = names_of(value)
            if names:
                return "|".join(names)
            return value if refers(value) else text(row, self.id)
        return ""

    def told(self, kind: str) -> str:
        """How the table was read, in one line."""
        what = {"choice": "multiple choice", "number": "answers are numbers", "open": "open answers"}[kind]
        options = f"{self.letters[0]}–{self.letters[-1]}" if self.letters else self.choices
        parts = [f"id from {'the row number' if self.id == ROW_NUMBER else self.id}", f"question from {self.question}"]
        parts += [f"options from {options}"] if options else []
        parts += [f"answer from {self.answer}"]
        parts += (
            [f"{'picture' if self.image else 'video'} from {self.image or self.video}"]
            if self.modality != "text"
            else []
        )
        parts += [f"hint from {self.hint}"] if self.hint else []
        parts += [f"grouped by {', '.join(self.groups)}"] if self.groups else []
        return f"read as {what}: {', '.join(parts)}"


def recognise(
    present: Sequence[str],
    given: Mapping[str, str],
    *,
    where: str,
    groups: tuple[str, ...] = (),
    cluster: str = "",
) -> Columns:
    """The meaning of the columns: what was given, then what their names say."""
    named = [(f"columns: {role}:", column) for role, column in given.items()]
    named += [("group:", column) for column in groups] + ([("cluster:", cluster)] if cluster else [])
    for role in given:
        if role not in NAMES:
            raise unknown("role of a column", role, list(NAMES))
    for place, column in named:
        if column not in present:
            raise InputError(
                f"{where} has no column {column!r}, which `{place}` names",
                why=f"found: {few(name for name in present if name != ROW_NUMBER)}",
            )
    found = {role: given.get(role) or first_named(present, names) for role, names in NAMES.items()}
    for role in ("question", "answer"):
        if not found[role]:
            raise InputError(
                f"{where} has no column for the {role}",
                why=f"found: {few(name for name in present if name != ROW_NUMBER)}",
                fix=f"expected one of: {', '.join(NAMES[role])}; or say which in a YAML file (eyechart init)",
            )
    letters = tuple(letter for letter in map(letter_at, range(26)) if letter in present)
    if letters[:2] != ("A", "B") or found["choices"]:
        letters = ()
    image = found["image"]
    used = {*found.values(), *letters}
    return Columns(
        id=found["id"] or ROW_NUMBER,
        question=found["question"],
        answer=found["answer"],
        image=image,
        video="" if image else found["video"],
        choices=found["choices"],
        hint=found["hint"],
        letters=letters,
        groups=groups or tuple(name for name in present if name.casefold() in GROUPS and name not in used),
        # As VLMEvalKit does in its tables: where there are pictures, a row without one is no question.
        keep=(lambda row: not gap(row.get(image)))
        if image and (letters or found["id"] == "index") and where.endswith((".tsv", ".tsv.gz"))
        else None,
    )


def first_named(present: Sequence[str], names: Sequence[str]) -> str:
    """The first of these names that a column has, whatever its case."""
    by_folded = {column.casefold(): column for column in reversed(present)}
    return next((by_folded[name] for name in names if name in by_folded), "")
