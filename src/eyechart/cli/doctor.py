"""`eyechart doctor`: is everything here that a run needs? Each line is ✓, ! or ✗, with what to do."""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sys
import tempfile
import time
from argparse import Namespace
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from eyechart import errors
from eyechart.cli.commands import Command
from eyechart.cli.output import as_json, write
from eyechart.cli.parser import Parser, pairs
from eyechart.errors import EyechartError, ModelError
from eyechart.models import get_model
from eyechart.models.presets import PRESETS
from eyechart.report.table import printable
from eyechart.runner.surroundings import hardware, versions

GOOD, WARNING, BAD = "✓", "!", "✗"

# extra → the module that it brings, and what cannot be done without it
EXTRAS = {
    "hub": ("pyarrow", "parquet files and the Hugging Face hub"),
    "video": ("av", "videos"),
}


class Finding(NamedTuple):
    """One line of the report."""

    mark: str
    what: str
    found: str
    fix: str = ""


def add_arguments(parser: Parser) -> None:
    parser.add_argument("--model", "-m", default="", metavar="MODEL", help="also ask this model about an 8×8 picture")
    parser.add_argument("--model-args", "-M", action="append", default=[], metavar="K=V", help="arguments of the model")
    parser.add_argument("--output", "-o", default="runs", metavar="DIR", help="the folder that holds runs (./runs)")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout, without secrets")


def doctor(arguments: Namespace) -> int:
    """Look at everything; exit code 4 if something is missing that a run needs."""
    findings = [*machine(), *libraries(), *places(Path(arguments.output)), *keys(), *terminal()]
    if arguments.model:
        findings.append(ask_once(arguments.model, pairs(arguments.model_args, flag="--model-args")))
    if arguments.json:
        rows: list[dict[str, Any]] = [finding._asdict() for finding in findings]
        write(as_json({"doctor": rows}))
    else:
        width = max(len(finding.what) for finding in findings)
        for finding in findings:
            write(f"{finding.mark} {finding.what:<{width}}  {printable(finding.found)}")
            if finding.fix:
                write(f"  {'':<{width}}  fix: {finding.fix}")
    return errors.ENVIRONMENT if any(finding.mark == BAD for finding in findings) else errors.OK


def machine() -> Iterator[Finding]:
    """Python and the computer."""
    good = sys.version_info >= (3, 11)
    yield Finding(GOOD if good else BAD, "python", platform.python_version(), "" if good else "Python 3.11 or newer")
    yield Finding(GOOD, "machine", ", ".join(hardware().values()))


def libraries() -> Iterator[Finding]:
    """Versions, and the extras that are there."""
    yield Finding(GOOD, "versions", ", ".join(f"{name} {version}" for name, version in versions().items()))
    for extra, (module, purpose) in EXTRAS.items():
        if find_spec(module) is None:
            yield Finding(WARNING, f"extra {extra}", f"not installed: {purpose}", f'pip install "eyechart[{extra}]"')
        else:
            yield Finding(GOOD, f"extra {extra}", purpose)


def places(runs: Path) -> Iterator[Finding]:
    """Where runs and downloads go, and the room there."""
    folder = next(path for path in (runs, *runs.absolute().parents) if path.is_dir())
    free = shutil.disk_usage(folder).free / 1e9
    yield Finding(GOOD if free > 1 else WARNING, "disk", f"{free:,.1f} GB free for {runs}/")
    try:
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
    except OSError as error:
        yield Finding(BAD, "runs", f"{folder} cannot be written: {error.strerror}", "name another folder with -o")
    yield Finding(GOOD, "hub cache", os.environ.get("HF_HOME", "~/.cache/huggingface"))


def keys() -> Iterator[Finding]:
    """Which keys are set; their values are nobody's business."""
    for name, preset in PRESETS.items():
        if preset.key_needed:
            found = next((variable for variable in preset.key_env if os.environ.get(variable)), "")
            yield Finding(
                GOOD if found else WARNING, f"key {name}", found or f"{' or '.join(preset.key_env)} is not set"
            )


def terminal() -> Iterator[Finding]:
    """What can be drawn here."""
    encoding = sys.stdout.encoding or "unknown"
    good = encoding.casefold().replace("-", "") == "utf8"
    yield Finding(GOOD if good else WARNING, "terminal", encoding, "" if good else "export PYTHONUTF8=1")


def ask_once(name: str, arguments: dict[str, str]) -> Finding:
    """Send one small picture along the way that a run would take."""
    began = time.monotonic()
    try:
        reply = asyncio.run(_ask(name, arguments))
    except EyechartError as error:
        meant = (error.stops_run if isinstance(error, ModelError) else None) or error
        return Finding(BAD, "model", f"{name}: {meant.what}" + (f" ({meant.why})" if meant.why else ""), meant.fix)
    return Finding(GOOD, "model", f"{name} said {reply[:60]!r} about a red square in {time.monotonic() - began:.2f} s")


async def _ask(name: str, arguments: dict[str, str]) -> str:
    from eyechart.media.prepare import prepare
    from eyechart.media.rule import MediaRule
    from eyechart.models import Request
    from eyechart.records import Media, Prompt, Sampling, Turn

    square = Media(name="red-square", data=red_square())
    turn = Turn(role="user", parts=(square, "What colour is the square?\nAnswer with a single word."))
    model = get_model(name, arguments)
    await model.open(lambda: iter(()))
    try:
        request = Request(
            prompt=Prompt(sample_id="doctor", style="doctor", turns=(turn,)),
            pictures=prepare(square, MediaRule()),
            sampling=Sampling(max_tokens=16),
        )
        return (await asyncio.wait_for(model.generate(request), 60)).text
    except TimeoutError:
        raise errors.SetupError("no reply within 60 s") from None
    finally:
        await model.close()


def red_square() -> bytes:
    """An 8×8 picture, in red."""
    import io

    from PIL import Image

    buffer = io.BytesIO()
    Image.new("RGB", (8, 8), (220, 30, 30)).save(buffer, "PNG")
    return buffer.getvalue()


COMMAND = Command(
    description="Check this machine, and a model if you name one.",
    add_arguments=add_arguments,
    run=doctor,
    examples="examples\n  eyechart doctor\n  eyechart doctor -m http://localhost:8000/v1#name",
)
