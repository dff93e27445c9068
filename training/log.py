"""What training says while it works; kept beside it as `log.txt`."""

from __future__ import annotations

import sys
import time


def say(text: str) -> None:
    """A line of the log."""
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {text}\n")
    sys.stdout.flush()
