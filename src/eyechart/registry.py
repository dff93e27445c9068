"""Names for things that are loaded late: "module:attr" strings for our own, entry points for others'."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from eyechart.errors import SetupError, UsageError

# So few names are all shown when one is not known.
LIST_UP_TO = 12


class Registry:
    """A table of names. Listing names imports nothing; `get` imports the one thing asked for."""

    def __init__(self, noun: str, builtin: Mapping[str, str], *, group: str, listing: str) -> None:
        self.noun = noun  # "benchmark", as messages say it
        self.group = group  # the entry-point group of other packages
        self.listing = listing  # the command that lists all names
        self._builtin = dict(builtin)

    def names(self) -> list[str]:
        """All names, our own first, then those that installed packages add."""
        return [*self._builtin, *(name for name in self._plugins() if name not in self._builtin)]

    def __contains__(self, name: str) -> bool:
        return name in self._builtin or name in self._plugins()

    def get(self, name: str) -> Any:
        """The thing with this name, or an error that offers the nearest names."""
        if name in self._builtin:
            return load(self._builtin[name])
        plugins = self._plugins()
        if name in plugins:
            return load_plugin(plugins[name], self.noun)
        raise unknown(self.noun, name, self.names(), listing=self.listing)

    def _plugins(self) -> dict[str, Any]:
        # Importing importlib.metadata costs 30 ms, so built-in names never come here.
        from importlib.metadata import entry_points

        return {point.name: point for point in entry_points(group=self.group)}


def check_options(factory: Callable[..., Any], noun: str, given: Iterable[str], *, skip: int = 0) -> None:
    """Refuse options that a factory does not take, with the nearest that it does; `**options` checks them itself.

    The first `skip` parameters are not options: they are what the name itself says.
    """
    from inspect import signature

    parameters = list(signature(factory).parameters.values())[skip:]
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return
    accepted = [parameter.name for parameter in parameters]
    for name in given:
        if name not in accepted:
            raise unknown(noun, name, accepted)


def load(target: str) -> Any:
    """Import "module:attr"."""
    from importlib import import_module

    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)


def load_plugin(point: Any, noun: str) -> Any:
    """What an entry point of another package names: a function, as ours are."""
    named = f"{noun} {point.name!r}, which an installed package adds"
    try:
        found = point.load()
    except Exception as error:  # somebody else's module may fail in any way
        why = f"{point.value}: {type(error).__name__}: {error}"
        raise SetupError(f"{named}, cannot be loaded", why=why, fix="mend that package, or uninstall it") from error
    if not callable(found):
        raise SetupError(
            f"{named}, is not a function",
            why=f"{point.value} is {type(found).__name__}",
            fix=f"let the entry point name a function that returns the {noun}",
        )
    return found


def nearest(name: str, names: list[str]) -> list[str]:
    """Up to three names that somebody who typed this one may have meant."""
    from difflib import get_close_matches

    folded = {candidate.casefold().replace("_", "-"): candidate for candidate in names}
    wanted = name.casefold().replace("_", "-")
    close = [folded[match] for match in get_close_matches(wanted, list(folded), n=3, cutoff=0.6)]
    starts = [candidate for key, candidate in folded.items() if key.startswith(wanted) and candidate not in close]
    return (close + starts)[:3]


def unknown(noun: str, name: str, names: list[str], *, listing: str = "") -> UsageError:
    """The error for a name that nothing has."""
    hints = nearest(name, names)
    fix = f"did you mean {', '.join(hints)}?" if hints else ""
    if listing:
        fix = f"{fix}   all: {listing}".strip()
    known = f"known: {', '.join(names)}" if 0 < len(names) <= LIST_UP_TO else f"{len(names) or 'none'} known"
    return UsageError(f"unknown {noun} {name!r}", why=f"no {noun} has that name ({known})", fix=fix)
