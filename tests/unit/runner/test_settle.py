"""What somebody asked for, resolved before anything is sent."""

from __future__ import annotations

import pytest

from eyechart.errors import EyechartError
from eyechart.media.rule import MediaRule
from eyechart.records import Sampling
from eyechart.runner.settle import Opened, media_from, settle
from eyechart.runner.spec import RunSpec, sampling_from
from eyechart.runner.surroundings import is_secret, without_secrets

EIGHT = MediaRule(frames=8, max_side=512)


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({}, EIGHT),
        ({"max_side": "native"}, MediaRule(frames=8)),
        ({"frames": "4"}, MediaRule(frames=4, max_side=512)),
        ({"fps": "0.5"}, MediaRule(fps=0.5, max_side=512)),
        ({"timestamps": "1+2.5"}, MediaRule(timestamps_s=(1.0, 2.5), max_side=512)),
        ({"native_video": "true"}, MediaRule(native=True, max_side=512)),
    ],
)
def test_what_is_said_of_media_goes_over_the_benchmarks_rule(given: dict[str, str], rule: MediaRule) -> None:
    """Another way of sampling a video takes the place of the benchmark's; the size stays unless it is said."""
    assert media_from(EIGHT, given) == rule


def test_sampling_by_any_of_its_names() -> None:
    """Other tools' names are the same fields; names that nobody knows are sent as they are, as JSON or text."""
    given = {"max_new_tokens": "9", "do_sample": "false", "until": "a|b", "min_p": "0.1", "revision": "7e12345"}
    assert sampling_from(Sampling(temperature=0.7), given) == Sampling(
        temperature=0.0, max_tokens=9, stop=("a", "b"), extra={"min_p": 0.1, "revision": "7e12345"}
    )


def test_texts_that_look_like_numbers_are_left_alone() -> None:
    """Nothing is guessed: leading zeros and odd exponents stay text where JSON would not read them as numbers."""
    assert sampling_from(Sampling(), {"x": "0012345"}).extra == {"x": "0012345"}
    assert sampling_from(Sampling(), {"x": "true", "y": "null"}).extra == {"x": True, "y": None}


def test_an_unknown_failure_kind_is_met_with_the_nearest() -> None:
    """--retry takes kinds of failure."""
    with pytest.raises(EyechartError, match="did you mean timeout"):
        RunSpec(benchmark="starter", model="m", retry=frozenset({"timeuot"}))


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["run", "-M", "api_key=sk-1,stream=true"], "run -M api_key=…,stream=true"),
        (["run", "--hf-token", "secret.txt"], "run --hf-token …"),
        (["run", "--hf-token=secret"], "run --hf-token=…"),
        (["run", "-M", "key_env=MY_KEY", "--max-tokens", "5"], "run -M key_env=MY_KEY --max-tokens 5"),
    ],
)
def test_secrets_do_not_reach_the_record(words: list[str], shown: str) -> None:
    """The command line in run.json leaves out what may be a secret, and nothing else."""
    assert without_secrets(words) == shown


def test_names_of_secrets() -> None:
    """Whatever carries a key, a token or a password; not the names of variables or numbers of tokens."""
    assert is_secret("api_key")
    assert is_secret("extra.Authorization")
    assert not is_secret("key_env")
    assert not is_secret("max_tokens")


def test_several_models_share_what_they_are_asked() -> None:
    """One command reads and holds a benchmark once, however many models it names; other options are another one."""
    opened = Opened()
    models = ("baseline:random", "baseline:majority")
    first, second = (settle(RunSpec(benchmark="starter", model=model), opened=opened) for model in models)
    assert first.index is second.index
    assert first.benchmark is second.benchmark
    other = settle(RunSpec(benchmark="starter", model=models[0], seed=1), opened=opened)
    assert other.index is not first.index
    assert other.index.data != first.index.data
