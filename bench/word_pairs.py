"""Words and sentences for the benches of WUPS and METEOR: drawn with a seed from the table's own vocabulary."""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from eyechart.metrics.wordnet import WordNet

ORACLE = Path(__file__).with_name("nltk_oracle.py")
ENDINGS = ("s", "es", "ies", "ed", "ing", "er", "est", "ly", "ness", "men", "ves", "ches")
GLUE = [
    "a",
    "the",
    "of",
    "on",
    "in",
    "two",
    "2",
    "man",
    "men",
    "dog",
    "dogs",
    "sofa",
    "couch",
    "photo",
    "running",
    "ran",
]


def arguments(doc: str, n: int) -> argparse.Namespace:
    """The command line that both benches share."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nltk-python", required=True, help="Python of an environment with NLTK (see nltk_oracle.py)")
    parser.add_argument("--wordnet", default="/usr/share/wordnet", help="folder with WordNet's index and data files")
    parser.add_argument("--odd", action="store_true", help="inflected, irregular, capital and unknown words as well")
    parser.add_argument("--pairs", type=int, default=n)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def nouns() -> list[str]:
    """Single words that have a noun sense: what short answers mostly are."""
    net = WordNet()
    lemmas = net.section("lemmas").decode().split("\n")
    return [lemma for lemma in lemmas if lemma.isalpha() and net.synsets(lemma, "noun")]


def vocabulary() -> list[str]:
    """Every lemma and every irregular form, and words of several senses more often."""
    net = WordNet()
    lemmas = net.section("lemmas").decode().split("\n")
    irregular = [line.split(" ")[1] for line in net.section("exceptions").decode().split("\n")]
    plain = [lemma for lemma in lemmas if lemma.isalpha() and len(net.synsets(lemma, "noun")) > 1]
    return lemmas + 3 * irregular + 8 * plain


def synonym_partners(words: list[str]) -> dict[str, list[str]]:
    """Word → its synonyms, from the table itself, so that nothing that is timed has been looked up before."""
    net = WordNet()
    return {word: sorted(found) for word in dict.fromkeys([*words, *GLUE]) if (found := net.synonyms(word))}


def word(random: Random, words: list[str]) -> str:
    """A word in one of the forms that answers have: as it is, inflected, capital, with spaces."""
    chosen = random.choice(words)
    form = random.random()
    if form < 0.2:
        stemmed = chosen[:-1] if random.random() < 0.4 else chosen
        return stemmed + random.choice(ENDINGS)
    if form < 0.3:
        return random.choice((chosen.title(), chosen.upper()))
    return chosen.replace("_", " ") if form < 0.33 else chosen


def sentence_pair(random: Random, words: list[str], partners: Mapping[str, list[str]]) -> tuple[str, str]:
    """A reference and an answer that shares some of its words, stems and synonyms, in some order."""
    reference = [
        random.choice(GLUE) if random.random() < 0.4 else word(random, words).replace(" ", "_")
        for _ in range(random.choice((1, 1, 2, 2, 3, 4, 6, 9, 14)))
    ]
    answer = []
    for original in reference:
        step = random.random()
        if step < 0.35:
            answer.append(original)
        elif step < 0.5:
            answer.append(original + random.choice(ENDINGS))
        elif step < 0.8:
            answer.append(random.choice(partners.get(original, GLUE)))
        else:
            answer.append(random.choice(GLUE))
    if random.random() < 0.3:
        random.shuffle(answer)
    return " ".join(answer), " ".join(reference)


def ask_nltk(given: argparse.Namespace, what: str, pairs: list[tuple[str, str]]) -> dict[str, Any]:
    """What NLTK makes of the same pairs, and how long it took."""
    task = json.dumps({"what": what, "wordnet": given.wordnet, "pairs": pairs})
    done = subprocess.run([given.nltk_python, ORACLE], input=task, capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def report(name: str, pairs: list[tuple[str, str]], ours: list[Any], seconds: float, nltk: dict[str, Any]) -> int:
    """Print the ratio and every difference; the exit code says whether there was one."""
    different = [
        (pair, mine, theirs)
        for pair, mine, theirs in zip(pairs, ours, nltk["scores"], strict=True)
        if (mine is None) != (theirs is None) or (mine is not None and abs(mine - theirs) > 1e-12)
    ]
    n = len(pairs)
    print(
        f"{name}: {nltk['seconds'] / seconds:.1f} × NLTK {nltk['version']}; {n} pairs, {1e6 * seconds / n:.1f} µs and "
        f"{1e6 * nltk['seconds'] / n:.1f} µs of processor time a pair; {len(different)} differences"
    )
    for pair, mine, theirs in different[:10]:
        print(f"  {pair}: ours {mine}, NLTK {theirs}")
    return 1 if different else 0
