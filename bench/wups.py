"""WUPS per fresh pair of words, beside NLTK in the same run; both must give the same similarity.

python bench/wups.py --nltk-python /tmp/nltk/bin/python --wordnet /tmp/wordnet/usr/share/wordnet
"""

from __future__ import annotations

import sys
import time
from functools import partial
from random import Random

from word_pairs import arguments, ask_nltk, nouns, report, vocabulary, word

from eyechart.metrics.wu_palmer import closest


def main() -> int:
    """Draw pairs, time both, compare every number."""
    given = arguments(__doc__ or "", 2000)
    random, words = Random(given.seed), vocabulary() if given.odd else nouns()
    draw = partial(word, random, words) if given.odd else partial(random.choice, words)
    pairs = [(draw(), draw()) for _ in range(given.pairs)]
    closest("sofa", "couch")  # loading is not what is measured
    started = time.process_time()
    found = [closest(left, right) for left, right in pairs]
    seconds = time.process_time() - started
    ours = [kinship.similarity if kinship else None for kinship in found]
    return report("wups", pairs, ours, seconds, ask_nltk(given, "wups", pairs))


if __name__ == "__main__":
    sys.exit(main())
