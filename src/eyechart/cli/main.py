"""The command line: finds the command, catches what may be caught, and nothing else."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

from eyechart import errors
from eyechart.cli.commands import COMMANDS, TOPIC, overview
from eyechart.registry import load, unknown


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; the only broad handler of the program is here."""
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without some letter is no reason to stop
    try:
        return all_said(dispatch(words))
    except errors.EyechartError as error:
        from eyechart.cli.told import told

        print(told(error), file=sys.stderr)  # noqa: T201 - this is the command line
        return error.exit_code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)  # noqa: T201
        return errors.INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone (`| head`): nothing is wrong, and nothing more can be said.
        from eyechart.cli.output import silence

        silence(sys.stdout)
        return errors.OK
    except Exception as error:  # noqa: BLE001 - the one place: our own bug, written down for a report
        return not_ours_or_a_bug(error, words)


def not_ours_or_a_bug(error: Exception, words: Sequence[str]) -> int:
    """Say what the operating system refused; anything else that comes here is a bug of ours."""
    from eyechart.cli.output import silence
    from eyechart.cli.told import refused_by_the_system, told

    refused = refused_by_the_system(error)
    if refused is None:
        from eyechart.cli.crash import report_crash

        return report_crash(error, words)
    if isinstance(error, OSError) and error.filename is None:
        silence(sys.stdout)  # the output itself is what could not be written
    print(told(refused), file=sys.stderr)  # noqa: T201
    return refused.exit_code


def all_said(code: int) -> int:
    """The same code, once everything has been written: what fails at the interpreter's end is explained to nobody."""
    sys.stdout.flush()
    return code


def dispatch(words: list[str]) -> int:
    """Hand the words to their command; the bare form `eyechart --model …` means `run`."""
    if len(words) > 1 and words[0] == "help" and words[1] != TOPIC:
        if words[1] not in (*COMMANDS, "help") and not words[1].startswith("-"):
            raise unknown("help topic", words[1], [*COMMANDS, TOPIC], listing="eyechart --help")
        words = [words[1], "--help"]  # as git has it
    if not words or words[0] in ("-h", "--help", "help"):
        print(overview(words[1:]))  # noqa: T201
        return errors.OK
    if words[0] in ("--version", "-V"):
        from eyechart import __version__

        print(f"eyechart {__version__}")  # noqa: T201
        return errors.OK
    refuse_what_is_no_text(words)
    name, rest = ("run", words) if words[0].startswith("-") else (words[0], words[1:])
    if name not in COMMANDS:
        raise unknown("command", name, list(COMMANDS), listing="eyechart --help")
    from eyechart.cli.parser import Parser

    command = load(f"eyechart.cli.{COMMANDS[name].module}:COMMAND")
    if name == "run":
        from eyechart.cli.run_flags import words_from_config

        rest = words_from_config(rest)
    parser = Parser(prog=f"eyechart {name}", description=command.description, epilog=command.examples)
    command.add_arguments(parser)
    code: int = command.run(parser.parse(rest))
    return code


def refuse_what_is_no_text(words: list[str]) -> None:
    """Bytes that no text has could be written into no manifest and no table."""
    for word in words:
        try:
            word.encode()
        except UnicodeEncodeError:
            raise errors.UsageError(
                f"the argument {word.encode(errors='replace').decode()!r} is not text in UTF-8",
                why="names end up in JSON, which knows no other text",
                fix="rename the file or the folder, or set the terminal to UTF-8",
            ) from None


if __name__ == "__main__":
    sys.exit(main())
