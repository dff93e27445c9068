"""The hub: what of a dataset is in its cache on this machine, and how the rest is fetched.

Looking into the cache needs no library and no network; downloading goes through `huggingface_hub`, which resumes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path
from typing import Any

from eyechart.errors import MissingExtra, SetupError

_TRUE = ("1", "on", "yes", "true")


def offline() -> bool:
    """Whether the environment forbids the network."""
    return any(os.environ.get(name, "").casefold() in _TRUE for name in ("HF_HUB_OFFLINE", "EYECHART_OFFLINE"))


def cache_root() -> Path:
    """The hub's cache, where the environment says it is."""
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if os.environ.get(name):
            return Path(os.environ[name]).expanduser()
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.environ.get("HF_HOME") or f"{cache}/huggingface").expanduser() / "hub"


def cache_folder(repo: str) -> Path:
    """The folder in which the cache keeps a dataset."""
    return cache_root() / f"datasets--{repo.replace('/', '--')}"


def snapshot(repo: str, revision: str) -> Path | None:
    """The cached files of a dataset at a revision (a branch, a tag or a commit), if there are any."""
    folder = cache_folder(repo)
    reference = folder / "refs" / revision
    commit = reference.read_text().strip() if reference.is_file() else revision
    path = folder / "snapshots" / commit
    return path if path.is_dir() else None


def cached(repo: str, revision: str, patterns: Sequence[str]) -> list[Path]:
    """The cached files that fit the patterns, pattern by pattern; none where a pattern has no file."""
    root = snapshot(repo, revision)
    if root is None:
        return []
    names = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    found: dict[str, None] = {}
    for pattern in patterns:
        fitting = [name for name in names if fnmatch(name, pattern)]
        if not fitting or not shards_complete(fitting):
            return []
        found.update(dict.fromkeys(fitting))
    return [root / name for name in found]


def shards_complete(names: Sequence[str]) -> bool:
    """Whether all parts are there of files called `…-00000-of-00003.parquet`."""
    import re

    numbered = [match for name in names if (match := re.search(r"(.*)-(\d{5})-of-(\d{5})", name))]
    wanted = {match[1]: int(match[3]) for match in numbered}
    have: dict[str, set[str]] = {}
    for match in numbered:
        have.setdefault(match[1], set()).add(match[2])
    return all(len(have[stem]) == count for stem, count in wanted.items())


def download(repo: str, revision: str, patterns: Sequence[str]) -> None:
    """Fetch the files that fit the patterns into the hub's cache; what is there already is not fetched again."""
    if offline():
        raise SetupError(
            f"{repo} cannot be fetched: offline",
            why="HF_HUB_OFFLINE or EYECHART_OFFLINE is set",
            fix="unset it, or copy the hub's cache from another machine and set HF_HOME",
        )
    # Read when the library is first imported; it would otherwise tell the hub which programs call it.
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    try:
        import huggingface_hub
        from huggingface_hub import errors
    except ImportError as error:
        raise MissingExtra("downloading from the hub", "hub") from error
    try:
        huggingface_hub.snapshot_download(
            repo,
            repo_type="dataset",
            revision=revision,
            allow_patterns=list(patterns),
            token=token(),
            endpoint=os.environ.get("HF_ENDPOINT"),
            cache_dir=cache_root(),
        )
    except Exception as error:  # its own, those of its HTTP client, the disk's: none of them is our bug
        raise explained(error, errors, repo, revision) from error


def token() -> str | None:
    """The user's token: HF_TOKEN, `.hf_token` here, or (None) what `hf auth login` stored."""
    if os.environ.get("HF_TOKEN"):
        return one_word(os.environ["HF_TOKEN"], "HF_TOKEN")
    here = Path(".hf_token")
    return token_in(here) if here.is_file() else None


def token_in(path: Path) -> str:
    """The token that a file holds."""
    try:
        return one_word(path.read_text("ascii", errors="replace"), str(path))
    except OSError as error:
        raise SetupError(
            f"no token can be read from {path}",
            why=error.strerror or str(error),
            fix="put your hub token into it, or set HF_TOKEN",
        ) from error


def one_word(text: str, where: str) -> str:
    """A token as it is sent; what is none is refused without being shown."""
    token = text.strip()
    if not (token.isascii() and token.isprintable() and len(token.split()) == 1):
        raise SetupError(f"{where} holds no token", why="a token is one word", fix="see huggingface.co/settings/tokens")
    return token


def explained(error: Exception, errors: Any, repo: str, revision: str) -> SetupError:
    """A hub error in words that say what to do; the most particular kinds first."""
    page = f"https://huggingface.co/datasets/{repo}"
    if isinstance(error, errors.GatedRepoError):
        return SetupError(
            f"{repo} is gated",
            why="its authors ask you to accept their terms before you download",
            fix=f"accept them at {page}, then give your token: HF_TOKEN=… or a file .hf_token",
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return SetupError(f"{repo} has no revision {revision!r}", fix=f"see the branches and commits at {page}")
    if isinstance(error, errors.RepositoryNotFoundError):
        return SetupError(
            f"the hub has no dataset {repo}, or you may not see it",
            why="private data need a token of somebody who may read them",
            fix="HF_TOKEN=… or a file .hf_token",
        )
    first_line = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return SetupError(
        f"{repo} could not be fetched",
        why=first_line,
        fix="what has arrived is kept: the same command again goes on from there",
    )


def let_go(path: Path) -> None:
    """Take a damaged file out of the cache, so that it is fetched anew: what is there is never fetched again."""
    blob = path.resolve()
    try:
        path.unlink()
        blob.unlink(missing_ok=True)
    except OSError as error:
        raise SetupError(
            f"{path.name} is damaged and cannot be removed from the hub's cache",
            why=f"{blob}: {error.strerror}",
            fix="whoever may write there removes it; or use a cache of your own: HF_HOME=DIR",
        ) from error


def verify(path: Path) -> str:
    """What is wrong with a cached file, or an empty text: the cache names its blobs by their hash."""
    status = path.stat()
    return _verified(path.resolve(), status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=256)  # gigabytes, asked about before and after a download
def _verified(path: Path, size: int, _mtime_ns: int) -> str:
    expected = path.name
    digest = hashlib.sha256() if len(expected) == 64 else hashlib.sha1(usedforsecurity=False)
    if len(expected) not in (40, 64):
        return ""
    if len(expected) == 40:
        digest.update(b"blob %d\0" % size)
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return "" if digest.hexdigest() == expected else f"its hash is {digest.hexdigest()[:12]}…, not {expected[:12]}…"
