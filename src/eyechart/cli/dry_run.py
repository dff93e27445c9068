"""`--dry-run`: one prompt as it would be sent, and the size of the job. Nothing is sent."""

from __future__ import annotations

from eyechart.marking.signature import describe_sampling
from eyechart.media.prepare import prepare
from eyechart.records import Media, Picture, Prompt
from eyechart.runner.session import signature_of
from eyechart.runner.settle import Settled


def describe(job: Settled) -> str:
    """The first question's prompt with its pictures' sizes, then how many requests there would be."""
    requests = len(job.entries) * job.spec.repeats
    lines = [
        describe_prompts(job, 1),
        f"would ask {len(job.entries):,} questions ({requests:,} requests), media {job.media}",
        f"signature: {signature_of(job)}",
    ]
    return "\n".join(lines)


def describe_prompts(job: Settled, count: int) -> str:
    """The first prompts, with their pictures' sizes."""
    lines = []
    for entry in job.entries[:count]:
        sample = job.source.fetch(entry)
        prompt = next(job.method(sample, job.style)).prompt
        pictures = [picture for media in prompt.media for picture in prepare(media, job.media)]
        lines.append(
            f"{job.benchmark.id} · question {sample.id} · style {prompt.style} · {describe_sampling(job.sampling)}"
        )
        lines += shown(prompt, pictures)
    return "\n".join(lines)


def shown(prompt: Prompt, pictures: list[Picture]) -> list[str]:
    """The conversation, part by part, pictures as a line with their size."""
    lines = []
    for turn in prompt.turns:
        lines.append(f"── {turn.role}")
        for part in turn.parts:
            if isinstance(part, Media):
                lines += [describe_picture(p) for p in pictures if p.name == part.name] or [f"[{part.kind} {part.url}]"]
            else:
                lines.append(part)
    lines.append("──")
    return lines


def describe_picture(picture: Picture) -> str:
    """`[image scene-3.png 256×256, 12 kB image/png, as it is]`."""
    changes = ", ".join(picture.changes) or "as it is"
    frame = "" if picture.frame is None else f" frame {picture.frame} at {picture.timestamp_s or 0:.2f} s"
    size = f"{picture.width}×{picture.height}, {len(picture.data) / 1000:.0f} kB {picture.mime}"
    return f"[image {picture.name}{frame} {size}, {changes}]"
