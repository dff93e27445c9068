"""The run sheet: how a number was made, and the command to make it again."""

from __future__ import annotations

from eyechart.report.table import table
from eyechart.store import Manifest


def sheet_text(manifest: Manifest) -> str:
    """Everything that run.json says, for a person."""
    sampling = ", ".join(f"{name} {value}" for name, value in manifest.sampling.items()) or "as the model likes"
    rows = [
        ("run", manifest.run),
        ("benchmark", manifest.benchmark + options(manifest.benchmark_options)),
        ("questions", f"{manifest.questions:,} ({manifest.selection})"),
        ("data", manifest.data),
        ("model", manifest.model + options(manifest.model_args)),
        ("prompt", f"{manifest.style} ({manifest.style_hash})"),
        ("method", manifest.method + (f", control {manifest.control}" if manifest.control else "")),
        ("media", manifest.media),
        ("sampling", sampling),
        ("seed", f"{manifest.seed}, repeats {manifest.repeats}"),
        ("scorers", ", ".join(manifest.metrics)),
        ("signature", manifest.signature),
        ("", manifest.answered_by),
        ("versions", ", ".join(f"{name} {version}" for name, version in manifest.versions.items())),
        ("machine", ", ".join(f"{name} {value}" for name, value in manifest.hardware.items())),
        ("git", manifest.git or "not a repository"),
        *((f"start {n}", f"{s.started}  {s.command}") for n, s in enumerate(manifest.sessions, 1)),
    ]
    return "\n".join(line.rstrip() for line in table(("", ""), rows).splitlines()[1:])


def options(given: dict[str, str]) -> str:
    """` [k=v, …]`, or nothing."""
    return f" [{', '.join(f'{name}={value}' for name, value in given.items())}]" if given else ""
