"""Mark a whole table of VQA questions at once: every distinct string normalised once, every pattern averaged once.

The marks are those of the metrics themselves, to the last bit: the same normalisers, the same sums.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from eyechart.marking.tally import ANSWERED, UNANSWERED, UNDEFINED, Tally
from eyechart.marking.vqa_table import NONE, VqaTable
from eyechart.metrics.base import Metric
from eyechart.metrics.vqa import NEEDED, NORMALISED, OFFICIAL, PRE2021, Reading, VqaAccuracy, VqaExact, marks_by_human
from eyechart.metrics.vqa_graded import Contains, Enhanced
from eyechart.metrics.vqa_text import PYTHON_2, PYTHON_3
from eyechart.records import Sample, Score

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[Any]


@dataclass
class MarkColumn:
    """One metric's marks of all rows."""

    values: Column  # 0 where the state is UNDEFINED
    states: Column  # UNDEFINED, ANSWERED or UNANSWERED
    read: Column  # whether the metric found an answer in the reply
    errors: dict[int, str] = field(default_factory=dict)  # row → why it has no score
    full: Tally | None = None  # with cells and further sums, where the metric's own formula may ask for them

    def put(self, place: int, score: Score, *, answered: bool) -> None:
        """Set one row."""
        self.values[place] = score.value or 0.0
        self.states[place] = UNDEFINED if score.value is None else ANSWERED if answered else UNANSWERED
        self.read[place] = score.read_as is not None or bool(score.error)
        self.errors.pop(place, None)
        if score.value is None:
            self.errors[place] = score.error

    def tally(self, metric: Metric) -> Tally:
        """The column in the form from which tables and intervals are made."""
        if self.full is not None:
            return self.full
        tally = Tally(metric)
        tally.width = 1
        tally.cells[()] = 0
        tally.cell = array("i", bytes(array("i").itemsize * len(self.values)))
        tally.state = array("b", self.states.astype("int8").tobytes())
        tally.sums = array("d", self.values.astype("float64").tobytes())
        tally.errors = Counter(error.partition(":")[0] or "undefined" for error in self.errors.values())
        tally.unreadable = int(((self.states == ANSWERED) & ~self.read).sum())
        return tally


class TableMarker:
    """A table with what all metrics share: its columns as arrays, and which answers are blank."""

    def __init__(self, table: VqaTable) -> None:
        import numpy as np

        self.table, self.strings = table, table.strings
        self.cleaned = [PYTHON_2.clean(text) for text in self.strings]
        self.humans = np.array(table.humans, dtype=np.int32).reshape(-1, table.width)
        self.golds = np.array(table.golds, dtype=np.int32)
        self.answers = np.array(table.answers, dtype=np.int32)
        self.answered = self.answers != NONE
        # What is cleaned away is white space alone, so that an empty rest is a blank answer.
        blank = np.array([not text.strip() for text in self.cleaned], dtype=bool)
        self.blank = blank[self.answers] & self.answered
        self.groups = [(name, list(group.numbers), group.column) for name, group in table.frame.groups.items()]
        self._results: dict[str, int] = {}  # one numbering for all functions, so that their results compare
        self._codes: dict[tuple[Callable[[str], str], bool], Column] = {}

    def mark(self, metric: Metric) -> MarkColumn:
        """All rows marked with one metric."""
        if isinstance(metric, VqaAccuracy):
            column = self._plain(self._agreement(metric.reading))
        elif isinstance(metric, VqaExact) and NONE not in self.golds:
            same = self._coded(PYTHON_2.normalise, cleaned=True)
            column = self._plain(same[self.golds] == same[self.answers])
        elif isinstance(metric, (Contains, Enhanced)):
            column = self._by_pair(metric)
        else:
            return self._one_by_one(metric)
        for place in self.table.apart:
            column.put(place, self._score(metric, self._sample(metric, place), place), answered=self.answered[place])
        return column

    def _plain(self, values: Column) -> MarkColumn:
        """Marks of a metric that reads every answer that is not blank."""
        import numpy as np

        values = np.where(self.answered, values, 0.0)
        return MarkColumn(values, np.where(self.answered, ANSWERED, UNANSWERED), ~self.blank)

    def _coded(self, function: Callable[[str], str], *, cleaned: bool = False) -> Column:
        """For every string the number of what the function makes of it: equal results have equal numbers."""
        import numpy as np

        key = function, cleaned
        if key not in self._codes:
            results = self._results
            made = map(function, self.cleaned if cleaned else self.strings)
            self._codes[key] = np.array([results.setdefault(text, len(results)) for text in made], dtype=np.int32)
        return self._codes[key]

    def _matching(self, reading: Reading) -> Any:
        """Which humans gave the answer, by the strings that this reading compares."""
        import numpy as np

        if reading is NORMALISED:
            same = self._coded(_normalised_as_python_3)
            return np.equal(same[self.humans], same[self.answers, None])
        normal = self._coded(PYTHON_2.normalise, cleaned=True)
        if reading is PRE2021:
            human, written, answer_as_written = self._coded(PYTHON_2.punctuation), self._coded(str), normal
        else:
            human, written = normal, self._coded(str, cleaned=True)
            answer_as_written = written
        as_written = written[self.humans]
        alike: Column = (as_written == as_written[:, :1]).all(axis=1, keepdims=True)
        return np.where(
            alike,
            as_written == answer_as_written[self.answers, None],
            human[self.humans] == normal[self.answers, None],
        )

    def _agreement(self, reading: Reading) -> Column:
        import numpy as np

        matching = self._matching(reading)
        agreeing = matching.sum(axis=1)
        values = (agreeing > NEEDED).astype(float)  # then each human has three others who agree
        some = np.flatnonzero((agreeing > 0) & (agreeing <= NEEDED))
        packed = np.packbits(matching[some], axis=1)
        keys = packed.view(f"V{packed.shape[1]}").reshape(-1)
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        means = [float(reading.mean(marks_by_human(pattern))) for pattern in matching[some[first]].tolist()]
        values[some] = np.array(means, dtype=float)[which]
        return np.asarray(values)

    def _by_pair(self, metric: Metric) -> MarkColumn:
        """Marks of a metric that looks at one gold answer: each pair of gold and answer is marked once."""
        import numpy as np

        column = self._plain(np.zeros(len(self.answers)))
        golds = np.where(self.golds == NONE, self.humans[:, 0], self.golds).astype(np.int64)
        places = np.flatnonzero(self.answered)
        pairs, which = np.unique(golds[places] * len(self.strings) + self.answers[places], return_inverse=True)
        scores = []
        for pair in pairs.tolist():
            gold, answer = divmod(pair, len(self.strings))
            scores.append(metric.score(Sample(id="", references=(self.strings[gold],)), self.strings[answer]))
        column.values[places] = np.array([score.value or 0.0 for score in scores])[which]
        column.read[places] = np.array([score.read_as is not None for score in scores], dtype=bool)[which]
        undefined = np.array([score.value is None for score in scores], dtype=bool)[which]
        for place, pair_number in zip(places[undefined].tolist(), which[undefined].tolist(), strict=True):
            column.put(place, scores[pair_number], answered=True)
        return column

    def _one_by_one(self, metric: Metric) -> MarkColumn:
        """Marks of any other metric: its formula may look at a question's cell and at further sums."""
        import numpy as np

        column, full = self._plain(np.zeros(len(self.answers))), Tally(metric)
        for place, answered in enumerate(self.answered.tolist()):
            sample = self._sample(metric, place)
            score = self._score(metric, sample, place)
            column.put(place, score, answered=answered)
            full.add(score, metric.cell(sample), answered=answered)
            odd = metric.oddity(sample)
            if odd:
                full.oddities[odd] += 1
        column.full = full
        return column

    def _score(self, metric: Metric, sample: Sample, place: int) -> Score:
        if not self.answered[place]:
            return metric.wrong(sample)
        return metric.score(sample, self.strings[self.answers[place]])

    def _sample(self, metric: Metric, place: int) -> Sample:
        """The question of a row, as this metric finds it."""
        if place in self.table.apart:
            sample, times = self.table.apart[place]
            return _as_left(sample, metric, times)
        tags = {group: names[column[place]] for group, names, column in self.groups}
        gold = int(self.golds[place])
        if gold != NONE:
            tags["multiple_choice_answer"] = self.strings[gold]
        return Sample(
            id=str(self.table.ids[place]),
            references=tuple(self.strings[number] for number in self.humans[place].tolist()),
            tags=tags,
        )


def _normalised_as_python_3(text: str) -> str:
    return PYTHON_3.normalise(PYTHON_3.clean(text))


def _as_left(sample: Sample, metric: Metric, times: int) -> Sample:
    """The sample at its n-th marking: the official program writes what it normalised back into the annotation."""
    if isinstance(metric, VqaAccuracy) and metric.reading in (OFFICIAL, PRE2021):
        for _ in range(times - 1):
            sample = msgspec.structs.replace(sample, references=metric.reading.compare(sample.references, "").humans)
    return sample
