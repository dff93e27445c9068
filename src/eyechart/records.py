"""The records that flow through Eyechart, one way: Sample → Prompt → Response | Failure → Score.

All are frozen and hold plain values, so that they can be written to JSON, compared and hashed. Behaviour lives
elsewhere. A failure is a record of its own: never an answer, a zero or a NaN.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

import msgspec

FailureKind = Literal[
    "unreadable_media",
    "timeout",
    "connection",
    "rate_limited",
    "server_error",
    "refused_request",
    "content_filtered",
    "malformed_reply",
    "out_of_memory",
    "worker_died",
    "judge_failed",
    "cancelled",
]
FAILURE_KINDS: tuple[str, ...] = get_args(FailureKind)

# Failures that asking again may cure: a resumed run asks these again by itself, the others on `--retry KIND`.
CURABLE: frozenset[str] = frozenset(
    {"cancelled", "timeout", "connection", "rate_limited", "server_error", "worker_died"}
)

ReplyStatus = Literal["ok", "unreadable", "empty", "truncated", "refusal", "failed", "missing"]
REPLY_STATUSES: tuple[str, ...] = get_args(ReplyStatus)

# What decoding bytes that are not ours may raise: of text that is not UTF-8, and of brackets without end, msgspec lets
# Python's own errors through.
UNDECODABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


class Record(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What all records share: immutable, named fields, defaults left out of JSON."""


# ── what is asked ─────────────────────────────────────────────────────────────


class Media(Record, frozen=True):
    """A picture or a video that a question is about: where it is, not what it shows (that is read late)."""

    name: str  # stable and unique in its benchmark: the key of every cache, and what messages call it
    kind: Literal["image", "video"] = "image"
    path: str = ""  # a file on disk …
    url: str = ""  # … or an address that the server itself can fetch …
    data: bytes = b""  # … or the encoded bytes, where the source had them at hand


class Sample(Record, frozen=True):
    """One question, as the benchmark's authors published it."""

    id: str  # stable and unique in the benchmark; never a row number of a filtered view
    question: str = ""
    media: tuple[Media, ...] = ()
    choices: Mapping[str, str] = {}  # letter → text, in the published order
    references: tuple[str, ...] = ()  # the gold answers, in the published order
    tags: Mapping[str, str] = {}  # question type, task, category …: what results are grouped by
    cluster: str = ""  # the picture, scene or video: questions that share it are not independent

    @property
    def cluster_key(self) -> str:
        """What statistics resample: the shared picture, or the question itself where nothing is shared."""
        return self.cluster or self.id


class Entry(Record, frozen=True, gc=False):
    """What is held in memory for every question of a benchmark: enough to plan, nothing more."""

    id: str
    locator: int | str  # how the source finds the sample again
    group: str = ""  # questions of one group share a picture or video and are asked close together
    block: int = 0  # a stretch of the file that is read together (a parquet row group)
    stratum: str = ""  # question type: what a stratified sample keeps in proportion


class Index(Record, frozen=True):
    """A source's table of contents, in published order, and the fingerprint of what it holds."""

    entries: tuple[Entry, ...]
    data: str  # hash of ids, texts and revision; pictures are not decoded for it


# ── how it is put ─────────────────────────────────────────────────────────────


class Turn(Record, frozen=True):
    """One message of a conversation: text and pictures in the order in which they are sent."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[str | Media, ...]


class Prompt(Record, frozen=True):
    """What is put to a model about one sample: a conversation that ends with the user's turn."""

    sample_id: str
    style: str  # "short.v1"
    turns: tuple[Turn, ...]

    @property
    def media(self) -> tuple[Media, ...]:
        """The pictures, in the order in which the conversation shows them."""
        return tuple(part for turn in self.turns for part in turn.parts if isinstance(part, Media))

    @property
    def text(self) -> str:
        """The words alone, for people and for models that cannot see; pictures are marked by place."""
        lines = ["".join("<image>\n" if isinstance(p, Media) else p for p in turn.parts) for turn in self.turns]
        return "\n".join(lines)


class Sampling(Record, frozen=True):
    """How a model is asked to write. Nothing here is implied: what is not set is not sent."""

    temperature: float | None = 0.0
    max_tokens: int | None = None
    retry_max_tokens: int | None = None  # a reply that hit max_tokens is asked for once more under this limit
    top_p: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    extra: Mapping[str, msgspec.Raw | str | int | float | bool | None] = {}  # further body fields, as given


class Picture(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """A picture made ready to send: encoded bytes and what was done to it."""

    name: str
    data: bytes
    mime: str
    width: int
    height: int
    sha256: str
    original_width: int
    original_height: int
    changes: tuple[str, ...] = ()  # "resized", "oriented", "converted from CMYK" …; empty: passed through untouched
    frame: int | None = None  # of a video: the index of this frame …
    timestamp_s: float | None = None  # … and its time


# ── what came back ────────────────────────────────────────────────────────────


class Usage(Record, frozen=True):
    """Tokens as the server counted them; None where it did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


class Response(Record, frozen=True):
    """A reply that arrived: whether it can be read is for scoring to say."""

    text: str
    reasoning: str = ""  # thinking aloud, apart from the answer
    finish: str = ""  # "stop", "length" …, in the server's word
    usage: Usage = Usage()
    first_token_s: float | None = None
    served_by: str = ""  # model name and fingerprint as the server reports them

    @property
    def truncated(self) -> bool:
        """Whether it hit the token limit."""
        return self.finish == "length"


class Failure(Record, frozen=True):
    """A question that got no reply, with its kind and the stage at which it ended."""

    kind: FailureKind
    stage: Literal["prepare", "request", "reply", "judge"]
    message: str


Outcome: TypeAlias = Response | Failure


class Longer(Record, frozen=True):
    """The first reply hit the token limit, and the question was put once more under a larger one."""

    max_tokens: int  # the larger limit: what came of the question came under it …
    cut: Response | None = None  # … in place of this first reply, which was paid for too …
    refused: str = ""  # … unless the server refused so large a limit, in these words: then the first reply stands


class SentMedia(Record, frozen=True):
    """What the journal keeps of a picture that was sent."""

    name: str
    sha256: str
    mime: str
    width: int
    height: int
    bytes: int
    original_width: int
    original_height: int
    changes: tuple[str, ...] = ()
    frame: int | None = None
    timestamp_s: float | None = None


class Timing(Record, frozen=True):
    """Where the time of one exchange went, in seconds, and when it ended."""

    ended_at: float  # Unix time
    queued_s: float = 0.0  # until the last try was sent: made ready, waited for a slot, earlier tries
    total_s: float = 0.0  # the successful or last try, from sending to the last byte
    first_token_s: float | None = None


class Exchange(Record, frozen=True):
    """One line of the journal: what was put to a model and what came of it.

    The key, `final` and `tries` are written also where they are as usual (a default that is made anew is never left
    out), so that other programs need not know what is usual.
    """

    sample: str
    variant: str = msgspec.field(default_factory=str)  # a control or an option rotation; "": as published
    repeat: int = msgspec.field(default_factory=int)
    step: int = msgspec.field(default_factory=int)
    final: bool = msgspec.field(default_factory=lambda: True)  # this exchange ends the question
    prompt: tuple[Turn, ...] = ()  # as sent; pictures by name
    media: tuple[SentMedia, ...] = ()
    response: Response | None = None
    failure: Failure | None = None
    timing: Timing = Timing(ended_at=0.0)
    tries: int = msgspec.field(default_factory=lambda: 1)
    longer: Longer | None = None  # asked once more under a larger token limit; `tries` are those of both

    @property
    def usage(self) -> Usage:
        """What was paid for."""
        return paid(self.response, self.longer)

    @property
    def outcome(self) -> Outcome:
        """The reply or the failure: exactly one of them is there."""
        outcome = self.response or self.failure
        if outcome is None:
            raise ValueError(f"exchange of {self.sample!r} holds neither a response nor a failure")
        return outcome


def paid(response: Response | None, longer: Longer | None) -> Usage:
    """The tokens of a reply and of the one that was cut off before it."""
    usage = response.usage if response else Usage()
    if longer is None or longer.cut is None:
        return usage
    first = longer.cut.usage
    return Usage(
        input_tokens=added(first.input_tokens, usage.input_tokens),
        output_tokens=added(first.output_tokens, usage.output_tokens),
        reasoning_tokens=added(first.reasoning_tokens, usage.reasoning_tokens),
    )


def added(first: int | None, second: int | None) -> int | None:
    """Both together; None where the server counted neither."""
    return second if first is None else first + (second or 0)


# ── how it was marked ─────────────────────────────────────────────────────────


class Score(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What one metric made of one answer."""

    value: float | None  # in [0, 1] for all but a few; None: the official program has no defined score (see error)
    read_as: str | None = None  # what the metric took the answer to be; None: nothing readable
    rule: str = ""  # the rule that read it
    error: str = ""  # "gold_zero: …", "official_undefined: …"
    stats: tuple[float, ...] = ()  # further sums that the aggregate needs, where a mean is not the metric
