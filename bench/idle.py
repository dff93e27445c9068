"""How much of a 64-slot server's time is idle because the next question is not ready yet.

A server in a process of its own answers each request after a log-normal time, 64 at once, and adds up how many of its
slots were at work from the first request to the last that arrived. A run asks it with pictures of several kinds; the
reference is the same run without pictures, whose idle share is that of the client and the machine alone.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from urllib.request import urlopen

import av
import numpy as np
from aiohttp import web
from PIL import Image

from eyechart.runner.session import ask
from eyechart.runner.settle import settle
from eyechart.runner.spec import RunSpec
from eyechart.runner.watch import Watch

SLOTS = 64
PER_VIDEO = 18  # questions, as in VSI-Bench
REPLY = {
    "model": "m",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10},
}


class Slots:
    """Counts the time that slots are at work."""

    def __init__(self, latency_s: float) -> None:
        self._latency, self._chance = latency_s, random.Random(0)
        self._free = asyncio.Semaphore(SLOTS)
        self._busy, self._seconds = 0, 0.0
        self._first = self._now = 0.0
        self._until_last = 0.0
        self._last = 0.0

    def _tick(self, change: int) -> None:
        now = time.perf_counter()
        self._first = self._first or now
        self._seconds += self._busy * (now - (self._now or now))
        self._now, self._busy = now, self._busy + change

    async def answer(self, request: web.Request) -> web.Response:
        """One request, once a slot is free."""
        await request.read()
        self._tick(0)
        self._last, self._until_last = self._now, self._seconds
        async with self._free:
            self._tick(1)
            await asyncio.sleep(self._chance.lognormvariate(0, 0.5) * self._latency)
            self._tick(-1)
        return web.json_response(REPLY)

    async def idle(self, _request: web.Request) -> web.Response:
        """The idle share until the last request, which is then forgotten."""
        span = SLOTS * (self._last - self._first)
        share = 1 - self._until_last / span if span else 0.0
        self._first = self._now = self._seconds = self._until_last = 0.0
        return web.json_response({"idle": share})


async def serve(latency_s: float) -> None:
    """Listen on a free port and say which."""
    slots, app = Slots(latency_s), web.Application(client_max_size=1 << 30)
    app.router.add_post("/v1/chat/completions", slots.answer)
    app.router.add_get("/idle", slots.idle)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


@contextmanager
def server(latency_s: float) -> Iterator[str]:
    """The server's address while the block runs."""
    words = [sys.executable, __file__, "--serve", "--latency", str(latency_s)]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.terminate()
        process.wait(10)


def photo(side: int, number: int) -> bytes:
    """A JPEG of its own for every question."""
    cells = np.random.default_rng(number).integers(0, 256, (side // 12, side // 9, 3), dtype=np.uint8)
    buffer = BytesIO()
    Image.fromarray(cells).resize((side, side * 3 // 4)).save(buffer, "JPEG", quality=90)
    return buffer.getvalue()


def film(path: Path, number: int) -> None:
    """Twenty seconds of noise that drifts."""
    world = np.asarray(Image.open(BytesIO(photo(1200, number))))
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=24)
        stream.width, stream.height, stream.pix_fmt = 640, 480, "yuv420p"
        stream.options = {"preset": "ultrafast"}
        for frame in range(480):
            view = np.ascontiguousarray(world[frame // 3 : frame // 3 + 480, frame : frame + 640])
            container.mux(stream.encode(av.VideoFrame.from_ndarray(view, format="rgb24")))
        container.mux(stream.encode())


def write_questions(folder: Path, kind: str, count: int) -> Path:
    """A table of one's own with pictures or videos beside it."""
    rows = []
    for number in range(count):
        row = {"id": str(number), "question": f"Question {number}?", "answer": "yes"}
        if kind.startswith("photo"):
            side = int(kind.removeprefix("photo"))
            (folder / f"{number}.jpg").write_bytes(photo(side, number))
            row["image"] = f"{number}.jpg"
        if kind == "video":
            name = f"{number // PER_VIDEO}.mp4"
            if not (folder / name).exists():
                film(folder / name, number)
            row["video"] = name
        rows.append(json.dumps(row))
    path = folder / "questions.jsonl"
    path.write_text("\n".join(rows))
    return path


def idle_share(url: str, kind: str, count: int, media: dict[str, str]) -> tuple[float, float]:
    """The server's idle share during one run, and the questions a second."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        spec = RunSpec(
            benchmark=str(write_questions(folder, kind, count)),
            model=f"{url}/v1#m",
            concurrency=SLOTS,
            runs=folder / "runs",
            gen={"max_tokens": "16"},
            media=media,
        )
        seconds = ask(settle(spec), Watch()).seconds
    with urlopen(f"{url}/idle") as reply:  # noqa: S310 - our own server on this machine
        return float(json.load(reply)["idle"]), count / seconds


def main() -> None:
    """One line for each kind of picture."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=640)
    parser.add_argument("--latency", type=float, default=2.0, help="the server's median time for a reply")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve(options.latency))
        return
    cases = (
        ("text only: the reference", "text", {}),
        ("photos of 1,024 px, as they are", "photo1024", {}),
        ("photos of 2,048 px, made smaller", "photo2048", {"max_side": "1024"}),
        (f"16 frames of videos, {PER_VIDEO} questions each", "video", {"frames": "16"}),
    )
    print(f"{SLOTS} slots, a reply in {options.latency:g} s (median), each picture new")
    with server(options.latency) as url:
        for words, kind, media in cases:
            share, rate = idle_share(url, kind, options.count, media)
            print(f"{words:<42} idle {100 * share:5.1f} %   {rate:5.1f} questions a second", flush=True)


if __name__ == "__main__":
    main()
