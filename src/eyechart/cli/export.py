"""`eyechart export`: a run in another tool's format."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from eyechart import errors
from eyechart.cli.commands import Command
from eyechart.cli.output import write
from eyechart.cli.parser import Parser
from eyechart.report.exports import EXPORTS, export_run
from eyechart.store import open_run

EXAMPLES = """\
formats
  seed001      one JSON of a VQA test: metadata, hardware, models, questions; several runs in one
  seed004      SpatialEval: outputs/, eval_summary/, the batch summary over all runs
  seed000      VSI-Bench: results.csv with mra_score, overall accuracy and average MRA beside it
  vqa-results  [{"question_id", "answer"}], as VQA's official program and its challenge take it
  lmms-eval    results and samples files
  vlmevalkit   a table with predictions, TSV
  csv, jsonl   one row or line a question

examples
  eyechart export 7f3c --as vqa-results
  eyechart export 7f3c a1b9 90aa --as seed001 -o tables"""


def add_arguments(parser: Parser) -> None:
    """All flags."""
    parser.add_argument("runs", nargs="+", metavar="RUN", help="path, name or four letters")
    parser.add_argument("--as", dest="format", required=True, metavar="FORMAT", help=", ".join(EXPORTS.names()))
    parser.add_argument("--output", "-o", type=Path, default=Path(), metavar="DIR", help="where the files go (here)")
    parser.add_argument("--runs-dir", type=Path, default=Path("runs"), metavar="DIR", help="the folder that holds runs")


def export(arguments: Namespace) -> int:
    """Write the files and name them."""
    folders = [open_run(name, arguments.runs_dir) for name in arguments.runs]
    for path in export_run(folders, arguments.format, arguments.output):
        write(str(path))
    return errors.OK


COMMAND = Command(
    description="Write runs in another tool's format. The runs stay as they are.",
    add_arguments=add_arguments,
    run=export,
    examples=EXAMPLES,
)
