"""The journal loses nothing, and says so when it is damaged."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from eyechart.errors import InputError, SetupError, UsageError
from eyechart.records import Exchange, Failure, Longer, Response, Timing, Usage
from eyechart.store import Journal, Manifest, RunFolder, find_runs, open_run, read_exchanges, read_finals
from eyechart.store.atomic import replacing, write_json
from eyechart.store.folder import create_run, runs_that_asked
from eyechart.store.journal import Key, copy_lines, recover
from eyechart.store.lock import locked


def exchange(sample: str, text: str = "yes", **fields: object) -> Exchange:
    return Exchange(sample=sample, response=Response(text=text), timing=Timing(ended_at=1.0), **fields)  # type: ignore[arg-type]


def journal_of(path: Path, *lines: Exchange) -> Path:
    journal = Journal(path)
    for line in lines:
        journal.append(line)
    journal.close()
    return path


def manifest(name: str = "r", **fields: object) -> Manifest:
    given = {"benchmark": "b", "model": "m", "style": "s", "style_hash": "0", "media": "native", "headline": "exact"}
    return Manifest(run=name, data="d", **{**given, **fields})  # type: ignore[arg-type]


def test_what_is_appended_is_read_back(tmp_path: Path) -> None:
    """Exchanges come back in order, with odd characters unharmed."""
    lines = [exchange("a", "naïve\n\u2028\x00🙂"), exchange("b", '{"x": 1}'), exchange("a", repeat=1)]
    assert list(read_exchanges(journal_of(tmp_path / "j", *lines))) == lines


def test_a_line_names_its_key_whatever_is_usual(tmp_path: Path) -> None:
    """Other programs read the journal: key, `final` and `tries` stand in every line, a reply or a failure in one."""
    failure = Exchange(sample="b", failure=Failure(kind="timeout", stage="request", message="60 s"))
    path = journal_of(tmp_path / "j", exchange("a"), failure)
    answered, failed = map(json.loads, path.read_text().splitlines())
    for line in (answered, failed):
        key = {name: line[name] for name in ("variant", "repeat", "step", "final", "tries")}
        assert key == {"variant": "", "repeat": 0, "step": 0, "final": True, "tries": 1}
    assert "failure" not in answered
    assert "response" not in failed


def test_what_was_cut_off_and_paid_for_is_read_back(tmp_path: Path) -> None:
    """Where a reply was asked for again the line keeps the first one, and both are counted; other lines have no such
    field, as in journals from before there was one."""
    cut = Response(text="The pic", finish="length", usage=Usage(input_tokens=7, output_tokens=32))
    asked_again = Exchange(
        sample="b",
        response=Response(text="2", usage=Usage(input_tokens=7, output_tokens=60)),
        longer=Longer(max_tokens=128, cut=cut),
    )
    path = journal_of(tmp_path / "j", exchange("a"), asked_again)
    assert ["longer" in json.loads(line) for line in path.read_text().splitlines()] == [False, True]
    assert [e.longer and e.longer.cut for e in read_exchanges(path)] == [None, cut]
    finals = read_finals(path)
    assert finals[Key("a")].usage == Usage()
    assert finals[Key("b")].usage == asked_again.usage == Usage(input_tokens=14, output_tokens=92)


def test_the_last_exchange_of_a_question_counts(tmp_path: Path) -> None:
    """A failure that was asked again is replaced by its answer; steps before the last end nothing."""
    failure = Exchange(sample="a", failure=Failure(kind="timeout", stage="request", message="60 s"))
    path = journal_of(tmp_path / "j", failure, exchange("b", "draw", final=False), exchange("a", "no"))
    finals = read_finals(path)
    assert list(finals) == [Key("a")]
    assert finals[Key("a")].response == Response(text="no")


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_torn_last_line_is_cut_off_and_nothing_else(tmp_path: Path, cut: int) -> None:
    """Recovery removes the torn line; whole lines before it stay byte for byte."""
    path = journal_of(tmp_path / "j", exchange("a"), exchange("b"))
    whole = path.read_bytes()
    torn = len(whole) - cut
    os.truncate(path, torn)
    first = whole.index(b"\n") + 1
    assert [e.sample for e in read_exchanges(path)] == ["a"]
    assert recover(path) == torn - first
    assert path.read_bytes() == whole[:first]
    assert recover(path) == 0


def test_a_damaged_line_is_refused_with_its_number(tmp_path: Path) -> None:
    """Damage in the middle is never skipped in silence."""
    path = journal_of(tmp_path / "j", exchange("a"), exchange("b"), exchange("c"))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b'{"sample": 3\n' + lines[2])
    with pytest.raises(InputError, match="line 2: the journal is damaged"):
        read_finals(path)


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    """A write that finds no space ends in one clear message."""
    journal = Journal(Path("/dev/full"))
    with pytest.raises(SetupError, match="the disk is full"):
        journal.append(exchange("a"))


def test_a_killed_writer_loses_nothing_that_it_appended(tmp_path: Path) -> None:
    """Lines are with the operating system when append returns, so SIGKILL right after loses none."""
    path = tmp_path / "j"
    script = (
        "import os, signal, sys; from pathlib import Path\n"
        "from eyechart.records import *; from eyechart.store import Journal\n"
        "journal = Journal(Path(sys.argv[1]))\n"
        "for n in range(500): journal.append(Exchange(sample=str(n), response=Response(text='x')))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    result = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert result.returncode == -9
    assert len(list(read_exchanges(path))) == 500


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    """The lock names the process that holds it, and is free again afterwards."""
    with locked(tmp_path), pytest.raises(SetupError, match="in use") as caught, locked(tmp_path):
        pass
    assert str(os.getpid()) in caught.value.why
    with locked(tmp_path):
        pass


def test_a_run_is_found_by_path_name_beginning_and_short_id(tmp_path: Path) -> None:
    """People may name a run in the way that is at hand; a wrong name gets a hint."""
    folder = create_run(tmp_path, "vsibench:debiased", "http://h:1/v1#org/Model-7B")
    folder.write_manifest(manifest(folder.name))
    assert "Model-7B" in folder.name
    for word in (folder.path, folder.name, folder.name[:12], folder.short_id):
        assert open_run(word, tmp_path) == folder
    with pytest.raises(UsageError, match="did you mean"):
        open_run(folder.name.replace("Model", "Modl"), tmp_path)
    assert list(find_runs(tmp_path)) == [folder]


def test_only_the_same_question_put_in_the_same_way_is_continued(tmp_path: Path) -> None:
    """A run is continued when all identity fields are equal, else not."""
    folder = create_run(tmp_path, "b", "m")
    folder.write_manifest(manifest(folder.name, identity={"seed": "0", "prompt": "a"}))
    assert [found for found, _ in runs_that_asked(tmp_path, {"seed": "0", "prompt": "a"})] == [folder]
    assert not list(runs_that_asked(tmp_path, {"seed": "1", "prompt": "a"}))


def test_a_whole_file_is_replaced_or_left_alone(tmp_path: Path) -> None:
    """An error while writing leaves the old file and no litter."""
    path = tmp_path / "summary.json"
    write_json(path, {"a": 1})
    before = path.read_bytes()

    def write_half() -> None:
        with replacing(path) as file:
            file.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["summary.json"]


def test_old_scores_are_kept(tmp_path: Path) -> None:
    """Marking again keeps each earlier revision under a number; the same scores again leave nothing behind."""
    run = RunFolder(tmp_path)
    for text in ("one\n", "two\n", "two\n"):
        with run.new_scores() as file:
            file.write(text.encode())
    assert len(list((tmp_path / "scores").iterdir())) == 1
    assert (tmp_path / "scores" / "0001.jsonl").read_text() == "one\n"
    assert run.scores.read_text() == "two\n"


def test_a_line_that_is_not_utf8_is_a_damaged_line(tmp_path: Path) -> None:
    """Bytes that no text has are named by line number like any other damage."""
    path = tmp_path / "outcomes.jsonl"
    path.write_bytes(b'{"sample":"a"}\n{"sample":"\xff"}\n')
    with pytest.raises(InputError, match="line 2: the journal is damaged"):
        read_finals(path)


def test_damage_is_found_before_lines_are_copied(tmp_path: Path) -> None:
    """A narrower run does not begin with half of a damaged journal."""
    source, target = tmp_path / "outcomes.jsonl", tmp_path / "copy.jsonl"
    source.write_bytes(b'{"sample":"a"}\n{broken\n{"sample":"b"}\n')
    with pytest.raises(InputError, match="line 2"):
        copy_lines([source], target, {Key("a"), Key("b")})
    assert target.read_bytes() == b""


def test_answers_of_several_runs_come_together(tmp_path: Path) -> None:
    """Each wanted question once, from the first journal in which it was answered; failures do not hide an answer."""
    answer, failure = b'{"sample":"%s"}\n', b'{"sample":"%s","failure":{"kind":"timeout"}}\n'
    first, second, target = tmp_path / "1.jsonl", tmp_path / "2.jsonl", tmp_path / "copy.jsonl"
    first.write_bytes(answer % b"a" + answer % b"other" + failure % b"b" + b'{"sample":"to')
    second.write_bytes(answer % b"a" + answer % b"b" + answer % b"c")
    copy_lines([first, second], target, {Key("a"), Key("b"), Key("c")})
    assert target.read_bytes() == answer % b"a" + failure % b"b" + answer % b"b" + answer % b"c"


@pytest.mark.parametrize("name", ["run.lock", "outcomes.jsonl"])
def test_a_folder_that_cannot_be_written_is_not_our_bug(tmp_path: Path, name: str) -> None:
    """What the operating system refuses is said with the path, for the person to mend."""
    (tmp_path / name).mkdir()  # opening it to write fails for everybody, also for root
    with pytest.raises(SetupError, match=f"cannot write .*{name}"), locked(tmp_path):
        Journal(tmp_path / name)
