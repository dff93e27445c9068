"""A file of answers, whatever tool wrote it: ids and texts, one set for each model that the file holds.

Read are the official `[{"question_id", "answer"}]`, JSON lines, CSV, TSV and parquet with an id and an answer column,
an object of id → answer, and the result files of two published comparisons (`results.{model}.question_results` and
`results`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from eyechart.errors import InputError, few
from eyechart.marking.official_json import read_bytes
from eyechart.sources.answer_columns import ANSWER_COLUMNS, ID_COLUMNS
from eyechart.sources.rows import Row
from eyechart.sources.table import COLUMN_ENDINGS, ending, open_table

FORM = 'write [{"question_id": …, "answer": …}], or an object of id and answer'
_LISTS = ("results", "predictions", "answers", "data", "samples", "annotations", "items", "rows")

# The columns by which a published file is known → what it records of its own marking → our metric with the same rule.
_RECORDED = {
    ("model_answer", "ground_truth"): {"is_correct": "vqa_contains", "vqa_accuracy": "vqa_enhanced"},
    ("full_response", "oracle_answer", "oracle_option"): {"is_correct": "spatialeval_seed"},
}


@dataclass(frozen=True, kw_only=True)
class AnswerSet:
    """One model's answers. Of answers to one question the last counts."""

    model: str
    answers: Mapping[str, str]
    duplicates: Sequence[str] = ()  # ids that came again, once for each further time
    rows: Sequence[Row] = ()  # as they stand in the file, where it may hold the gold answers too
    recorded: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # metric → id → what the file says


def read_answers(path: Path) -> list[AnswerSet]:
    """Every model's answers in a file; most files hold one."""
    if not path.is_file():
        raise InputError(f"no such file: {path}")
    if ending(path) in (".csv", ".tsv", *COLUMN_ENDINGS):
        not_empty(path)
        table = open_table([path])
        return [from_rows([row for _, _, row in table.scan()], path)]
    content = read_json(path)
    if isinstance(content, list):
        return [from_rows(content, path)]
    if isinstance(content, dict):
        return from_object(content, path)
    raise InputError(f"{path}: no list of answers", why=f"the file holds {_kind(content)}", fix=FORM)


def not_empty(path: Path) -> None:
    """An empty file of answers is an error of its own."""
    if path.stat().st_size == 0:
        raise InputError(f"{path}: the file is empty", why="there are no answers in it to mark")


def from_object(content: Mapping[str, Any], path: Path) -> list[AnswerSet]:
    """The answers in a JSON object: several models', one list, or id → answer."""
    results = content.get("results")
    if isinstance(results, dict) and all(isinstance(r, dict) and "question_results" in r for r in results.values()):
        return [from_rows(r["question_results"], path, model=model) for model, r in results.items()]
    for name in _LISTS:
        if isinstance(content.get(name), list):
            return [from_rows(content[name], path, model=str(content.get("model") or path.stem))]
    if not content.keys().isdisjoint(ID_COLUMNS) and not content.keys().isdisjoint(ANSWER_COLUMNS):
        return [from_rows([content], path)]  # JSON lines of a single line
    if content and all(isinstance(value, (str, int, float)) or value is None for value in content.values()):
        pairs = [{"id": key, "prediction": value} for key, value in content.items()]
        return [from_rows(pairs, path)]
    raise InputError(
        f"{path}: no answers found in this JSON object",
        why=f"its fields are {few(content, none='none')}",
        fix=FORM,
    )


def from_rows(rows: Sequence[Any], path: Path, *, model: str = "") -> AnswerSet:
    """The answers of rows that carry an id and a text."""
    if not rows:
        raise InputError(f"{path}: the file holds no answers", why="its list is empty")
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise InputError(f"{path}, entry {number}: not an object", why=f"it is {_kind(row)}")
    id_column = column(rows, ID_COLUMNS, path, "id")
    text_column = column(rows, ANSWER_COLUMNS, path, "answer")
    answers: dict[str, str] = {}
    duplicates = []
    for number, row in enumerate(rows, 1):
        identity = id_of(row, id_column, path, number)
        if identity in answers:
            duplicates.append(identity)
        text = text_of(row.get(text_column), path, number, text_column)
        if text is None:  # null is no answer, and takes back an earlier one
            answers.pop(identity, None)
        else:
            answers[identity] = text
    return AnswerSet(
        model=model or path.name.partition(".")[0],
        answers=answers,
        duplicates=duplicates,
        rows=rows if len(set(rows[0])) > 2 else (),
        recorded=recorded(rows, id_column),
    )


def column(rows: Iterable[Mapping[str, Any]], names: Sequence[str], path: Path, what: str) -> str:
    """The first of these columns that the rows have."""
    present: dict[str, None] = {}
    for row in rows:
        present.update(dict.fromkeys(row))
        break
    for name in names:
        if name in present:
            return name
    raise InputError(
        f"{path} has no column for the {what}",
        why=f"found: {few(map(str, present))}",
        fix=f"call it one of {', '.join(names)}",
    )


def id_of(row: Mapping[str, Any], name: str, path: Path, number: int) -> str:
    """A row's id as text; whole numbers that a table program wrote as 3.0 are 3 again."""
    value = row.get(name)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)) or value == "":
        raise InputError(f"{path}, entry {number}: {name} is {_kind(value)}", why="every answer needs a question's id")
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def text_of(value: Any, path: Path, number: int, name: str) -> str | None:
    """An answer as text; None where there is none."""
    if value is None or (isinstance(value, float) and value != value):  # noqa: PLR0124 - NaN marks a gap in tables
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(
            f"{path}, entry {number}: {name} is {_kind(value)}", why="an answer is a text", fix='quote it: "yes"'
        )
    return str(value)


def recorded(rows: Sequence[Mapping[str, Any]], id_column: str) -> dict[str, dict[str, float]]:
    """What the file says about its own answers, under the names of our metrics with the same rules."""
    known = next((names for columns, names in _RECORDED.items() if all(name in rows[0] for name in columns)), {})
    return {
        metric: {str(row[id_column]): float(row[name]) for row in rows if isinstance(row.get(name), (bool, int, float))}
        for name, metric in known.items()
        if name in rows[0]
    }


# ── JSON, by content and not by name ──────────────────────────────────────────


def read_json(path: Path) -> Any:
    """A JSON document, or the list of values of JSON lines; errors say file, line and column."""
    data = bytes(read_bytes(path))
    if not data.strip():
        raise InputError(f"{path}: the file is empty", why="there are no answers in it to mark")
    as_lines: Callable[[], Any] = lambda: json_lines(data, path)  # noqa: E731
    if ending(path) in (".jsonl", ".ndjson"):
        return as_lines()
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        lines = [line for line in data.splitlines() if line.strip()]
        if len(lines) > 1 and all(line.lstrip()[:1] == b"{" and line.rstrip()[-1:] == b"}" for line in lines[:3]):
            return as_lines()
        return parsed(data, path)


def json_lines(data: bytes, path: Path) -> list[Any]:
    """One JSON value a line; blank lines are passed over."""
    decoder = msgspec.json.Decoder()
    values = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            values.append(decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            values.append(parsed(line, path, line=number))
    return values


def parsed(data: bytes, path: Path, *, line: int = 1) -> Any:
    """The forgiving reader, which takes lone surrogates as the official programs do and says where it stopped."""
    import json

    try:
        return json.loads(data)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}:{line + error.lineno - 1}:{error.colno}: not valid JSON",
            why=error.msg,
            fix="is the file complete?",
        ) from error
    except UnicodeDecodeError as error:
        at = line + data.count(b"\n", 0, error.start)
        raise InputError(f"{path}:{at}: not UTF-8 text", why=error.reason, fix="save the file as UTF-8") from error
    except RecursionError as error:
        raise InputError(f"{path}: brackets are nested too deeply", why="no file of answers nests them so") from error


def _kind(value: object) -> str:
    names = {"NoneType": "null", "dict": "an object", "list": "a list", "str": "a text", "bool": "true or false"}
    return names.get(type(value).__name__, f"of type {type(value).__name__}") if value != "" else "empty"
