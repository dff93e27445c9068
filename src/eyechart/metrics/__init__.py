"""How an answer is marked: pure functions, no I/O.

A metric is named by its id, with options in brackets or after `@`: `vqa_enhanced[keywords=word]`, `wups@0.9`.
Every factory takes its options as keyword arguments (strings) and returns a frozen `Metric`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping

from eyechart.errors import UsageError
from eyechart.metrics.base import Metric
from eyechart.registry import Registry, unknown

METRICS = Registry(
    "metric",
    {
        "exact": "eyechart.metrics.general:exact",
        "choice": "eyechart.metrics.general:choice",
        "number": "eyechart.metrics.general:number",
    },
    group="eyechart.metrics",
    listing="eyechart ls metrics",
)

_SPEC = re.compile(r"(?P<name>[^@\[\]]+)(?:@(?P<at>[^\[\]]+))?(?:\[(?P<options>[^\]]*)\])?")


def get_metric(spec: str, options: Mapping[str, str] | None = None) -> Metric:
    """The metric that a spec such as `wups@0.9` or `mmsi[lmms_head=true]` names."""
    match = _SPEC.fullmatch(spec.strip())
    if match is None:
        raise UsageError(
            f"cannot read metric {spec!r}", why="a metric is written name, name@value or name[option=value]"
        )
    factory = METRICS.get(match["name"])
    given: dict[str, str] = {}
    for pair in (match["options"] or "").split(","):
        if pair.strip():
            key, _, value = pair.partition("=")
            given[key.strip()] = value.strip()
    given.update(options or {})
    if match["at"] is not None:
        given["at"] = match["at"]
    accepted = list(inspect.signature(factory).parameters)
    for key in given:
        if key not in accepted:
            raise unknown(f"option of metric {match['name']}", key, accepted)
    metric: Metric = factory(**given)
    return metric
