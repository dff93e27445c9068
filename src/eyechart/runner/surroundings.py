"""Where a run takes place: versions, machine, the state of the working folder, room for connections. No secrets."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from contextlib import suppress

from eyechart import __version__

_PACKAGES = ("aiohttp", "av", "msgspec", "numpy", "pillow", "pyarrow", "torch", "transformers")
MOST_FILES = 10_240  # more than macOS gives to one process
OTHER_FILES = 48  # what is open beside connections: libraries, the journal, pictures that are read
_SECRETS = ("key", "token", "secret", "password", "authorization")


def versions() -> dict[str, str]:
    """Our version, Python's, and those of the libraries that can change a result."""
    from importlib.metadata import PackageNotFoundError, version

    found = {"eyechart": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def hardware() -> dict[str, str]:
    """The machine, in a few words."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "system": platform.platform(),
        "processor": platform.machine(),
        "cores": str(os.cpu_count() or 0),
        "memory": f"{memory:.0f} GiB",
    }


def room_for_connections() -> int:
    """How many connections this process may hold at once; its own limit is raised first, as far as that is allowed.

    A connection that finds no room would cost a question, for a reason that has nothing to do with the model.
    """
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
    if soft == resource.RLIM_INFINITY:
        return MOST_FILES
    if soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
    return max(1, soft - OTHER_FILES)


def git_state() -> str:
    """The commit of the current folder, with a `+` where files have changed; empty outside a repository."""
    try:
        commit = _git("rev-parse", "--short=12", "HEAD")
        return commit + ("+" if commit and _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _git(*words: str) -> str:
    command = ["git", *words]  # fixed words, never data
    result = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)  # noqa: S603
    return result.stdout.strip() if result.returncode == 0 else ""


def is_secret(name: str) -> bool:
    """Whether a flag or argument of this name may carry a secret. A name such as key_env only names a variable."""
    name = name.casefold().replace("-", "_")
    return any(word in name for word in _SECRETS) and not name.endswith(("_env", "_tokens", "tokens_field"))


def without_secrets(words: Sequence[str]) -> str:
    """A command line for the record: values of `key=…` and the like, alone or inside lists, are left out."""
    shown, hide_next = [], False
    for word in words:
        if hide_next:
            shown.append("…")
            hide_next = False
            continue
        flag = word.startswith("-") and "=" not in word
        hide_next = flag and is_secret(word.lstrip("-"))
        parts = [part if not _carries_secret(part) else part.partition("=")[0] + "=…" for part in word.split(",")]
        shown.append(",".join(parts))
    return " ".join(shown)


def _carries_secret(part: str) -> bool:
    name, equals, _ = part.partition("=")
    return bool(equals) and is_secret(name)
