"""JSON, JSON lines, CSV and TSV, read row by row by where they stand in the file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from eyechart.errors import InputError
from eyechart.sources.rows import lettered, texts
from eyechart.sources.table import open_table

ROWS = [{"id": 1, "q": "a, b"}, {"id": 2, "q": 'line\nend "quoted"'}, {"id": 3, "q": "ünïcode 🐘"}]


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", ["json", "jsonl", "csv", "tsv", "nested"])
def test_every_format_gives_the_rows_that_were_written(tmp_path: Path, kind: str, packed: bool) -> None:
    """Whatever the format, packed or not, rows come back in order and one by one."""
    separator = "\t" if kind == "tsv" else ","
    quoted = [[str(row["id"]), '"' + str(row["q"]).replace('"', '""') + '"'] for row in ROWS]
    content = {
        "json": json.dumps(ROWS, indent=1),
        "nested": json.dumps({"info": {"n": [1, 2]}, "questions": ROWS, "licence": "CC"}, ensure_ascii=False),
        "jsonl": "\n".join(json.dumps(row) for row in ROWS) + "\n\n",
        "csv": "\r\n".join(separator.join(row) for row in [["id", "q"], *quoted]),
        "tsv": "\n".join(separator.join(row) for row in [["id", "q"], *quoted]) + "\n",
    }[kind].encode()
    ending = "json" if kind == "nested" else kind
    path = tmp_path / f"rows.{ending}{'.gz' if packed else ''}"
    path.write_bytes(gzip.compress(content) if packed else content)
    table = open_table([path])
    scanned = [row for _, _, row in table.scan()]
    assert [str(row["id"]) for row in scanned] == ["1", "2", "3"]
    assert [row["q"] for row in scanned] == [row["q"] for row in ROWS]
    assert table.row(1, pictures=True) == scanned[1]
    assert table.columns == ("id", "q")


def test_a_mark_at_the_start_of_the_file_is_no_part_of_the_first_column(tmp_path: Path) -> None:
    """Spreadsheets write a byte-order mark before the header."""
    path = tmp_path / "rows.csv"
    path.write_bytes(b"\xef\xbb\xbfid,q\n1,x\n")
    assert open_table([path]).columns == ("id", "q")
    path = tmp_path / "rows.json"
    path.write_bytes(b'\xef\xbb\xbf[{"id": 7}]')
    assert open_table([path]).row(0, pictures=False) == {"id": 7}
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": 7}\r\n{"id": 8}\r\n')
    assert [row for _, _, row in open_table([path]).scan()] == [{"id": 7}, {"id": 8}]


def test_a_cell_of_a_megabyte_is_read(tmp_path: Path) -> None:
    """Pictures as base64 are longer than the csv module's usual limit."""
    path = tmp_path / "rows.tsv"
    path.write_text("id\timage\n1\t" + "A" * 1_000_000 + "\n")
    assert len(open_table([path]).row(0, pictures=True)["image"]) == 1_000_000


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("rows.csv", "id,q\n1,x\n2\n", "row 2 has 1 cells where the header has 2"),
        ("rows.csv", 'id,q\n1,"x\n', "row 1: a cell that opens with a quotation mark is never closed"),
        ("rows.csv", 'id,q\n1,"x\n2,y\n3,z\n', "row 1: a cell that opens with a quotation mark is never closed"),
        ("rows.tsv", 'id\tq\n1\t"x" y\n"2"z\t"w\n', "row 2: a cell that opens with a quotation mark"),
        ("rows.csv", "id,q,q\n1,x,y\n", "two columns called 'q'"),
        ("rows.csv", "\ufeff", "has no header"),
        ("rows.csv", "\nid,q\n", "has no header"),
        ("rows.json", '{"a": 1}', "holds no list of questions"),
        ("rows.json", '[{"a": 1}', "not valid JSON"),
        ("rows.jsonl", '{"a": 1}\n{"a": \n', "row 2 (line 2) is not JSON"),
        ("rows.jsonl", '{"a": 1}\n[2]\n', "row 2 (line 2) is not an object"),
        ("rows.json", "", "is empty"),
        ("rows.json", "[" * 100_000, "is nested too deeply"),
        ("rows.jsonl", "{}\n" + '{"a":' * 100_000, "row 2 (line 2) is not JSON"),
        ("rows.txt", "x", "recognised by their ending"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_with_its_place(tmp_path: Path, name: str, content: str, words: str) -> None:
    """One clear line for each kind of damage."""
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(InputError) as error:
        list(open_table([path]).scan())
    assert words in str(error.value)


@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_a_field_that_only_later_rows_have_is_a_column(tmp_path: Path, ending: str) -> None:
    """The pictures of a table begin at its two hundredth row: they are not overlooked."""
    rows = [{"q": "x"} | ({"image": "a.jpg"} if number > 200 else {}) for number in range(5000)]
    text = json.dumps(rows) if ending == "json" else "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / f"rows.{ending}").write_text(text)
    assert open_table([tmp_path / f"rows.{ending}"]).columns == ("q", "image")


def test_bytes_that_are_no_text_and_half_a_gzip_file_are_refused(tmp_path: Path) -> None:
    """Latin-1 and a download that stopped are named for what they are."""
    latin = tmp_path / "rows.csv"
    latin.write_bytes("id,q\n1,é\n".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        open_table([latin])
    for name, content in (
        ("rows.jsonl", '{"id": 1, "q": "é"}\n'),
        ("rows.json", '{"é": [], "questions": [{"q": "x"}]}'),
    ):
        (tmp_path / name).write_bytes(content.encode("latin-1"))
        with pytest.raises(InputError, match=rf"{name}.* is not UTF-8"):
            open_table([tmp_path / name])
    half = tmp_path / "rows.json.gz"
    half.write_bytes(gzip.compress(json.dumps(ROWS * 100).encode())[:50])
    with pytest.raises(InputError, match="not a whole gzip file"):
        open_table([half])


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("['A. left' 'B. back'\n 'C. right']", ["A. left", "B. back", "C. right"]),
        ("['A. one', \"B. it's two\"]", ["A. one", "B. it's two"]),
        ('["A. one", "B. two"]', ["A. one", "B. two"]),
        ("[1, 2]", ["1", "2"]),
        ("[]", []),
        ("left", ["left"]),
        ("[not a list", ["[not a list"]),
        ("[unclosed 'quote]", ["[unclosed 'quote]"]),
        (["a", 2], ["a", "2"]),
        (None, []),
        (float("nan"), []),
    ],
)
def test_lists_are_read_however_they_were_written(written: object, read: list[str]) -> None:
    """Lists from numpy, Python and JSON mean the same, and a text that is no list is one text."""
    assert texts(written) == read


def test_options_keep_their_own_letters_or_get_new_ones() -> None:
    """A letter counts as one only where all options have theirs in order."""
    assert lettered(["A. left", "B. right"]) == {"A": "left", "B": "right"}
    assert lettered(["(A) left", "(B) right"]) == {"A": "left", "B": "right"}
    assert lettered(["left", "right"]) == {"A": "left", "B": "right"}
    assert lettered(["B. left", "A. right"]) == {"A": "B. left", "B": "A. right"}


@pytest.mark.parametrize(
    ("cell", "read"),
    [
        ('5" disk', '5" disk'),
        ('"quoted" start', "quoted start"),
        ('Say "hi" now', 'Say "hi" now'),
        ('"a ""b"" c"', 'a "b" c'),
        ('"two\nlines"', "two\nlines"),
        ("a\x00b", "a\x00b"),
    ],
)
def test_quotation_marks_are_read_as_pandas_reads_them(tmp_path: Path, cell: str, read: str) -> None:
    """Tables for VLMEvalKit are made and read by pandas: what it takes must be taken here, and mean the same."""
    path = tmp_path / "rows.tsv"
    path.write_text(f"id\tq\n1\t{cell}\n2\tlast\n")
    table = open_table([path])
    assert [row["q"] for _, _, row in table.scan()] == [read, "last"]
    assert table.row(0, pictures=False)["q"] == read
