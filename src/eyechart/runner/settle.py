"""From what somebody asked for to what will be done: every name resolved, every default filled in, nothing sent."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import msgspec

from eyechart.benchmarks import BENCHMARKS, Benchmark, get_benchmark
from eyechart.errors import InputError, UsageError
from eyechart.marking.choose import choose_metrics
from eyechart.marking.signature import describe_sampling
from eyechart.media.rule import MediaRule
from eyechart.methods import METHODS, Method
from eyechart.methods.controls import controlled
from eyechart.metrics.base import Metric
from eyechart.prompts import Style, load_style
from eyechart.records import Entry, Index, Sample, Sampling
from eyechart.registry import unknown
from eyechart.runner.longer import with_larger_limit
from eyechart.runner.plan import choose, having
from eyechart.runner.spec import RunSpec, number, sampling_from
from eyechart.sources.base import Source


@dataclass(frozen=True, kw_only=True)
class Settled:
    """A run that is ready to start."""

    spec: RunSpec
    benchmark: Benchmark
    source: Source  # what is asked: the benchmark's questions, under the control if there is one
    index: Index
    entries: list[Entry]  # those that are asked, in published order
    style: Style
    sampling: Sampling
    media: MediaRule
    method: Method
    metrics: list[Metric]  # the headline first

    def samples(self) -> Iterator[Sample]:
        """All samples of the benchmark without their pictures: what baselines may study."""
        for entry in self.index.entries:
            yield self.benchmark.source.fetch(entry, media=False)

    def asked(self) -> dict[str, str]:
        """What makes two runs ask the same in the same way; how much of it is asked does not matter."""
        fields = {
            "benchmark": self.benchmark.id,
            "data": self.index.data,
            "prompt": f"{self.style.name}@{self.style.hash}",
            "method": self.benchmark.method,
            "media": str(self.media),
            "gen": describe_sampling(self.sampling),
            "seed": str(self.spec.seed),
        }
        return fields | ({"control": self.spec.control} if self.spec.control else {})


class Opened:
    """The benchmarks of one command: several models are asked the same questions, which are read and held once."""

    def __init__(self) -> None:
        self._benchmarks: dict[tuple[str, ...], Benchmark] = {}
        self._indexes: dict[int, Index] = {}

    def benchmark(self, name: str, options: Mapping[str, str]) -> Benchmark:
        """The benchmark with these options."""
        key = (name, *(f"{option}={value}" for option, value in sorted(options.items())))
        if key not in self._benchmarks:
            self._benchmarks[key] = get_benchmark(name, options)
        return self._benchmarks[key]

    def index(self, benchmark: Benchmark) -> Index:
        """Its questions; `benchmark` is one that was opened here, so that its id stays its own."""
        if id(benchmark) not in self._indexes:
            self._indexes[id(benchmark)] = benchmark.source.index()
        return self._indexes[id(benchmark)]


def settle(spec: RunSpec, *, method: str = "", opened: Opened | None = None) -> Settled:
    """Resolve all names; errors here are the user's to mend before anything is sent.

    `method` is how questions are put, where that is not as the benchmark says: its words can be shown without it."""
    spec, opened = widened(spec), opened or Opened()
    benchmark = opened.benchmark(spec.benchmark, benchmark_options(spec))
    media = media_from(benchmark.media, spec.media)
    style = load_style(spec.style or benchmark.style, spec.model)
    usual = benchmark.sampling
    if style.max_tokens is not None:
        usual = msgspec.structs.replace(usual, max_tokens=style.max_tokens)
    sampling = sampling_from(usual, spec.gen)
    if spec.retry_truncated:
        sampling = with_larger_limit(sampling)
    method = method or benchmark.method
    if method not in METHODS:
        raise UsageError(f"{benchmark.id} cannot be run yet", why=benchmark.note, fix="eyechart ls shows the others")
    if spec.control and benchmark.modality == "text":
        raise UsageError(
            f"--control {spec.control} means nothing to {benchmark.id}",
            why="its questions are text alone: there is no picture to take away or to swap",
            fix="leave out --control",
        )
    index = opened.index(benchmark)
    if not index.entries:
        raise InputError(f"benchmark {benchmark.id} holds no question", fix="check its data and its options")
    kept = having(index.entries, spec.selection.where, lambda entry: benchmark.source.fetch(entry, media=False).tags)
    entries = choose(kept, spec.selection, spec.seed)
    return Settled(
        spec=spec,
        benchmark=benchmark,
        source=controlled(benchmark.source, spec.control, seed=spec.seed),
        index=index,
        entries=entries,
        style=style,
        sampling=sampling,
        media=media,
        method=METHODS.get(method),
        metrics=choose_metrics(benchmark, spec.metrics, len(entries)),
    )


def widened(spec: RunSpec) -> RunSpec:
    """A benchmark that draws its own questions has as many as are asked for: a larger limit draws more."""
    base, limit = spec.benchmark.partition(":")[0], spec.selection.limit
    if limit.isdecimal() and "n" not in spec.benchmark_options and base in BENCHMARKS:
        parameter = inspect.signature(BENCHMARKS.get(base)).parameters.get("n")
        if parameter is not None and int(limit) >= int(parameter.default):
            options = {**spec.benchmark_options, "n": limit}
            return replace(spec, benchmark_options=options, selection=replace(spec.selection, limit=""))
    return spec


def benchmark_options(spec: RunSpec) -> dict[str, str]:
    """The benchmark's options; one that draws its own questions draws them from the run's seed, and one whose prompts
    may say how many frames there are is told."""
    options = dict(spec.benchmark_options)
    base = spec.benchmark.partition(":")[0]
    known = inspect.signature(BENCHMARKS.get(base)).parameters if base in BENCHMARKS else {}
    if "seed" in known:
        options.setdefault("seed", str(spec.seed))
    if "frames" in known:
        options |= sampled(spec.media)
    return options


def sampled(media: Mapping[str, str]) -> dict[str, str]:
    """How a video is sampled, where it was said with the media and not with the benchmark, in the benchmark's words."""
    match media:
        case {"native_video": "true"}:
            return {"frames": "native", "fps": ""}
        case {"timestamps": times}:
            return {"frames": str(len(times.split("+"))), "fps": ""}
        case {"fps": fps}:
            return {"fps": fps}
        case {"frames": frames}:
            return {"frames": frames, "fps": ""}
    return {}


def seconds(text: str) -> Iterator[float]:
    """Times in a video, as they are typed: `0.5+2`."""
    return (number("timestamps", part, float, fix="--timestamps 0.5+2") for part in text.split("+"))


def media_from(default: MediaRule, given: Mapping[str, str]) -> MediaRule:
    """The benchmark's rule for pictures and videos with what was given on top."""
    fields: dict[str, object] = {}
    # A video is sampled in one way: naming one takes the place of whatever the benchmark says.
    unsampled = {"frames": None, "fps": None, "timestamps_s": (), "native": False}
    sampling = {name for name, text in given.items() if text != "false"} & {
        "frames",
        "fps",
        "timestamps",
        "native_video",
    }
    ways = sorted(f"--{name.replace('_', '-')}" for name in sampling)
    if len(ways) > 1:
        raise UsageError(f"{' and '.join(ways)}: a video is sampled in one way only", fix="give one of them")
    for name, text in given.items():
        match name:
            case "max_side":
                fields[name] = None if text == "native" else number(name, text, int, fix="--max-side 1024")
            case "frames":
                fields |= unsampled | {"frames": number(name, text, int, fix="--frames 16")}
            case "fps":
                fields |= unsampled | {"fps": number(name, text, float, fix="--fps 1")}
            case "timestamps":
                fields |= unsampled | {"timestamps_s": tuple(seconds(text))}
            case "native_video":
                fields |= unsampled | {"native": text == "true"}
            case _:
                known = ["max_side", "frames", "fps", "timestamps", "native_video"]
                raise unknown("media option", name, known)
    return replace(default, **fields)  # type: ignore[arg-type]
