"""`--dry-run`: one prompt as it would be sent, and the size of the job. Nothing is sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from eyechart.errors import ModelError
from eyechart.marking.signature import describe_sampling
from eyechart.media.prepare import prepare
from eyechart.media.rule import MediaRule
from eyechart.records import Media, Picture, Prompt
from eyechart.runner.session import signature_of
from eyechart.runner.settle import Settled

SCHEMA = "eyechart/dry_run@1"


def describe_all(jobs: Sequence[Settled], *, as_json: bool = False) -> str:
    """One prompt for every benchmark and way of asking, whichever models it is put to, and the size of each job."""
    by_prompt: dict[str, list[Settled]] = {}
    for job in jobs:
        by_prompt.setdefault(f"{job.style.hash} {signature_of(job)}", []).append(job)
    alike = list(by_prompt.values())
    if not as_json:
        return "\n\n".join(map(describe, alike))
    document = {"schema": SCHEMA, "jobs": [as_record(jobs) for jobs in alike]}
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


def describe(jobs: Sequence[Settled]) -> str:
    """The first question's prompt with its pictures' sizes, then how many requests there would be."""
    job, models = jobs[0], [job.spec.model for job in jobs]
    requests = len(job.entries) * job.spec.repeats
    each = f" to each of {len(models)} models" if len(models) > 1 else ""
    lines = [
        describe_prompts(job, 1),
        f"would ask {len(job.entries):,} questions ({requests:,} requests){each}, media {job.media}",
        f"signature: {signature_of(job)}",
    ]
    return "\n".join(lines)


def as_record(jobs: Sequence[Settled]) -> dict[str, Any]:
    """The same for programs."""
    job = jobs[0]
    return {
        "benchmark": job.benchmark.id,
        "models": [job.spec.model for job in jobs],
        "questions": len(job.entries),
        "requests_per_model": len(job.entries) * job.spec.repeats,
        "signature": signature_of(job),
        "prompt": describe_prompts(job, 1),
    }


def describe_prompts(job: Settled, count: int) -> str:
    """The first prompts, with their pictures' sizes."""
    lines = []
    for entry in job.entries[:count]:
        missing = []
        try:
            sample = job.source.fetch(entry)
        except ModelError as error:  # its pictures cannot be had; its words can
            sample, missing = job.source.fetch(entry, media=False), [f"[not to be sent: {error.what}]"]
        prompt = next(job.method(sample, job.style)).prompt
        lines.append(
            f"{job.benchmark.id} · question {sample.id} · style {prompt.style} · {describe_sampling(job.sampling)}"
        )
        lines += [*missing, *shown(prompt, job.media)]
    return "\n".join(lines)


def shown(prompt: Prompt, rule: MediaRule) -> list[str]:
    """The conversation, part by part, pictures as a line with their size."""
    lines = []
    for turn in prompt.turns:
        lines.append(f"── {turn.role}")
        for part in turn.parts:
            lines += described(part, rule) if isinstance(part, Media) else [part]
    lines.append("──")
    return lines


def described(media: Media, rule: MediaRule) -> list[str]:
    """What is sent of a medium, or why the question would end in a failure."""
    try:
        return [describe_picture(picture) for picture in prepare(media, rule)] or [f"[{media.kind} {media.url}]"]
    except ModelError as error:
        return [f"[not to be sent: {error.what}]"]


def describe_picture(picture: Picture) -> str:
    """`[image scene-3.png 256×256, 12 kB image/png, as it is]`."""
    changes = ", ".join(picture.changes) or "as it is"
    frame = "" if picture.frame is None else f" frame {picture.frame} at {picture.timestamp_s or 0:.2f} s"
    size = f"{picture.width}×{picture.height}, {len(picture.data) / 1000:.0f} kB {picture.mime}"
    return f"[image {picture.name}{frame} {size}, {changes}]"
