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
        point = self._plugins().get(name)
        if point is not None:
            return self._load_plugin(point)
        raise unknown(self.noun, name, self.names(), listing=self.listing)

    def _plugins(self) -> dict[str, Any]:
        # Importing importlib.metadata costs 30 ms, so built-in names never come here.
        from importlib.metadata import entry_points

        return {point.name: point for point in entry_points(group=self.group)}

    def _load_plugin(self, point: Any) -> Any:
        try:
            return point.load()
        except (ImportError, AttributeError, SyntaxError) as error:
            package = point.dist.name if point.dist else point.module
            raise SetupError(
                f"the {self.noun} {point.name!r} of the package {package} cannot be loaded",
                why=str(error),
                fix=f"update {package}, or uninstall it",
            ) from error


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
    known = f"known: {', '.join(names)}" if 0 < len(names) <= LIST_UP_TO else f"{len(names)} known"
    return UsageError(f"unknown {noun} {name!r}", why=f"no {noun} has that name ({known})", fix=fix)
