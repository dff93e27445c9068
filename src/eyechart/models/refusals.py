"""What a server's refusal means: for this question, for the next try, or for the whole run."""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

import msgspec

from eyechart.errors import EyechartError, ModelError, SetupError
from eyechart.records import UNDECODABLE

# Words by which servers say, under any status, what matters more than the status.
_FILTERED = (
    "content_filter",
    "content_policy_violation",
    "responsibleaipolicyviolation",
    "data_inspection_failed",
    "moderation_blocked",
)
_NO_SUCH_MODEL = ("model_not_found", "model_not_supported", "deploymentnotfound")
_NO_CREDIT = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")


class ErrorDetails(msgspec.Struct, frozen=True):
    """What a server says of an error, from any of the shapes in which servers say it."""

    message: str = ""
    code: str = ""  # codes and types, lower case, separated by spaces
    status: int | None = None  # where the code is a number
    flagged: bool = False  # a moderation says what it minded


def error_in(body: bytes) -> ErrorDetails:
    """Read an error body; what cannot be read is quoted."""
    try:
        found = msgspec.json.decode(body)
    except UNDECODABLE:
        text = " ".join(body[:800].decode("utf-8", "replace").split())
        return ErrorDetails(message="an HTML page" if text.startswith("<") else text[:300])
    if isinstance(found, list) and found:
        found = found[0]  # Gemini's compatible endpoint wraps its errors in a list
    return details_of(found.get("error", found) if isinstance(found, dict) else found)


def details_of(inner: Any) -> ErrorDetails:
    """Read an error object."""
    if not isinstance(inner, dict):
        return ErrorDetails(message=str(inner)[:300])
    message = inner.get("message") or inner.get("detail") or inner.get("error") or inner
    codes = [inner.get("code"), inner.get("type"), inner.get("status")]
    nested = inner.get("innererror")
    if isinstance(nested, dict):
        codes.append(nested.get("code"))
    metadata = inner.get("metadata")
    return ErrorDetails(
        message=" ".join(str(message).split())[:300],
        code=" ".join(str(code).casefold() for code in codes if code),
        status=_as_status(codes),
        flagged=isinstance(metadata, dict) and bool(metadata.get("reasons") or metadata.get("flagged_input")),
    )


def _as_status(codes: list[Any]) -> int | None:
    for code in codes:
        if isinstance(code, str) and code.isdecimal():
            code = int(code)  # noqa: PLW2901 - a number in quotes is a number
        if isinstance(code, int) and 400 <= code <= 599:
            return code
    return None


def status_error(  # noqa: PLR0911 - a table
    status: int, headers: Mapping[str, str], details: ErrorDetails
) -> EyechartError:
    """The error that a status other than 200 stands for, most specific first.

    A ModelError is one question's failure; a SetupError stops the run, for no retry and no other question helps.
    """
    said = f": {details.message}" if details.message else ""
    if details.flagged or any(word in details.code for word in _FILTERED):
        return ModelError("content_filtered", f"the server's content filter refused the request{said}")
    if any(word in details.code for word in _NO_CREDIT) or status == 402:
        return SetupError(
            "the account has no credit left",
            why=f"the server says{said or f' {status}'}",
            fix="add credit, or name another key: -M key_env=NAME",
        )
    if status == 404 or any(word in details.code for word in _NO_SUCH_MODEL):
        return NoSuchModel("the server has no such model or address", why=f"it answered {status}{said}")
    if status in (401, 403, 407):
        who = "the proxy" if status == 407 else "the server"
        return SetupError(f"{who} does not accept the key", why=f"it answered {status}{said}")
    if 300 <= status < 400:
        target = headers.get("Location", "another address")
        return SetupError(
            "the server redirects to another address",
            why=f"it answered {status}; a question is not sent on to where it was not addressed",
            fix=f"give the address itself: {target}",
        )
    wait_s = retry_after_s(headers)
    if status == 408:
        return ModelError("timeout", f"the server gave up waiting (408){said}", retryable=True, retry_after_s=wait_s)
    if status == 429:
        return ModelError("rate_limited", f"too many requests (429){said}", retryable=True, retry_after_s=wait_s)
    if status >= 500:
        return ModelError("server_error", f"server error {status}{said}", retryable=True, retry_after_s=wait_s)
    return ModelError("refused_request", f"the server refused the request ({status}){said}")


class NoSuchModel(SetupError):
    """The server answered, but not to this name: the caller adds which names it has."""


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """How long the server asks us to wait: `retry-after-ms`, or `Retry-After` in seconds or as a date."""
    for name, unit in (("retry-after-ms", 1000.0), ("Retry-After", 1.0)):
        word = headers.get(name)
        if word is None:
            continue
        seconds = _as_seconds(word.strip(), unit)
        if seconds is not None:
            return max(0.0, seconds)
    return None


def _as_seconds(word: str, unit: float) -> float | None:
    try:
        seconds = float(word) / unit
    except ValueError:
        pass
    else:
        return seconds if seconds < float("inf") else None  # neither infinity nor NaN
    try:
        return parsedate_to_datetime(word).timestamp() - time.time()
    except ValueError:
        return None
