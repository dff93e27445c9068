"""The headline of the bundled benchmark marks each question by the rule of its kind."""

import pytest

from eyechart.benchmarks import get_benchmark
from eyechart.metrics import get_metric
from eyechart.records import Sample

STARTER = get_metric("starter")
TEN = ("2", "2", "2", "2", "2", "2", "2", "3", "3", "two")


@pytest.mark.parametrize(
    ("reply", "value"), [("2", 1.0), ("two", 1.0), ("Two.", 1.0), ("3", 0.6), ("4", 0.0), ("", 0.0)]
)
def test_ten_annotators_are_marked_as_vqa_accuracy_marks_them(reply, value):
    """The very scores of vqa_accuracy, partial credit and number words included."""
    sample = Sample(id="1", references=TEN, tags={"answer_type": "number"})
    assert STARTER.score(sample, reply) == get_metric("vqa_accuracy").score(sample, reply)
    assert STARTER.score(sample, reply).value == pytest.approx(value)


@pytest.mark.parametrize(("reply", "value"), [("40", 1.0), ("36", 0.9), ("20", 0.1), ("about 40", 0.0), ("no", 0.0)])
def test_estimates_earn_more_the_nearer_they_are(reply, value):
    """The very scores of mra."""
    tags = {"answer_type": "estimate", "question_type": "object_abs_distance", "unit": "cm"}
    sample = Sample(id="1", references=("40",), tags=tags)
    assert STARTER.score(sample, reply) == get_metric("mra").score(sample, reply)
    assert STARTER.score(sample, reply).value == pytest.approx(value)


@pytest.mark.parametrize(("reply", "value"), [("B", 1.0), ("(B)", 1.0), ("A", 0.0), ("", 0.0)])
def test_options_are_marked_by_their_letter(reply, value):
    """The very scores of choice."""
    choices = {"A": "the red star", "B": "the blue moon"}
    sample = Sample(id="1", choices=choices, references=("B",), tags={"answer_type": "choice"})
    assert STARTER.score(sample, reply) == get_metric("choice").score(sample, reply)
    assert STARTER.score(sample, reply).value == value


def test_the_truth_earns_full_marks_on_every_question():
    """Whatever the annotators wrote, the answer known by construction is worth 1."""
    source = get_benchmark("starter", {"n": "480", "seed": "3"}).source
    for entry in source.index().entries:
        sample = source.fetch(entry, media=False)
        truth = sample.tags.get("multiple_choice_answer") or sample.references[0]
        assert STARTER.score(sample, truth).value == 1.0, sample
        assert STARTER.wrong(sample).value == 0.0


def test_the_explanation_names_the_rule():
    """A person is told which of the three metrics was at work."""
    sample = Sample(id="1", references=("40",), tags={"answer_type": "estimate"})
    assert STARTER.explain(sample, "38").startswith("mra: ")
