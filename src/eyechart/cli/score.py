"""`eyechart score`: mark a file of answers that you already have."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from eyechart import errors
from eyechart.cli.commands import Command
from eyechart.cli.output import as_json, write
from eyechart.cli.parser import Parser
from eyechart.marking.choose import split_metrics
from eyechart.marking.file_result import FileResult, ScoreRequest
from eyechart.marking.files.gold import GoldFiles
from eyechart.marking.score_file import score_file

EXAMPLES = """\
examples
  eyechart score vqav2 -p results.json --questions questions.json --annotations annotations.json
  eyechart score tdiuc -p results.json --annotations annotations.json.gz --answer-key key.csv
  eyechart score vsibench --predictions answers.csv --data test.jsonl --metric wups@0.9 --json
  eyechart score spatialeval --predictions vqa_spatialmap_results.json
Answers: [{"question_id", "answer"}], JSON lines, CSV, TSV or parquet with id/question_id/index and
answer/prediction/response. Files may be gzipped."""


def add_arguments(parser: Parser) -> None:
    """All flags."""
    parser.add_argument("benchmark", metavar="BENCHMARK", help="name, name:part, or a file of your own (eyechart ls)")
    parser.add_argument("--predictions", "-p", required=True, type=Path, metavar="FILE", help="the answers")
    add_file_arguments(parser)
    parser.add_argument("--by", default="", metavar="TAG", help="the grouping that the table shows")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--md", action="store_true", help="the table as Markdown")


def add_file_arguments(parser: Parser) -> None:
    """The flags that say against what a file of answers is marked, and how."""
    parser.add_argument("--questions", type=Path, metavar="FILE", help="VQA's and TDIUC's questions")
    parser.add_argument("--annotations", type=Path, metavar="FILE", help="VQA's and TDIUC's annotations")
    parser.add_argument("--data", type=Path, metavar="FILE", help="the published rows with the gold answers")
    parser.add_argument("--answer-key", type=Path, metavar="FILE", help="TDIUC's answer,number table")
    parser.add_argument("--metric", action="append", default=[], metavar="ID", help="mark with this too; all: with all")
    parser.add_argument(
        "--missing",
        choices=("error", "wrong", "skip"),
        default="error",
        help="ids that do not match: stop (the default), count missing answers as wrong, or leave them out",
    )
    parser.add_argument("--model", "-m", default="", metavar="NAME", help="which model of the file, or what to call it")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="of resampled intervals")


def run(arguments: Namespace) -> int:
    """Mark, then print one document or one table."""
    request = request_from(arguments)
    from eyechart.report.ranking import ranking, ranking_json

    results = score_file(request)
    if len(results) == 1:
        text = as_json(results[0].as_json()) if arguments.json else one_model(results[0], arguments)
    elif arguments.json:
        text = as_json(ranking_json(results))
    else:
        text = ranking(results, markdown=arguments.md)
    write(text)
    return errors.OK


def request_from(arguments: Namespace) -> ScoreRequest:
    """What the flags ask for."""
    return ScoreRequest(
        benchmark=arguments.benchmark,
        predictions=arguments.predictions,
        files=GoldFiles(
            questions=arguments.questions,
            annotations=arguments.annotations,
            data=arguments.data,
            answer_key=arguments.answer_key,
        ),
        metrics=[name for word in arguments.metric for name in split_metrics(word)],
        missing=arguments.missing,
        model=arguments.model,
        seed=arguments.seed,
    )


def one_model(result: FileResult, arguments: Namespace) -> str:
    """The table of one model's answers."""
    from eyechart.report.ranking import recorded_lines
    from eyechart.report.result import heading, result_text

    table = result_text(result.document, by=arguments.by, markdown=arguments.md)
    return "\n".join([heading(result.document, result.model), table, *recorded_lines(result)])


COMMAND = Command(
    description="Mark a file of answers: the official number, intervals, every count.",
    add_arguments=add_arguments,
    run=run,
    examples=EXAMPLES,
)
