"""Write VQA v2 files of any size, seeded: questions, annotations and results in the official layout.

The words follow a long-tailed distribution and humans disagree about as often as in the real validation set, so that
marking has the same work to do: `python bench/vqa_files.py FOLDER --questions 214354`.
"""

from __future__ import annotations

import argparse
import json
import random
from itertools import accumulate
from pathlib import Path

VAL_SCALE = 214_354
TYPES = {  # 65 question types in all, as many as the real set has
    "yes/no": tuple(
        f"{verb} {rest}" for verb in ("is", "are", "does", "can", "has") for rest in ["the", "this", "it", "there"]
    ),
    "number": tuple(f"how many {rest}" for rest in ["people", "are", "in", "of", "types"]),
    "other": tuple(
        f"what {rest}{more}"
        for rest in ["is", "color", "kind", "are", "does"]
        for more in ("", *[" the", " of", " in", " a", " this", " that", " these"])
    ),
}
COMMON = ("red", "white", "blue", "2", "3", "man", "two", "table", "cat", "pizza", "t-shirt", "the dog", "stop sign")
SHAPES = (*["{}"] * 40, "a {}", "The {}", "{}.", "{} and {}", "{} {}", "{}, {}", "{}'s", "{}-{}", "1,200 {}", "{} 5.5")
HEAD = {"info": {"description": "generated"}, "license": {}, "data_type": "mscoco", "data_subtype": "val2014"}


class Words:
    """A seeded vocabulary with a long tail."""

    def __init__(self, random_: random.Random, size: int = 30_000) -> None:
        letters = "etaoinshrdlucmfwypvbgk"
        self.random = random_
        made = ("".join(random_.choices(letters, k=random_.randint(3, 9))) for _ in range(size))
        self.words = [*COMMON, *made]
        self.weights = list(accumulate(1 / (rank + 2) for rank in range(len(self.words))))

    def one(self) -> str:
        """One answer: a word, at times with an article, punctuation or a second word."""
        first, second = self.random.choices(self.words, cum_weights=self.weights, k=2)
        return self.random.choice(SHAPES).format(first, second)


def write_files(folder: Path, *, questions: int, seed: int = 0) -> tuple[Path, Path, Path]:
    """Write the three files and return their paths: questions, annotations, results."""
    random_ = random.Random(seed)
    words = Words(random_)
    asked, annotations, results = [], [], []
    for number in range(questions):
        image, question_id = 10_000 + number // 5, (10_000 + number // 5) * 1000 + number % 5
        kind = random_.choices(("yes/no", "number", "other"), (38, 13, 49))[0]
        asked.append({"image_id": image, "question": f"what is thing {number}?", "question_id": question_id})
        pool = _pool(kind, random_, words)
        share = random_.choice((1.0, 1.0, 0.9, 0.7, 0.3))
        given = [pool[0] if random_.random() < share else random_.choice(pool) for _ in range(10)]
        humans = [
            {"answer": answer, "answer_confidence": random_.choice(("yes", "yes", "maybe", "no")), "answer_id": place}
            for place, answer in enumerate(given, 1)
        ]
        annotations.append(
            {
                "question_type": random_.choice(TYPES[kind]),
                "multiple_choice_answer": max(given, key=given.count),
                "answers": humans,
                "image_id": image,
                "answer_type": kind,
                "question_id": question_id,
            }
        )
        results.append({"question_id": question_id, "answer": random_.choice((*given, *given, *pool, words.one()))})
    random_.shuffle(results)
    folder.mkdir(parents=True, exist_ok=True)
    paths = folder / "questions.json", folder / "annotations.json", folder / "results.json"
    documents = ({**HEAD, "task_type": "Open-Ended", "questions": asked}, {**HEAD, "annotations": annotations}, results)
    for path, document in zip(paths, documents, strict=True):
        path.write_text(json.dumps(document))
    return paths


def _pool(kind: str, random_: random.Random, words: Words) -> list[str]:
    if kind == "yes/no":
        pool = ["yes", "no"]
        random_.shuffle(pool)
        return pool
    if kind == "number":
        return [str(int(random_.expovariate(0.4))) for _ in range(3)] + [random_.choice(("two", "none", "many"))]
    return [words.one() for _ in range(random_.randint(2, 12))]


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--questions", type=int, default=VAL_SCALE)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for path in write_files(given.folder, questions=given.questions, seed=given.seed):
        print(f"{path}  {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
