"""The model arguments of an OpenAI-compatible server: `-M key_env=NAME,images=url,extra.top_k=1`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields

import msgspec

from eyechart.errors import UsageError
from eyechart.registry import unknown

EXTRA = "extra."
_VARIABLE = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_KEYS = (
    *("key", "api_key", "apikey", "token", "api_token", "access_token", "auth_token", "bearer"),
    *("secret", "client_secret", "password", "authorization"),
)
_CHOICES = {
    "images": ("data", "url"),
    "max_tokens_field": ("max_tokens", "max_completion_tokens", "max_output_tokens", "none"),
    "detail": ("", "low", "high", "auto"),
}


@dataclass(frozen=True, kw_only=True)
class Options:
    """How to ask a server; everything has a default that the preset may know better."""

    base_url: str = ""
    key_env: str = ""  # the environment variable that holds the key; the key itself is never an argument
    images: str = "data"  # "data": sent along; "url": the server fetches them from where the benchmark has them
    max_tokens_field: str = ""
    stream: bool = False
    detail: str = ""
    api_version: str = ""
    extra: Mapping[str, msgspec.Raw] = field(default_factory=dict)  # further body fields, as JSON


def read_options(arguments: Mapping[str, str]) -> Options:
    """Check and convert the words after `-M`; a wrong one gets the nearest right one."""
    names = [option.name for option in fields(Options) if option.name != "extra"]
    plain: dict[str, str] = {}
    extra: dict[str, msgspec.Raw] = {}
    for name, value in arguments.items():
        refuse_key("model argument", name.removeprefix(EXTRA))
        if name.startswith(EXTRA) and len(name) > len(EXTRA):
            extra[name.removeprefix(EXTRA)] = _as_json(value)
        elif name in names:
            plain[name] = value
        else:
            raise unknown("model argument", name, [*names, f"{EXTRA}NAME"])
    if not _VARIABLE.fullmatch(plain.get("key_env", "NAME")):
        raise UsageError(
            "key_env takes the name of an environment variable",
            why="what was given can be none; in case it is the key itself, it is not repeated here",
            fix="export MY_KEY=…   and -M key_env=MY_KEY",
        )
    for name, allowed in _CHOICES.items():
        if plain.get(name, allowed[0]) not in allowed:
            words = " or ".join(choice for choice in allowed if choice)
            raise UsageError(f"model argument {name}={plain[name]!r} is not possible", fix=f"{name}= takes {words}")
    stream = _as_truth("stream", plain.pop("stream", "false"))
    return Options(**plain, stream=stream, extra=extra)


def refuse_key(noun: str, name: str) -> None:
    """Refuse a word that can only be there to carry a key: what is given in words is written down in many places."""
    if name.casefold().replace("-", "_") in _KEYS:
        raise UsageError(
            f"a key is not given as the {noun} {name!r}",
            why="arguments end up in histories, process lists and manifests",
            fix="put the key into an environment variable and say -M key_env=ITS_NAME",
        )


def _as_json(value: str) -> msgspec.Raw:
    """`1`, `true`, `{"a":1}` as they are; anything else is taken to be a string."""
    try:
        msgspec.json.decode(value)
    except msgspec.DecodeError:
        return msgspec.Raw(msgspec.json.encode(value))
    return msgspec.Raw(value.encode())


def _as_truth(name: str, word: str) -> bool:
    truth = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(word.casefold())
    if truth is None:
        raise UsageError(f"model argument {name}={word!r} is not possible", fix=f"{name}= takes true or false")
    return truth
