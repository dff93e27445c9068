"""The command line as tests use it: the real one, in a folder of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

COMMAND = (sys.executable, "-m", "eyechart.cli.main")


class CommandLine:
    """The real command line, in a folder of its own, as a person would use it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._left_running = ExitStack()
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.endswith(("_KEY", "_PROXY", "_proxy"))},
            "COLUMNS": "100",
            "NO_COLOR": "1",
            "EYECHART_CACHE": str(folder / ".cache"),
        }

    def __call__(self, *words: str, code: int | None = 0, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run to the end; fails if the exit code is not the expected one (None: any)."""
        result = subprocess.run(
            [*COMMAND, *words],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            **options,
        )
        assert code is None or result.returncode == code, f"exit {result.returncode}\n{result.stdout}\n{result.stderr}"
        return result

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start, and leave it running."""
        process = subprocess.Popen(
            [*COMMAND, *words],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._left_running.enter_context(process)  # waits for it, and closes its pipes
        self._left_running.callback(process.kill)  # before that; does nothing where it has ended
        return process

    def close(self) -> None:
        """End what a test that failed half-way left running."""
        self._left_running.close()

    def run_folder(self) -> Path:
        """The only run that there is."""
        (folder,) = (path for path in (self.folder / "runs").iterdir() if path.is_dir())
        return folder


def interrupt(process: subprocess.Popen[str], *, times: int = 1, within_s: float = 20) -> str:
    """Press Ctrl-C, as often as somebody would who loses patience, and return what was said on stderr."""
    for press in range(times):
        if press:
            time.sleep(0.3)
        process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=within_s)
    return stderr
