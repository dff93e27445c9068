"""What somebody wants run, in the words that the command line and `eyechart.run` share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from eyechart.errors import UsageError
from eyechart.models.options import refuse_key
from eyechart.records import FAILURE_KINDS, Sampling
from eyechart.registry import unknown
from eyechart.runner.plan import Selection

# Other tools' names for the same thing.
_SAMPLING_ALIASES = {"max_new_tokens": "max_tokens", "max_completion_tokens": "max_tokens", "until": "stop"}


@dataclass(frozen=True, kw_only=True)
class RunSpec:
    """One benchmark put to one model."""

    benchmark: str
    model: str
    benchmark_options: Mapping[str, str] = field(default_factory=dict)
    model_args: Mapping[str, str] = field(default_factory=dict)
    metrics: tuple[str, ...] = ()  # beside the headline; ("all",): everything the benchmark names
    style: str = ""  # empty: the benchmark's
    gen: Mapping[str, str] = field(default_factory=dict)  # temperature=…, max_tokens=…, over the benchmark's
    retry_truncated: bool = False  # where a reply hit the token limit, ask once more under a larger one
    media: Mapping[str, str] = field(default_factory=dict)  # max_side=…, frames=…, over the benchmark's
    control: str = ""
    selection: Selection = field(default_factory=Selection)
    seed: int = 0
    repeats: int = 1
    concurrency: int | None = None  # None: adapt
    timeout_s: float = 120.0
    tries: int = 6
    runs: Path = Path("runs")
    resume: str = ""  # continue this run and no other
    fresh: bool = False
    retry: frozenset[str] = frozenset()
    max_error_rate: float = 0.05
    verbose: bool = False  # every answer in run.log, not failures alone
    command: str = ""

    def settings(self) -> dict[str, Any]:
        """What may differ from start to start of one run; for the record."""
        return {
            "concurrency": self.concurrency or "auto",
            "timeout_s": self.timeout_s,
            "tries": self.tries,
            "retry": sorted(self.retry),
            "max_error_rate": self.max_error_rate,
        }

    def __post_init__(self) -> None:
        for kind in self.retry:
            if kind not in FAILURE_KINDS:
                raise unknown("failure kind", kind, list(FAILURE_KINDS))
        if self.resume and self.fresh:
            raise UsageError("--resume and --fresh exclude each other")
        if self.retry_truncated and self.model_args.get("max_tokens_field") == "none":
            raise UsageError(
                "--retry-truncated has no limit to raise",
                why="max_tokens_field=none: the server is told of none",
                fix="leave out one of the two",
            )
        if self.repeats < 1:
            raise UsageError(f"--repeats takes a number of at least 1, not {self.repeats}")
        if self.concurrency is not None and self.concurrency < 1:
            raise UsageError(f"-j takes auto or a number of at least 1, not {self.concurrency}")
        if not 0 < self.timeout_s < math.inf:
            raise UsageError(f"--timeout takes a number of seconds above 0, not {self.timeout_s:g}")
        if self.tries < 1:
            raise UsageError(f"--retries takes a number of at least 0, not {self.tries - 1}")


def sampling_from(default: Sampling, given: Mapping[str, str]) -> Sampling:
    """The benchmark's sampling with what was given on top; names that we do not know are sent as they are."""
    fields: dict[str, object] = {}
    extra = dict(default.extra)
    for asked, text in given.items():
        name = _SAMPLING_ALIASES.get(asked, asked)
        match name:
            case "temperature" | "top_p":
                fields[name] = None if text in ("", "none") else number(name, text, float)
            case "max_tokens" | "seed":
                fields[name] = None if text in ("", "none") else number(name, text, int)
            case "stop":
                fields[name] = tuple(text.split("|"))
            case "do_sample":
                if text.casefold() in ("false", "0", "no"):
                    fields["temperature"] = 0.0
            case _:
                refuse_key("sampling option", name)
                extra[name] = json_value(text)
    return msgspec.structs.replace(default, **fields, extra=extra)


def number(name: str, text: str, kind: type[int] | type[float], *, fix: str = "") -> float:
    """A number that somebody typed."""
    try:
        value = kind(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):  # infinity and NaN are no JSON, so no server could be told
        raise UsageError(f"{name} takes a number, not {text!r}", fix=fix or f"--gen {name}=1")
    return value


def json_value(text: str) -> str | int | float | bool | None:
    """JSON where it is a plain value, else the text itself: nothing is guessed (`0012345` stays text)."""
    try:
        value = msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text
    return value if isinstance(value, (str, int, float, bool)) or value is None else text
