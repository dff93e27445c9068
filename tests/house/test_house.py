"""The house rules that a machine can hold: which way imports point, what start-up loads, what is public."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import eyechart
from eyechart.benchmarks import BENCHMARKS
from eyechart.cli.commands import COMMANDS, overview
from eyechart.metrics import METRICS
from eyechart.models import MODELS

SOURCE = Path(eyechart.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))

# Lower rooms first: a module imports from rooms of a lower floor and from its own room, never from the side or above.
FLOORS = (
    ("records", "literals"),
    ("errors",),
    ("registry",),
    ("metrics", "stats", "prompts", "media", "sources", "store"),
    ("benchmarks", "models", "workers"),
    ("methods", "marking"),
    ("runner",),
    ("report",),
    ("interface", "view"),
    ("cli",),
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
HEAVY = {"numpy", "PIL", "aiohttp", "pyarrow", "torch", "transformers", "starlette", "av", "huggingface_hub"}


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> Iterator[str]:
    """The rooms that a module imports at any place, type checking included."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports by a relative path"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        rooms = (name.split(".")[1] for name in names if name.startswith("eyechart."))
        yield from (room for room in rooms if room != "__version__")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path: Path) -> None:
    """A room knows only the rooms below it."""
    room = room_of(path)
    if room == "__init__":
        return
    for other in imported_rooms(path):
        assert other == room or FLOOR[other] < FLOOR[room], f"{room} imports {other}"


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("run", "--help"), ("help", "exit-codes")])
def test_help_loads_nothing_heavy(words: tuple[str, ...]) -> None:
    """Asking for help imports none of the large libraries."""
    script = "import sys; from eyechart.cli.main import main; main(sys.argv[1:]); print('|', *sys.modules)"
    result = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, check=False)
    loaded = set(result.stdout.rpartition("|")[2].split())
    assert loaded
    assert not HEAVY & loaded


def test_importing_the_package_does_nothing() -> None:
    """`import eyechart` opens no file, no socket, and loads no module of ours but the package itself."""
    script = (
        "import sys; seen = []\n"
        "def hook(event, given):\n"
        "    code = event == 'open' and str(given[0]).rpartition('.')[2] in ('py', 'pyc', 'so')\n"
        "    if event.startswith(('open', 'socket.', 'subprocess.')) and not code: seen.append((event, *given))\n"
        "sys.addaudithook(hook)\n"
        "import eyechart; print(seen, [m for m in sys.modules if m.startswith('eyechart.')])"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout == "[] []\n"


def test_public_names_are_what_they_say() -> None:
    """Everything in __all__ can be had, is documented, and nothing else is promised."""
    assert sorted(eyechart.__all__) == eyechart.__dir__()
    for name in eyechart.__all__:
        assert getattr(eyechart, name).__doc__


@pytest.mark.parametrize("name", METRICS.names())
def test_every_metric_can_be_had_by_name(name: str) -> None:
    """The table of metrics names things that exist and describe themselves."""
    metric = METRICS.get(name)()
    assert metric.title
    assert metric.version >= 1


@pytest.mark.parametrize("name", BENCHMARKS.names())
def test_every_benchmark_can_be_had_by_name(name: str) -> None:
    """The table of benchmarks names things that exist, without a download, with licence and origin."""
    benchmark = BENCHMARKS.get(name)("")
    assert benchmark.name
    assert benchmark.licence
    assert benchmark.home
    assert all(metric.partition("[")[0].partition("@")[0] in METRICS for metric in benchmark.metrics)


@pytest.mark.parametrize("name", MODELS.names())
def test_every_model_prefix_says_what_it_is(name: str) -> None:
    """The table of models names things that exist."""
    assert callable(MODELS.get(name))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_its_flags(name: str) -> None:
    """`eyechart COMMAND --help` works for every command that the overview lists."""
    module = import_module(f"eyechart.cli.{COMMANDS[name].module}")
    assert module.COMMAND.description
    result = subprocess.run(
        [sys.executable, "-m", "eyechart.cli.main", name, "--help"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0
    assert module.COMMAND.description in " ".join(result.stdout.split())
    assert max(map(len, result.stdout.splitlines())) <= 100
    assert "\nexamples\n" in result.stdout


def test_the_overview_fits_a_narrow_terminal() -> None:
    """What is read first is not broken into pieces."""
    assert max(map(len, overview().splitlines())) <= 80


def test_no_module_is_a_drawer_for_odds_and_ends() -> None:
    """Modules are named for what they do."""
    assert not {path.stem for path in FILES} & {"utils", "util", "common", "helpers", "misc"}


def test_no_printing_outside_the_command_line() -> None:
    """Only the command line writes to the terminal."""
    for path in FILES:
        if room_of(path) != "cli":
            calls = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.Call)]
            assert not any(isinstance(c.func, ast.Name) and c.func.id == "print" for c in calls), path


ROOT = Path(__file__).parents[2]
BESIDE = sorted(path for folder in ("bench", "tools", "training") for path in (ROOT / folder).rglob("*.py"))


@pytest.mark.parametrize("path", BESIDE, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_stands_beside_the_package_imports_what_is_there(path: Path) -> None:
    """Benches and tools are run now and then, and by nobody else: a name that is gone would show only then."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "eyechart":
            module = import_module(node.module or "")
            for alias in node.names:
                if not hasattr(module, alias.name):
                    import_module(f"{node.module}.{alias.name}")
