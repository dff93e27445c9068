"""The bundled benchmark: the same for ever, true by construction, cheap where no picture is wanted."""

import hashlib
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from math import hypot

import pytest

from eyechart.benchmarks import get_benchmark
from eyechart.errors import UsageError
from eyechart.sources.starter import KINDS, SUBJECTS, compose, page
from eyechart.sources.starter.pixels import PAINT, draw
from eyechart.sources.starter.scene import SHAPES, SIDE

# Written once, with starter.v1. A change here is a change of every published number: make it starter.v2 instead.
PINNED_TEXTS = {"0": "1f1a2dd336ccbee6", "7": "661720549d8b8001", "41": "35ea33c8db48cced"}
PINNED_PIXELS = {"0": "b64a2997998cf963", "7": "0b9830fbb63bd78a", "41": "638d08d2097de5b2"}


def samples(name="starter", **options):
    source = get_benchmark(name, {key: str(value) for key, value in options.items()}).source
    return [source.fetch(entry, media=False) for entry in source.index().entries]


@pytest.mark.parametrize("seed", PINNED_TEXTS)
def test_the_same_seed_draws_the_same_questions_for_ever(seed):
    """Ids, questions, choices, references and tags of 200 questions have a known hash."""
    digest = hashlib.sha256()
    for sample in samples(seed=seed, n=200):
        words = (sample.id, sample.question, dict(sample.choices), sample.references, sorted(sample.tags.items()))
        digest.update(repr((*words, sample.cluster)).encode())
    assert digest.hexdigest()[:16] == PINNED_TEXTS[seed]


@pytest.mark.parametrize("seed", PINNED_PIXELS)
def test_the_same_seed_draws_the_same_pixels_for_ever(seed):
    """The pixels of the first thirty pages have a known hash; encoding plays no part in it."""
    digest = hashlib.sha256()
    for number in range(30):
        for scene in page(seed, number).scenes:
            digest.update(draw(scene).tobytes())
    assert digest.hexdigest()[:16] == PINNED_PIXELS[seed]


def test_default_is_120_questions_15_of_each_kind_in_50_pictures():
    """The default size is balanced over kinds, and several questions share a picture."""
    drawn = samples()
    assert len(drawn) == 120
    assert Counter(sample.tags["kind"] for sample in drawn) == dict.fromkeys(KINDS, 15)
    assert len({sample.cluster for sample in drawn}) == 50
    assert len({sample.id for sample in drawn}) == 120


def test_a_part_is_a_selection_of_the_whole():
    """starter:count asks the very questions that starter asks, those of one kind."""
    whole = {sample.id: sample for sample in samples(n=240)}
    for kind in KINDS:
        part = samples(f"starter:{kind}", n=30)
        assert len(part) == 30
        assert all(whole[sample.id] == sample and sample.tags["kind"] == kind for sample in part)


def test_more_questions_begin_with_the_same_ones():
    """A larger n continues the stream and does not move it."""
    assert samples(n=500)[:120] == samples(n=120)


def test_wrong_names_and_numbers_are_refused_with_advice():
    """A part that does not exist, a seed in words: a usage error each, with the nearest right thing."""
    with pytest.raises(UsageError, match="did you mean colour"):
        get_benchmark("starter:color")
    with pytest.raises(UsageError, match="seed='train' is not a whole number"):
        get_benchmark("starter", {"seed": "train"})
    with pytest.raises(UsageError, match="n='0'"):
        get_benchmark("starter", {"n": "0"})


def test_index_and_fetch_without_media_load_no_drawing_code():
    """Marking needs neither numpy nor Pillow, and gets samples without pictures."""
    code = (
        "import sys; from eyechart.benchmarks import get_benchmark; s = get_benchmark('starter').source\n"
        "assert not s.fetch(s.index().entries[3], media=False).media\n"
        "assert not {'numpy', 'PIL'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_fetched_pictures_are_png_files_of_the_drawn_pixels_from_any_thread():
    """Pictures come as encoded bytes that decode to the drawn scene, two of them for questions about change."""
    from PIL import Image

    source = get_benchmark("starter", {"n": "48"}).source
    entries = source.index().entries
    with ThreadPoolExecutor(4) as pool:
        fetched = list(pool.map(source.fetch, entries))
    for entry, sample in zip(entries, fetched, strict=True):
        assert len(sample.media) == (2 if sample.tags["kind"] == "moved" else 1)
        number = int(entry.group.partition("p")[2])
        for media, scene in zip(sample.media, page("0", number).scenes, strict=True):
            picture = Image.open(BytesIO(media.data))
            assert (picture.format, picture.mode, picture.size) == ("PNG", "RGB", (SIDE, SIDE))
            assert picture.tobytes() == draw(scene).tobytes()


def test_ten_annotators_mostly_agree():
    """Ten references, at least seven of them the truth; one question in eight or so is unanimous."""
    asked = [sample for sample in samples(n=2400) if sample.tags["answer_type"] in ("yes/no", "number", "other")]
    for sample in asked:
        assert len(sample.references) == 10
        assert sample.references.count(sample.tags["multiple_choice_answer"]) >= 7
    unanimous = sum(len(set(sample.references)) == 1 for sample in asked) / len(asked)
    assert 0.09 < unanimous < 0.16


def pages(setting, *subjects, count=150):
    return [compose(f"test/{setting}/{number}", setting, subjects) for number in range(count)]


def test_existence_is_true_of_the_scene():
    """Yes exactly where a thing with the words of the question is there; both answers are about as frequent."""
    answers = Counter()
    for leaf in pages("table", "existence", count=300):
        question, things = leaf.questions[0], leaf.scenes[0].things
        words = question.text.rstrip("?").split()
        colours = {word for word in words if word in PAINT} or set(PAINT)
        shapes = {word for word in words if word in SHAPES} or set(SHAPES)
        present = any(thing.colour in colours and thing.shape in shapes for thing in things)
        assert question.answer == ("yes" if present else "no")
        answers[question.answer] += 1
    assert 0.4 < answers["yes"] / 300 < 0.6


def test_colour_and_shape_questions_have_one_answer():
    """The named shape or colour is there exactly once, and the answer is what it has."""
    for leaf in pages("table", "colour", "shape"):
        colour, shape = leaf.questions
        things = leaf.scenes[0].things
        named = [thing.colour for thing in things if thing.shape in colour.text]
        assert named == [colour.answer]
        named = [thing.shape for thing in things if thing.colour in shape.text]
        assert named == [shape.answer]


def test_counts_are_counts():
    """Numbers from 0 on, of a shape, a colour or all."""
    seen = Counter()
    for leaf in pages("table", "count", count=300):
        question, things = leaf.questions[0], leaf.scenes[0].things
        words = question.text.replace("crosses", "crosss").split()
        colour = next((word for word in words if word in PAINT), "")
        shape = next((word[:-1] for word in words if word[:-1] in SHAPES), "")
        expected = sum(
            thing.colour == (colour or thing.colour) and thing.shape == (shape or thing.shape) for thing in things
        )
        assert question.answer == str(expected)
        seen[expected] += 1
    assert set(range(6)) <= set(seen)


def test_relations_and_sizes_are_beyond_doubt():
    """Where one thing lies, and which is larger, agrees with the scene by a clear margin."""
    for leaf in pages("table", "relation", "size"):
        relation, size = leaf.questions
        things = leaf.scenes[0].things
        one, other = (things[index] for index in relation.about)
        lead = {
            "left": other.x - one.x,
            "right": one.x - other.x,
            "above": other.y - one.y,
            "below": one.y - other.y,
        }[next(word for word in relation.text.split() if word in {"left", "right", "above", "below"})]
        assert abs(lead) >= 28
        assert relation.answer == ("yes" if lead > 0 else "no")
        if size.about:
            one, other = (things[index] for index in size.about)
            bigger = one.radius > other.radius
            assert abs(one.radius - other.radius) >= 10
            assert size.answer == ("yes" if bigger == ("larger" in size.text) else "no")
        else:
            pick = max if "largest" in size.text else min
            standout = pick(things, key=lambda thing: thing.radius)
            assert size.answer in (standout.colour, standout.shape)
            assert sum(thing.large == standout.large for thing in things) == 1


def test_distances_are_measured_with_the_bar():
    """The gold answer is the distance between the centres in whole centimetres of the scale bar."""
    for leaf in pages("ruler", "distance"):
        question, scene = leaf.questions[0], leaf.scenes[0]
        one, other = (scene.things[index] for index in question.about)
        assert scene.bar is not None
        exact = hypot(one.x - other.x, one.y - other.y) / scene.bar.pixels * scene.bar.centimetres
        assert abs(int(question.answer) - exact) <= 0.51
        assert f"{scene.bar.centimetres} cm long" in question.text


def test_exactly_one_thing_moves_and_the_letters_are_even():
    """Two pictures differ in one thing's place; the right letter is every letter equally often."""
    letters = Counter()
    for leaf in pages("pair", "moved", "direction", count=200):
        before, after = leaf.scenes
        changed = [i for i, pair in enumerate(zip(before.things, after.things, strict=True)) if pair[0] != pair[1]]
        assert changed == [leaf.moved]
        moved, direction = leaf.questions
        assert moved.choices[moved.answer] == f"the {before.things[changed[0]].words}"
        dx = after.things[changed[0]].x - before.things[changed[0]].x
        dy = after.things[changed[0]].y - before.things[changed[0]].y
        lead = {"left": -dx, "right": dx, "up": -dy, "down": dy}[direction.choices[direction.answer]]
        assert lead >= 56
        letters[moved.answer] += 1
    assert all(30 <= letters[letter] <= 75 for letter in "ABCD")


def test_things_never_touch():
    """Nothing hides anything: rims of two things stay apart, and all lie inside the picture."""
    for number in range(200):
        for scene in page("9", number).scenes:
            for index, one in enumerate(scene.things):
                assert one.x - one.radius >= 0
                assert one.x + one.radius < SIDE
                for other in scene.things[:index]:
                    assert hypot(one.x - other.x, one.y - other.y) > 1.2 * (one.radius + other.radius)


def test_every_subject_has_a_question_type():
    """What the page asks is what the tags name."""
    asked = {sample.tags["question_type"] for sample in samples()}
    assert asked == {subject.question_type for subject in SUBJECTS.values()}
