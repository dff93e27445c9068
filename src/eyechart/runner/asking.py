"""How one question is put: fetched, worded, its pictures made ready, and what is written down of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from eyechart.media.cache import PictureCache
from eyechart.media.rule import MediaRule
from eyechart.methods import Ask, Method, Steps
from eyechart.models import Model, Request
from eyechart.prompts import Style
from eyechart.records import (
    Entry,
    Exchange,
    Failure,
    Longer,
    Media,
    Outcome,
    Picture,
    Prompt,
    Record,
    Response,
    Sample,
    Sampling,
    SentMedia,
    Timing,
    Turn,
)


class Job(Record, frozen=True):
    """One question to ask once; `replies` are the steps that an earlier start has paid for."""

    entry: Entry
    repeat: int = 0
    replies: tuple[Response, ...] = ()


@dataclass
class Prepared:
    """A question whose next step is ready to send."""

    sample: Sample
    steps: Steps
    ask: Ask
    pictures: tuple[Picture, ...]
    replies: tuple[Response, ...]

    @property
    def held_bytes(self) -> int:
        """The memory that its pictures keep."""
        return sum(len(picture.data) for picture in self.pictures)


@dataclass(frozen=True, kw_only=True)
class Asking:
    """How every question of a run is put. `prepare` and `advance` are called in threads."""

    fetch: Callable[[Entry], Sample]  # with its pictures, and with the control applied
    model: Model
    method: Method
    style: Style
    sampling: Sampling
    media: MediaRule
    variant: str = ""
    pictures: PictureCache = field(default_factory=PictureCache)

    def prepare(self, job: Job) -> Prepared | None:
        """The first step that has not been answered yet; None where an earlier start answered them all."""
        sample = self.fetch(job.entry)
        steps = self.method(sample, self.style)
        prepared: Prepared | None = self._ready(sample, steps, next(steps), ())
        for reply in job.replies:  # the method is told, the model is not asked again
            prepared = prepared and self.advance(prepared, reply)
        return prepared

    def advance(self, prepared: Prepared, reply: Response) -> Prepared | None:
        """The step after this reply; None when the method is done."""
        try:
            ask = prepared.steps.send(reply)
        except StopIteration:
            return None
        return self._ready(prepared.sample, prepared.steps, ask, (*prepared.replies, reply))

    def _ready(self, sample: Sample, steps: Steps, ask: Ask, replies: tuple[Response, ...]) -> Prepared:
        pictures: list[Picture] = []
        if self.model.looks:
            for media in ask.prompt.media:
                pictures += self.pictures.prepare(media, self.media)
        return Prepared(sample, steps, ask, tuple(pictures), replies)

    def request(self, job: Job, prepared: Prepared) -> Request:
        """What the model is handed."""
        return Request(
            prompt=prepared.ask.prompt, pictures=prepared.pictures, sampling=self.sampling, repeat=job.repeat
        )

    def unprepared(self, job: Job, failure: Failure) -> Exchange:
        """The journal's line for a question that could not even be put."""
        return Exchange(
            sample=job.entry.id,
            variant=self.variant,
            repeat=job.repeat,
            step=len(job.replies),
            failure=failure,
            timing=Timing(ended_at=round(time.time(), 3)),
        )

    def exchange(
        self,
        job: Job,
        prepared: Prepared,
        outcome: Outcome,
        timing: Timing,
        *,
        tries: int,
        longer: Longer | None = None,
    ) -> Exchange:
        """The journal's line for one step."""
        failure = outcome if isinstance(outcome, Failure) else None
        return Exchange(
            sample=job.entry.id,
            variant=self.variant,
            repeat=job.repeat,
            step=len(prepared.replies),
            final=prepared.ask.final or failure is not None,
            prompt=as_sent(prepared.ask.prompt),
            media=tuple(map(sent, prepared.pictures)),
            response=outcome if isinstance(outcome, Response) else None,
            failure=failure,
            timing=timing,
            tries=tries,
            longer=longer,
        )


def as_sent(prompt: Prompt) -> tuple[Turn, ...]:
    """The conversation for the journal: pictures by name, without their bytes."""

    def light(part: str | Media) -> str | Media:
        return Media(name=part.name, kind=part.kind, path=part.path, url=part.url) if isinstance(part, Media) else part

    return tuple(Turn(role=turn.role, parts=tuple(map(light, turn.parts))) for turn in prompt.turns)


def sent(picture: Picture) -> SentMedia:
    """What the journal keeps of a picture."""
    return SentMedia(
        name=picture.name,
        sha256=picture.sha256,
        mime=picture.mime,
        width=picture.width,
        height=picture.height,
        bytes=len(picture.data),
        original_width=picture.original_width,
        original_height=picture.original_height,
        changes=picture.changes,
        frame=picture.frame,
        timestamp_s=picture.timestamp_s,
    )
