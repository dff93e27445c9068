"""How an answer is marked: pure functions, no I/O.

A metric is named by its id, with options in brackets or after `@`: `vqa_enhanced[keywords=word]`, `wups@0.9`.
Every factory takes its options as keyword arguments (strings) and returns a frozen `Metric`. One option belongs to all:
`mean=TAG` averages over the groups of a tag, so that each counts alike.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from eyechart.errors import UsageError
from eyechart.metrics.base import Metric
from eyechart.registry import Registry, check_options

METRICS = Registry(
    "metric",
    {
        "vqa_accuracy": "eyechart.metrics.vqa:accuracy",
        "vqa_accuracy_normalised": "eyechart.metrics.vqa:normalised",
        "vqa_accuracy_pre2021": "eyechart.metrics.vqa:pre2021",
        "vqa_exact": "eyechart.metrics.vqa:exact",
        "vqa_contains": "eyechart.metrics.vqa_graded:contains",
        "vqa_enhanced": "eyechart.metrics.vqa_graded:enhanced",
        "accuracy": "eyechart.metrics.per_type:accuracy",
        "mpt_arithmetic": "eyechart.metrics.per_type:mpt_arithmetic",
        "mpt_harmonic": "eyechart.metrics.per_type:mpt_harmonic",
        "nmpt_arithmetic": "eyechart.metrics.per_type:nmpt_arithmetic",
        "nmpt_harmonic": "eyechart.metrics.per_type:nmpt_harmonic",
        "vsi": "eyechart.metrics.vsi:vsi",
        "vsi_binary": "eyechart.metrics.vsi:vsi_binary",
        "mra": "eyechart.metrics.relative:mra",
        "mra_strict": "eyechart.metrics.relative:mra_strict",
        "mra_inclusive": "eyechart.metrics.relative:mra_inclusive",
        "mmsi": "eyechart.metrics.mmsi:mmsi",
        "spatialeval_seed": "eyechart.metrics.spatialeval:seed",
        "spatialeval_official": "eyechart.metrics.spatialeval:official",
        "spatialeval_option": "eyechart.metrics.spatialeval:option",
        "wups": "eyechart.metrics.wups:wups",
        "bleu1": "eyechart.metrics.bleu:bleu1",
        "bleu1_corpus": "eyechart.metrics.bleu:bleu1_corpus",
        "meteor": "eyechart.metrics.meteor:meteor",
        "starter": "eyechart.metrics.starter:starter",
        "exact": "eyechart.metrics.general:exact",
        "contains": "eyechart.metrics.general:contains",
        "choice": "eyechart.metrics.general:choice",
        "number": "eyechart.metrics.general:number",
        "anls": "eyechart.metrics.general:anls",
        "f1": "eyechart.metrics.general:f1",
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
    tag = given.pop("mean", "")
    check_options(factory, f"option of metric {match['name']}", given)
    metric: Metric = factory(**given)
    if not tag:
        return metric
    from eyechart.metrics.macro import mean_over

    name, _, options_of = metric.id.rstrip("]").partition("[")
    return mean_over(metric, tag, f"{name}[{options_of + ',' if options_of else ''}mean={tag}]")
