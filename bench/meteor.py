"""METEOR per pair of short sentences, beside NLTK in the same run; both must give the same score.

python bench/meteor.py --nltk-python /tmp/nltk/bin/python --wordnet /tmp/wordnet/usr/share/wordnet
"""

from __future__ import annotations

import sys
import time
from random import Random

from word_pairs import arguments, ask_nltk, nouns, report, sentence_pair, synonym_partners, vocabulary

from eyechart.metrics.meteor import align


def main() -> int:
    """Draw pairs, time both, compare every number."""
    given = arguments(__doc__ or "", 5000)
    random, words = Random(given.seed), vocabulary() if given.odd else nouns()
    partners = synonym_partners(words)
    pairs = [sentence_pair(random, words, partners) for _ in range(given.pairs)]
    align("sofa", "couch")  # loading is not what is measured
    started = time.process_time()
    ours = [align(answer, reference).value for answer, reference in pairs]
    seconds = time.process_time() - started
    return report("meteor", pairs, ours, seconds, ask_nltk(given, "meteor", pairs))


if __name__ == "__main__":
    sys.exit(main())
