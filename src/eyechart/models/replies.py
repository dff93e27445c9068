"""From the bytes of a reply to a Response: answer, reasoning and usage, whichever way a server writes them."""

from __future__ import annotations

import re
from typing import Any, NoReturn

import msgspec

from eyechart.errors import ModelError
from eyechart.models.refusals import details_of, status_error
from eyechart.records import UNDECODABLE, Response, Usage


class _Message(msgspec.Struct):
    content: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    refusal: Any = None
    tool_calls: Any = None


class _Choice(msgspec.Struct):
    message: _Message | None = None
    finish_reason: Any = None
    error: Any = None


class _Reply(msgspec.Struct):
    choices: list[_Choice] | None = None
    model: Any = None
    system_fingerprint: Any = None
    usage: Any = None
    error: Any = None


_decode_reply = msgspec.json.Decoder(_Reply).decode
_THINK = re.compile(r"<think>(.*?)(?:</think>|\Z)", re.DOTALL)


def read_reply(data: bytes) -> Response:
    """The Response that a whole reply holds, or ModelError where there is none to be had."""
    try:
        reply = _decode_reply(data)
    except UNDECODABLE as error:
        raise malformed(data, error) from error
    if reply.error is not None:
        raise_reported(reply.error)
    if not reply.choices:
        raise ModelError("malformed_reply", f"the reply has no choices: {shorten(data)}")
    choice = reply.choices[0]
    if choice.error is not None:
        raise_reported(choice.error)
    if choice.message is None:
        raise ModelError("malformed_reply", f"the reply's choice has no message: {shorten(data)}")
    message = choice.message
    return build_response(
        content=text_of(message.content),
        reasoning=text_of(message.reasoning_content) or text_of(message.reasoning) or reasoning_parts(message.content),
        refusal=text_of(message.refusal),
        finish=choice.finish_reason if isinstance(choice.finish_reason, str) else "",
        called_tool=bool(message.tool_calls),
        usage=read_usage(reply.usage),
        served_by=served_by(reply.model, reply.system_fingerprint),
    )


def build_response(
    *,
    content: str | None,
    reasoning: str | None,
    refusal: str | None,
    finish: str,
    called_tool: bool,
    usage: Usage,
    served_by: str,
    first_token_s: float | None = None,
) -> Response:
    """One Response from the pieces of a reply, streamed or whole; the rules for missing pieces live here alone."""
    if finish.startswith("content_filter"):
        raise ModelError("content_filtered", f"the server withheld the answer (finish reason {finish!r})")
    reasoning = reasoning or ""
    if refusal and not content:
        content, finish = refusal, "refusal"
    if content is None:
        # Out of tokens while thinking, or done after thinking: an empty answer, for scoring to name.
        if not reasoning and finish != "length":
            reason = "a tool call in place of an answer" if called_tool else "a message without content"
            raise ModelError("malformed_reply", f"the reply holds {reason}")
        content = ""
    if "think>" in content:
        content, thought = split_thinking(content)
        reasoning = "\n".join(filter(None, (reasoning, thought)))
    return Response(
        text=content,
        reasoning=reasoning,
        finish=finish,
        usage=usage,
        first_token_s=first_token_s,
        served_by=served_by,
    )


def split_thinking(text: str) -> tuple[str, str]:
    """The answer, and the `<think>` blocks that stood in it.

    Some chat templates put the opening tag into the prompt, so that the reply starts inside the block; and a reply
    cut off while thinking never closes it.
    """
    thoughts = []
    opening, closing = text.find("<think>"), text.find("</think>")
    if closing >= 0 and (opening < 0 or closing < opening):
        thoughts.append(text[:closing])
        text = text[closing + len("</think>") :]
    thoughts += _THINK.findall(text)
    if not thoughts:
        return text, ""
    return _THINK.sub("", text).strip(), "\n".join(thought.strip() for thought in thoughts).strip()


def text_of(content: Any) -> str | None:
    """A text field that may be a string, a list of parts, or missing."""
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part if isinstance(part, str) else _part_text(part) for part in content]
        return "".join(parts)
    raise ModelError("malformed_reply", f"the reply's content is neither text nor parts: {str(content)[:200]}")


def _part_text(part: Any) -> str:
    if not isinstance(part, dict) or part.get("type", "text") not in ("text", "output_text"):
        return ""
    text = part.get("text")
    return text if isinstance(text, str) else ""


def reasoning_parts(content: Any) -> str:
    """The thinking that some servers put among the parts of the content."""
    if not isinstance(content, list):
        return ""
    thoughts = []
    for part in content:
        if isinstance(part, dict) and part.get("type") in ("thinking", "reasoning"):
            thought = part.get("thinking") or part.get("reasoning") or part.get("text")
            thoughts.append(text_of(thought) or "")
    return "\n".join(filter(None, thoughts))


def read_usage(usage: Any) -> Usage:
    """Token counts, where the server gives numbers."""
    if not isinstance(usage, dict):
        return Usage()
    details = usage.get("completion_tokens_details")
    reasoning = details.get("reasoning_tokens") if isinstance(details, dict) else usage.get("reasoning_tokens")
    return Usage(
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
        reasoning_tokens=_count(reasoning),
    )


def _count(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def served_by(model: Any, fingerprint: Any) -> str:
    """What the server calls itself: model, and fingerprint where it has one."""
    return " ".join(word for word in (model, fingerprint) if isinstance(word, str) and word)


def raise_reported(error: Any) -> NoReturn:
    """Raise what an error object inside a reply of status 200 says; routers report their upstream's failures so."""
    details = details_of(error)
    raise status_error(details.status or 502, {}, details)


def malformed(data: bytes, error: Exception) -> ModelError:
    """The failure for a reply that is not the JSON it should be."""
    start = data[:200].lstrip().lower()
    if start.startswith((b"<!doctype", b"<html", b"<?xml", b"<")):
        title = re.search(rb"<title[^>]*>(.*?)</title>", data[:4000], re.DOTALL | re.IGNORECASE)
        named = f", titled {shorten(title[1])!r}" if title else ""
        return ModelError(
            "malformed_reply", f"the server sent an HTML page in place of JSON{named}: is the address right?"
        )
    if not data.strip():
        return ModelError("malformed_reply", "the server sent an empty reply")
    return ModelError("malformed_reply", f"the reply is not a chat completion ({error}): {shorten(data)}")


def shorten(data: bytes, length: int = 200) -> str:
    """The beginning of a reply, on one line, for a message."""
    text = " ".join(data[: 4 * length].decode("utf-8", "replace").split())
    return text if len(text) <= length else f"{text[:length]}…"
