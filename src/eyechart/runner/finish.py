"""After the asking: mark what the journal holds, and write the derived files. Nothing here talks to a model."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from eyechart.errors import Incomplete
from eyechart.marking.document import Document
from eyechart.marking.mark import Answers, mark
from eyechart.marking.rows import ScoredRow
from eyechart.records import CURABLE
from eyechart.runner.session import signature_of
from eyechart.runner.settle import Settled
from eyechart.store import Final, RunFolder, read_finals
from eyechart.store.atomic import write_json
from eyechart.store.journal import Key


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens as the servers counted them."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    usd: float | None = None


class Took(msgspec.Struct, frozen=True, kw_only=True):
    """Times of the replies, in seconds."""

    p50_s: float | None = None
    p95_s: float | None = None
    total_s: float = 0.0  # of all exchanges added up
    last_start_s: float = 0.0  # what this start of the command took
    tries: int = 0


@dataclass(frozen=True, kw_only=True)
class Result:
    """A finished run."""

    folder: RunFolder
    model: str
    document: Document
    cost: Spent
    time: Took
    examples: Mapping[str, str] = field(default_factory=dict)  # kind of failure → the first question's, in words

    def as_json(self) -> dict[str, Any]:
        """The score document with run, model, cost and time: one entry of `eyechart/run@1`."""
        return {
            **msgspec.to_builtins(self.document),
            "run": str(self.folder.path),
            "model": self.model,
            "cost": msgspec.to_builtins(self.cost),
            "time": msgspec.to_builtins(self.time),
        }


def finish(settled: Settled, folder: RunFolder, seconds: float = 0.0) -> Result:
    """Mark the run, write scores.jsonl and summary.json, and say what came out."""
    finals = read_finals(folder.journal)
    manifest = folder.manifest()
    encoder = msgspec.json.Encoder()
    with folder.new_scores() as file:
        first, *further = (answers_of(finals, settled.spec.control, r) for r in range(settled.spec.repeats))

        def write(row: ScoredRow) -> None:
            file.write(encoder.encode(row) + b"\n")

        document = mark(
            settled.benchmark,
            settled.metrics,
            first,
            settled.entries,
            seed=settled.spec.seed,
            on_row=write,
            variant=settled.spec.control,
            repeats=further,
            signature=signature_of(settled),
            answered_by=manifest.answered_by,
        )
    spent, took = totals(finals, seconds)
    result = Result(
        folder=folder, model=manifest.model, document=document, cost=spent, time=took, examples=examples_of(finals)
    )
    write_json(folder.summary, result.as_json())
    return result


def answers_of(finals: Mapping[Key, Final], variant: str, repeat: int) -> Answers:
    """How marking looks up the answer to a question."""

    def answer(sample_id: str) -> Any:
        final = finals.get(Key(sample_id, variant, repeat))
        return None if final is None else final.response or final.failure

    return answer


def examples_of(finals: Mapping[Key, Final]) -> dict[str, str]:
    """One failure of each kind in its own words: what a count alone does not tell."""
    found: dict[str, str] = {}
    for final in finals.values():
        if final.failure is not None and final.failure.kind not in found:
            found[final.failure.kind] = f"question {final.sample}: {final.failure.message}"
    return found


def totals(finals: Mapping[Key, Final], seconds: float) -> tuple[Spent, Took]:
    """What all replies together took."""
    durations, tries = array("d"), 0
    tokens: dict[str, int] = {}
    for final in finals.values():
        tries += final.tries
        if final.response is not None:
            durations.append(final.timing.total_s)
        usage = final.usage
        for name in ("input_tokens", "output_tokens"):
            counted = getattr(usage, name)
            if counted is not None:
                tokens[name] = tokens.get(name, 0) + counted
    ordered = sorted(durations)

    def quantile(share: float) -> float | None:
        return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))], 4) if ordered else None

    took = Took(
        p50_s=quantile(0.5),
        p95_s=quantile(0.95),
        total_s=round(sum(durations), 3),
        last_start_s=round(seconds, 3),
        tries=tries,
    )
    return Spent(**tokens), took


def refuse_too_many_failures(result: Result, limit: float) -> None:
    """A run in which too many questions ended in a failure is not a result to be shown without a word."""
    n = result.document.n
    share = (n.failed + n.missing) / n.total if n.total else 0.0
    if n.missing:
        raise Incomplete(
            f"{n.missing:,} of {n.total:,} questions have not been asked",
            fix="give the same command again: it continues",
        )
    if share > limit:
        counts = sorted(result.document.failures.items())
        raise Incomplete(
            f"{n.failed:,} of {n.total:,} questions ended in a failure ({share:.1%}, more than {limit:.0%})",
            why="\n        ".join(f"{kind} {count:,}, such as {result.examples[kind]}" for kind, count in counts),
            fix=way_out([kind for kind, _ in counts]),
        )


def way_out(kinds: Sequence[str]) -> str:
    """What can be done about failures of these kinds."""
    again = ", ".join(kind for kind in kinds if kind in CURABLE)
    told = ",".join(kind for kind in kinds if kind not in CURABLE)
    ways = [f"the same command asks again what ended in {again}"] if again else []
    ways += [f"once the cause is mended, --retry {told} asks again"] if told else []
    return "; ".join([*ways, "--max-error-rate 100% accepts them"])
