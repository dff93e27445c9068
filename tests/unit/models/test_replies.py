"""Reading replies: the many ways in which servers write the same thing."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from eyechart.errors import ModelError
from eyechart.models.replies import read_reply, split_thinking


@pytest.mark.parametrize(
    ("text", "answer", "thought"),
    [
        ("plain", "plain", ""),
        ("<think>a</think>b", "b", "a"),
        ("the prompt opened it</think>\n\nb", "b", "the prompt opened it"),
        ("<think>never closed", "", "never closed"),
        ("<think>a</think>b<think>c</think>", "b", "a\nc"),
        ("<think></think>b", "b", ""),
        ("  kept as it is ", "  kept as it is ", ""),
    ],
)
def test_thinking_is_moved_out_of_the_answer(text: str, answer: str, thought: str) -> None:
    """Whole blocks, blocks whose opening stands in the prompt, and blocks cut off."""
    assert split_thinking(text) == (answer, thought)


def reply(message: dict[str, Any], finish: str = "stop", **more: Any) -> bytes:
    """A chat completion with this message."""
    return msgspec.json.encode({"choices": [{"message": message, "finish_reason": finish}], **more})


@pytest.mark.parametrize(
    ("message", "finish", "text", "reasoning"),
    [
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "stop", "ab", ""),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, "b"]}, "stop", "b", "hm"),
        ({"content": ""}, "stop", "", ""),
        ({}, "length", "", ""),
        ({"content": None, "reasoning": "too long"}, "length", "", "too long"),
        ({"content": None, "reasoning_content": "hm"}, "stop", "", "hm"),
        ({"content": "a", "refusal": ""}, "stop", "a", ""),
    ],
)
def test_a_message_is_read_in_any_shape(message: dict[str, Any], finish: str, text: str, reasoning: str) -> None:
    """Parts, empty answers, and answers that never began because thinking used up the tokens."""
    response = read_reply(reply(message, finish))
    assert (response.text, response.reasoning) == (text, reasoning)


def test_odd_usage_does_not_cost_an_answer() -> None:
    """Counts in strange types are left out; the answer stays."""
    odd = {"prompt_tokens": "many", "completion_tokens": 4.0, "completion_tokens_details": {"reasoning_tokens": 2}}
    response = read_reply(reply({"content": "a"}, usage=odd, model=None))
    usage = response.usage
    assert (usage.input_tokens, usage.output_tokens, usage.reasoning_tokens) == (None, 4, 2)


def test_a_tool_call_is_no_answer() -> None:
    """A model that calls a tool has not answered, and the message says so."""
    with pytest.raises(ModelError, match="tool call") as caught:
        read_reply(reply({"content": None, "tool_calls": [{"id": "1"}]}, "tool_calls"))
    assert caught.value.kind == "malformed_reply"
