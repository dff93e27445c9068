"""A file of rows that can be read again one by one: the shape that all formats share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from eyechart.errors import InputError, few
from eyechart.sources.rows import Row

TEXT_ENDINGS = (".json", ".jsonl", ".ndjson", ".csv", ".tsv")
COLUMN_ENDINGS = (".parquet", ".arrow")
ENDINGS = (*TEXT_ENDINGS, *COLUMN_ENDINGS)


class Table(Protocol):
    """Rows of one or several files. Called from several threads."""

    name: str  # the file, as messages call it
    columns: tuple[str, ...]

    def scan(self) -> Iterator[tuple[int, int, Row]]:
        """Every row in file order, as (locator, block, row); columns that hold pictures are left out."""
        ...

    def row(self, locator: int, *, pictures: bool) -> Row:
        """The row at this place once more, with its pictures if they are wanted."""
        ...


ROW_NUMBER = "#row"  # the column that `Numbered` adds


def ending(path: Path) -> str:
    """The format that a file's name says, `.gz` apart: ".jsonl" for "answers.jsonl.gz"."""
    return Path(path.name.removesuffix(".gz")).suffix.casefold()


def open_table(paths: Sequence[Path]) -> Table:
    """The rows of a file, or of several files of the same format one after another."""
    if not paths:
        raise InputError("no file to read", why="the list of files is empty")
    kinds = {ending(path) for path in paths}
    for path in paths:
        if not path.is_file():
            raise InputError(f"no such file: {path}")
    kind = kinds.pop()
    if kinds or kind not in ENDINGS:
        raise InputError(
            f"cannot read {', '.join(path.name for path in paths[:3])}",
            why=f"files are recognised by their ending: {' '.join(ENDINGS)}, each also with .gz for text",
        )
    if kind == ".parquet":
        from eyechart.sources.parquet import ParquetTable

        return ParquetTable(paths)
    if kind == ".arrow":
        from eyechart.sources.parquet import ArrowTable

        return ArrowTable(paths)
    from eyechart.sources.textfile import TextTable

    tables = [TextTable(path) for path in paths]
    return tables[0] if len(tables) == 1 else Chain(tables)


class Chain:
    """Several tables read as one."""

    def __init__(self, tables: Sequence[Table]) -> None:
        self.name = f"{tables[0].name} and {len(tables) - 1} more"
        self.columns = tables[0].columns
        for table in tables[1:]:
            if set(table.columns) != set(self.columns):
                raise InputError(
                    f"{table.name} and {tables[0].name} have different columns",
                    why=f"{few(table.columns)} against {few(self.columns)}",
                )
        self._tables = tables

    def scan(self) -> Iterator[tuple[int, int, Row]]:
        """Every row of every table; the table's number is packed into the locator."""
        blocks = 0
        for number, table in enumerate(self._tables):
            block = 0
            for locator, block, row in table.scan():
                yield locator * len(self._tables) + number, blocks + block, row
            blocks += block + 1

    def row(self, locator: int, *, pictures: bool) -> Row:
        """The row at a packed locator."""
        return self._tables[locator % len(self._tables)].row(locator // len(self._tables), pictures=pictures)


class Numbered:
    """A table with one column more: the number of the row in its file, for those that have no ids."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.name, self.columns = table.name, (*table.columns, ROW_NUMBER)

    def scan(self) -> Iterator[tuple[int, int, Row]]:
        """Every row, numbered from 1."""
        for locator, block, row in self._table.scan():
            yield locator, block, {**row, ROW_NUMBER: f"row-{locator + 1}"}

    def row(self, locator: int, *, pictures: bool) -> Row:
        """The row at this place, numbered."""
        return {**self._table.row(locator, pictures=pictures), ROW_NUMBER: f"row-{locator + 1}"}
