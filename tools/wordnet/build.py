"""Build the compact WordNet 3.0 table that ships with Eyechart from the database files of Princeton.

    python tools/wordnet/build.py FOLDER_WITH_INDEX_AND_DATA_FILES src/eyechart/metrics/data

The README beside this file says where the files come from and what is kept of them. The same input gives the same
sections, byte for byte; `eyechart.metrics.wordnet` reads what is written here.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import zlib
from pathlib import Path
from typing import NamedTuple

MAGIC = b"eyechart wordnet table 1\n"
POS = ("noun", "verb", "adj", "adv")
HYPERNYM, INSTANCE_HYPERNYM = "@", "@i"


class Synset(NamedTuple):
    """One line of a data file, as far as we need it."""

    offset: int
    words: tuple[str, ...]  # as written, without the syntactic marker "(p)", "(a)" or "(ip)"
    parents: tuple[int, ...]  # offsets of hypernyms and instance hypernyms


def rows(path: Path) -> list[str]:
    """The lines of a database file without the licence at its head, whose lines start with a space."""
    return [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith(" ")]


def licence(path: Path) -> str:
    """The licence that stands at the head of every database file, without its line numbers."""
    head = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith(" ")]
    return "\n".join(line.split(" ", 3)[3].rstrip() if line.strip().count(" ") else "" for line in head) + "\n"


def read_data(path: Path) -> list[Synset]:
    """All synsets of a data file, in file order."""
    return [read_synset(line.partition("|")[0].split()) for line in rows(path)]


def read_synset(fields: list[str]) -> Synset:
    """offset lexfile type count(hex) (word lex_id)… pointer_count (symbol offset pos source/target)… (see wndb.5)."""
    n_words = int(fields[3], 16)
    words = tuple(word.partition("(")[0] for word in fields[4 : 4 + 2 * n_words : 2])
    start = 4 + 2 * n_words
    pointers = fields[start + 1 : start + 1 + 4 * int(fields[start])]
    parents = tuple(
        int(offset)
        for symbol, offset in zip(pointers[::4], pointers[1::4], strict=True)
        if symbol in (HYPERNYM, INSTANCE_HYPERNYM)
    )
    return Synset(int(fields[0]), words, parents)


def read_index(path: Path) -> dict[str, list[int]]:
    """Lemma → offsets of its synsets, the most frequent sense first."""
    index = {}
    for line in rows(path):
        fields = line.split()
        index[fields[0]] = [int(offset) for offset in fields[-int(fields[2]) :]]
    return index


def read_exceptions(path: Path, known: dict[str, list[int]]) -> dict[str, list[str]]:
    """Irregular form → base forms; bases without any sense go, but the form stays, since it bars the rules."""
    exceptions = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        form, *bases = line.split()
        exceptions[form] = [base for base in bases if base in known]
    return exceptions


def sense_name(synset: Synset, index: dict[str, list[int]]) -> str:
    """`dog.n.01` as programs print it: ties between subsumers are broken by the order of these names."""
    lemma = synset.words[0].lower()
    return f"{lemma}.n.{index[lemma].index(synset.offset) + 1:02}"


def depths(parents: list[list[int]], pick: object) -> bytes:
    """Length of the longest (pick=max) or shortest (pick=min) way to the root for every noun synset."""
    known: dict[int, int] = {}
    for start in range(len(parents)):
        waiting = [start]
        while waiting:
            missing = [parent for parent in parents[waiting[-1]] if parent not in known]
            if missing:
                waiting += missing
                continue
            node = waiting.pop()
            known[node] = 1 + pick(known[parent] for parent in parents[node]) if parents[node] else 0  # type: ignore[operator]
    return bytes(known[node] for node in range(len(parents)))


def planes(numbers: list[int]) -> bytes:
    """24-bit numbers as three planes of bytes, lowest first: half the size once compressed."""
    return b"".join(bytes((number >> shift) & 255 for number in numbers) for shift in (0, 8, 16))


def build(folder: Path) -> tuple[dict[str, int], dict[str, bytes]]:
    """Everything that the table holds: sizes for its head, and the sections."""
    index = {pos: read_index(folder / f"index.{pos}") for pos in POS}
    data = {pos: read_data(folder / f"data.{pos}") for pos in POS}
    # Nouns are numbered in the order of their names, so that the smaller number is the smaller name.
    data["noun"].sort(key=lambda synset: sense_name(synset, index["noun"]))
    number: dict[tuple[str, int], int] = {}
    for pos in POS:
        for synset in data[pos]:
            number[pos, synset.offset] = len(number)

    lemmas = sorted(set().union(*index.values()))
    senses = [[number[pos, offset] for pos in POS for offset in index[pos].get(lemma, ())] for lemma in lemmas]
    place = {lemma: i for i, lemma in enumerate(lemmas)}
    # Only words that METEOR could ever match: it lower-cases what it compares and passes over names with "_".
    members = [
        sorted({place[word] for word in synset.words if word == word.lower() and "_" not in word})
        for pos in POS
        for synset in data[pos]
    ]
    parents = [sorted({number["noun", offset] for offset in synset.parents}) for synset in data["noun"]]
    first = [place[synset.words[0].lower()] for synset in data["noun"]]
    exceptions = {pos: read_exceptions(folder / f"{pos}.exc", index[pos]) for pos in POS}

    sizes = {"lemmas": len(lemmas), **{pos: len(data[pos]) for pos in POS}}
    sections = {
        "lemmas": "\n".join(lemmas).encode(),
        "exceptions": "\n".join(
            " ".join([pos, form, *bases]) for pos in POS for form, bases in sorted(exceptions[pos].items())
        ).encode(),
        "sense_counts": bytes(map(len, senses)),
        "senses": planes([sense for group in senses for sense in group]),
        "member_counts": bytes(map(len, members)),
        "members": planes([member for group in members for member in group]),
        "parent_counts": bytes(map(len, parents)),
        "parents": planes([parent for group in parents for parent in group]),
        "min_depth": depths(parents, min),
        "max_depth": depths(parents, max),
        "first_lemma": planes(first),
    }
    return sizes, sections


def write(target: Path, sizes: dict[str, int], sections: dict[str, bytes]) -> None:
    """Magic line, one line of JSON that says where each section lies, then the sections, deflated one by one."""
    packed = {name: zlib.compress(content, 9) for name, content in sections.items()}
    table, at = {}, 0
    for name, content in packed.items():
        sha256 = hashlib.sha256(sections[name]).hexdigest()
        table[name] = {"at": at, "packed": len(content), "bytes": len(sections[name]), "sha256": sha256}
        at += len(content)
    head = json.dumps({"wordnet": "3.0", "sizes": sizes, "sections": table}, separators=(",", ":")).encode() + b"\n"
    target.write_bytes(MAGIC + head + b"".join(packed.values()))


def main() -> None:
    """Read the database, write the table and the licence beside it, and say how large each section came out."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="holds index.noun, data.noun, noun.exc and so on")
    parser.add_argument("target", type=Path, help="where wordnet30.bin and LICENSE.wordnet go")
    given = parser.parse_args()
    sizes, sections = build(given.folder)
    given.target.mkdir(parents=True, exist_ok=True)
    write(given.target / "wordnet30.bin", sizes, sections)
    (given.target / "LICENSE.wordnet").write_text(licence(given.folder / "data.noun"), encoding="utf-8")
    for name, content in sections.items():
        print(f"{name:15}{len(content):>10,} bytes, {len(zlib.compress(content, 9)):>9,} deflated")
    print(f"{'total':15}{(given.target / 'wordnet30.bin').stat().st_size:>21,} on disk")


if __name__ == "__main__":
    main()
