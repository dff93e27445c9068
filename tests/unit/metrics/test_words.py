"""WordNet in the box, WUPS, BLEU-1 and METEOR: what the cases of the official programs do not show."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from eyechart.errors import UsageError
from eyechart.metrics import get_metric
from eyechart.metrics.porter import stem
from eyechart.metrics.wordnet import WordNet, wordnet
from eyechart.metrics.wu_palmer import closest
from eyechart.records import Sample

ROOT = Path(__file__).resolve().parents[3]


def names(word: str) -> list[str]:
    """The noun senses of a word, by name."""
    return [wordnet().noun_name(synset) for synset in wordnet().synsets(word, "noun")]


def one(reference: str) -> Sample:
    """A question with a single gold answer."""
    return Sample(id="q", references=(reference,))


def test_table_is_whole() -> None:
    """Every section of the shipped table unpacks to the bytes that the build wrote down."""
    net = WordNet()
    for name, place in net.head["sections"].items():
        assert hashlib.sha256(net.section(name)).hexdigest() == place["sha256"], name


def test_licence_ships_with_the_table() -> None:
    """Princeton's notice lies beside the table, as its licence asks."""
    text = (ROOT / "src/eyechart/metrics/data/LICENSE.wordnet").read_text(encoding="utf-8")
    assert "WordNet 3.0 Copyright 2006 by Princeton University.  All rights reserved." in text
    assert text.rstrip().endswith("Princeton University and LICENSEE agrees to preserve same.")


@pytest.mark.slow
def test_table_can_be_built_again(tmp_path: Path) -> None:
    """The build script makes the same sections again from the database files, where these are at hand."""
    source = Path(os.environ.get("EYECHART_WORDNET", "/usr/share/wordnet"))
    if not (source / "data.noun").exists():
        pytest.skip("no WordNet database files; EYECHART_WORDNET names their folder")
    subprocess.run([sys.executable, ROOT / "tools/wordnet/build.py", source, tmp_path], check=True, capture_output=True)
    again, shipped = WordNet(tmp_path / "wordnet30.bin"), WordNet()
    assert again.head["sizes"] == shipped.head["sizes"]
    for name in shipped.head["sections"]:
        assert again.section(name) == shipped.section(name), name


def test_a_foreign_file_is_refused(tmp_path: Path) -> None:
    """A file that is no table of ours is named, not misread."""
    (tmp_path / "other.bin").write_bytes(b"PK\x03\x04")
    with pytest.raises(ValueError, match=r"other\.bin is not a WordNet table"):
        WordNet(tmp_path / "other.bin")


def test_nothing_is_read_on_import() -> None:
    """Importing the metrics neither opens the table nor loads numpy."""
    code = (
        "import sys; from eyechart.metrics import get_metric; get_metric('wups@0.9'); get_metric('meteor')\n"
        "from eyechart.metrics.wordnet import wordnet\n"
        "assert wordnet.cache_info().currsize == 0 and 'numpy' not in sys.modules and 'nltk' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("word", "first"),
    [
        ("dog", "dog.n.01"),
        ("Dogs", "dog.n.01"),
        ("mice", "mouse.n.01"),
        ("churches", "church.n.01"),
        ("firemen", "fireman.n.01"),
        ("fire_hydrant", "fireplug.n.01"),
        ("PARIS", "paris.n.01"),
    ],
)
def test_words_are_found_in_any_form(word: str, first: str) -> None:
    """Case, plurals by rule, irregular plurals and underscores lead to the sense that is listed first."""
    assert names(word)[0] == first


@pytest.mark.parametrize("word", ["happy", "fire hydrant", "", " dog", "x" * 1_000_000, "\x00"])
def test_words_without_a_noun_sense(word: str) -> None:
    """Adjectives, spaces for underscores, nothing and nonsense have none."""
    assert names(word) == []


def test_all_rules_are_tried() -> None:
    """A form keeps its own senses and adds those of its base: "glasses" and "glass"."""
    found = names("glasses")
    assert found[0] == "spectacles.n.01"
    assert "glass.n.01" in found


def test_irregular_forms_bar_the_rules() -> None:
    """ "leaves" is listed as the plural of leaf and leave, so that the rule from -ves to -f adds nothing."""
    assert set(names("leaves")) == {*names("leaf"), *names("leave")}


@pytest.mark.parametrize(
    ("left", "right", "similarity"),
    [
        ("left", "right", 10 / 11),
        ("paris", "london", 10 / 11),
        ("crow", "raven", 26 / 28),
        ("dog", "puppy", 26 / 29),
        ("2", "3", 0.875),
        ("two", "three", 0.9),
    ],
)
def test_known_similarities(left: str, right: str, similarity: float) -> None:
    """Pairs that surprise people keep the numbers that NLTK gives."""
    kinship = closest(left, right)
    assert kinship is not None
    assert kinship.similarity == pytest.approx(similarity, abs=1e-12)


def test_a_sense_can_be_less_than_itself() -> None:
    """Where an ancestor has the longer shortest way to the root, a sense is not wholly like itself; NLTK has it so."""
    kinship = closest("Poodle", "poodle")
    assert kinship is not None
    assert kinship.left == kinship.right
    assert wordnet().noun_name(kinship.ancestor) == "canine.n.02"
    assert kinship.similarity == pytest.approx(26 / 30)
    assert closest("Sofa", "couch") == closest("sofa", "couch")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("skies", "sky"),
        ("dying", "die"),
        ("ties", "tie"),
        ("flies", "fli"),
        ("died", "die"),
        ("spied", "spi"),
        ("enjoy", "enjoy"),
        ("happy", "happi"),
        ("by", "by"),
        ("relationally", "relat"),
        ("geology", "geolog"),
        ("hopefully", "hope"),
        ("hopping", "hop"),
        ("filing", "file"),
        ("controlled", "control"),
        ("foo*ding", "food"),
        ("Automobile", "automobil"),
    ],
)
def test_stems(word: str, expected: str) -> None:
    """The dialect of Porter's algorithm is the one that METEOR's scores were defined with."""
    assert stem(word) == expected


@pytest.mark.parametrize(
    ("answer", "reference", "score"),
    [
        ("puppy", "dog", 0.1 * 26 / 29),
        ("three", "two", 0.9),
        ("3", "2", 0.0875),
        ("sad", "happy", 0.0),
        ("Dogs", "dog", 1.0),
        ("", "", 1.0),
        ("a,a", "a", 1.0),
        ("1,000", "1", 0.0),
        (" chair , table", "table,chair", 1.0),
    ],
)
def test_wups_by_hand(answer: str, reference: str, score: float) -> None:
    """Small answers whose score can be checked on paper."""
    assert get_metric("wups@0.9").score(one(reference), answer).value == pytest.approx(score, abs=1e-12)


def test_wups_of_several_references() -> None:
    """The best reference counts unless their mean is asked for; repeats weigh in the mean."""
    sample = Sample(id="q", references=("cat", "cat", "happy", "dog"))
    assert get_metric("wups@0.9").score(sample, "cat").value == 1.0
    average = get_metric("wups@0.0[consensus=average]")
    assert average.id == "wups@0.0[consensus=average]"
    kinship = closest("dog", "cat")
    assert kinship is not None
    assert average.score(sample, "cat").value == pytest.approx((1 + 1 + 0 + kinship.similarity) / 4)


@pytest.mark.parametrize("spec", ["wups@1.5", "wups@nan", "wups@half", "wups@0.9[consensus=most]"])
def test_wups_refuses_what_it_cannot_mean(spec: str) -> None:
    """A threshold outside 0 to 1 and an unknown consensus are the user's to mend."""
    with pytest.raises(UsageError):
        get_metric(spec)


def test_ids_and_print() -> None:
    """Ids are those of the table of metrics, the printed form is the official program's."""
    assert [get_metric(spec).id for spec in ("wups", "wups@0", "wups@-1", "bleu1", "bleu1_corpus", "meteor")] == [
        "wups@0.9",
        "wups@0.0",
        "wups@-1",
        "bleu1",
        "bleu1_corpus",
        "meteor",
    ]
    assert get_metric("wups@0.9").printed(0.43728937728937733) == "43.73"


@pytest.mark.parametrize("spec", ["wups@0.9", "bleu1", "bleu1_corpus", "meteor"])
def test_no_reference_is_an_error(spec: str) -> None:
    """Without anything to compare with there is no score, and no crash."""
    metric = get_metric(spec)
    for score in (metric.score(Sample(id="q"), "dog"), metric.wrong(Sample(id="q"))):
        assert score.value is None
        assert score.error.startswith("no_reference: ")
    assert metric.explain(Sample(id="q"), "dog") == "no score: no_reference: there is nothing to compare with"


def test_corpus_bleu_counts_missing_answers() -> None:
    """A missing answer adds its reference's length and, as in NLTK, one word that did not match."""
    metric = get_metric("bleu1_corpus")
    sample = one("a red bus")
    there, missing = metric.score(sample, "a red bus"), metric.wrong(sample)
    assert missing.stats == (0.0, 1.0, 0.0, 3.0)
    sums = tuple(map(sum, zip((1.0, 1.0, *there.stats), (1.0, 0.0, *missing.stats), strict=True)))
    assert metric.aggregate({(): sums})["value"] == pytest.approx(3 / 4 * 2.718281828459045 ** (1 - 6 / 3))
    assert metric.aggregate({}) == {}


def test_wups_explanation() -> None:
    """A person can follow which senses were compared and why the score was cut."""
    assert get_metric("wups@0.9").explain(one("dog"), "puppy").splitlines() == [
        "'dog' and 'puppy': dog.n.01 and puppy.n.01 meet in canine.n.02, 0.896552 < 0.9, so a tenth: 0.0896552",
        "reference → answer: product 0.0896552",
        "'puppy' and 'dog': puppy.n.01 and dog.n.01 meet in canine.n.02, 0.896552 < 0.9, so a tenth: 0.0896552",
        "answer → reference: product 0.0896552",
        "the smaller product counts: 0.0896552",
    ]
    assert "no noun sense of 'happy' in WordNet, 0" in get_metric("wups@0.9").explain(one("happy"), "dog")


def test_meteor_explanation() -> None:
    """A person can follow the matches, the two shares and the penalty."""
    assert get_metric("meteor").explain(one("a sofa and dogs"), "dog on a couch").splitlines() == [
        "'dog' = 'dogs' (same stem)",
        "'a' = 'a' (same word)",
        "'couch' = 'sofa' (synonym)",
        "precision 3/4, recall 3/4, F = PR/(0.9P + 0.1R) = 0.75",
        "2 of 3 stretches in order: penalty 0.5 × (2/3)³ = 0.148148",
        "(1 - 0.148148) × 0.75 = 0.638889",
    ]


def test_bleu_explanation() -> None:
    """A person can follow the share of words and the cut for brevity."""
    assert get_metric("bleu1").explain(one("a red double decker bus"), "red bus bus") == (
        "2 of 3 words found; nearest reference has 5: exp(1 - 5/3); 2/3 × 0.513417 = 0.342278"
    )


def test_long_answers_are_marked_quickly() -> None:
    """A megabyte of answer is marked like any other, in all four metrics."""
    for text in ("dog," * 250_000, "dog " * 250_000, "y" * 1_000_000):
        for spec in ("wups@0.9", "bleu1", "bleu1_corpus", "meteor"):
            value = get_metric(spec).score(one("a dog on a sofa"), text).value
            assert value is not None
            assert 0.0 <= value <= 1.0
