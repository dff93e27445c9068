"""The cases in tests/parity: which question each one asks, and what the official program wrote about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from eyechart.metrics.answer_key import parse_answer_key
from eyechart.records import Sample

Case: TypeAlias = dict[str, Any]
Value: TypeAlias = "float | None"  # None: the program stops, or we say that there is no score
Asked: TypeAlias = tuple[Sample, "str | None"]
Questions: TypeAlias = Callable[[Case], list[Asked]]  # one question, or those of a whole data set


class Official(NamedTuple):
    """What the program wrote for one case."""

    value: Value


Read: TypeAlias = Callable[[Case, str], "Official | None"]  # None: the program was not asked about this case


# ── questions ─────────────────────────────────────────────────────────────────


def vqa(case: Case) -> list[Asked]:
    """An annotation with all its humans."""
    annotation = case["inputs"]["annotation"]
    kinds = [f"{human.get('answer_id')}/{human.get('answer_confidence')}" for human in annotation["answers"]]
    references = tuple(human["answer"] for human in annotation["answers"])
    return [(Sample(id="q", references=references, tags={"record_identity": ",".join(kinds)}), given(case))]


def given(case: Case) -> str | None:
    """The reply of a case that has one."""
    text: str | None = case["inputs"]["prediction"]
    return text


def one_gold(case: Case) -> list[Asked]:
    """A question with one gold answer."""
    return [(Sample(id="q", references=(case["inputs"]["ground_truth"],)), given(case))]


def vsi(case: Case) -> list[Asked]:
    """VSI-Bench's rows."""
    return [
        (Sample(id="q", references=(row["ground_truth"],), tags={"question_type": row["question_type"]}), text)
        for row in case["inputs"].get("items", [case["inputs"]])
        for text in [row["prediction"]]
    ]


def mmsi(case: Case) -> list[Asked]:
    """MMSI-Bench's rows."""
    return [
        (Sample(id="q", references=(row["answer"],), tags={"question_type": row.get("question_type", "")}), text)
        for row in case["inputs"].get("items", [case["inputs"]])
        for text in [row["prediction"]]
    ]


def spatial(case: Case) -> list[Asked]:
    """SpatialEval's rows, with the model's name."""
    inputs, asked = case["inputs"], []
    for row in inputs.get("records") or [inputs["record"]]:
        tags = {"sample_id": row["id"], "oracle_option": row["oracle_option"]}
        tags |= {"model": inputs["model_name"]} if inputs["model_name"] else {}
        asked.append((Sample(id=row["id"], references=(row["oracle_answer"],), tags=tags), row["answer"]))
    return asked


def pair(case: Case) -> list[Asked]:
    """Two answers to compare."""
    return [(Sample(id="q", references=(case["inputs"]["gt"],)), case["inputs"]["pred"])]


def sentences(case: Case) -> list[Asked]:
    """Sentences with their references."""
    rows = case["inputs"].get("items", [case["inputs"]])
    return [(Sample(id="q", references=tuple(row["references"])), row["hypothesis"]) for row in rows]


def tdiuc(case: Case) -> list[Asked]:
    """TDIUC's annotations, answers as written."""
    return keyed(case, gold=lambda answer: answer, predicted=lambda answer: answer)


def tdiuc_with_key(case: Case) -> list[Asked]:
    """TDIUC's annotations, answers as the key's numbers."""
    key = parse_answer_key(case["inputs"]["answerkey_csv"], "key.csv")
    return keyed(case, gold=key.gold, predicted=key.predicted)


def keyed(case: Case, *, gold: Callable[[str], str], predicted: Callable[[str], str | None]) -> list[Asked]:
    """Gold answers and replies, each through its function."""
    answers = {row["question_id"]: row["answer"] for row in case["inputs"]["predictions"]}
    asked: list[Asked] = []
    for row in case["inputs"]["annotations"]:
        references = (gold(row["answers"][0]["answer"]),)
        sample = Sample(id="q", references=references, tags={"question_type": row["question_type"]})
        answer = answers.get(row["question_id"])
        asked.append((sample, None if answer is None else predicted(answer)))
    return asked


# ── what the programs wrote ───────────────────────────────────────────────────


def field(name: str, scale: float = 1.0) -> Read:
    """A field of the program's output, divided; where the program stopped, no value."""

    def official(case: Case, program: str) -> Official | None:
        written = case["outputs"].get(program)
        if written is None:
            return None
        if isinstance(written, (int, float)):
            return Official(float(written))
        if "error" in written:
            return Official(None)
        return Official(float(written[name] or 0.0) / scale)

    return official


def aligned(name: str) -> Read:
    """TDIUC's script where it takes the key and finds an answer to every question."""
    read = field(name, 100)

    def official(case: Case, program: str) -> Official | None:
        if {"empty", "missing_pred"} & set(case["tags"]) or "error" in case["outputs"][program]:
            return None
        return read(case, program)

    return official


def numbers_only(read: Read) -> Read:
    """The cases whose question asks for a number."""
    return lambda case, program: read(case, program) if "exact_strict" in case["outputs"] else None


def gold_is_zero(case: Case) -> bool:
    """Relative error would divide by it."""
    return float(case["inputs"]["ground_truth"]) == 0


def gold_is_not_positive(case: Case) -> bool:
    """Where the size of the gold answer differs from it, or is 0."""
    return float(case["inputs"]["ground_truth"]) <= 0


def level_is_missing(case: Case) -> bool:
    """The official program stops at a data set that has questions."""
    return "error" in case["outputs"]["official"] and bool(case["inputs"]["items"])
