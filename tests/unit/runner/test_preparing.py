"""Work in threads: everybody gets what is theirs, nobody waits for a long piece that is not, and hops are shared."""

from __future__ import annotations

import asyncio
import threading
import time
from functools import partial

import pytest

from eyechart.runner import preparing
from eyechart.runner.preparing import Threads


def test_everybody_gets_what_they_asked_for() -> None:
    """A thousand pieces at once, some of which fail: each waiter hears of its own."""

    def work(number: int) -> int:
        if number % 7 == 0:
            raise ValueError(number)
        return number

    async def main() -> list[int | BaseException]:
        threads = Threads()
        try:
            asked = (threads.run(partial(work, number)) for number in range(1000))
            return await asyncio.gather(*asked, return_exceptions=True)
        finally:
            threads.close()

    for number, found in enumerate(asyncio.run(main())):
        assert (isinstance(found, ValueError) and found.args == (number,)) if number % 7 == 0 else found == number


def test_short_pieces_share_a_hop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many that wait together go together; one alone goes alone."""
    sizes: list[int] = []

    def counted(pieces: list[preparing.Piece]) -> preparing.Hop:
        sizes.append(len(pieces))
        return do(pieces)

    do = preparing.do
    monkeypatch.setattr(preparing, "do", counted)

    async def main() -> None:
        threads = Threads(2)
        await asyncio.gather(*(threads.run(int) for _ in range(20)))  # it takes some to see that they are short
        sizes.clear()
        await asyncio.gather(*(threads.run(int) for _ in range(64)))
        assert len(sizes) <= 8
        sizes.clear()
        await threads.run(int)
        assert sizes == [1]
        threads.close()

    asyncio.run(main())


def test_a_long_piece_holds_up_nobody() -> None:
    """Where pieces have been long, each goes alone: those behind it are done by the threads beside it."""
    release = threading.Event()

    async def main() -> None:
        threads = Threads(2)
        await asyncio.gather(*(threads.run(partial(time.sleep, 2 * preparing.LONG_S)) for _ in range(4)))
        long = asyncio.ensure_future(threads.run(partial(release.wait, 20)))
        await asyncio.wait_for(asyncio.gather(*(threads.run(int) for _ in range(40))), 10)
        assert not long.done()
        release.set()
        assert await long is True
        threads.close()

    asyncio.run(main())


def test_what_a_long_hop_did_not_begin_is_left_to_others() -> None:
    """A hop that took short pieces along and met a long one gives back the rest."""
    waiter: asyncio.Future[None] = asyncio.new_event_loop().create_future()
    works = [int, partial(time.sleep, 2 * preparing.LONG_S), int, int]
    hop = preparing.do([preparing.Piece(waiter, work) for work in works])
    assert (len(hop.done), len(hop.left)) == (2, 2)
    assert hop.took_s > preparing.LONG_S
    waiter.get_loop().close()


def test_who_no_longer_waits_is_passed_over() -> None:
    """A question that was cancelled while it was made ready disturbs none of the others."""

    async def main() -> list[object]:
        threads = Threads(1)
        asked = [asyncio.ensure_future(threads.run(partial(time.sleep, 0.001))) for _ in range(20)]
        await asyncio.sleep(0)
        for one in asked[::2]:
            one.cancel()
        found = await asyncio.gather(*asked, return_exceptions=True)
        threads.close()
        return list(found)

    found = asyncio.run(main())
    assert found[1::2] == [None] * 10
    assert all(isinstance(one, asyncio.CancelledError) for one in found[::2])


def test_closing_in_the_middle_is_quiet() -> None:
    """What a hop leaves when nobody wants it any more is not begun, and nothing is said about it."""
    said: list[dict[str, object]] = []

    async def main() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: said.append(context))
        threads = Threads(1)
        await asyncio.gather(*(threads.run(int) for _ in range(20)))  # short: the next go together
        asked = [asyncio.ensure_future(threads.run(partial(time.sleep, 2 * preparing.LONG_S))) for _ in range(8)]
        await asyncio.sleep(preparing.LONG_S)
        for one in asked:
            one.cancel()
        threads.close()
        await asyncio.sleep(10 * preparing.LONG_S)

    asyncio.run(main())
    assert said == []
