"""The signature under every number: what was asked and how it was marked, then who answered.

`vqav2:val|ids=214354:5c1e|data=9d24|prompt=short.v1|method=direct|media=native|gen=t0,max16|seed=0|vqa_accuracy.v1`

Two numbers may be ranked only where this first part is equal, or where the field that differs is what is compared.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping

import msgspec

from eyechart import __version__
from eyechart.errors import InputError
from eyechart.metrics.base import Metric
from eyechart.records import Sampling

UNKNOWN = "unknown"  # of answers from a file nobody knows how they were asked for

_FIELD = re.compile(r"(?P<key>[a-z_]+)=(?P<value>.*)", re.DOTALL)


def asked_and_marked(
    *,
    benchmark: str,
    ids: Iterable[str],
    data: str,
    metric: Metric,
    prompt: str = UNKNOWN,
    method: str = UNKNOWN,
    media: str = UNKNOWN,
    gen: str = UNKNOWN,
    seed: int = 0,
    further: Mapping[str, str] | None = None,
) -> str:
    """The first part. `further` holds what else makes a difference, such as control=blind."""
    fields = {
        "ids": fingerprint_ids(ids),
        "data": data[:4],
        "prompt": prompt,
        "method": method,
        "media": media,
        "gen": gen,
        "seed": str(seed),
        **(further or {}),
    }
    middle = [f"{key}={_safe(value)}" for key, value in fields.items()]
    return "|".join([_safe(benchmark), *middle, f"{_safe(metric.id)}.v{metric.version}"])


def marked_again(signature: str, ids: Iterable[str], metric: Metric) -> str:
    """The signature of the same answers under this metric, for the questions that were marked."""
    parts = [f"ids={fingerprint_ids(ids)}" if part.startswith("ids=") else part for part in signature.split("|")]
    return "|".join([*parts[:-1], f"{_safe(metric.id)}.v{metric.version}"])


def answered_by(*, model: str, identity: Mapping[str, str] | None = None) -> str:
    """The second part: the model with its weights, server and the like, and our version."""
    fields = {"model": model, **(identity or {}), "eyechart": __version__}
    return "|".join(f"{key}={_safe(value)}" for key, value in fields.items())


def fingerprint_ids(ids: Iterable[str]) -> str:
    """How many questions, and four letters that change when another question is among them."""
    ordered = sorted(ids)
    text = "\n".join([*ordered, ""])
    return f"{len(ordered)}:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:4]}"


def describe_sampling(sampling: Sampling) -> str:
    """`t0,max16`: what was asked of the model's sampler."""
    words = ["t?" if sampling.temperature is None else f"t{sampling.temperature:g}"]
    words += [f"max{sampling.max_tokens}"] if sampling.max_tokens is not None else []
    words += [f"retry{sampling.retry_max_tokens}"] if sampling.retry_max_tokens is not None else []
    words += [f"p{sampling.top_p:g}"] if sampling.top_p is not None else []
    words += [f"seed{sampling.seed}"] if sampling.seed is not None else []
    words += ["stop:" + hashlib.sha256("\0".join(sampling.stop).encode()).hexdigest()[:4]] if sampling.stop else []
    words += [f"{key}:{msgspec.json.encode(value).decode()}" for key, value in sampling.extra.items()]
    return ",".join(words)


def parse(signature: str) -> dict[str, str]:
    """Field by field; what stands without a name is the benchmark and, last, the metric."""
    parts = signature.split("|")
    if len(parts) < 2:
        raise InputError(f"not a signature: {signature!r}", why="fields are separated by |, benchmark first")
    fields = {"benchmark": parts[0]}
    for part in parts[1:]:
        match = _FIELD.fullmatch(part)
        if match:
            fields[match["key"]] = match["value"]
        else:
            fields["metric"] = part
    return fields


def differences(first: str, second: str) -> dict[str, tuple[str, str]]:
    """The fields in which two signatures differ, with both values; "" where one does not have the field."""
    a, b = parse(first), parse(second)
    names = [*a, *(name for name in b if name not in a)]
    return {name: (a.get(name, ""), b.get(name, "")) for name in names if a.get(name, "") != b.get(name, "")}


def _safe(value: str) -> str:
    return value.replace("%", "%25").replace("|", "%7C").replace("\n", "%0A")
