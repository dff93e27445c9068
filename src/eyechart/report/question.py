"""One question whole: what was asked, what came back, what each scorer read and why."""

from __future__ import annotations

from functools import cache

from eyechart.benchmarks import Benchmark, get_benchmark
from eyechart.errors import EyechartError
from eyechart.marking.rows import ScoredRow
from eyechart.metrics import get_metric
from eyechart.records import Entry, Exchange, Longer, Media, Sample, SentMedia
from eyechart.report.table import printable
from eyechart.store import RunFolder


def question_text(folder: RunFolder, row: ScoredRow, exchange: Exchange) -> str:
    """For the terminal: everything that the journal and the scorers know about this question."""
    sample = find_sample(folder, row.sample)
    repeat = f" · repeat {row.repeat + 1}" if row.repeat else ""
    lines = [f"── {row.sample}{repeat} · {row.status}" + (f" ({row.failure})" if row.failure else "")]
    lines += [f"   {describe_media(media)}" for media in exchange.media]
    for turn in exchange.prompt:
        words = "".join(f"[{part.name}] " if isinstance(part, Media) else part for part in turn.parts)
        lines += block(turn.role, words)
    if exchange.response is not None:
        if exchange.response.reasoning:
            lines += block("thinking", exchange.response.reasoning)
        lines += block("reply", exchange.response.text)
    if exchange.failure is not None:
        lines += block("failure", f"{exchange.failure.kind} ({exchange.failure.stage}): {exchange.failure.message}")
    lines += block("gold", references(sample) if sample else "not known: the data of this run are not at hand")
    for name, mark in row.marks.items():
        value = "no score" if mark.value is None else f"{mark.value:g}"
        lines.append(f"   {name}: {value}" + (f" ({mark.error})" if mark.error else ""))
        if sample is not None and exchange.response is not None:
            reasons = get_metric(name).explain(sample, exchange.response.text)
            lines += [f"      {printable(reason)}" for reason in reasons.splitlines()]
    if exchange.longer is not None:
        lines += again(exchange.longer)
    timing = exchange.timing
    lines.append(f"   {timing.total_s:.2f} s, {exchange.tries} {'try' if exchange.tries == 1 else 'tries'}")
    return "\n".join(lines)


def again(longer: Longer) -> list[str]:
    """That the token limit was hit, and what came of a larger one."""
    if longer.cut is None:
        return block("limit", f"hit; {longer.max_tokens:,} tokens were not granted: {longer.refused}")
    return [
        *block("cut off", longer.cut.text),
        *block("limit", f"hit; asked once more under {longer.max_tokens:,} tokens"),
    ]


def block(name: str, text: str) -> list[str]:
    """A name and its text, each line made safe for a terminal."""
    first, *rest = text.splitlines() or [""]
    return [f"   {name + ':':10}{printable(first)}", *(f"   {'':10}{printable(line)}" for line in rest)]


def references(sample: Sample) -> str:
    """Gold answers with the number of annotators behind each."""
    counts: dict[str, int] = {}
    for answer in sample.references:
        counts[answer] = counts.get(answer, 0) + 1
    return ", ".join(f"{answer} ×{n}" if n > 1 else answer for answer, n in counts.items())


def describe_media(media: SentMedia) -> str:
    """A picture in a line: name, sizes, what was done to it."""
    size = f"{media.width}×{media.height}"
    if (media.width, media.height) != (media.original_width, media.original_height):
        size = f"{media.original_width}×{media.original_height} → sent {size}"
    changes = f" · {', '.join(media.changes)}" if media.changes else ""
    return f"[{media.name}] {size} {media.mime} {media.bytes / 1000:.0f} kB · sha256 {media.sha256[:12]}{changes}"


def find_sample(folder: RunFolder, sample_id: str) -> Sample | None:
    """The sample behind a row, where the benchmark's data are at hand; None where they are not."""
    found = locate(folder).get(sample_id)
    if found is None:
        return None
    benchmark, entry = found
    return benchmark.source.fetch(entry, media=False)


@cache
def locate(folder: RunFolder) -> dict[str, tuple[Benchmark, Entry]]:
    """Where each question of a run's benchmark is; empty where its data are not at hand, or not those of the run."""
    try:
        benchmark = benchmark_of(folder)
        index = benchmark.source.index()
    except EyechartError:  # moved, deleted, on another machine: what was asked and answered is in the journal
        return {}
    same = index.data == folder.manifest().data
    return {entry.id: (benchmark, entry) for entry in index.entries} if same else {}


def benchmark_of(folder: RunFolder) -> Benchmark:
    """The benchmark that a run asked, with the options and the seed that it was given."""
    from eyechart.runner.settle import benchmark_options
    from eyechart.runner.spec import RunSpec

    manifest = folder.manifest()
    spec = RunSpec(
        benchmark=manifest.benchmark,
        model=manifest.model,
        benchmark_options=manifest.benchmark_options,
        seed=manifest.seed,
    )
    return get_benchmark(manifest.benchmark, benchmark_options(spec))
