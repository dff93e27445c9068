"""aimock, a chat server that others wrote: installed once from npm at a pinned version, run as a process of its own."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.request import urlopen

PACKAGE, VERSION = "@copilotkit/aimock", "1.43.0"
HOME = Path(__file__).parents[1] / ".node"


def install() -> Path:
    """The server's program, installed at the first need below tests/.node."""
    package = HOME / "node_modules" / PACKAGE
    manifest = package / "package.json"
    if not manifest.exists() or json.loads(manifest.read_text())["version"] != VERSION:
        npm = shutil.which("npm")
        if npm is None:
            raise FileNotFoundError("npm is not installed here; `make test` brings it")
        options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run([npm, "install", "--prefix", HOME, *options, f"{PACKAGE}@{VERSION}"], check=True, timeout=240)
    return package / "dist" / "cli.js"


class Aimock:
    """The server; as a context manager it runs, then `url` is where it answers."""

    def __init__(self, folder: Path, *options: str, answer: str = "yes") -> None:
        fixtures = folder / "fixtures.json"
        fixtures.write_text(json.dumps({"fixtures": [{"match": {}, "response": {"content": answer}}]}))
        node = shutil.which("node")
        assert node is not None
        self._command = [node, install(), "-p", "0", "-f", fixtures, "--journal-max", "0", *options]
        self._process: subprocess.Popen[str] | None = None
        self.root = ""

    @property
    def url(self) -> str:
        """The base URL, as after `-m`."""
        return f"{self.root}/v1"

    def __enter__(self) -> Aimock:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            found = re.search(r"listening on (http://\S+)", line)
            if found:
                self.root = found[1]
                return self
        with self._process:
            raise AssertionError("aimock ended before it listened")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        with self._process:  # waits, and closes the pipe
            self._process.terminate()

    def journal(self) -> list[dict[str, Any]]:
        """Every request that it received, with its body and the status it was answered with."""
        with urlopen(f"{self.root}/__aimock/journal", timeout=30) as reply:
            entries: list[dict[str, Any]] = json.load(reply)
        return entries
