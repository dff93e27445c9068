"""How VQA answers are normalised before they are compared, step by step as the official programs do it.

The steps are the same in both programs that we follow; what differs is the Python that runs them. The official VQA
script runs on Python 2, whose tables are those of Unicode 5.2 and whose `\\d` means 0 to 9; lmms-eval runs on Python 3.
A `Dialect` holds what differs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

# In the order in which they are removed. An apostrophe, a colon and all punctuation beyond ASCII are never touched.
PUNCTUATION = ';/[]"{}()=+\\_-><@`,?!'
_ANY_PUNCTUATION = re.compile(f"[{re.escape(PUNCTUATION)}]")

# re.UNICODE is 32, and the official script passes it where `count` belongs: only the first 32 full stops go. Kept.
FULL_STOPS_REMOVED = 32

ARTICLES = frozenset({"a", "an", "the"})
NUMBER_WORDS = {
    "none": "0",
    "zero": "0",
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
}


def _contractions() -> dict[str, str]:
    """Misspelt contraction → its spelling, as the published table has them, mistakes included.

    The table also names "Id've", "I'dve", "Im" and "Ive", which no lower-case text can match; they are left out.
    "hed", "shed've" or "wed've" are there, "shed", "wed" and "its" are not: they are words of their own.
    """
    spelt = """
        ain't aren't can't could've couldn't didn't doesn't don't hadn't hasn't haven't he'd he's how'd how'll how's
        isn't it'd it'll ma'am mightn't might've mustn't must've needn't not've o'clock oughtn't shan't should've
        shouldn't somebody'll somebody's someone'd someone'll someone's something'd something'll that's there'd
        there're there's they'd they'll they're they've 'twas wasn't we've weren't what'll what're what's what've
        when's where'd where's where've who'd who'll who's who've why'll why're why's won't would've wouldn't y'all
        you'd you'll you're you've
    """
    table = {word.replace("'", ""): word for word in spelt.split()}
    spelt_twice = """
        couldn't've hadn't've mightn't've shouldn't've wouldn't've he'd've it'd've she'd've somebody'd've someone'd've
        something'd've there'd've they'd've we'd've who'd've you'd've
    """
    for word in spelt_twice.split():
        stem = word.removesuffix("'ve")
        table[stem + "ve"] = table[stem.replace("'", "") + "'ve"] = word
    table |= dict.fromkeys(("ow's'at", "'ows'at", "'ow'sat"), "'ow's'at")
    table |= {"yall'll": "y'all'll", "y'allll": "y'all'll"}
    table |= dict.fromkeys(("yall'd've", "y'alld've", "y'all'dve"), "y'all'd've")
    # Reversed in the published table: the right spelling becomes the wrong one.
    table["somebody'd"] = "somebodyd"
    return table


CONTRACTIONS = _contractions()


# Letters that have a lower case today and had none in Unicode 5.2, by first and last code point.
_LOWERED_LATER = (
    (0x037F, 0x037F),
    (0x0526, 0x052F),
    (0x10C7, 0x10C7),
    (0x10CD, 0x10CD),
    (0x13A0, 0x13F5),
    (0x1C80, 0x1CBF),
    (0x2C2F, 0x2C2F),
    (0x2CF2, 0x2CF2),
    (0xA660, 0xA660),
    (0xA698, 0xA69A),
    (0xA78D, 0xA7FF),
    (0x104B0, 0x104D3),
    (0x10570, 0x10595),
    (0x10C80, 0x10CB2),
    (0x10D50, 0x10D65),
    (0x118A0, 0x118BF),
    (0x16E40, 0x16E5F),
    (0x16EA0, 0x16EBF),
    (0x1E900, 0x1E921),
)


class _LowerTable(dict[int, str]):
    """Code point → what Python 2 makes of it in lower case; filled as letters are met."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        if code == 0x0130:  # İ: Python 3 answers with i and a combining dot
            lowered = "i"
        elif any(first <= code <= last for first, last in _LOWERED_LATER):
            lowered = letter
        else:
            lowered = letter.lower()
        self[code] = lowered
        return lowered


_LOWER = _LowerTable()
_OLD_SPACE = "\u180e"  # white space until Unicode 6.3, so to Python 2
_SPACES = _OLD_SPACE + "".join(letter for letter in map(chr, range(0x3001)) if letter.isspace())


def _lower_as_python_2(text: str) -> str:
    # Letter by letter: Python 2 also knows no special sigma at the end of a word.
    return text.lower() if text.isascii() else text.translate(_LOWER)


def _strip_as_python_2(text: str) -> str:
    return text.strip(_SPACES) if _OLD_SPACE in text else text.strip()


def _split_as_python_2(text: str) -> list[str]:
    return text.replace(_OLD_SPACE, " ").split()


@dataclass(frozen=True)
class Dialect:
    """What differs between the Pythons that the official programs run on."""

    lower: Callable[[str], str]
    strip: Callable[[str], str]
    split: Callable[[str], list[str]]
    digit_comma_digit: re.Pattern[str]
    full_stop: re.Pattern[
        str
    ]  # The look-behind of the published pattern is mistyped and does nothing; so it is absent.

    def clean(self, text: str) -> str:
        """Line feeds and tabs become spaces (a carriage return does not), then the outer white space goes."""
        if text.isalnum():  # nothing to clean: a short cut that changes no result
            return text
        return self.strip(text.replace("\n", " ").replace("\t", " "))

    def punctuation(self, text: str) -> str:
        """Each mark is deleted if it touches a space anywhere in the text, and becomes a space otherwise.

        One comma between digits anywhere ("1,200") switches every mark to deletion.
        """
        result = text
        if _ANY_PUNCTUATION.search(text):
            delete_all = self.digit_comma_digit.search(text) is not None
            for mark in PUNCTUATION:
                if mark in text:
                    touches_space = delete_all or f"{mark} " in text or f" {mark}" in text
                    result = result.replace(mark, "" if touches_space else " ")
        if "." in result:
            result = self.full_stop.sub("", result, count=FULL_STOPS_REMOVED)
        return result

    def words(self, text: str) -> str:
        """Lower case, number words to digits, articles away, apostrophes into contractions; one space between words."""
        numbers = [NUMBER_WORDS.get(word, word) for word in self.split(self.lower(text))]
        return " ".join([CONTRACTIONS.get(word, word) for word in numbers if word not in ARTICLES])

    def normalise(self, text: str) -> str:
        """All the steps after `clean`."""
        if text.isalnum() and text.isascii():  # one word and no punctuation: a short cut that changes no result
            word = text.lower()
            word = NUMBER_WORDS.get(word, word)
            return "" if word in ARTICLES else CONTRACTIONS.get(word, word)
        return self.words(self.punctuation(text))


PYTHON_2 = Dialect(
    lower=_lower_as_python_2,
    strip=_strip_as_python_2,
    split=_split_as_python_2,
    digit_comma_digit=re.compile(r"\d,\d", re.ASCII),
    full_stop=re.compile(r"\.(?!\d)", re.ASCII),
)
PYTHON_3 = Dialect(
    lower=str.lower,
    strip=str.strip,
    split=str.split,
    digit_comma_digit=re.compile(r"\d,+\d"),
    full_stop=re.compile(r"\.(?!\d)"),
)
