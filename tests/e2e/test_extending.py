"""The guide to extending, followed to the letter: its examples put into a package, found by the command line."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from command_line import CommandLine

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "extending.md"
POINTS = """\
[eyechart.benchmarks]
birds = my_birds:birds
[eyechart.metrics]
first_letter = my_birds:first_letter
[eyechart.models]
parrot = my_birds:parrot
[eyechart.exports]
words = my_birds:words
"""


def install(eyechart: CommandLine, points: str) -> None:
    """A package with everything that the guide shows, as an installer leaves it."""
    folder = eyechart.folder / "site"
    information = folder / "my_birds-1.0.dist-info"
    information.mkdir(parents=True)
    blocks = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    (folder / "my_birds.py").write_text("\n\n".join(blocks))
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: my-birds\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text(points)
    eyechart.environment["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(folder), eyechart.environment.get("PYTHONPATH", "")])
    )


def test_the_guides_examples_are_found_and_used(eyechart: CommandLine) -> None:
    """A benchmark with its part, a metric, a model and an export format, by the names that the entry points give."""
    install(eyechart, POINTS)
    data = eyechart.folder / "birds"
    data.mkdir()
    (data / "birds.csv").write_text(
        "id,question,name,habitat,photo\n1,Which bird?,Answer bird,forest,a.jpg\n2,Which bird?,owl,lake,b.jpg\n"
    )
    words = (
        "-T",
        "data=birds",
        "-m",
        "parrot",
        "--metric",
        "first_letter",
        "--quiet",
        "--json",
        "--max-error-rate",
        "1",
    )
    result = json.loads(eyechart("run", "birds:forest", *words).stdout)["runs"][0]
    assert result["n"]["total"] == 1
    assert result["failures"] == {"unreadable_media": 1}  # the model looks, and the photo is not there
    assert set(result["metrics"]) >= {"exact", "contains", "first_letter"}
    written = eyechart("export", result["run"], "--as", "words", "-o", "out").stdout.strip()
    assert (eyechart.folder / written).is_file()
    assert "birds" in eyechart("ls", "benchmarks", "birds").stdout
    assert "first_letter" in eyechart("ls", "metrics", "first_letter").stdout


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("my_birds:nothing", "AttributeError"),
        ("my_gulls:birds", "ModuleNotFoundError"),
        ("my_birds:metric", "is not a function"),
    ],
)
def test_a_package_that_cannot_be_loaded_is_named_and_hides_nothing(
    target: str, said: str, eyechart: CommandLine
) -> None:
    """Not our bug: exit 4 for whoever asks for it, a line in the listing for whoever does not."""
    install(eyechart, re.sub(r"= .*", f"= {target}", POINTS))
    for words in (("run", "birds", "-m", "parrot"), ("run", "starter", "-m", "parrot")):
        result = eyechart(*words, code=4)
        assert said in result.stderr
        assert "which an installed package adds" in result.stderr
    for listing, ours, theirs in (
        ("benchmarks", "vqav2", "birds"),
        ("metrics", "vqa_accuracy", "first_letter"),
        ("models", "replay", "parrot"),
    ):
        lines = eyechart("ls", listing).stdout.splitlines()
        assert any(line.startswith(ours) for line in lines)
        assert any(line.startswith(theirs) and "which an installed package adds" in line for line in lines)


def test_models_are_listed_with_what_they_stand_for(eyechart: CommandLine) -> None:
    """Every provider in its own words."""
    rows = {row["name"]: row["about"] for row in json.loads(eyechart("ls", "models", "--json").stdout)["models"]}
    assert rows["openrouter"] == "OpenRouter"
    assert rows["vllm"] == "vLLM on this machine"
    assert all(about and "partial(" not in about for about in rows.values())
