"""Reads the option letter out of a reply to a choice question: robust, never random, nothing where it is ambiguous."""

from __future__ import annotations

import re
from collections.abc import Mapping

_DEFAULT_LETTERS = "ABCDEFGH"
_THINKING = re.compile(r"</\s*think(?:ing)?\s*>", re.IGNORECASE)
_FINAL = ("boxed", "answer tag", "final answer")
_ANSWER = r"(?i:\banswer\b(?:\s+(?:is|would be|should be))?\W{0,8}(?:option\s+)?)"
# An A before a word is an article, unless the word can only follow a letter: "A or B", "A is right".
_NO_ARTICLE = r"(?:(?<!A)|(?!\s+(?!(?:or|and|is|because|but|since|as|seems|fits|matches)\b)[a-z]))"
_MARKUP = re.compile(r"\\(?:text|mathrm|mathbf|textbf)\s*\{([^{}]*)\}")


def read_letter(text: str, choices: Mapping[str, str] | None = None) -> tuple[str | None, str]:
    """The letter that the reply names, in capitals, and the rule that read it; None where no rule is sure."""
    choices = choices or {}
    letters = "".join(letter for letter in choices if len(letter) == 1) or _DEFAULT_LETTERS
    after = _THINKING.split(text)[-1]
    text = _MARKUP.sub(r" \1 ", after if after.strip() else text).strip()
    # Both cases where the letter stands alone; in running text only capitals, or every "a" would be an answer.
    any_case = "[" + re.escape(letters.upper() + letters.lower()) + "]"
    capital = "[" + re.escape(letters) + "]"
    tries: tuple[tuple[str, str], ...] = (
        ("whole reply", rf"^\W*(?i:(?:option|choice|answer)\s+)?({any_case})\W*$"),
        ("boxed", rf"\\boxed\s*\{{\W*({any_case})\b[^{{}}]*\}}"),
        ("answer tag", rf"(?i:<answer>)\W*({any_case})\b"),
        ("final answer", rf"(?i:\bfinal answer\b(?:\s+is)?\W{{0,8}}(?:option\s+)?)({any_case})(?![\w'’])"),
        ("after the word answer", rf"{_ANSWER}(?:({capital})\b(?!['’]){_NO_ARTICLE}|({any_case})(?=[.):*]|\W*$))"),
        ("option named", rf"(?i:\b(?:option|choice)\s+)\W?({capital})\b"),
        ("label at the start", rf"^\W*({any_case})\s?[.):,\n]"),
    )
    found = ((rule, _last_or_all(rule, re.findall(pattern, text))) for rule, pattern in tries)
    texts = (
        ("whole choice", _choice_texts(text, choices, whole=True)),
        ("lone letter", _lone(text, capital)),
        ("choice in the reply", _choice_texts(text, choices, whole=False)),
    )
    for rule, letters_found in (*found, *texts):
        named = {letter.upper() for letter in letters_found}
        if len(named) == 1:
            return named.pop(), rule
        if named:
            return None, f"ambiguous: {' or '.join(sorted(named))} ({rule})"
    return None, "no letter found"


def _last_or_all(rule: str, found: list[str] | list[tuple[str, ...]]) -> list[str]:
    """What a pattern found; where people mark an answer as final, the last one stands."""
    letters = [match if isinstance(match, str) else "".join(match) for match in found]
    return letters[-1:] if rule in _FINAL else letters


def _lone(text: str, capital: str) -> list[str]:
    """Capitals that stand alone and are no article: "A chair" is not an answer, "it is B" is."""
    return re.findall(rf"(?<![\w'’.]){capital}(?![\w'’]){_NO_ARTICLE}(?!\.\w)", text)


def _choice_texts(text: str, choices: Mapping[str, str], *, whole: bool) -> list[str]:
    """The letters of the choices whose text is the reply, or stands in it in whole words."""
    folded = fold(text)
    if whole:
        return [letter for letter, choice in choices.items() if fold(choice) == folded and folded]
    held = {letter: fold(choice) for letter, choice in choices.items()}
    held = {letter: choice for letter, choice in held.items() if choice and f" {choice} " in f" {folded} "}
    # "left" is said wherever "front left" is: the longer choice is meant.
    return [
        letter
        for letter, choice in held.items()
        if not any(f" {choice} " in f" {other} " and choice != other for other in held.values())
    ]


def fold(text: str) -> str:
    """Case, punctuation and white space folded away: what two wordings of one choice have in common."""
    return " ".join(re.findall(r"[^\W_]+(?:[.'’-][^\W_]+)*", text.casefold()))
