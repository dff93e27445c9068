"""Pictures and videos made ready to send: time over that of plain Pillow and of decoding in order, in the same run."""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import av
import numpy as np
from PIL import Image

from eyechart.media.cache import PictureCache
from eyechart.media.frame_cache import FrameCache
from eyechart.media.prepare import prepare
from eyechart.media.rule import MediaRule
from eyechart.media.timeline import spread_evenly
from eyechart.media.video import sample_video
from eyechart.records import Media

FRAMES = 32
QUESTIONS = 18


class Taken(NamedTuple):
    """Seconds on the clock, and of the processor: the latter hardly changes when the machine is busy elsewhere."""

    clock: float
    processor: float

    def over(self, other: Taken) -> str:
        """The ratio to another, for people."""
        return f"ratio {self.clock / other.clock:.4f} (of processor time {self.processor / other.processor:.4f})"


def timed(*acts: Callable[[], object], repeats: int) -> list[Taken]:
    """The median time of doing each, one after the other in turn, so that a noisy moment meets them all."""
    times: list[list[Taken]] = [[] for _ in acts]
    for _ in range(repeats):
        for act, taken in zip(acts, times, strict=True):
            clock, processor = time.perf_counter(), time.process_time()
            act()
            taken.append(Taken(time.perf_counter() - clock, time.process_time() - processor))
    return [Taken(*(statistics.median(column) for column in zip(*taken, strict=True))) for taken in times]


def scenery(width: int, height: int) -> Image.Image:
    """A picture with coarse and fine detail, about as hard to pack as a photo."""
    rng = np.random.default_rng(7)
    layers = [
        np.asarray(
            Image.fromarray(rng.integers(0, 256, (height // cell + 2, width // cell + 2, 3), dtype=np.uint8)).resize(
                (width, height), Image.Resampling.BICUBIC
            ),
            dtype=np.float32,
        )
        for cell in (256, 64, 16, 4)
    ]
    mixed = 0.5 * layers[0] + 0.25 * layers[1] + 0.17 * layers[2] + 0.08 * layers[3]
    return Image.fromarray(mixed.astype(np.uint8))


def photo(side: int) -> bytes:
    """A JPEG with this longer side, as a camera writes it."""
    buffer = BytesIO()
    scenery(side, side * 3 // 4).save(buffer, "JPEG", quality=88)
    return buffer.getvalue()


def with_pillow(data: bytes, form: str, side: int | None = None) -> bytes:
    """What one would write by hand: open, shrink with LANCZOS where asked, save."""
    image = Image.open(BytesIO(data)).convert("RGB")
    if side:
        scale = side / max(image.size)
        image = image.resize((round(image.width * scale), round(image.height * scale)), Image.Resampling.LANCZOS)
    buffer = BytesIO()
    image.save(buffer, form, **({"quality": 95, "subsampling": 0} if form == "JPEG" else {}))
    return buffer.getvalue()


def film(path: Path, length_s: int, gap: int) -> None:
    """A clip of a camera that wanders over scenery, 640 × 480 at 30 frames a second."""
    world = np.asarray(scenery(2400, 1800))
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt, stream.gop_size = 640, 480, "yuv420p", gap
        stream.thread_type = "FRAME"  # one slice a frame, as cameras and services write them
        stream.options = {"preset": "veryfast", "crf": "23"}
        for number in range(length_s * 30):
            left = int(880 + 870 * np.sin(number / 190))
            top = int(660 + 650 * np.cos(number / 170))
            view = np.ascontiguousarray(world[top : top + 480, left : left + 640])
            container.mux(stream.encode(av.VideoFrame.from_ndarray(view, format="rgb24")))
        container.mux(stream.encode())


def in_order(path: str, wanted: set[int]) -> list[bytes]:
    """The reference: decode every frame from the first to the last one wanted and encode those wanted."""
    frames = []
    with av.open(path) as container:
        stream = container.streams.video[0]
        stream.thread_type = "AUTO"
        for index, frame in enumerate(container.decode(stream)):
            if index in wanted:
                buffer = BytesIO()
                frame.to_image().save(buffer, "JPEG", quality=95)
                frames.append(buffer.getvalue())
            if len(frames) == len(wanted):
                break
    return frames


def pictures(repeats: int) -> None:
    """One photo as it is, and one that is too large."""
    small, large = Media(name="small", data=photo(1024)), Media(name="large", data=photo(4000))
    rule = MediaRule(max_side=1024)
    untouched, jpeg, png = timed(
        lambda: prepare(small, rule),
        lambda: with_pillow(small.data, "JPEG"),
        lambda: with_pillow(small.data, "PNG"),
        repeats=repeats,
    )
    print(f"1,024 px JPEG of {len(small.data) // 1000} kB made ready in {1000 * untouched.clock:.2f} ms, untouched")
    print(f"  encoded anew by Pillow {1000 * jpeg.clock:.1f} ms: {jpeg.clock / untouched.clock:.0f} × ours")
    print(f"  as PNG by Pillow {1000 * png.clock:.1f} ms: {png.clock / untouched.clock:.0f} × ours")
    ours, plain = timed(lambda: prepare(large, rule), lambda: with_pillow(large.data, "JPEG", 1024), repeats=repeats)
    print("4,000 px JPEG shrunk to 1,024")
    print(f"  ours {1000 * ours.clock:.0f} ms, Pillow {1000 * plain.clock:.0f} ms: {ours.over(plain)}")


def videos(folder: Path, length_s: int, repeats: int) -> None:
    """Frames of a clip with key frames near each other, and far from each other; then many questions on one clip."""
    rule = MediaRule(frames=FRAMES)
    wanted = set(spread_evenly(length_s * 30, FRAMES))
    for name, gap in (("a key frame a second", 30), ("a key frame in eight seconds", 250)):
        path = folder / f"{gap}.mp4"
        film(path, length_s, gap)
        media = Media(name=path.stem, kind="video", path=str(path))
        kept = FrameCache(folder / f"kept{gap}")
        ours, in_turn = timed(partial(sample_video, media, rule), partial(in_order, str(path), wanted), repeats=repeats)
        print(f"{FRAMES} frames of {length_s} s, {name}")
        print(f"  ours {ours.clock:.2f} s, decoding in order {in_turn.clock:.2f} s: {ours.over(in_turn)}")
        each = Taken(*(QUESTIONS * column for column in in_turn))
        print(f"{QUESTIONS} questions on it, against decoding for each (hold: at most 0.1)")
        print(f"  first run   {timed(partial(ask_all, media, rule, kept), repeats=1)[0].over(each)}")
        print(f"  next run    {timed(partial(ask_all, media, rule, kept), repeats=1)[0].over(each)}")


def ask_all(media: Media, rule: MediaRule, kept: FrameCache) -> None:
    """What a run does for its questions about one video."""
    cache = PictureCache(frames=kept)
    for _ in range(QUESTIONS):
        cache.prepare(media, rule)


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=120, help="length of the clips")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    pictures(options.repeats)
    with tempfile.TemporaryDirectory() as folder:
        videos(Path(folder), options.seconds, max(1, options.repeats // 2))


if __name__ == "__main__":
    main()
