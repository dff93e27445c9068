"""Requests a second against an instant local server, as a share of a bare aiohttp loop with ready-made bytes.

Two shares: of the client (model, slots, retries), and of a whole run, which also reads the question and the picture,
hashes it, words the prompt and writes the journal. Rates alternate with those of the bare loop, since machines are
noisy.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import io
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from PIL import Image

sys.path.insert(0, str(Path(__file__).parent))

from instant import instant_server

from eyechart.models import Request, get_model
from eyechart.records import Media, Picture, Prompt, Sampling, Turn
from eyechart.runner.limits import FixedLimit
from eyechart.runner.retry import RetryPolicy, with_retries
from eyechart.runner.session import ask
from eyechart.runner.settle import settle
from eyechart.runner.spec import RunSpec
from eyechart.runner.watch import Watch

AT_ONCE = 64


@dataclass(frozen=True)
class Case:
    """A kind of request, and the share of the bare loop that a run must hold."""

    name: str
    pictures: int  # how many there are in turn; more than the client keeps encoded makes each of them new
    hold: float


CASES = (Case("one picture", 1, 0.60), Case("new pictures", 400, 0.40), Case("text only", 0, 0.35))


def jpeg() -> bytes:
    """A picture of about 300 kB."""
    noise = np.random.default_rng(0).integers(0, 256, (520, 780, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(noise).save(buffer, "JPEG", quality=76)
    return buffer.getvalue()


def variant(data: bytes, number: int) -> bytes:
    """The same picture with a comment of its own: other bytes, another hash."""
    return data[:2] + b"\xff\xfe\x00\x06" + number.to_bytes(4, "big") + data[2:]


def words(number: int) -> str:
    """A question."""
    return f"Question {number}: is there a chair in the picture? Answer with a single word or phrase."


def requests_of(pictures: Sequence[bytes], count: int) -> list[Request]:
    """As many questions as there are pictures, or as asked for where there are none."""
    requests = []
    for number in range(len(pictures) or count):
        shown = [
            Picture(
                name=f"p{number}",
                data=data,
                mime="image/jpeg",
                width=780,
                height=520,
                sha256="0" * 64,
                original_width=780,
                original_height=520,
            )
            for data in pictures[number : number + 1]
        ]
        turn = Turn(role="user", parts=(*(Media(name=p.name) for p in shown), words(number)))
        prompt = Prompt(sample_id=f"q{number}", style="short.v1", turns=(turn,))
        requests.append(Request(prompt=prompt, pictures=tuple(shown), sampling=Sampling(max_tokens=16)))
    return requests


def body(asked: Request) -> bytes:
    """The same question as ready-made bytes."""
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


async def client(url: str, requests: Sequence[Request], count: int) -> float:
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


def whole_run(url: str, folder: Path, benchmark: Path, count: int) -> float:
    """A run from its first question to its last journal line."""
    spec = RunSpec(
        benchmark=str(benchmark),
        model=f"{url}#m",
        concurrency=AT_ONCE,
        runs=folder / "runs",
        fresh=True,
        gen={"max_tokens": "16"},
    )
    return count / ask(settle(spec), Watch()).seconds


def write_benchmark(folder: Path, pictures: Sequence[bytes], count: int) -> Path:
    """The questions as a user's own table."""
    for number, data in enumerate(pictures):
        (folder / f"p{number}.jpg").write_bytes(data)
    path = folder / "questions.jsonl"
    with path.open("w") as file:
        for number in range(count):
            row = {"id": f"q{number}", "question": words(number), "answer": random.Random(number).choice(["yes", "no"])}
            file.write(json.dumps(row | ({"image": f"p{number % len(pictures)}.jpg"} if pictures else {})) + "\n")
    return path


def measure(case: Case, url: str, *, count: int, rounds: int) -> None:
    """Alternate between the three, and print the rates and their ratios."""
    base = jpeg()
    pictures = [variant(base, number) for number in range(case.pictures)]
    requests = requests_of(pictures, 400)
    bodies = [body(asked) for asked in requests]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        benchmark = write_benchmark(folder, pictures, count)
        rates = [
            (
                asyncio.run(bare(url, bodies, count)),
                asyncio.run(client(url, requests, count)),
                whole_run(url, folder, benchmark, count),
            )
            for _ in range(rounds)
        ]
    theirs, mine, whole = (statistics.median(column) for column in zip(*rates, strict=True))
    shares = [statistics.median(rate[column] / rate[0] for rate in rates) for column in (1, 2)]
    print(
        f"{case.name:<13} bare {theirs:5.0f}/s   client {mine:5.0f}/s = {shares[0]:.2f}   "
        f"run {whole:5.0f}/s = {shares[1]:.2f}   (hold {case.hold:.2f})",
        flush=True,
    )


def main() -> None:
    """One line per kind of request."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"pictures of {len(jpeg()) // 1000} kB, {AT_ONCE} requests at once")
    with instant_server() as url:
        for case in CASES:
            measure(case, url, count=options.count, rounds=options.rounds)


if __name__ == "__main__":
    main()
