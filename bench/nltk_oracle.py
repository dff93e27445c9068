"""The other side of the WUPS and METEOR benches: NLTK, run by the Python of a scratch environment.

    python -m venv /tmp/nltk && /tmp/nltk/bin/pip install nltk==3.10.4
    apt-get download wordnet-base wordnet-sense-index && for d in *.deb; do dpkg-deb -x "$d" /tmp/wordnet; done

Reads one JSON document from stdin, {"what": "wups" | "meteor", "wordnet": folder, "pairs": [[left, right], …]}, and
writes {"version", "seconds", "scores"}. It imports nothing of Eyechart, and no program of Eyechart imports it.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path


def prepare(wordnet: Path, folder: Path) -> None:
    """Lay the files of WordNet out as NLTK wants them."""
    target = folder / "corpora" / "wordnet"
    target.mkdir(parents=True)
    for source in wordnet.iterdir():
        # Copied, not linked: NLTK refuses what leads out of its own folders.
        shutil.copy(source, target / source.name)
    # Debian leaves this file out; NLTK counts its lines and keeps the labels, which neither metric looks at.
    (target / "lexnames").write_text("".join(f"{n:02}\tlabel.{n}\t1\n" for n in range(45)))


def scorer(what: str) -> Callable[[str, str], float | None]:
    """NLTK's own functions, called as the metrics are defined."""
    from nltk.corpus import wordnet
    from nltk.translate.meteor_score import meteor_score

    def wups(left: str, right: str) -> float | None:
        lefts, rights = wordnet.synsets(left, pos=wordnet.NOUN), wordnet.synsets(right, pos=wordnet.NOUN)
        return max((a.wup_similarity(b) for a in lefts for b in rights), default=None)

    def meteor(left: str, right: str) -> float:
        return meteor_score([right.split()], left.split())

    return {"wups": wups, "meteor": meteor}[what]


def main() -> None:
    """Answer one document."""
    task = json.load(sys.stdin)
    import nltk

    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(task["wordnet"]), Path(folder))
        nltk.data.path.insert(0, folder)
        score = scorer(task["what"])
        score("sofa", "couch")  # loading is not what is measured
        started = time.process_time()
        scores = [score(left, right) for left, right in task["pairs"]]
        seconds = time.process_time() - started
    json.dump({"version": nltk.__version__, "seconds": seconds, "scores": scores}, sys.stdout)


if __name__ == "__main__":
    main()
