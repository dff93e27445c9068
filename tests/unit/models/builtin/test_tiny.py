"""The model in the box: what it reads, when it says that it does not know, and that nothing odd breaks it."""

from __future__ import annotations

import io
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from threadpoolctl import threadpool_info, threadpool_limits

from eyechart.errors import ModelError, SetupError, UsageError
from eyechart.media.prepare import prepare
from eyechart.media.rule import MediaRule
from eyechart.models import get_model
from eyechart.models.builtin import Mind
from eyechart.models.builtin.weights import CHECKPOINTS
from eyechart.models.builtin.words import UNKNOWN, answer_pieces, answer_text, pieces
from eyechart.records import Media, Picture
from eyechart.sources.starter import source


@pytest.fixture(scope="module")
def mind() -> Mind:
    return Mind("tiny")


def picture(data: bytes, name: str = "a picture") -> Picture:
    """Made ready as the loop does it."""
    (ready,) = prepare(Media(name=name, data=data), MediaRule())
    return ready


def png(size: tuple[int, int] = (256, 256), mode: str = "RGB") -> bytes:
    file = io.BytesIO()
    Image.new(mode, size, 200 if mode in {"L", "P", "I;16"} else None).save(file, "PNG")
    return file.getvalue()


def asked(seed: int, count: int) -> list[tuple[str, tuple[Picture, ...]]]:
    """Questions of the bundled benchmark as a model gets them."""
    drawn = source.StarterSource(seed=seed, count=count)
    found = []
    for entry in drawn.index().entries:
        sample = drawn.fetch(entry)
        text = "\n".join([sample.question, *(f"{letter}. {words}" for letter, words in sample.choices.items())])
        found.append((text, tuple(picture(media.data, media.name) for media in sample.media if media.data)))
    return found


def test_the_order_of_questions_does_not_matter(mind: Mind) -> None:
    """Asked again in another order, by a mind that has seen other pictures in between: the same answers."""
    questions = asked(seed=71, count=60)
    answers = [mind.answer(*question).text for question in questions]
    order = list(range(len(questions)))
    random.Random(3).shuffle(order)
    other = Mind("tiny")
    assert {number: other.answer(*questions[number]).text for number in order} == dict(enumerate(answers))


@pytest.mark.parametrize(
    "text",
    [
        "What is the capital of France?",
        "Is the red circle reddish?",
        "",
        "???",
        "Answer with one word.",
        "Wie viele Kreise?",
        "How many circles are there? " * 40,
        "\x00\x1b[31mHow many circles?",
    ],
)
def test_what_it_never_learnt_is_unknown(mind: Mind, text: str) -> None:
    """A word from elsewhere, nothing at all, or more than it can hold."""
    assert mind.answer(text, (picture(png()),)).text == UNKNOWN


def test_three_pictures_are_unknown(mind: Mind) -> None:
    """It has two eyes."""
    assert mind.answer("How many circles are there?", (picture(png()),) * 3).text == UNKNOWN


@given(st.text(max_size=400))
def test_no_question_breaks_it(text: str) -> None:
    """Any text gets an answer."""
    assert Mind.answer(_MIND, text, ()).text


_MIND = Mind("tiny-early")


@pytest.mark.parametrize("size", [(1, 1), (3000, 20), (256, 256), (17, 900)])
@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "P", "I;16", "1"])
def test_any_picture_is_looked_at(mind: Mind, size: tuple[int, int], mode: str) -> None:
    """Every size and kind of picture is brought to the one that the eye takes."""
    assert mind.answer("How many circles are there?", (picture(png(size, mode)),)).text


def test_a_broken_picture_is_a_failure_with_its_name(mind: Mind) -> None:
    """Half a picture is no picture; the model does not answer about it."""
    with pytest.raises(ModelError, match=r"half\.png") as raised:
        mind.answer("How many circles are there?", (picture(png()[:60], "half.png"),))
    assert raised.value.kind == "unreadable_media"


def test_the_token_limit_cuts_and_says_so(mind: Mind) -> None:
    """An answer of two digits does not fit into one token."""
    cut = next(
        response
        for question in asked(seed=4, count=40)
        if len(answer_pieces(mind.answer(*question).text)) == 2
        for response in [mind.answer(*question, max_tokens=1)]
    )
    assert cut.finish == "length"
    assert cut.usage.output_tokens == 1


def test_it_keeps_to_one_core_while_it_is_open() -> None:
    """And gives numpy its cores back: small products wait for a second core longer than they take."""

    def cores() -> set[int]:
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    with threadpool_limits(limits=2, user_api="blas"):
        mind = Mind("tiny-early")
        inside = cores()
        mind.close()
        assert (inside, cores()) == ({1}, {2})


def test_checkpoints_have_names_and_hashes() -> None:
    """An unknown one is refused with the nearest; the weights are named in a run's signature."""
    with pytest.raises(UsageError, match="builtin/tniy"):
        get_model("builtin/tniy")
    assert len({Mind(name).sha256 for name in CHECKPOINTS}) == 2


@pytest.mark.parametrize("data", [b"", b"\xff" * 8, b"\x02\0\0\0\0\0\0\0{}", b"\x10\0\0\0\0\0\0\0not json at all!"])
def test_damaged_weights_are_refused(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """In words, with the way to mend it."""
    monkeypatch.setattr("pathlib.Path.read_bytes", lambda self: data)
    with pytest.raises(SetupError, match="weights of builtin/tiny cannot be read"):
        Mind("tiny")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("How many red circles?", ["how", "many", "red", "circles"]),
        ("What color is it?\nAnswer with one word.", ["what", "colour", "is", "it"]),
        ("Question: Which one?\nOptions:\nA. up\n(B) down", ["which", "one", "<A>", "up", "<B>", "down"]),
        ("The bar is 20 cm.", ["the", "bar", "is", "2", "0", "cm"]),
    ],
)
def test_how_a_question_is_read(text: str, read: list[str]) -> None:
    """Words in lower case, digits one by one, options by their letter; how to answer is passed over."""
    assert pieces(text) == read


@pytest.mark.parametrize("answer", ["yes", "12", "B", "light blue", "7"])
def test_answers_survive_the_way_there_and_back(answer: str) -> None:
    """What the model learns to write is what people read."""
    assert answer_text(answer_pieces(answer)) == answer
