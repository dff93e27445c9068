"""Write the parity tables of the docs pages: `python tools/parity.py`.

Every case in tests/parity that an official program wrote is marked again and compared to 1e-9. A test makes the same
comparison: it fails where a case is neither equal nor one of the differences that are named here, and where a page is
not what this program would write.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from parity_cases import (
    Asked,
    Case,
    Questions,
    Read,
    Value,
    aligned,
    field,
    gold_is_not_positive,
    gold_is_zero,
    level_is_missing,
    mmsi,
    numbers_only,
    one_gold,
    pair,
    sentences,
    spatial,
    tdiuc,
    tdiuc_with_key,
    vqa,
    vsi,
)

from eyechart.metrics import get_metric
from eyechart.metrics.base import Cell, Metric

ROOT = Path(__file__).parents[1]
CASES, DOCS = ROOT / "tests" / "parity", ROOT / "docs"
BLOCK = re.compile(r"<!-- parity -->\n.*?<!-- /parity -->", re.DOTALL)


# What the cases call a program → what people call it; "official" is the program that the metric itself names.
PROGRAMS = {
    "official_py2": "GT-Vision-Lab/VQA@a013f00",
    "official_py2_before_2021_fix": "GT-Vision-Lab/VQA@a4f1afd",
    "lmms_eval": "lmms-eval@75571cf",
    "lmms_2025": "lmms-eval 0.6",
    "lmms_head": "lmms-eval@75571cf",
    "vlmevalkit": "VLMEvalKit@e8e78f0",
    "upstream": "yitzuliu/DissertationDemo@721fe04",
    "seed_literal": "its description",
    "seed_literal_words": "its description, whole words",
    "exact_strict": "exact decimals, <",
    "exact_inclusive": "exact decimals, <=",
    "seed000_code": "its description",
    "seed004_code": "vcstkv/cobra@554d333",
    "official_readme": "InternRobotics/MMSI-Bench@5de2f3d",
    "wups_0.9": "calculate_wups.py",
    "wups_0.0": "calculate_wups.py",
    "wups_0.925_default": "calculate_wups.py",
    "accuracy": "calculate_wups.py",
    "sacrebleu1_corpus": "sacrebleu 2.6.0",
    "clean": "exact fractions",
    "tdiuc_eval": "evaluate_TDIUC.py@e1f93d3, aligned",
}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """One metric against one program, over the cases of some files."""

    page: str
    metric: str
    program: str  # under which name the cases hold its output
    files: Sequence[str]
    questions: Questions
    official: Read
    whole: bool = False  # a data set is compared by its number, a question by its score
    different: str = ""  # what is different on purpose, and where
    on_purpose: Callable[[Case], bool] = lambda case: False


class Row(NamedTuple):
    """What came of a comparison."""

    comparison: Comparison
    equal: int
    undefined: int  # the program stops, and we say that there is no score
    on_purpose: int
    wrong: tuple[str, ...]


def compare(comparison: Comparison) -> Row:
    """Mark every case again."""
    metric = get_metric(comparison.metric)
    equal, undefined, on_purpose, wrong = 0, 0, 0, []
    for case in (case for file in comparison.files for case in cases(file)):
        official = comparison.official(case, comparison.program)
        if official is None:
            continue
        ours = value_of(metric, comparison.questions(case), whole=comparison.whole)
        if official.value is None and ours is None:
            undefined += 1
        elif official.value is not None and ours is not None and abs(official.value - ours) <= 1e-9:
            equal += 1
        elif comparison.different and comparison.on_purpose(case):
            on_purpose += 1
        else:
            wrong.append(case["id"])
    return Row(comparison, equal, undefined, on_purpose, tuple(wrong))


def value_of(metric: Metric, asked: Iterable[Asked], *, whole: bool) -> Value:
    """The score of a question, or the number of a data set."""
    sums: dict[Cell, tuple[float, ...]] = {}
    for sample, text in asked:
        unanswered = metric.wrong if whole else metric.null
        score = unanswered(sample) if text is None else metric.score(sample, text)
        if not whole:
            return score.value
        if score.value is not None:
            row = (1.0, score.value, *score.stats)
            before = sums.get(metric.cell(sample), (0.0,) * len(row))
            sums[metric.cell(sample)] = tuple(map(sum, zip(before, row, strict=True)))
    return metric.aggregate(sums).get("value")


@cache
def cases(file: str) -> list[Case]:
    """The records of one file."""
    with gzip.open(CASES / f"{file}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def tables(rows: Sequence[Row]) -> dict[Path, str]:
    """The block of each page."""
    blocks: dict[Path, list[str]] = {}
    for row in rows:
        lines = blocks.setdefault(
            DOCS / row.comparison.page,
            [
                "| metric | program | cases | compared | equal to 1e-9 | undefined in both | different on purpose |",
                "|---|---|---|---|---|---|---|",
            ],
        )
        files = ", ".join(f"`{Path(file).name}`" for file in row.comparison.files)
        compared = row.equal + row.undefined + row.on_purpose + len(row.wrong)
        why = f"{row.on_purpose:,}: {row.comparison.different}" if row.on_purpose else "0"
        lines.append(
            f"| `{row.comparison.metric}` | {program_of(row.comparison)} | {files} | {compared:,} | {row.equal:,} | "
            f"{row.undefined:,} | {why} |"
        )
    return {
        page: "\n".join(
            ["<!-- parity -->", "Counted by `python tools/parity.py`, which a test repeats.", "", *lines, ""]
        )
        + "<!-- /parity -->"
        for page, lines in blocks.items()
    }


def program_of(comparison: Comparison) -> str:
    """The program as people call it."""
    if comparison.program.startswith("nltk"):
        return "NLTK 3.10.4"
    return PROGRAMS.get(comparison.program) or get_metric(comparison.metric).upstream.partition(" ")[0]


def with_block(text: str, block: str) -> str:
    """A page with its table replaced."""
    return BLOCK.sub(lambda _: block, text)


# ── the comparisons ───────────────────────────────────────────────────────────

_MPT = {
    "accuracy": "overall",
    "mpt_arithmetic": "arithmetic_mpt",
    "mpt_harmonic": "harmonic_mpt",
    "nmpt_arithmetic": "arithmetic_nmpt",
    "nmpt_harmonic": "harmonic_nmpt",
}
_GOLD_ZERO = "a gold of 0 is `gold_zero`"


def comparisons() -> Iterator[Comparison]:
    """Every metric that has an official program."""
    page, files = "benchmarks/vqav2.md", ("vqa/vqa_single",)
    for metric, program, read in (
        ("vqa_accuracy", "official_py2", field("pct_n30", 100)),
        ("vqa_accuracy_pre2021", "official_py2_before_2021_fix", field("pct_n30", 100)),
        ("vqa_accuracy_normalised", "lmms_eval", field("acc")),
    ):
        yield Comparison(page=page, metric=metric, program=program, files=files, questions=vqa, official=read)
    for metric, program, name in (
        ("vqa_enhanced", "upstream", "vqa_accuracy"),
        ("vqa_enhanced[literal=true]", "seed_literal", "vqa_accuracy"),
        ("vqa_enhanced[keywords=word,literal=true]", "seed_literal_words", "vqa_accuracy"),
        ("vqa_contains", "upstream", "simple_correct"),
    ):
        yield Comparison(
            page=page, metric=metric, program=program, files=("vqa/enhanced",), questions=one_gold, official=field(name)
        )
    yield from vsi_comparisons()
    page = "benchmarks/mmsi.md"
    for metric, one, many in (
        ("mmsi", "official_readme", "lmms_2025"),
        ("mmsi[lmms_head=true]", "lmms_head", "lmms_head"),
    ):
        for program, file, name in ((one, "mmsi_items", "score"), (many, "mmsi_aggregate", "average")):
            yield Comparison(
                page=page,
                metric=metric,
                program=program,
                files=(f"spatial/{file}",),
                questions=mmsi,
                official=field(name),
                whole=file == "mmsi_aggregate",
            )
    page, files = "benchmarks/spatialeval.md", ("spatial/spatialeval_items",)
    for metric, program, name in (
        ("spatialeval_seed", "seed004_code", "is_correct"),
        ("spatialeval_official", "official", "correct"),
    ):
        read = field(name)
        yield Comparison(page=page, metric=metric, program=program, files=files, questions=spatial, official=read)
    yield Comparison(
        page=page,
        metric="spatialeval_seed",
        program="seed004_code",
        files=("spatial/spatialeval_aggregate",),
        questions=spatial,
        official=field("accuracy"),
        whole=True,
    )
    yield from word_comparisons()
    page, files = "benchmarks/tdiuc.md", ("tdiuc/tdiuc",)
    for metric, name in _MPT.items():
        yield Comparison(
            page=page,
            metric=metric,
            program="clean",
            files=files,
            questions=tdiuc,
            official=field(name, 100),
            whole=True,
        )
        yield Comparison(
            page=page,
            metric=metric if metric == "accuracy" else f"{metric}[eps=1e-10]",
            program="tdiuc_eval",
            files=files,
            questions=tdiuc_with_key,
            official=aligned(name),
            whole=True,
        )


def vsi_comparisons() -> Iterator[Comparison]:
    """VSI-Bench's metrics and readers."""
    page, files, score = "benchmarks/vsibench.md", ("spatial/vsi_items", "spatial/vsi_mra_table"), field("score")
    numbers = numbers_only(score)
    for metric, program, read in (
        ("vsi", "official", score),
        ("mra", "official", numbers),
        ("mra_strict", "exact_strict", numbers),
        ("mra_inclusive", "exact_inclusive", numbers),
        ("vsi_binary", "seed000_code", field("is_correct")),
    ):
        yield Comparison(
            page=page,
            metric=metric,
            program=program,
            files=files,
            questions=vsi,
            official=read,
            different="" if program == "official" else _GOLD_ZERO,
            on_purpose=gold_is_zero,
        )
    yield Comparison(
        page=page,
        metric="vsi",
        program="official",
        files=("spatial/vsi_aggregate",),
        questions=vsi,
        official=field("overall", 100),
        whole=True,
        different="where a direction level is missing the program stops; we take the mean of the rest",
        on_purpose=level_is_missing,
    )
    page = "metrics/number-readers.md"
    for metric, program, different, on_purpose in (
        ("mra[reader=first_number]", "lmms_eval", "", gold_is_zero),
        (
            "mra[reader=last_number]",
            "vlmevalkit",
            "that program divides by the size of a negative gold and not at all by 0; `mra` is the official formula",
            gold_is_not_positive,
        ),
    ):
        yield Comparison(
            page=page,
            metric=metric,
            program=program,
            files=files,
            questions=vsi,
            official=numbers,
            different=different,
            on_purpose=on_purpose,
        )


def word_comparisons() -> Iterator[Comparison]:
    """WUPS, BLEU-1 and METEOR."""
    for metric, program in (
        ("wups@0.9", "wups_0.9"),
        ("wups@0.0", "wups_0.0"),
        ("wups@0.925", "wups_0.925_default"),
        ("wups@-1", "accuracy"),
    ):
        yield Comparison(
            page="metrics/wups.md",
            metric=metric,
            program=program,
            files=("words/wups_pairs",),
            questions=pair,
            official=field(""),
        )
    for page, metric, program, file in (
        ("metrics/bleu.md", "bleu1", "nltk_bleu1", "textgen"),
        ("metrics/bleu.md", "bleu1", "nltk_sentence_bleu1_mean", "textgen_corpus"),
        ("metrics/bleu.md", "bleu1_corpus", "nltk_corpus_bleu1", "textgen_corpus"),
        ("metrics/bleu.md", "bleu1_corpus", "sacrebleu1_corpus", "textgen_corpus"),
        ("metrics/meteor.md", "meteor", "nltk_meteor", "textgen"),
        ("metrics/meteor.md", "meteor", "nltk_meteor_mean", "textgen_corpus"),
    ):
        yield Comparison(
            page=page,
            metric=metric,
            program=program,
            files=(f"words/{file}",),
            questions=sentences,
            official=field(""),
            whole=file == "textgen_corpus",
        )


if __name__ == "__main__":
    for page, block in tables([compare(comparison) for comparison in comparisons()]).items():
        page.write_text(with_block(page.read_text(), block))
        sys.stdout.write(f"{page}\n")
