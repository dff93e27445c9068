"""Your own questions as a benchmark, without code: a table, a folder of pictures with a table, or a small YAML file.

`eyechart run my.tsv -m …` reads the columns by their names and says how it read them. A YAML file (`eyechart init`)
says it instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from eyechart.benchmarks.base import Benchmark, MediaRule
from eyechart.benchmarks.columns import Columns, recognise
from eyechart.benchmarks.options import whole_number
from eyechart.benchmarks.recipe import Recipe, read_recipe
from eyechart.errors import InputError
from eyechart.records import Media, Sample, Sampling
from eyechart.sources.own_pictures import OwnPictures
from eyechart.sources.place import Place, Published
from eyechart.sources.rows import Row, gap, in_lines, lettered, options_in_columns, plain, text, texts
from eyechart.sources.table import ENDINGS, Numbered, Table, ending, open_table
from eyechart.sources.tabular import RowOf, TableSource

_MARKED = re.compile(r"\(?([A-Z])[.):]\s*(.*)", re.DOTALL)
_LOOKED_AT = 200  # rows that are read before the run to tell what kind of answers there are


def own(
    path: str,
    *,
    media: str = "",
    style: str = "",
    metric: str = "",
    group: str = "",
    cluster: str = "",
    frames: str = "",
) -> Benchmark:
    """The benchmark that a file or folder of the user's makes; options go over what a YAML file says."""
    place = Path(path).expanduser()
    if not place.exists():
        raise InputError(
            f"no such file: {path}", fix="a name that ends like a file is a file of yours; else: eyechart ls"
        )
    if ending(place) in (".yaml", ".yml"):
        recipe = read_recipe(place)
    else:
        table = table_in(place) if place.is_dir() else place
        recipe = Recipe(
            source=str(table), media=media or str(table.parent), name=place.absolute().name.partition(".")[0]
        )
    given = {"media": media, "prompt": style, "metric": metric, "group": group, "cluster": cluster}
    recipe = recipe.with_options({name: value for name, value in given.items() if value})
    if frames:
        recipe = msgspec.structs.replace(recipe, frames=whole_number("frames", frames))
    return from_recipe(recipe, str(place))


def from_recipe(recipe: Recipe, path: str) -> Benchmark:
    """A benchmark from what a YAML file says and what the columns of its table tell."""
    place = place_of(recipe, path)
    table = Numbered(open_table(place.files()))
    columns = recognise(table.columns, recipe.columns, where=table.name, groups=recipe.groups, cluster=recipe.cluster)
    reader = Reader(columns, recipe.cluster)
    pictures = OwnPictures(recipe.name, columns.image or columns.video, recipe.media_root(), video=not columns.image)
    kind = reader.kind(table)
    metrics = (
        recipe.metrics
        or {
            "choice": ("choice",),
            "number": ("number", "exact"),
            "open": ("exact", "contains", "anls", "f1"),
        }[kind]
    )
    style = recipe.style_path() or ("vlmevalkit.v1" if columns.hint else "short.v1")
    groups = columns.groups

    def media(row: Row, sample: Sample, row_of: RowOf) -> tuple[Media, ...]:
        return pictures.of(row, sample.id, row_of)

    return Benchmark(
        name=path,
        title=recipe.title or recipe.name,
        about=recipe.about or f"own data: {table.name}",
        source=TableSource(
            lambda: table,
            sample=reader.sample,
            media=media,
            keep=columns.keep,
            stratum=groups[0] if groups else "",
            place=place,
        ),
        metrics=metrics,
        style=style,
        groups=groups,
        sampling=Sampling(temperature=0.0, max_tokens=recipe.max_tokens),
        media=MediaRule(frames=recipe.frames) if columns.video else MediaRule(),
        modality=columns.modality,
        licence=recipe.licence,
        home=place.published.home if place.published else path,
        cluster="picture" if columns.image and not recipe.cluster else recipe.cluster or "question",
        note="; ".join(
            [
                columns.told(kind),
                *([f"{recipe.frames} frames of each video unless a flag says otherwise"] if columns.video else []),
                f"prompt {style}",
                f"marked by {', '.join(metrics)}",
            ]
        ),
    )


def place_of(recipe: Recipe, path: str) -> Place:
    """Where the recipe's table is: a file, or a dataset on the hub."""
    if recipe.hub:
        layouts = (recipe.file_patterns or ("**/*test*.parquet",),)
        published = Published(repo=recipe.hub, layouts=layouts, revision=recipe.revision)
        return Place(benchmark=path, published=published)
    source = recipe.source_path()
    return Place(benchmark=path, data=str(table_in(source) if source.is_dir() else source))


def table_in(folder: Path) -> Path:
    """The one table that lies in a folder of pictures."""
    tables = sorted(path for path in folder.iterdir() if path.is_file() and ending(path) in ENDINGS)
    if len(tables) == 1:
        return tables[0]
    found = ", ".join(path.name for path in tables[:5]) or "none"
    raise InputError(
        f"{folder} must hold one table of questions beside its pictures",
        why=f"found: {found}",
        fix=f"name the file itself, or add a table ({' '.join(ENDINGS)}) with the columns image, question, answer",
    )


class Reader:
    """Turns a row of the user's table into a sample, as the columns were recognised."""

    def __init__(self, columns: Columns, cluster: str) -> None:
        self._columns, self._cluster = columns, cluster

    def sample(self, row: Row) -> Sample:
        """One question; the answer to a multiple choice is a letter, or the text of one option."""
        columns = self._columns
        choices = self._choices(row)
        answers = answers_in(row.get(columns.answer), columns.answer)
        if not answers:
            raise InputError(f"column {columns.answer!r} is empty", why="every question needs an answer to be marked")
        return Sample(
            id=text(row, columns.id),
            question=text(row, columns.question),
            choices=choices,
            references=(letter_of(answers[0], choices),) if choices else tuple(answers),
            tags=self._tags(row, choices),
            cluster=self._shared(row),
        )

    def kind(self, table: Table) -> str:
        """What the answers are: a choice of letters, numbers, or open."""
        samples = []
        for row in self._rows(table):
            with suppress(InputError):  # the index reads all rows, and refuses this one with its place
                samples.append(self.sample(row))
        if samples and all(sample.choices for sample in samples):
            return "choice"
        answers = [answer for sample in samples for answer in sample.references]
        return "number" if answers and all(is_number(answer) for answer in answers) else "open"

    def _rows(self, table: Table) -> list[Row]:
        rows: list[Row] = []
        for _, _, row in table.scan():
            if self._columns.keep is None or self._columns.keep(row):
                rows.append(row)
            if len(rows) == _LOOKED_AT:
                break
        return rows

    def _choices(self, row: Row) -> Mapping[str, str]:
        if self._columns.choices:
            given = row.get(self._columns.choices)
            if isinstance(given, Mapping):  # {"A": "left", "B": "right"}
                return {str(letter): plain(words) for letter, words in given.items() if not gap(words)}
            return lettered((in_lines(given) if isinstance(given, str) else []) or texts(given))
        return options_in_columns(row) if self._columns.letters else {}

    def _tags(self, row: Row, choices: Mapping[str, str]) -> dict[str, str]:
        columns = self._columns
        tags = {name: label(row[name]) for name in columns.groups if not gap(row.get(name))}
        if columns.hint and not gap(row.get(columns.hint)):
            # Prompt styles choose their words by tags: this one is there where a hint goes before the question.
            tags |= {"hint": text(row, columns.hint), "hint_before": "choices" if choices else "open"}
        return tags

    def _shared(self, row: Row) -> str:
        if self._cluster:
            return text(row, self._cluster, "")
        return self._columns.picture_of(row)


def answers_in(value: object, column: str) -> list[str]:
    """The right answers in a cell: one, a list, or a list of objects with a field `answer`, as VQA publishes them."""
    if isinstance(value, list):
        value = [item["answer"] if isinstance(item, Mapping) and "answer" in item else item for item in value]
    if any(isinstance(item, Mapping) for item in (value if isinstance(value, list) else [value])):
        raise InputError(
            f"column {column!r} holds an object, where an answer is needed",
            fix="give a text, a number, a list of these, or a list of objects with a field `answer`",
        )
    if isinstance(value, str) and value and "'" not in value and '"' not in value:
        return [value]  # numbers in brackets within a text are one answer: a box or a point, not four or two right ones
    return texts(value)


def label(value: object) -> str:
    """What a group is called; several names in one cell make one."""
    return ", ".join(texts(value)) if isinstance(value, list) else plain(value)


def letter_of(answer: str, choices: Mapping[str, str]) -> str:
    """The letter of the right option, given as a letter or as the option's text."""
    given = answer.strip()
    if given.upper() in choices:
        return given.upper()
    # "(A)", "A.", and "A. left" where A is left.
    marked = _MARKED.fullmatch(given)
    if marked and marked[1] in choices and marked[2] in ("", choices[marked[1]].strip()):
        return marked[1]
    by_text = [letter for letter, choice in choices.items() if choice.strip() == given]
    if len(by_text) == 1:
        return by_text[0]
    raise InputError(
        f"the answer {answer!r} is {'the text of several' if by_text else 'not among the'} options",
        why=f"they are {', '.join(f'{letter}: {choice}' for letter, choice in choices.items())}",
        fix="give a letter, or the text of one option exactly",
    )


def is_number(answer: str) -> bool:
    """Whether a gold answer is a plain number."""
    try:
        return float(answer) == float(answer)
    except ValueError:
        return False
