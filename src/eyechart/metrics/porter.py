"""The Porter stemmer in the dialect that METEOR's scores depend on: NLTK's "NLTK_EXTENSIONS".

Written from M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, with the departures that NLTK makes
from it; each is marked. We found no library but NLTK itself with this dialect (docs/decisions/wordnet-in-the-box.md).
"""

from __future__ import annotations

from functools import lru_cache

# Departure: forms that the rules get wrong.
_IRREGULAR = {
    "sky": "sky",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "inning": "inning",
    "innings": "inning",
    "outing": "outing",
    "outings": "outing",
    "canning": "canning",
    "cannings": "canning",
    "howe": "howe",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}

# Of each table the longest ending that fits decides; where its condition fails, no shorter one is tried.
_STEP_2 = {
    "ational": "ate",
    "ization": "ize",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "tional": "tion",
    "biliti": "ble",
    "entli": "ent",
    "ousli": "ous",
    "ation": "ate",
    "alism": "al",
    "aliti": "al",
    "iviti": "ive",
    "fulli": "ful",  # departure: not in the paper
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "alli": "al",
    "ator": "ate",
    "logi": "log",  # departure: not in the paper
    "bli": "ble",  # departure: "abli" in the paper
    "eli": "e",
}
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ness": "", "ful": ""}
# fmt: off
_STEP_4 = frozenset((
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism",
    "ate", "iti", "ous", "ive", "ize", "al", "er", "ic", "ou",
))
# fmt: on
_LONGEST_ENDING = 7
_LONGEST_REMEMBERED = 64


def stem(word: str) -> str:
    """The stem of a word, in lower case; words of one or two letters are left alone."""
    return _remembered(word) if len(word) <= _LONGEST_REMEMBERED else _stem(word)


def _stem(word: str) -> str:
    lower = word.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if len(word) <= 2:
        return lower
    return _tidy(_step_4(_step_3(_step_2(_y_to_i(_past_and_gerund(_plural(lower)))))))


_remembered = lru_cache(maxsize=1 << 16)(_stem)


def _shape(word: str) -> str:
    """A letter "c" or "v" for each one of the word; y is a vowel after a consonant, all that is no letter is "c"."""
    shape = []
    before = "v"
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and before == "c")
        before = "v" if vowel else "c"
        shape.append(before)
    return "".join(shape)


def _measure(word: str) -> int:
    """How often a vowel is followed by a consonant: the "m" of the paper."""
    return _shape(word).count("vc")


def _ends_short(word: str) -> bool:
    """Consonant, vowel, consonant other than w, x, y: the "*o" of the paper. Departure: "vc" alone will do as well."""
    shape = _shape(word)
    return shape == "vc" or (shape[-3:] == "cvc" and word[-1] not in "wxy")


def _ending(word: str, endings: dict[str, str] | frozenset[str]) -> str:
    """The longest of the endings that the word has, or nothing."""
    for length in range(min(_LONGEST_ENDING, len(word)), 1, -1):
        if word[-length:] in endings:
            return word[-length:]
    return ""


def _plural(word: str) -> str:
    """Step 1a: caresses → caress, ponies → poni, cats → cat. Departure: ties → tie."""
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past_and_gerund(word: str) -> str:
    """Step 1b: agreed → agree, plastered → plaster, motoring → motor. Departure: died → die, spied → spi."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending) and "v" in _shape(word[: -len(ending)]):
            return _restored(word[: -len(ending)])
    return word


def _restored(word: str) -> str:
    """The end of step 1b: conflat → conflate, hopp → hop, fil → file."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) >= 2 and word[-1] == word[-2] and _shape(word)[-1] == "c":
        return word if word[-1] in "lsz" else word[:-1]
    if word.endswith("*d"):
        # NLTK writes the paper's "*d" (a double consonant) as an ending, and so finds it in words too. Kept: parity.
        return word[:-2] + "d"
    return word + "e" if _measure(word) == 1 and _ends_short(word) else word


def _y_to_i(word: str) -> str:
    """Step 1c: happy → happi. Departure: only after a consonant that is not the first letter (enjoy, by stay)."""
    if word.endswith("y") and len(word) > 2 and _shape(word)[-2] == "c":
        return word[:-1] + "i"
    return word


def _step_2(word: str) -> str:
    """relational → relate, vileli → vile."""
    ending = _ending(word, _STEP_2)
    if not ending:
        return word
    # Departure: "logi" counts its "l" with the stem, so that geologi → geolog though "geo" measures nothing.
    if _measure(word[:-3] if ending == "logi" else word[: -len(ending)]) == 0:
        return word
    shorter = word[: -len(ending)] + _STEP_2[ending]
    # Departure: what "alli" leaves goes through the step once more (relationalli → relational → relate).
    return _step_2(shorter) if ending == "alli" else shorter


def _step_3(word: str) -> str:
    """triplicate → triplic, goodness → good."""
    ending = _ending(word, _STEP_3)
    return word[: -len(ending)] + _STEP_3[ending] if ending and _measure(word[: -len(ending)]) > 0 else word


def _step_4(word: str) -> str:
    """revival → reviv, adoption → adopt."""
    ending = _ending(word, _STEP_4)
    rest = word[: -len(ending)] if ending else word
    if not ending or _measure(rest) <= 1 or (ending == "ion" and rest[-1] not in "st"):
        return word
    return rest


def _tidy(word: str) -> str:
    """Step 5: probate → probat, controll → control."""
    if word.endswith("e"):
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _ends_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
