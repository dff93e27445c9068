"""Requests a second against an instant local server, as a share of a bare aiohttp loop with ready-made bytes."""

from __future__ import annotations

import argparse
import asyncio
import base64
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from instant import instant_server

from eyechart.models import Request, get_model
from eyechart.records import Media, Picture, Prompt, Sampling, Turn
from eyechart.runner.limits import FixedLimit
from eyechart.runner.retry import RetryPolicy, with_retries

AT_ONCE = 64
PICTURE_BYTES = 300_000
HOLD = {"one picture": 0.60, "new pictures": 0.40, "text only": 0.35}


def picture(number: int) -> Picture:
    """Bytes of the right size; nothing decodes them here."""
    data = os.urandom(PICTURE_BYTES)
    return Picture(
        name=f"p{number}",
        data=data,
        mime="image/jpeg",
        width=1024,
        height=768,
        sha256="0" * 64,
        original_width=1024,
        original_height=768,
    )


def request(number: int, pictures: Sequence[Picture]) -> Request:
    """One question."""
    words = f"Question {number}: is there a chair in the picture? Answer with a single word or phrase."
    parts = (*(Media(name=p.name) for p in pictures), words)
    prompt = Prompt(sample_id=f"q{number}", style="short.v1", turns=(Turn(role="user", parts=parts),))
    return Request(prompt=prompt, pictures=tuple(pictures), sampling=Sampling(max_tokens=16))


def body(asked: Request) -> bytes:
    """The same question as ready-made bytes."""
    import msgspec

    content: list[dict[str, object]] = []
    for shown in asked.pictures:
        url = f"data:{shown.mime};base64,{base64.b64encode(shown.data).decode()}"
        content.append({"type": "image_url", "image_url": {"url": url}})
    content.append({"type": "text", "text": asked.prompt.turns[0].parts[-1]})
    message = {"role": "user", "content": content}
    return msgspec.json.encode({"model": "m", "messages": [message], "temperature": 0.0, "max_tokens": 16})


async def bare(url: str, bodies: Sequence[bytes], count: int) -> float:
    """A loop of workers around aiohttp, and nothing else."""
    import aiohttp

    connector = aiohttp.TCPConnector(limit=0)
    headers = {"Content-Type": "application/json"}
    numbers = iter(range(count))
    async with aiohttp.ClientSession(connector=connector, headers=headers) as session:

        async def worker() -> None:
            for number in numbers:
                async with session.post(f"{url}/chat/completions", data=bodies[number % len(bodies)]) as reply:
                    await reply.read()

        began = time.perf_counter()
        await asyncio.gather(*(worker() for _ in range(AT_ONCE)))
        return count / (time.perf_counter() - began)


async def ours(url: str, requests: Sequence[Request], count: int) -> float:
    """The model with the run's limiter and retry policy around it."""
    model = get_model(f"{url}#m")
    await model.open(lambda: iter(()))
    limit, policy, numbers = FixedLimit(AT_ONCE), RetryPolicy(), iter(range(count))

    async def worker() -> None:
        for number in numbers:
            asked = requests[number % len(requests)]
            await with_retries(lambda asked=asked: model.generate(asked), policy, limit, key=asked.prompt.sample_id)

    began = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(AT_ONCE)))
    rate = count / (time.perf_counter() - began)
    await model.close()
    return rate


def compare(name: str, url: str, make: Callable[[int], Request], *, count: int, distinct: int, rounds: int) -> None:
    """Alternate between the two, and print the rates and their ratio."""
    requests = [make(number) for number in range(distinct)]
    bodies = [body(asked) for asked in requests]
    rates = [(asyncio.run(bare(url, bodies, count)), asyncio.run(ours(url, requests, count))) for _ in range(rounds)]
    theirs, mine = (statistics.median(column) for column in zip(*rates, strict=True))
    ratio = statistics.median(mine / theirs for theirs, mine in rates)
    print(
        f"{name:<14} bare {theirs:6.0f}/s   client {mine:6.0f}/s   ratio {ratio:.2f}   hold {HOLD[name]:.2f}",
        flush=True,
    )


def main() -> None:
    """One line per kind of request."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    one = picture(0)
    with instant_server() as url:
        common = {"count": options.count, "rounds": options.rounds}
        compare("one picture", url, lambda n: request(n, [one]), distinct=1, **common)
        # More pictures than the client keeps encoded, and each comes by once a lap.
        compare("new pictures", url, lambda n: request(n, [picture(n)]), distinct=400, **common)
        compare("text only", url, lambda n: request(n, []), distinct=400, **common)


if __name__ == "__main__":
    main()
