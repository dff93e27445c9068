"""A name with a typo is answered with the nearest right one, whatever kind of name it is."""

from __future__ import annotations

import pytest

from command_line import CommandLine

MAJORITY = ("-m", "baseline:majority", "--quiet")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("rn",), "did you mean run?"),
        (("help", "exitcodes"), "did you mean exit-codes?"),
        (("help", "scroe"), "did you mean score"),
        (("ls", "metrix"), "did you mean metrics?"),
        (("run", "starter", *MAJORITY, "--layout", "sed"), "did you mean seed?"),
        (("score", "vqav2", "--predictions", "x.json", "--missing", "wron"), "did you mean wrong?"),
        (("data", "gett", "mmsi"), "did you mean get?"),
        (("run", "starter", "-m", "openai/gpt-x", "-M", "model=x"), "unknown model argument 'model'"),
        (("run", "starter", "-m", "http://localhost:9/v1", "-M", "address=x"), "unknown model argument 'address'"),
        (("run", "starter", "-m", "openai/gpt-x", "-M", "pretrained=x"), "pretrained=x would be another"),
        (("check", "starter", "--limit", "0"), "--limit takes a number from 1 on"),
        (("reconcile", "7f3c", "--show", "-1"), "--show takes a number from 0 on"),
        (("ls", "runs", "-o", "rnus"), "no folder rnus"),
        (("run", "starter", *MAJORITY, "--metric", "starter[mean=knd]"), "did you mean kind?"),
        (("check", "starter", "--metric", "starter[mean=knd]"), "did you mean kind?"),
        (("run", "./no-such-folder", *MAJORITY), "no such file"),
    ],
)
def test_the_nearest_name_is_offered(eyechart: CommandLine, words: tuple[str, ...], says: str) -> None:
    """Exit code 2, three lines, no traceback."""
    result = eyechart(*words, code=2)
    assert says in result.stderr
    assert result.stdout == ""


def test_a_status_that_no_reply_can_have(eyechart: CommandLine) -> None:
    """Neither a misspelt status nor one without questions passes for the other."""
    eyechart("run", "starter", *MAJORITY, "--limit", "4")
    (run,) = (eyechart.folder / "runs").iterdir()
    assert "did you mean unreadable" in eyechart("show", str(run), "--status", "unredable", code=2).stderr
    assert eyechart("show", str(run), "--status", "refusal,timeout").stderr == "no question is like that\n"


@pytest.mark.parametrize("words", [("help",), ("help", "help"), ()])
def test_help_about_help_is_the_overview(eyechart: CommandLine, words: tuple[str, ...]) -> None:
    """There is nothing further to say."""
    assert eyechart(*words).stdout == eyechart("--help").stdout
