"""argparse with our manners: `_` equals `-` in flags, unknown flags get the nearest name, errors say what, why, fix."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NoReturn

from eyechart.errors import UsageError


class Parser(argparse.ArgumentParser):
    """A parser that raises UsageError in place of printing usage and exiting."""

    def __init__(self, **options: object) -> None:
        super().__init__(
            allow_abbrev=False,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            **options,  # type: ignore[arg-type]
        )

    def error(self, message: str) -> NoReturn:
        raise UsageError(message, fix=f"see {self.prog} --help")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            from eyechart.registry import unknown

            named = action.option_strings[0] if action.option_strings else action.dest
            raise unknown(f"value of {named}", str(value), [str(choice) for choice in action.choices])

    def parse(self, argv: Sequence[str]) -> argparse.Namespace:
        """Parse all of argv; an unknown flag names the flags that are close."""
        words = [kebab(word) for word in argv]
        space, rest = self.parse_known_args(words)
        if rest and not any(word.startswith("-") for word in rest):
            # `show RUN --json QUESTION` is as good as `show RUN QUESTION --json`.
            space, rest = self.parse_known_intermixed_args(words)
        if not rest:
            return space
        flags = [flag for action in self._actions for flag in action.option_strings]
        stray = next((word for word in rest if word.startswith("-")), None)
        if stray is None:
            raise UsageError(f"unexpected argument {rest[0]!r}", fix=f"see {self.prog} --help")
        from eyechart.registry import unknown

        raise unknown("flag", stray.partition("=")[0], flags, listing=f"{self.prog} --help")


def kebab(word: str) -> str:
    """`--max_tokens=5` → `--max-tokens=5`; values are left alone."""
    if not word.startswith("--"):
        return word
    flag, equals, value = word.partition("=")
    return flag.replace("_", "-") + equals + value


def pairs(words: Sequence[str], *, flag: str) -> dict[str, str]:
    """`k=v` words, several in one separated by commas, as a dict; later ones win."""
    result: dict[str, str] = {}
    for word in words:
        for pair in word.split(","):
            key, equals, value = pair.partition("=")
            if not equals or not key.strip():
                raise UsageError(f"{flag} takes key=value, not {pair!r}", fix=f"{flag} key=value,other=value")
            result[key.strip()] = value.strip()
    return result
