"""`eyechart serve-builtin` as a process of its own: the honest server, which really looks at what it is sent."""

from __future__ import annotations

import re
import subprocess
import sys
from types import TracebackType
from typing import Self


class BuiltinServer:
    """`with BuiltinServer() as server: … server.url`."""

    def __enter__(self) -> Self:
        words = ("-m", "eyechart.cli.main", "serve-builtin", "--port", "0")
        self.process = subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        match = re.search(r"http://127\.0\.0\.1:\d+/v1", line)
        assert match, line
        self.url = match[0]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self.process:  # waits, and closes the pipe
            self.process.terminate()
        assert self.process.returncode == 0
