"""`eyechart init`: a commented benchmark file for your own data, with three questions to try it on."""

from __future__ import annotations

import json
import re
import shlex
from argparse import Namespace
from pathlib import Path

from eyechart import errors
from eyechart.cli.commands import Command
from eyechart.cli.output import write
from eyechart.cli.parser import Parser
from eyechart.errors import SetupError, UsageError

EXAMPLES = """\
examples
  eyechart init birds                   birds.yaml and three questions about two pictures in birds/
  eyechart init birds --from my.csv     birds.yaml for a table that you have
  eyechart run birds.yaml -m baseline:majority"""

TEMPLATE = """\
# {title}: a benchmark of your own. Try it:  eyechart run {name}.yaml -m baseline:majority
# Only `source` is needed: columns with usual names are recognised, and how they were read is said when it runs.
# Paths are relative to this file.

# The questions: CSV, TSV, JSON, JSON lines, parquet or arrow; or hub:organisation/dataset.
source: {source}

title: {title}
# about: One sentence for people.
# licence: CC BY 4.0

# Which column means what, where the names do not say it. Without an id, rows are numbered.
# Options stand in one column (a list) or in columns A, B, C …; the answer is then a letter or an option's text.
columns:
{columns}
# Where the pictures are; a name in the column `image` is looked for there. Without it: beside the table.
{media}

# How questions are worded: a style that `eyechart ls prompts` shows, or a YAML file of your own.
# prompt: short.v1

# How answers are marked, the headline first: `eyechart ls metrics`. Without it: told from the answers.
# metric: [exact, f1]

# The columns by which results are broken down.
{group}
# The column that says which picture or scene questions share; such questions are not independent.
# Without it: those with the same picture.
# cluster: scene

# Of each video: how many frames, spread evenly.
# frames: 16

# The longest reply, in tokens.
max_tokens: 32
"""

_QUESTIONS = """\
id,image,question,answer,category
1,red.png,What colour is this?,red,colour
2,red.png,Is this blue?,no,yes/no
3,blue.png,What colour is this?,blue,colour
"""


def add_arguments(parser: Parser) -> None:
    """All flags."""
    parser.add_argument("name", metavar="NAME", help="what the benchmark is called")
    parser.add_argument("--from", dest="table", metavar="FILE", help="a table of questions that you have")


def init(arguments: Namespace) -> int:
    """Write NAME.yaml, and with no table of your own a folder NAME with questions and pictures."""
    target = Path(f"{arguments.name.removesuffix('.yaml')}.yaml")
    name = target.stem
    if name in ("", ".yaml", ".", ".."):
        raise UsageError(f"{arguments.name!r} is no name for a benchmark", fix="a plain name: eyechart init birds")
    if arguments.table:
        refuse_to_overwrite(target)
        text = for_table(name, Path(arguments.table), target.parent)
    else:
        folder = target.parent / name
        refuse_to_overwrite(target, folder)
        write_example(folder)
        text = example(name)
    save(target, text)
    command = f"eyechart run {shlex.quote(str(target))} -m baseline:majority"
    write(f"{target} is written; try it: {command}")
    return errors.OK


def save(target: Path, text: str) -> None:
    """Write the file, in a folder that is made where it is missing."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SetupError(f"cannot write {target}: {error.strerror or error}") from error


def refuse_to_overwrite(*paths: Path) -> None:
    """Never write over something that is there."""
    for path in paths:
        if path.exists():
            raise UsageError(f"{path} is there already", fix="choose another name, or move it away")


def example(name: str) -> str:
    """The file for the three questions that come with it."""
    columns = {"id": "id", "question": "question", "answer": "answer", "image": "image"}
    return TEMPLATE.format(
        name=name,
        title=quoted(name),
        source=quoted(f"{name}/questions.csv"),
        columns=written(columns),
        media=f"media: {quoted(name)}",
        group="group: category\n",
    )


def for_table(name: str, table: Path, folder: Path) -> str:
    """The file for a table of the user's, with the columns as they were recognised."""
    import os

    from eyechart.benchmarks.columns import recognise
    from eyechart.sources.table import Numbered, open_table

    columns = recognise(Numbered(open_table([table])).columns, {}, where=str(table))
    roles = ("id", "question", "answer", "image", "video", "choices", "hint")
    found = {role: getattr(columns, role) for role in roles if getattr(columns, role) not in ("", "#row")}
    return TEMPLATE.format(
        name=name,
        title=quoted(name),
        source=quoted(os.path.relpath(table, folder or ".")),
        columns=written(found),
        media="# media: pictures",
        group=f"group: [{', '.join(map(quoted, columns.groups))}]\n" if columns.groups else "# group: category\n",
    )


def written(columns: dict[str, str]) -> str:
    """The columns as YAML."""
    return "".join(f"  {role}: {json.dumps(column, ensure_ascii=False)}\n" for role, column in columns.items())


def quoted(text: str) -> str:
    """A text as YAML has it: bare where that is safe, else in quotation marks."""
    import yaml

    # "no" is a truth value in YAML, and a comma ends an item of a list.
    bare = re.fullmatch(r"[A-Za-z][\w./-]*", text, re.ASCII) and yaml.safe_load(text) == text
    return text if bare else json.dumps(text, ensure_ascii=False)


def write_example(folder: Path) -> None:
    """Three questions about two pictures of one colour each."""
    from PIL import Image

    folder.mkdir(parents=True)
    (folder / "questions.csv").write_text(_QUESTIONS, encoding="utf-8")
    for name, colour in (("red", (200, 30, 30)), ("blue", (30, 60, 200))):
        Image.new("RGB", (64, 64), colour).save(folder / f"{name}.png")


COMMAND = Command(
    description="A commented benchmark file for your own data.",
    add_arguments=add_arguments,
    run=init,
    examples=EXAMPLES,
)
