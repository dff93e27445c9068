"""`eyechart data`: get, check and find the data of a benchmark."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from eyechart import errors
from eyechart.benchmarks import Benchmark, get_benchmark
from eyechart.benchmarks.own import place_of
from eyechart.benchmarks.recipe import read_recipe
from eyechart.cli.commands import Command
from eyechart.cli.output import say, write
from eyechart.cli.parser import Parser, pairs
from eyechart.cli.run_flags import prepare_hub
from eyechart.errors import ModelError, SetupError
from eyechart.media.archives import split_member
from eyechart.sources import hub
from eyechart.sources.media_files import only_looking
from eyechart.sources.place import Place
from eyechart.sources.table import ending

EXAMPLES = """\
examples
  eyechart data get vsibench                 questions and videos; goes on where it stopped
  eyechart data get vsibench --questions     the questions only
  eyechart data check vqav2 -T data=~/vqa    is everything there, and whole?
  eyechart data where mmsi"""


def add_arguments(parser: Parser) -> None:
    """All flags."""
    parser.add_argument("action", choices=("get", "check", "where"), help="get, check or where")
    parser.add_argument("benchmark", metavar="BENCHMARK", help="with its part: vqav2:val, spatialeval:vqa")
    parser.add_argument("--task-args", "-T", action="append", default=[], metavar="K=V", help="options: data=DIR …")
    parser.add_argument("--questions", action="store_true", help="get: leave out archives of pictures and videos")
    parser.add_argument(
        "--hf-token", metavar="FILE", help="a file with a token of the hub (else HF_TOKEN or .hf_token)"
    )
    parser.add_argument("--offline", action="store_true", help="use what is here")


def data(arguments: Namespace) -> int:
    """Do one of the three; what is missing or damaged is exit code 4."""
    prepare_hub(arguments)
    if arguments.action == "get":
        get_own(arguments.benchmark)
    benchmark = get_benchmark(arguments.benchmark, pairs(arguments.task_args, flag="--task-args"))
    place: Place | None = getattr(benchmark.source, "place", None)
    if arguments.action == "check":
        check(benchmark, place)
    elif place is None:
        write(f"{benchmark.id}: nothing to download, it draws its questions itself or was given its files by name")
    elif arguments.action == "get":
        get(benchmark, place, questions_only=arguments.questions)
    else:
        where(benchmark, place)
    return errors.OK


def get(benchmark: Benchmark, place: Place, *, questions_only: bool) -> None:
    """Download what is not here yet, and what is damaged once more; then check it."""
    if place.folder is None:
        if place.published:
            size = f" ({place.published.size})" if place.published.size else ""
            say(f"{benchmark.id}: fetching from {place.published.home}{size}")
        place.download(media=not questions_only)
        damaged = [path for path in (place.files() if questions_only else kept(place)) if hub.verify(path)]
        for path in damaged:
            say(f"{path.name} is damaged: fetching it anew")
            hub.let_go(path)
        if damaged:
            place.download(media=not questions_only)
    check(benchmark, place)


def kept(place: Place) -> list[Path]:
    """All files of a benchmark, the archives of its pictures or videos too."""
    return list(dict.fromkeys([*place.files(), *place.archives()]))


def get_own(name: str) -> None:
    """Download what a YAML file of the user's names: its columns cannot be looked at before."""
    path = Path(name).expanduser()
    if ending(path) not in (".yaml", ".yml") or not path.is_file():
        return
    place = place_of(read_recipe(path), name)
    if place.published is not None and place.here() == "none":
        say(f"{name}: fetching from {place.published.home}")
        place.download()


def where(benchmark: Benchmark, place: Place) -> None:
    """Say which files are read, and where pictures are looked for."""
    for path in place.files():
        write(f"{path}  {path.stat().st_size:,} bytes")
    root = place.media_root()
    if any(Path(root).glob("*.zip")) or benchmark.modality == "video":
        write(f"{root}  pictures or videos")


def check(benchmark: Benchmark, place: Place | None) -> None:
    """Count the questions, compare hashes where the hub gives them, look for every picture."""
    problems = check_files(place) if place else []
    index = benchmark.source.index()
    count, expected = len(index.entries), place.questions if place else None
    short = expected is not None and count != expected
    write(
        f"{'✗' if short else '✓'} {count:,} questions{f', {expected:,} expected' if short else ''}  data={index.data}"
    )
    problems += [f"{count:,} questions, {expected:,} expected"] if short else []
    problems += check_media(benchmark)
    if problems:
        raise SetupError(
            f"the data of {benchmark.id} are not whole", why="; ".join(problems[:3]), fix=way_to_whole(benchmark, place)
        )


def check_files(place: Place) -> list[str]:
    """Name the files, and compare them with the hub's hashes where they come from its cache."""
    problems = []
    for path in kept(place):
        wrong = hub.verify(path) if place.folder is None else ""
        write(f"{'✗' if wrong else '✓'} {path.name}  {path.stat().st_size:,} bytes{f': {wrong}' if wrong else ''}")
        problems += [f"{path.name}: {wrong}"] if wrong else []
    return problems


def way_to_whole(benchmark: Benchmark, place: Place | None) -> str:
    """How to get what is missing."""
    if place is None:
        return "put the missing files where they are looked for, or name their folder with -T"
    fetched = f"eyechart data get {place.benchmark}" if place.published else place.by_hand
    if place.folder is None:
        return fetched
    own = f"complete {place.folder}"
    return f"{own}, or leave it out and: {fetched}" if fetched and benchmark.name != str(place.folder) else own


def check_media(benchmark: Benchmark) -> list[str]:
    """Look for the pictures of one question of every group, where they are files of their own."""
    groups = {entry.group or entry.id: entry for entry in benchmark.source.index().entries}
    missing, seen = [], 0
    for entry in groups.values():
        try:
            with only_looking():
                media = benchmark.source.fetch(entry).media
        except ModelError as error:
            missing.append(str(error))
            continue
        if any(item.data for item in media):
            write("✓ pictures are in the question files")
            return []
        seen += len(media)
        missing += [item.path for item in media if item.path and not is_there(item.path)]
    if not seen and not missing:
        return []
    noun = "videos" if benchmark.modality == "video" else "pictures"
    write(f"{'✗' if missing else '✓'} {seen - len(missing):,} of {seen:,} {noun} are there")
    for path in missing[:3]:
        write(f"    missing: {path}")
    return [f"{len(missing):,} of {seen:,} {noun} missing"] if missing else []


def is_there(path: str) -> bool:
    """Whether a file is there; what was found in an archive is."""
    return split_member(path)[0] is not None or Path(path).is_file()


COMMAND = Command(
    description="Get, check and find the data of a benchmark.",
    add_arguments=add_arguments,
    run=data,
    examples=EXAMPLES,
)
