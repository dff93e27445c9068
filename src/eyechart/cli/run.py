"""`eyechart run`: put questions to a model, mark the answers, print the table."""

from __future__ import annotations

from argparse import Namespace

from eyechart.cli.commands import Command
from eyechart.cli.run_flags import EXAMPLES, add_arguments


def run(arguments: Namespace) -> int:
    """Hand over to what does the work; `run --help` must not have to load it."""
    from eyechart.cli.run_jobs import run_all

    return run_all(arguments)


COMMAND = Command(
    description="Put a benchmark's questions to a model, mark the answers, print the table.",
    add_arguments=add_arguments,
    run=run,
    examples=EXAMPLES,
)
