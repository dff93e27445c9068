"""What several tests share: servers that really run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from command_line import CommandLine
from servers.scripted import ScriptedServer


@pytest.fixture
def scripted() -> Iterator[Callable[..., ScriptedServer]]:
    """Start scripted chat servers: `scripted(script={"how many": ["429:0.1", "say:2"]}).url`."""
    with ExitStack() as stack:

        def start(**options: Any) -> ScriptedServer:
            return stack.enter_context(ScriptedServer(**options))

        yield start


@pytest.fixture
def eyechart(tmp_path: Path) -> Iterator[CommandLine]:
    """`eyechart("run", "starter", …)`: runs the command in a fresh folder."""
    with closing(CommandLine(tmp_path)) as command_line:
        yield command_line
