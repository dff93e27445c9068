"""Marking a file in columns is marking its questions one by one."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from eyechart.marking.matching import Predictions
from eyechart.marking.vqa_files import mark_vqa_files
from eyechart.metrics import get_metric
from eyechart.records import Sample

METRICS = (
    "vqa_accuracy",
    "vqa_accuracy_normalised",
    "vqa_accuracy_pre2021",
    "vqa_exact",
    "vqa_contains",
    "vqa_enhanced",
    "vqa_enhanced[literal=true]",
    "exact",
)
WORDS = (
    "yes",
    "Yes",
    "no",
    "two",
    "2",
    " 2 ",
    "the",
    "a",
    "",
    ".",
    "1,200",
    "t-shirt",
    "dont",
    "\u0130",
    "\u180ered",
    "red",
)

text = st.sampled_from(WORDS) | st.text(max_size=6)
row = st.tuples(
    st.lists(text, min_size=1, max_size=4) | st.lists(text, min_size=3, max_size=3),
    st.booleans(),  # distinct answer ids
    st.none() | text,  # the majority answer, if it is given
    st.none() | text,  # the prediction, if there is one
)


@settings(max_examples=150, deadline=None)
@given(st.lists(row, min_size=1, max_size=8))
def test_columns_are_single_marks(rows: list[tuple[list[str], bool, str | None, str | None]]) -> None:
    """The same values to the last bit, the same undefined scores, for any number of humans and any text."""
    annotations, samples, answers = [], [], {}
    for identity, (humans, distinct, gold, prediction) in enumerate(rows):
        records: list[dict[str, Any]] = [{"answer": human} for human in humans]
        tags = {}
        if distinct:
            for number, record in enumerate(records, 1):
                record["answer_id"] = number
        elif len(humans) > 1:
            tags["record_identity"] = "none"
        if gold is not None:
            tags["multiple_choice_answer"] = gold
        annotations.append({"question_id": identity, "answers": records, "multiple_choice_answer": gold})
        samples.append(Sample(id=str(identity), references=tuple(humans), tags=tags))
        if prediction is not None:
            answers[identity] = prediction
    metrics = [get_metric(name) for name in METRICS]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "annotations.json"
        path.write_text(json.dumps({"annotations": annotations}), encoding="utf-8")
        columns = mark_vqa_files(path, Predictions(dict(answers)), metrics)
    for metric, tally in zip(metrics, columns.tallies, strict=True):
        for place, sample in enumerate(samples):
            answered = place in answers
            score = metric.score(sample, answers[place]) if answered else metric.wrong(sample)
            found = tally.sums[place] if tally.state[place] else None
            assert score.value == found, (metric.id, sample, answers.get(place))
    assert columns.statuses.total() == len(rows)
    assert columns.statuses["missing"] == len(rows) - len(answers)
