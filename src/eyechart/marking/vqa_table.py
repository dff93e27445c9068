"""The official VQA files (VQA v2, VQA-CP, TDIUC) as one table of numbers: every distinct string is kept once.

At the scale of VQA v2's validation set (214,354 questions, ten answers each) time and memory go into objects, so none
are kept: each annotation is decoded, its strings are numbered, and it is forgotten. Rows stand in the order of the
annotations, in which the official program adds up.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, cast

import msgspec

from eyechart.marking.matching import Id, IdMatch, Mismatch, Predictions, same_kind_of_ids
from eyechart.marking.official_json import decode, read_content
from eyechart.marking.tally import Frame, Numbers
from eyechart.marking.vqa_annotations import Annotation, Batch, last_of_each, read_annotations, sample_of
from eyechart.records import Sample

GROUPS = ("answer_type", "question_type")
NONE = -1  # no gold answer is named; no answer was given

# ── what the files hold ───────────────────────────────────────────────────────


class _Question(msgspec.Struct, gc=False):
    question_id: int | str


class _Questions(msgspec.Struct, gc=False):
    questions: list[_Question]


# VQA v2 wraps its lists in an object with licence and version; VQA-CP publishes bare lists.
_QUESTIONS = msgspec.json.Decoder(_Questions | list[_Question])


def read_question_ids(path: Path) -> list[Id]:
    """The ids of the official questions file, in its order."""
    document = decode(read_content(path), _QUESTIONS, path)
    return [row.question_id for row in (document if isinstance(document, list) else document.questions)]


# ── the table ─────────────────────────────────────────────────────────────────


class VqaTable:
    """One row a question: numbers of strings (`strings` has them in order), and the few rows that are unlike the rest.

    `apart` holds the rows that the columns cannot: another number of humans than in the first row, humans' records
    that may be equal, or a question annotated again, with the how manyth time that was.
    """

    def __init__(self, predictions: Predictions, *, skip_missing: bool) -> None:
        self.ids: list[Id] = []
        self.frame = Frame(GROUPS)
        self.numbers = Numbers({"": 0})  # string → number; 0 also fills the columns of rows that stand apart
        self.width = 0  # humans a row
        self.humans = array("i")  # `width` numbers a row
        self.golds = array("i")
        self.answers = array("i")
        self.apart: dict[int, tuple[Sample, int]] = {}
        self.skip_missing = skip_missing
        self.unanswered: list[Id] = []
        self.times: dict[Id, int] = {}  # how often each question was annotated
        self._met: list[Id] = []
        self.predictions = predictions
        self._answers: Mapping[Id, str] | None = None

    @property
    def strings(self) -> list[str]:
        """All distinct strings; the number of each is its place."""
        return list(self.numbers)

    def add(self, batch: Batch) -> None:
        """Note a batch of questions that were not annotated before; whether that was so, `each_once` tells."""
        ids = [annotation.question_id for annotation in batch[0]]
        self._met += ids
        self._add(batch, ids, ())

    def each_once(self) -> bool:
        """Whether no question was added twice; otherwise the table is spoilt."""
        self.times = dict.fromkeys(self._met, 1)
        return len(self.times) == len(self._met)

    def add_again(self, batch: Batch) -> None:
        """Note a batch, whether or not its questions were annotated before."""
        ids, times = [annotation.question_id for annotation in batch[0]], []
        for identity in ids:
            self.times[identity] = self.times.get(identity, 0) + 1
            times.append(self.times[identity])
        self._add(batch, ids, times)

    def _add(self, batch: Batch, ids: list[Id], times: Sequence[int]) -> None:
        annotations, raws = batch
        if self._answers is None:
            self._answers = same_kind_of_ids(self.predictions.answers, ids[0])
            self.width = len(annotations[0].answers)
        texts = list(map(self._answers.get, ids))
        if None in texts:
            self.unanswered.extend(identity for identity, text in zip(ids, texts, strict=True) if text is None)
            if self.skip_missing:
                kept = [place for place, text in enumerate(texts) if text is not None]
                annotations, raws = [annotations[p] for p in kept], [raws[p] for p in kept]
                ids, texts, times = [ids[p] for p in kept], [texts[p] for p in kept], [times[p] for p in kept if times]
        self._note_humans(annotations, raws, times)
        self.golds.extend(self._numbers_of([annotation.multiple_choice_answer for annotation in annotations]))
        self.answers.extend(self._numbers_of(texts))
        self.ids.extend(ids)
        self.frame.clusters.extend([str(annotation.image_id) for annotation in annotations])
        self.frame.groups["answer_type"].extend([annotation.answer_type for annotation in annotations])
        self.frame.groups["question_type"].extend([annotation.question_type for annotation in annotations])

    def _numbers_of(self, texts: Sequence[str | None]) -> Iterable[int]:
        if None in texts:
            return [NONE if text is None else self.numbers[text] for text in texts]
        return map(self.numbers.__getitem__, cast("Sequence[str]", texts))

    def _note_humans(self, annotations: list[Annotation], raws: Sequence[msgspec.Raw], times: Sequence[int]) -> None:
        width, number = self.width, self.numbers.__getitem__
        lengths = [len(annotation.answers) for annotation in annotations]
        records = [human.answer_id for annotation in annotations for human in annotation.answers]
        published = lengths.count(width) == len(lengths) and records == list(range(1, width + 1)) * len(lengths)
        if published and max(times, default=1) == 1:
            self.humans.fromlist(list(map(number, [human.answer for a in annotations for human in a.answers])))
            return
        for place, (annotation, raw) in enumerate(zip(annotations, raws, strict=True)):
            distinct = len({human.answer_id for human in annotation.answers}) == width
            if distinct and len(annotation.answers) == width and (not times or times[place] == 1):
                self.humans.extend(number(human.answer) for human in annotation.answers)
            else:
                self.humans.extend([0] * width)
                self.apart[len(self.ids) + place] = sample_of(annotation, raw), times[place] if times else 1

    def match(self, questions: Path | None) -> IdMatch:
        """How the ids of annotations, answers and questions compare."""
        answers, times = self._answers or {}, self.times
        annotated = sum(times.values())
        again = (key for key, n in times.items() for _ in range(n - 1)) if annotated > len(times) else ()
        asked = list(times) if questions is None else read_question_ids(questions)
        if asked == list(times):  # one comparison in order instead of many look-ups
            unannotated, unasked = Mismatch(), Mismatch()
        else:
            known = set(asked)
            unannotated = Mismatch.of(key for key in dict.fromkeys(asked) if key not in times)
            unasked = Mismatch.of(key for key in times if key not in known)
        answered_all = not self.unanswered and len(answers) == len(times)
        return IdMatch(
            annotations=annotated,
            predictions=len(answers),
            missing=Mismatch.of(self.unanswered),
            extra=Mismatch.of(() if answered_all else (key for key in answers if key not in times)),
            duplicates=Mismatch.of(self.predictions.duplicates),
            twice_annotated=Mismatch.of(again),
            unannotated=unannotated,
            unasked=unasked,
        )


def read_table(annotations: Path, predictions: Predictions, *, missing: Literal["wrong", "skip"]) -> VqaTable:
    """All annotated questions with their answers; with missing="skip" those without an answer are left out."""
    table = VqaTable(predictions, skip_missing=missing == "skip")
    for batch in read_annotations(annotations):
        table.add(batch)
    if not table.each_once():
        table = VqaTable(predictions, skip_missing=missing == "skip")
        for batch in last_of_each(annotations):
            table.add_again(batch)
    return table
