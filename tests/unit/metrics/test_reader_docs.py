"""The table of decisions in the documentation says what the readers do."""

from __future__ import annotations

import re
from pathlib import Path

from eyechart.metrics.readers import get_reader, shown

PAGE = Path(__file__).parents[3] / "docs" / "metrics" / "number-readers.md"
ROW = re.compile(r"\| `(?P<reply>[^|]*)` \| (?P<unit>\S+) \| (?P<numbers>.*) \| (?P<rule>[^|]*) \|")


def test_documented_readings_are_true() -> None:
    """Every line of the table, all four readers and the rule that read."""
    decisions = PAGE.read_text(encoding="utf-8").partition("\n## Parity\n")[0]
    rows = [match for match in map(ROW.fullmatch, decisions.splitlines()) if match]
    assert len(rows) > 30
    for row in rows:
        unit = row["unit"].replace("²", "2")
        readings = [
            get_reader(name)(row["reply"], unit) for name in ("first_word", "first_number", "last_number", "robust")
        ]
        said = [
            "–" if r.number is None else str(r.number) if r.number != r.number else shown(r.number) for r in readings
        ]
        assert " | ".join(said) == row["numbers"], row["reply"]
        assert readings[-1].rule.removeprefix("robust: ") == row["rule"], row["reply"]
