"""Prompts equal those of the public programs, to the last character."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from eyechart.benchmarks import row_reader
from eyechart.prompts import Style, load_style, render, style_names
from eyechart.records import Media, Sample

CASES = [
    json.loads(line)
    for line in gzip.decompress((Path(__file__).parent / "prompts" / "mmsi_prompts.jsonl.gz").read_bytes()).splitlines()
]
CATEGORIES = {
    "attribute_appr": "Attribute (Appr.)",
    "attribute_meas": "Attribute (Meas.)",
    "motion_obj": "Motion (Obj.)",
    "motion_cam": "Motion (Cam.)",
    "msr": "MSR",
}


def mmsi_sample(question: str, category: str = "MSR") -> Sample:
    """The question as the benchmark reads it from a published row."""
    read = row_reader("mmsi")
    assert read is not None
    return read({"id": 1, "question": question, "question_type": category, "answer": "A"})


def mmsi_style(case: dict[str, Any]) -> tuple[Sample, Style]:
    """The sample of a golden case, and the style whose words it must give."""
    inputs = case["inputs"]
    if "yaml" not in inputs:  # the form alone, with made-up words: pre_prompt + question + post_prompt
        words = inputs["kwargs"]
        text = f"{words.get('pre_prompt', '')}{{question}}{words.get('post_prompt', '')}"
        if inputs["kind"] == "visual_cot" and "generation_prompt" in words:
            text = f"[GEN_PROMPT]{words['generation_prompt']}[/GEN_PROMPT][QUESTION]{text}[/QUESTION]"
        return mmsi_sample(inputs["question"]), Style(source="", about="", open=text)
    name = inputs["yaml"].removeprefix("mmsi_").removesuffix(".yaml")
    if name == "msr_bench":
        return mmsi_sample(inputs["question"]), load_style("mmsi.v1")
    style = "mmsi_visual_cot.v1" if name.endswith("_visual_cot") else "mmsi_tasks.v1"
    return mmsi_sample(inputs["question"], CATEGORIES[name.removesuffix("_visual_cot")]), load_style(style)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_mmsi_prompts_are_those_of_the_published_tasks(case: dict[str, Any]) -> None:
    """Every golden prompt, direct and in two stages."""
    sample, style = mmsi_style(case)
    assert render(sample, style).turns[0].parts == (case["outputs"]["prompt"],)


SOFA = {"A": "sofa", "B": "lamp"}


def words(style: str, sample: Sample, model: str = "") -> str:
    """The text of a prompt."""
    return "".join(part for part in render(sample, load_style(style, model)).turns[0].parts if isinstance(part, str))


def test_vsibench_is_worded_as_the_official_program_does() -> None:
    """Numbers, letters, and the override for models that are called so."""
    number = Sample(id="1", question="How many chairs?", tags={"question_type": "object_counting"})
    letter = Sample(id="2", question="Which is near?", choices=SOFA, tags={"question_type": "object_rel_distance"})
    short = "These are frames of a video.\nHow many chairs?\nPlease answer the question using a single word or phrase."
    strict = "These are frames of a video.\nHow many chairs?\nDo not response anything other than a single number!"
    choice = (
        "These are frames of a video.\nWhich is near?\nOptions:\nA. sofa\nB. lamp\n"
        "Answer with the option's letter from the given choices directly."
    )
    for style in ("vsibench.v1", "vsibench_lmms.v1"):
        assert words(style, number) == short
        assert words(style, letter) == choice
        assert words(style, number, "openai/gpt-4o") == strict
        assert words(style, number, "gemini/gemini-2.5-pro") == strict
        assert words(style, letter, "gemini/gemini-2.5-pro") == choice
    assert words("vsibench_lmms.v1", number, "NEO-OV-9B").endswith("\nAnswer briefly and directly in one float number.")
    assert load_style("vsibench.v1", "gemini/gemini-2.5-pro").name == "vsibench.v1+gemini/gemini-2.5-pro"


def test_the_json_style_asks_by_question_type_and_shows_the_frames_last() -> None:
    """The video baseline's words; unknown question types get its general form."""
    tags = {"question_type": "route_planning", "frames": "16"}
    sample = Sample(id="1", question="Where?", choices=SOFA, tags=tags, media=(Media(name="v.mp4", kind="video"),))
    parts = render(sample, load_style("vsibench_json.v1")).turns[0].parts
    text = (
        "You are viewing 16 frames from a video walkthrough of an indoor scene.\n\n"
        "Analyze the navigation route shown in the video to answer.\n\n**Question:** Where?\n\n"
        "**Answer Options:**\n  A. sofa\n  B. lamp\n\n**Instructions:**\n"
        "1. Observe the objects and spatial layout across all frames\n2. Determine the answer\n"
        "3. Respond with a JSON object containing brief reasoning and your answer\n\n**Response format:**\n"
        '{"reasoning": "<brief explanation>", "answer": "<A, B, C, or D>"}\n\nBe concise. Avoid repeating yourself.'
    )
    assert parts == (text, sample.media[0])
    number = Sample(id="2", question="How long?", tags={"question_type": "object_size_estimation", "frames": "4"})
    text = words("vsibench_json.v1", number)
    assert (
        "\n**Question:** How long?\n\n**Provide your answer in centimeters as an integer (e.g., 75).**\n\n**In" in text
    )
    assert '{"reasoning": "<brief explanation>", "answer": <integer>}' in text
    other = Sample(id="3", question="Q", tags={"question_type": "new", "frames": "4"})
    assert "\n\nAnalyze the spatial relationships shown in the video.\n\n" in words("vsibench_json.v1", other)


def test_vqa_is_asked_for_a_single_word_or_phrase() -> None:
    """lmms-eval's post prompt, and the question alone for the model that it is switched off for."""
    sample = Sample(id="1", question="Is it {question}?", references=("yes",))
    asked = "Is it {question}?\nAnswer the question using a single word or phrase."
    assert words("short.v1", sample) == words("vqav2_lmms.v1", sample) == asked
    assert words("vqav2_lmms.v1", sample, "facebook/PLM-8B") == "Is it {question}?"


def test_spatialeval_asks_for_a_sentence_first() -> None:
    """One line end or one space: both are published."""
    sentence = (
        "First, provide a concise answer in one sentence. Then, elaborate on the reasoning behind your answer "
        "in a detailed, step-by-step explanation."
    )
    sample = Sample(id="1", question="Where?", choices={"A": "North"})
    assert words("spatialeval.v1", sample) == f"Where?\n{sentence}"
    assert words("spatialeval_seed.v1", sample) == f"Where? {sentence}"
    assert words("spatialeval_completion.v1", sample) == "Where?\nAnswer:"


def test_the_mmsi_task_descriptions_own_words() -> None:
    """The one category that the description spells out, and its first stage."""
    sample = mmsi_sample("Which?", "Attribute (Appr.)")
    assert words("mmsi_seed.v1", sample) == (
        "Based on the visual content, please answer the following question about appearance attributes.\n\nWhich?\n\n"
        "Based on your visual observation, answer with the option's letter from the given choices directly. "
        "Enclose the option's letter within ``."
    )
    drawn = words("mmsi_seed_visual_cot.v1", sample)
    assert drawn.startswith(
        "[GEN_PROMPT]Create a visualization that highlights and labels the visual appearance attributes (color, shape, "
        "texture, orientation, count) in the scene. Use annotations, bounding boxes, and labels to make object "
        "features and counts clearly visible.[/GEN_PROMPT][QUESTION]"
    )


def test_multiple_choice_as_vlmevalkit_writes_it() -> None:
    """The hint first where there is one; the space before the last line end is theirs."""
    sample = Sample(id="1", question="Q?", choices=SOFA)
    end = "Options:\nA. sofa\nB. lamp\nPlease select the correct answer from the options above. \n"
    assert words("vlmevalkit.v1", sample) == f"Question: Q?\n{end}"
    hinted = Sample(id="1", question="Q?", choices=SOFA, tags={"hint": "Look.", "hint_before": "choices"})
    assert words("vlmevalkit.v1", hinted) == f"Hint: Look.\nQuestion: Q?\n{end}"
    assert words("vlmevalkit.v1", Sample(id="1", question="Q?")) == "Q?"


@pytest.mark.parametrize("name", style_names())
def test_every_style_says_where_its_words_come_from(name: str) -> None:
    """A source and one line for people; nothing is sent as a system prompt unasked."""
    style = load_style(name)
    assert style.source
    assert style.about
    assert not style.system
