"""The robust number reader: every decision that its documentation names."""

from __future__ import annotations

import pytest

from eyechart.metrics.robust import robust

# reply, unit asked for, number
DECISIONS = [
    # digits, separators, signs
    ("1,200", "", 1200),
    ("1,200.5", "", 1200.5),
    ("1.200,5", "", 1200.5),
    ("12,5", "m", 12.5),
    ("1.200", "", 1.2),
    ("1 200", "", 1200),
    ("1_200", "", 1200),
    ("1.2e3", "", 1200),
    ("1.2 × 10^3", "", 1200),
    ("$1.5\\times 10^{2}$", "", 150),
    ("-3", "", -3),
    ("−3", "", -3),
    ("–3", "", -3),
    ("５", "", 5),
    ("٣", "", 3),
    (".5", "", 0.5),
    ("½", "m", 0.5),
    ("1½ m", "m", 1.5),
    ("1 1/2", "m", 1.5),
    ("\\frac{1}{2}", "m", 0.5),
    ("5 ± 1", "m", 5),
    # words
    ("three", "count", 3),
    ("twenty-one", "count", 21),
    ("one hundred and five", "count", 105),
    ("three thousand two hundred", "count", 3200),
    ("a dozen chairs", "count", 12),
    ("two and a half meters", "m", 2.5),
    ("half a meter", "m", 0.5),
    ("five point two", "m", 5.2),
    ("The one on the left is 3 m away", "m", 3),
    ("There are no chairs in the room.", "count", 0),
    ("None", "count", 0),
    ("None", "m", None),
    ("No idea", "count", None),
    # where the answer stands
    ("**4**", "count", 4),
    ("The answer is: 5.", "count", 5),
    ('{"answer": 5}', "count", 5),
    ("\\boxed{7}", "", 7),
    ("$\\boxed{\\text{7.5 m}}$", "m", 7.5),
    ("<think>it is 4</think>6", "count", 6),
    ("<answer>2.5</answer>", "m", 2.5),
    ("There are 3 chairs.", "count", 3),
    ("about 2.5 to 3 m, so 2.8", "m", 2.8),
    ("5 m x 4 m = 20 m²", "m2", 20),
    ("3.2 meters. The sofa is 2 m wide.", "m", 3.2),
    ("The sofa is 2 m wide.\nThe distance is approximately 3.2 meters.", "m", 3.2),
    ("1. The sofa is 2 m.\n2. The table is 1 m.\nTotal = 3 m", "m", 3),
    # ranges
    ("3-4", "count", 3.5),
    ("3 or 4 chairs", "count", 3.5),
    ("between 2 and 3 meters", "m", 2.5),
    ("2.5m-3m", "m", 2.75),
    # units
    ("12.5 square meters (about 134 sq ft)", "m2", 12.5),
    ("134 sq ft (12.5 square meters)", "m2", 12.5),
    ("100 sq ft", "m2", 9.290304),
    ("0.6 m", "cm", 60),
    ("10cm", "m", 0.1),
    ("5 ft 10 in", "cm", 177.8),
    ("5'10\"", "m", 1.778),
    ("1 m 80 cm", "cm", 180),
    ("80 inches", "cm", 203.2),
    ("There are 5 in the room", "count", 5),
    ("The area is 25 m", "m2", 25),
    ("The room is about 20 square meters, based on 5 m by 4 m", "m2", 20),
    # no numbers
    ("", "m", None),
    ("I cannot determine", "count", None),
    ("nan", "", None),
    ("inf", "", None),
    ("1e400", "", None),
    ("1.2.3", "", None),
    ("5:30", "", None),
    ("0x10", "", None),
    ("3D", "", None),
    ("3rd", "", None),
]


@pytest.mark.parametrize(("reply", "unit", "number"), DECISIONS)
def test_decisions(reply: str, unit: str, number: float | None) -> None:
    """Each reply is read as the documentation says."""
    assert robust(reply, unit).number == number


def test_the_rule_is_recorded() -> None:
    """A reading names the rule that found it, and what was done to it."""
    assert robust("0.6 m", "cm").rule == "robust: at the start, m to cm"
    assert robust("It is 3-4.", "count").rule == "robust: only number, middle of the range"
    assert robust("about 2.5 to 3 m, so 2.8", "m").rule == "robust: conclusion"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["so 3 ", "5", "(", "one ", "a ", " ", "\n", "answer is ", "**", "1 2/", "is ", "½"])
def test_a_megabyte_is_read_at_its_ends(piece: str) -> None:
    """However degenerate a reply, it is read, and an answer at its end is found."""
    rambling = piece * (1_000_000 // len(piece))
    assert robust(rambling + "\nThe answer is 2.5 m.", "m").number == 2.5
