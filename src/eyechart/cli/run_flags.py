"""The flags of `eyechart run`: one canonical name each, other tools' names accepted, turned into run specs."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from argparse import Namespace
from pathlib import Path

from eyechart.cli.parser import Parser, pairs
from eyechart.errors import UsageError
from eyechart.models import MODELS
from eyechart.registry import unknown
from eyechart.runner.plan import Selection
from eyechart.runner.spec import RunSpec
from eyechart.runner.surroundings import without_secrets
from eyechart.sources import hub

EXAMPLES = """\
examples
  eyechart run starter -m baseline:majority
  eyechart run starter -m builtin/tiny -m builtin/tiny-early
  eyechart run vqav2 -m http://localhost:8000/v1#qwen2.5-vl-7b --limit 100
  eyechart run vsibench:debiased -m openai/gpt-x --sample 500 --seed 1 -j 32
  eyechart --model replay:answers.jsonl --tasks mmsi --json
`_` equals `-` in every flag. The same command again continues where it stopped."""


def add_arguments(parser: Parser) -> None:
    """All flags, in groups."""
    _what(parser.add_argument_group("what is asked"))
    _who(parser.add_argument_group("who answers"))
    _how(parser.add_argument_group("how it is put"))
    _pace(parser.add_argument_group("pace and failures"))
    _where(parser.add_argument_group("where it goes"))


def _what(group: argparse._ArgumentGroup) -> None:
    """Benchmarks, and which of their questions."""
    group.add_argument(
        "benchmarks", nargs="*", metavar="BENCHMARK", help="name, name:part, or a file of your own (eyechart ls)"
    )
    group.add_argument("--tasks", "-t", "--task", "--data", action="append", default=[], metavar="A,B", help="the same")
    group.add_argument("--task-args", "-T", action="append", default=[], metavar="K=V", help="options of the benchmark")
    group.add_argument("--mode", metavar="MODE", help="short for --task-args mode=MODE")
    group.add_argument(
        "--limit",
        "-n",
        "--first-k",
        "--num-questions",
        default="",
        metavar="N|N%|A-B",
        help="the first N questions; the table is stamped LIMITED",
    )
    group.add_argument(
        "--sample", type=int, default=0, metavar="N", help="a random N, every question type in proportion"
    )
    group.add_argument("--sample-id", action="append", default=[], metavar="ID,ID", help="these questions alone")
    group.add_argument(
        "--filter", action="append", default=[], metavar="TAG=VALUE", help="questions with this tag alone"
    )
    group.add_argument("--seed", type=int, default=0, metavar="S", help="of the order, the sample and drawn questions")
    group.add_argument(
        "--repeats", "-r", "--epochs", type=int, default=1, metavar="N", help="ask every question N times"
    )
    group.add_argument("--control", default="", metavar="NAME", help="blind or shuffled: what is the picture worth?")


def _who(group: argparse._ArgumentGroup) -> None:
    """Models."""
    group.add_argument(
        "--model", "-m", action="append", default=[], metavar="MODEL", help="repeatable, one after another"
    )
    group.add_argument("--model-args", "-M", action="append", default=[], metavar="K=V", help="arguments of the model")
    group.add_argument("--base-url", metavar="URL", help="short for --model-args base_url=URL")
    group.add_argument("--key-env", metavar="NAME", help="the environment variable that holds the key")


def _how(group: argparse._ArgumentGroup) -> None:
    """Wording, sampling, pictures."""
    group.add_argument("--prompt", "--style", default="", metavar="STYLE", help="a prompt style; eyechart ls prompts")
    group.add_argument("--gen", "-g", "--gen-kwargs", action="append", default=[], metavar="K=V", help="sampling")
    group.add_argument("--temperature", metavar="T", help="short for --gen temperature=T")
    group.add_argument("--max-tokens", "--max-new-tokens", metavar="N", help="short for --gen max_tokens=N")
    group.add_argument("--do-sample", nargs="?", const="true", metavar="BOOL", help="false: temperature 0")
    group.add_argument(
        "--retry-truncated",
        action="store_true",
        help="ask once more, with four times the limit, where a reply hit it",
    )
    group.add_argument("--max-side", metavar="PIXELS|native", help="shrink pictures to this longest side")
    group.add_argument("--frames", metavar="N", help="frames of a video, spread evenly")
    group.add_argument("--fps", metavar="F", help="frames of a video a second")
    group.add_argument("--timestamps", metavar="S+S+…", help="frames of a video at these seconds")
    group.add_argument("--native-video", action="store_const", const="true", help="send the video itself")


def _pace(group: argparse._ArgumentGroup) -> None:
    """Speed, patience, failures."""
    group.add_argument(
        "--concurrency",
        "-j",
        "--batch-size",
        "--api-nproc",
        "--max-connections",
        default="auto",
        metavar="auto|N",
        help="requests at once; auto finds out",
    )
    group.add_argument("--timeout", type=float, default=120.0, metavar="S", help="seconds for one try (120)")
    group.add_argument("--retries", type=int, default=5, metavar="N", help="further tries after a failure (5)")
    group.add_argument(
        "--retry", action="append", default=[], metavar="KIND,…", help="ask failures of these kinds again"
    )
    group.add_argument("--max-error-rate", default="5%", metavar="5%", help="more failures than this: exit code 3")


def _where(group: argparse._ArgumentGroup) -> None:
    """Folders, output, gates."""
    group.add_argument(
        "--output",
        "-o",
        "--output-path",
        "--output-dir",
        "--work-dir",
        "--log-dir",
        default="runs",
        metavar="DIR",
        help="the folder that holds runs (./runs)",
    )
    group.add_argument("--resume", default="", metavar="RUN", help="continue this run and no other")
    group.add_argument("--fresh", action="store_true", help="start anew, whatever there is")
    group.add_argument("--metric", action="append", default=[], metavar="ID", help="mark with this too; all: with all")
    group.add_argument("--by", default="", metavar="TAG", help="the grouping that the table shows")
    group.add_argument("--fail-under", metavar="X", help="exit code 1 where the score is below X: 0.7 or 70%%")
    group.add_argument("--fail-if-worse-than", metavar="RUN", help="exit code 1 where a paired test shows it worse")
    group.add_argument("--layout", choices=["seed"], help="also write the benchmark's classic result files here")
    group.add_argument("--json", action="store_true", help="one JSON document on stdout")
    group.add_argument("--md", action="store_true", help="the table as Markdown")
    group.add_argument("--quiet", "-q", action="store_true", help="no progress")
    group.add_argument("--events", action="store_true", help="progress for programs: JSON lines on stderr")
    group.add_argument("--dry-run", action="store_true", help="show one prompt as sent and the size of the job")
    group.add_argument("--offline", action="store_true", help="use downloaded data only")
    group.add_argument("--hf-token", metavar="FILE", help="a file with a token of the hub")
    group.add_argument("--config", "-C", metavar="FILE", help="flags from a YAML file; those given here win")
    group.add_argument("--verbose", "-v", action="store_true", help="more in the log")
    group.add_argument("--log-samples", action="store_true", help="accepted: answers are always kept")
    group.add_argument("--no-color", "--yes", action="store_true", help="accepted: nothing is coloured, nothing asked")


def specs(arguments: Namespace) -> list[RunSpec]:
    """One spec for every benchmark and model that was named."""
    benchmarks = [name for word in (*arguments.benchmarks, *arguments.tasks) for name in word.split(",") if name]
    if not benchmarks:
        raise UsageError("no benchmark is named", fix="eyechart run starter -m MODEL; eyechart ls shows all")
    if not arguments.model and not arguments.dry_run:
        raise UsageError("no model is named", fix="-m baseline:majority to try, or -m http://localhost:8000/v1#name")
    prepare_hub(arguments)
    models = [name_and_arguments(model, model_arguments(arguments)) for model in arguments.model or ["baseline:random"]]
    return [spec(arguments, benchmark, *model) for benchmark in benchmarks for model in models]


def spec(arguments: Namespace, benchmark: str, model: str, model_args: dict[str, str]) -> RunSpec:
    """One benchmark put to one model."""
    options = pairs(arguments.task_args, flag="--task-args") | ({"mode": arguments.mode} if arguments.mode else {})
    media = {name: getattr(arguments, name) for name in ("max_side", "frames", "fps", "timestamps", "native_video")}
    return RunSpec(
        benchmark=benchmark,
        benchmark_options=options,
        model=model,
        model_args=model_args,
        metrics=tuple(arguments.metric),
        style=arguments.prompt,
        gen=sampling(arguments),
        retry_truncated=arguments.retry_truncated,
        media={name: value for name, value in media.items() if value is not None},
        control=arguments.control,
        selection=Selection(
            limit=arguments.limit,
            sample=arguments.sample,
            ids=words(arguments.sample_id),
            where=tuple(pairs(arguments.filter, flag="--filter").items()),
        ),
        seed=arguments.seed,
        repeats=arguments.repeats,
        concurrency=concurrency(arguments.concurrency),
        timeout_s=arguments.timeout,
        tries=1 + arguments.retries,
        runs=Path(arguments.output),
        resume=arguments.resume,
        fresh=arguments.fresh,
        retry=frozenset(words(arguments.retry)),
        max_error_rate=share(arguments.max_error_rate, "--max-error-rate"),
        verbose=arguments.verbose,
        command="eyechart " + without_secrets([shlex.quote(word) for word in sys.argv[1:]]),
    )


def name_and_arguments(model: str, given: dict[str, str]) -> tuple[str, dict[str, str]]:
    """`--model openai --model_args pretrained=NAME`, as lmms-eval writes it, is `openai/NAME`."""
    given = dict(given)
    name = given.pop("pretrained", "")
    if not name:
        return model, given
    if model in MODELS:
        return f"{model}/{name}", given
    if "/" in model or ":" in model:
        raise UsageError(f"{model} is a model's whole name; pretrained={name} would be another", fix="say one of them")
    if "hf" in MODELS:  # its own classes there; here one name for them all
        return f"hf/{name}", given
    raise unknown("model", model, MODELS.names(), listing="eyechart ls models")


def model_arguments(arguments: Namespace) -> dict[str, str]:
    """Everything that is handed to the model."""
    given = pairs(arguments.model_args, flag="--model-args")
    short = {"base_url": arguments.base_url, "key_env": arguments.key_env}
    return given | {name: value for name, value in short.items() if value}


def sampling(arguments: Namespace) -> dict[str, str]:
    """Everything that is said about sampling."""
    short = {name: getattr(arguments, name) for name in ("temperature", "max_tokens", "do_sample")}
    return pairs(arguments.gen, flag="--gen") | {name: value for name, value in short.items() if value is not None}


def words(values: list[str]) -> tuple[str, ...]:
    """Words given one by one or with commas between."""
    return tuple(word.strip() for value in values for word in value.split(",") if word.strip())


def concurrency(text: str) -> int | None:
    """`auto` or a number."""
    if text == "auto":
        return None
    if text.isdigit():
        return int(text)
    raise UsageError(f"-j takes auto or a number, not {text!r}")


def share(text: str, flag: str) -> float:
    """`5%` or `0.05`."""
    try:
        value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise UsageError(f"{flag} takes a share such as 5% or 0.05, not {text!r}")
    return value


def prepare_hub(arguments: Namespace) -> None:
    """Tell the hub's library what the flags say; it reads the environment and nothing else."""
    if arguments.offline:
        os.environ["HF_HUB_OFFLINE"] = "1"
    if getattr(arguments, "quiet", False) or getattr(arguments, "events", False):
        os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
    if arguments.hf_token:
        os.environ["HF_TOKEN"] = hub.token_in(Path(arguments.hf_token).expanduser())


def words_from_config(argv: list[str]) -> list[str]:
    """The command line with the flags of `--config FILE` put before those that were typed."""
    if not any(word in ("--config", "-C") or word.startswith("--config=") for word in argv):
        return argv
    position = next(i for i, word in enumerate(argv) if word in ("--config", "-C") or word.startswith("--config="))
    _, equals, name = argv[position].partition("=")
    if not equals and position + 1 == len(argv):
        raise UsageError("--config takes the name of a file", fix="--config run.yaml")
    path = Path(name if equals else argv[position + 1])
    rest = argv[:position] + argv[position + (1 if equals else 2) :]
    return [*flags_in(path), *rest]


def flags_in(path: Path) -> list[str]:
    """`temperature: 0` → `--temperature 0`; lists repeat the flag, true stands alone."""
    import yaml

    try:
        content = yaml.safe_load(path.read_bytes())
    except (OSError, yaml.YAMLError) as error:
        raise UsageError(f"--config: cannot read {path}", why=str(error).replace("\n", " ")) from error
    if not isinstance(content, dict):
        raise UsageError(f"--config: {path} is not a mapping of flags", fix="one `flag: value` a line")
    flags: list[str] = []
    for name, value in content.items():
        if isinstance(value, dict):  # gen: {temperature: 0}
            flags += [word for key, item in value.items() for word in (f"--{name}", f"{key}={plain(item)}")]
            continue
        for item in value if isinstance(value, list) else [value]:
            if item is True:
                flags.append(f"--{name}")
            elif item is not False and item is not None:
                flags += [f"--{name}", str(item)]
    return flags


def plain(value: object) -> str:
    """A value of a YAML file as it would be typed."""
    return str(value).lower() if isinstance(value, bool) else str(value)
