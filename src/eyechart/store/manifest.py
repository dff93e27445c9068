"""What a run is: written when it starts, so that it explains itself without the program that made it."""

from __future__ import annotations

from typing import Any

import msgspec

SCHEMA = "eyechart/manifest@1"


class Session(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One start of the command on this run."""

    started: str  # ISO 8601, UTC
    command: str
    eyechart: str
    settings: dict[str, Any] = {}  # pace and patience as they took effect, wherever they were said


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """run.json."""

    schema: str = SCHEMA
    run: str  # the folder's name
    benchmark: str  # "starter:count"
    benchmark_options: dict[str, str] = {}
    model: str
    model_args: dict[str, str] = {}  # without secrets
    method: str = "direct"
    control: str = ""
    style: str  # the prompt style with its version
    style_hash: str
    prompt: dict[str, Any] = {}  # the style itself: the words around every question
    media: str  # the media rule
    sampling: dict[str, Any] = {}
    seed: int = 0
    repeats: int = 1
    headline: str
    metrics: list[str] = []
    selection: str = "all"  # "all", "limit 20", "sample 100"
    questions: int = 0
    data: str  # fingerprint of ids, texts and revision
    signature: str = ""  # what was asked and how it was marked
    answered_by: str = ""  # who answered, with what
    identity: dict[str, str] = {}  # the fields that must be equal for a run to be continued
    versions: dict[str, str] = {}
    hardware: dict[str, str] = {}
    git: str = ""  # commit of the working folder, if it is a repository
    sessions: list[Session] = []
