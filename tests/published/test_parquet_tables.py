"""Parquet and Arrow read lazily: pictures as bytes, row group by row group."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from layouts import jpeg, spatial_rows, write_parquet

from eyechart.errors import InputError, SetupError
from eyechart.sources import parquet
from eyechart.sources.table import Table, open_table

pa = pytest.importorskip("pyarrow")


def test_rows_come_without_pictures_first_and_with_them_when_asked(tmp_path: Path) -> None:
    """Scanning reads no picture; a row read again has the same bytes that were written."""
    rows = spatial_rows()
    write_parquet(tmp_path / "part-1.parquet", rows[:9])
    write_parquet(tmp_path / "part-2.parquet", rows[9:])
    table = open_table(sorted(tmp_path.glob("*.parquet")))
    scanned = list(table.scan())
    assert [row["id"] for _, _, row in scanned] == [row["id"] for row in rows]
    assert all("image" not in row for _, _, row in scanned)
    assert [block for _, block, _ in scanned] == [0] * 4 + [1] * 4 + [2] + [3] * 4 + [4] * 4 + [5] * (len(rows) - 17)
    for locator in (0, 8, 9, len(rows) - 1):
        assert table.row(locator, pictures=True)["image"]["bytes"] == rows[locator]["image"]["bytes"]
        assert table.row(locator, pictures=False)["id"] == rows[locator]["id"]


def test_a_large_row_group_goes_through_a_file_and_reads_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A group that is too large to hold is laid out on disk: same rows, nothing left behind."""
    monkeypatch.setattr(parquet, "_HELD_BYTES", 0)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    rows = spatial_rows()
    write_parquet(tmp_path / "rows.parquet", rows, group=100)
    table = open_table([tmp_path / "rows.parquet"])
    assert [table.row(i, pictures=True)["image"]["bytes"] for i in range(len(rows))] == [
        row["image"]["bytes"] for row in rows
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]


def large_group(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Table:
    """Forty rows with a picture of 60 kB each in one row group that counts as large."""
    monkeypatch.setattr(parquet, "_HELD_BYTES", 0)
    chance = random.Random(3)
    rows = [{"id": number, "image": {"bytes": chance.randbytes(60_000), "path": None}} for number in range(40)]
    write_parquet(folder / "rows.parquet", rows, group=100)
    return open_table([folder / "rows.parquet"])


def test_a_large_row_group_may_be_read_in_any_order_by_many_threads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Back and forth, at once, the same rows come."""
    table = large_group(tmp_path, monkeypatch)
    chance = random.Random(3)
    written = [chance.randbytes(60_000) for _ in range(40)]
    order = random.Random(1).sample(range(40), 40) * 2
    with ThreadPoolExecutor(8) as threads:
        read = list(threads.map(lambda place: table.row(place, pictures=True), order))
    assert [row["id"] for row in read] == order
    assert all(row["image"]["bytes"] == written[place] for row, place in zip(read, order, strict=True))


def test_damage_within_a_large_row_group_is_told_to_all_who_ask_for_rows_behind_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows before the damage are read; every question behind it gets the same clear line."""
    large_group(tmp_path, monkeypatch)
    path = tmp_path / "rows.parquet"
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle - 40_000 : middle + 40_000] = bytes(80_000)
    path.write_bytes(data)
    table = open_table([path])
    for _ in range(2):
        with pytest.raises(InputError, match="damaged or was cut short"):
            table.row(39, pictures=True)


def test_no_room_for_temporary_files_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder and the way out are named."""
    table = large_group(tmp_path, monkeypatch)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(SetupError, match="cannot be laid out in") as error:
        table.row(0, pictures=True)
    assert "TMPDIR" in error.value.fix


@pytest.mark.parametrize("stream", [False, True])
def test_arrow_files_and_streams_are_both_read(tmp_path: Path, stream: bool) -> None:
    """What `datasets` saves is a stream called .arrow."""
    table = pa.Table.from_pylist([{"id": i, "images": [jpeg((i, 0, 0))]} for i in range(5)])
    with pa.OSFile(str(tmp_path / "rows.arrow"), "wb") as sink:
        writer = (pa.ipc.new_stream if stream else pa.ipc.new_file)(sink, table.schema)
        writer.write_table(table, max_chunksize=2)
        writer.close()
    opened = open_table([tmp_path / "rows.arrow"])
    assert [(block, row) for _, block, row in opened.scan()] == [(i // 2, {"id": i}) for i in range(5)]
    assert opened.row(3, pictures=True)["images"] == [jpeg((3, 0, 0))]


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_a_file_that_was_cut_short_is_refused_by_name(tmp_path: Path, ending: str) -> None:
    """Half a download is one clear line."""
    path = tmp_path / f"rows.{ending}"
    write_parquet(path, spatial_rows())
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(InputError, match="damaged or was cut short") as error:
        list(open_table([path]).scan())
    assert str(path) in str(error.value)


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_texts_that_are_not_utf_8_are_refused(tmp_path: Path, ending: str) -> None:
    """The formats promise it; a writer that did not keep the promise is named before anything is asked."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / f"rows.{ending}"
    texts = pa.array(["good", b"\xe9"], pa.binary()).cast(pa.string(), safe=False)
    table = pa.table({"q": texts})
    if ending == "parquet":
        pq.write_table(table, path)
    else:
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
    with pytest.raises(InputError, match="is not UTF-8"):
        list(open_table([path]).scan())


def test_files_of_different_columns_are_not_read_as_one(tmp_path: Path) -> None:
    """Two files that do not belong together are told apart by their columns."""
    write_parquet(tmp_path / "a.parquet", [{"id": 1}])
    write_parquet(tmp_path / "b.parquet", [{"index": 1}])
    with pytest.raises(InputError, match="other columns"):
        open_table([tmp_path / "a.parquet", tmp_path / "b.parquet"])
