"""Parquet and Arrow files read lazily: a row group at a time, pictures as bytes, never the whole split in memory."""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path
from threading import Lock
from typing import Any

from eyechart.errors import InputError, MissingExtra, few
from eyechart.sources.row_groups import Group, HeldGroup, LaidOutGroup
from eyechart.sources.rows import Row

# Row groups that are larger than this when unpacked are laid out in a temporary file, so that one group of a gigabyte
# of pictures costs disk, not memory.
_HELD_BYTES = 64 << 20
_HELD_GROUPS = 2
_BATCH_ROWS = 64
_WINDOW_ROWS = 1024


def arrow() -> Any:
    """pyarrow, or the error that says how to install it."""
    try:
        import pyarrow as pa
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtra("reading parquet and arrow files", "hub") from error
    return pa


class ParquetTable:
    """The rows of one or several parquet files with the same columns."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._pa = arrow()
        self.name = str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
        self._files = [ParquetPart(self._pa, path) for path in paths]
        schema = self._files[0].schema_arrow
        self.columns = tuple(schema.names)
        for path, file in zip(paths, self._files, strict=True):
            if set(file.schema_arrow.names) != set(self.columns):
                raise InputError(
                    f"{path} has other columns than {paths[0].name}",
                    why=f"{few(file.schema_arrow.names)} against {few(self.columns)}",
                )
        self._plain = [field.name for field in schema if not holds_pictures(field.type)]
        self._groups = [(file, number) for file in self._files for number in range(file.num_row_groups)]
        self._first = [0, *accumulate(file.metadata.row_group(number).num_rows for file, number in self._groups)]
        self._held: OrderedDict[tuple[int, bool], Group] = OrderedDict()
        self._window: tuple[int, list[Row]] = (-1, [])  # rows without pictures, decoded together for those who read on
        self._lock = Lock()

    def __len__(self) -> int:
        return int(self._first[-1])

    def scan(self) -> Iterator[tuple[int, int, Row]]:
        """Every row without its pictures, a batch at a time; the block is the row group."""
        for block, (file, number) in enumerate(self._groups):
            locator = self._first[block]
            for batch in self._batches(file, number, self._plain):
                for row in decoded(batch, self.name):
                    yield locator, block, row
                    locator += 1

    def row(self, locator: int, *, pictures: bool) -> Row:
        """One row; the row group it stands in is kept for its neighbours."""
        block = bisect_right(self._first, locator) - 1
        offset = locator - self._first[block]
        with self._lock:
            if pictures:
                return self._group(block, pictures=True).rows(offset, 1)[0]
            start, rows = self._window
            if not start <= locator < start + len(rows):
                start = locator - offset % _WINDOW_ROWS
                rows = self._group(block, pictures=False).rows(start - self._first[block], _WINDOW_ROWS)
                self._window = start, rows
            return rows[locator - start]

    def _group(self, block: int, *, pictures: bool) -> Group:
        key = (block, pictures)
        if key not in self._held:
            self._held[key] = self._opened(block, pictures=pictures)
            while len(self._held) > _HELD_GROUPS:
                self._held.popitem(last=False)
        self._held.move_to_end(key)
        return self._held[key]

    def _opened(self, block: int, *, pictures: bool) -> Group:
        file, number = self._groups[block]
        columns = list(self.columns) if pictures else self._plain
        batches = self._batches(file, number, columns)
        if pictures and file.metadata.row_group(number).total_byte_size > _HELD_BYTES:
            return LaidOutGroup(self._pa, batches)
        return HeldGroup(self._pa.Table.from_batches(list(batches), file.schema_arrow_of(columns)))

    def _batches(self, file: Any, number: int, columns: list[str]) -> Iterator[Any]:
        try:
            yield from file.iter_batches(batch_size=_BATCH_ROWS, row_groups=[number], columns=columns)
        except (self._pa.ArrowException, OSError) as error:
            raise damaged(file.place, error) from error


class ParquetPart:
    """One open parquet file, with the path that messages name."""

    def __init__(self, pa: Any, path: Path) -> None:
        self._pa = pa
        self.place = path
        try:
            # Read through a small buffer: mapped or read ahead, a group of pictures would be in memory a second time.
            self._file = pa.parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20)
            self.schema_arrow = self._file.schema_arrow
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise damaged(path, error) from error
        self.metadata = self._file.metadata
        self.num_row_groups: int = self._file.num_row_groups

    def schema_arrow_of(self, columns: list[str]) -> Any:
        """The schema of some columns, in the order in which batches bring them."""
        return self._pa.schema([field for field in self.schema_arrow if field.name in columns])

    def iter_batches(self, **options: Any) -> Iterator[Any]:
        """The rows of row groups, in batches."""
        batches: Iterator[Any] = self._file.iter_batches(use_threads=False, **options)
        return batches


class ArrowTable:
    """The rows of Arrow files, as files or as streams (which is what `datasets` writes), mapped and never loaded."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._pa = arrow()
        self.name = str(paths[0]) if len(paths) == 1 else f"{paths[0]} and {len(paths) - 1} more"
        try:
            self._table = self._pa.concat_tables([self._mapped(path) for path in paths])
        except (self._pa.ArrowException, OSError) as error:
            raise damaged(paths[0], error) from error
        self.columns = tuple(self._table.schema.names)
        self._plain = [field.name for field in self._table.schema if not holds_pictures(field.type)]

    def __len__(self) -> int:
        return int(self._table.num_rows)

    def scan(self) -> Iterator[tuple[int, int, Row]]:
        """Every row without its pictures; the block is the batch that was written together."""
        locator = 0
        for block, batch in enumerate(self._table.select(self._plain).to_batches()):
            for row in decoded(batch, self.name):
                yield locator, block, row
                locator += 1

    def row(self, locator: int, *, pictures: bool) -> Row:
        """One row of the map."""
        table = self._table if pictures else self._table.select(self._plain)
        return decoded(table.slice(locator, 1), self.name)[0]

    def _mapped(self, path: Path) -> Any:
        mapped = self._pa.memory_map(str(path))
        try:
            return self._pa.ipc.open_file(mapped).read_all()
        except self._pa.ArrowInvalid:
            mapped.seek(0)
            return self._pa.ipc.open_stream(mapped).read_all()


def holds_pictures(kind: Any) -> bool:
    """Whether a column's type holds bytes anywhere: alone, in a list, or in the struct that the hub uses."""
    from pyarrow import types

    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_binary_view(kind):
        return True
    if types.is_struct(kind):
        return any(holds_pictures(kind.field(i).type) for i in range(kind.num_fields))
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return holds_pictures(kind.value_type)
    return False


def decoded(table: Any, name: str) -> list[Row]:
    """Rows as Python has them. These formats promise UTF-8 and do not see to it: the first who reads them does."""
    try:
        rows: list[Row] = table.to_pylist()
    except UnicodeDecodeError as error:
        why = f"a column of texts holds other bytes: {error}"
        raise InputError(f"{name} is not UTF-8", why=why, fix="write the file anew") from error
    return rows


def damaged(path: Path, error: Exception) -> InputError:
    """The error for a file that cannot be read to its end."""
    return InputError(
        f"{path} is damaged or was cut short",
        why=str(error).splitlines()[0] if str(error) else type(error).__name__,
        fix="download or copy it again; `eyechart data check` compares hashes where the hub gives them",
    )
