"""Frames of a video, read with PyAV: only as much is decoded as the frames asked for need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from eyechart.errors import MissingExtra
from eyechart.media.decode import MAX_PIXELS
from eyechart.media.files import file_on_disk, read_media
from eyechart.media.pixels import encode, fit
from eyechart.media.rule import MediaRule
from eyechart.media.timeline import OutOfRange, Timeline, choose_frames, plan_reading
from eyechart.media.unreadable import unreadable
from eyechart.records import Media, Picture

if TYPE_CHECKING:
    from av import Packet, VideoFrame
    from av.container import InputContainer
    from av.video.stream import VideoStream

# FFmpeg reads playlists as well, which may name any other file or address; these formats hold the video itself.
_FORMATS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,asf,ogg,gif,h264,hevc,m4v,mpegvideo,ivf"

# Key frames are far apart where at least so many frames lie between them.
_FAR = 60

_MIMES = {"mov": "video/mp4", "matroska": "video/webm", "avi": "video/x-msvideo", "mpegts": "video/mp2t"}


def sample_video(media: Media, rule: MediaRule) -> tuple[Picture, ...]:
    """The frames of a video that a rule asks for, each with its index and time."""
    media = _at_hand(media)
    with _opened(media) as (container, stream):
        timeline = _read_timeline(media, container, stream)
    if timeline.pts:
        indices = _choose(media, timeline, rule)
        with _opened(media) as (container, stream):
            frames = _decode_planned(
                container, stream, _FrameMaker(media, rule, stream.codec_context.name, timeline), indices
            )
        if len(frames) == len(set(indices)):
            return tuple(frames[index] for index in indices)
    # The packets do not tell the times, or promise frames that do not come: then decoding alone knows what is there.
    with _opened(media) as (container, stream):
        timeline = _decode_timeline(container, stream)
    if timeline.count == 0:
        raise unreadable(media, "it holds no video frames")
    indices = _choose(media, timeline, rule)
    with _opened(media) as (container, stream):
        frames = _decode_all(container, stream, _FrameMaker(media, rule, stream.codec_context.name, timeline), indices)
    if len(frames) != len(set(indices)):
        raise unreadable(media, "it does not decode alike twice")
    return tuple(frames[index] for index in indices)


def whole_video(media: Media) -> Picture:
    """The video itself, for servers that take one."""
    media = _at_hand(media)
    with _opened(media) as (container, stream):
        if not _read_packets(media, container, stream):
            raise unreadable(media, "it holds no video frames")
        width, height = stream.codec_context.width, stream.codec_context.height
        form = container.format.name.split(",")[0]
    data = read_media(media)
    return Picture(
        name=media.name,
        data=data,
        mime=_MIMES.get(form, f"video/{form}"),
        width=width,
        height=height,
        sha256=sha256(data).hexdigest(),
        original_width=width,
        original_height=height,
    )


def _at_hand(media: Media) -> Media:
    """The medium as a file or as bytes: out of an archive it is read once, though opened several times."""
    path = file_on_disk(media)
    data = b"" if path else read_media(media)
    if not (Path(path).stat().st_size if path else data):
        raise unreadable(media, "it is empty (0 bytes)")
    return media if path else structs.replace(media, data=data)


def _in_ffmpegs_words(error: Exception) -> str:
    words = str(getattr(error, "strerror", None) or error)
    return words[:1].lower() + words[1:]


@contextmanager
def _opened(media: Media) -> Iterator[tuple[InputContainer, VideoStream]]:
    """The video opened for reading; whatever FFmpeg raises meanwhile becomes the failure of the question."""
    try:
        import av
    except ModuleNotFoundError as error:
        raise MissingExtra("reading videos", "video") from error
    from io import BytesIO

    on_disk = file_on_disk(media)
    # "file:" keeps FFmpeg from taking a path for an address.
    source: Any = f"file:{on_disk}" if on_disk else BytesIO(read_media(media))
    try:
        with av.open(source, options={"format_whitelist": _FORMATS}, metadata_errors="replace") as container:
            if not container.streams.video:
                raise unreadable(media, "it holds no video frames")
            stream = container.streams.video[0]
            decoder = stream.codec_context
            if decoder is None:
                raise unreadable(media, "nothing here can decode its kind of video")
            if decoder.width * decoder.height > MAX_PIXELS:
                raise unreadable(media, f"{decoder.width} × {decoder.height} pixels are more than {MAX_PIXELS:,}")
            stream.thread_type = "AUTO"
            yield container, stream
    except EOFError as error:
        raise unreadable(media, "it ends too early: it is cut short, or holds no video frames") from error
    except (av.FFmpegError, OSError, OverflowError) as error:
        raise unreadable(media, f"it is cut short, damaged or no video ({_in_ffmpegs_words(error)})") from error
    except OutOfRange as error:
        raise unreadable(media, str(error)) from error


def _read_packets(media: Media, container: InputContainer, stream: VideoStream) -> list[Packet[VideoStream]]:
    packets = [packet for packet in container.demux(stream) if packet.size]
    promised = len(stream.index_entries)
    if len(packets) < promised:
        raise unreadable(media, f"it is cut short: {len(packets):,} of {promised:,} frames are there")
    return packets


def _read_timeline(media: Media, container: InputContainer, stream: VideoStream) -> Timeline:
    """The frames as the packets announce them; an empty timeline where they do not say when each is shown."""
    packets = _read_packets(media, container, stream)
    clock = stream.time_base
    shown = [packet for packet in packets if not packet.is_discard]
    pts = [packet.pts for packet in shown if packet.pts is not None]
    if not pts or len(pts) < len(shown) or clock is None:
        return Timeline(pts=(), times_s=(), end_s=0.0)
    keys = [
        (p.pts, p.pts if p.dts is None else min(p.pts, p.dts)) for p in shown if p.is_keyframe and p.pts is not None
    ]
    ticks = sorted(set(pts))
    last = shown[pts.index(ticks[-1])].duration or round(1 / (clock * (stream.average_rate or 25)))
    return Timeline(
        pts=tuple(ticks),
        keys=tuple(sorted(keys)),
        times_s=tuple(float((tick - ticks[0]) * clock) for tick in ticks),
        end_s=float((ticks[-1] - ticks[0] + last) * clock),
    )


def _decode_timeline(container: InputContainer, stream: VideoStream) -> Timeline:
    """The frames as they come out of the decoder."""
    rate = float(stream.average_rate or 25)
    times = [frame.time for frame in container.decode(stream)]
    known = [time for time in times if time is not None]
    if len(known) < len(times) or any(later <= sooner for sooner, later in pairwise(known)):
        seconds = [index / rate for index in range(len(times))]  # no clock to go by: the rate is all there is
    else:
        seconds = [time - known[0] for time in known]
    return Timeline(pts=(), times_s=tuple(seconds), end_s=(seconds[-1] if seconds else 0.0) + 1 / rate)


def _choose(media: Media, timeline: Timeline, rule: MediaRule) -> tuple[int, ...]:
    try:
        return choose_frames(timeline, rule)
    except OutOfRange as error:
        raise unreadable(media, str(error)) from error


@dataclass(frozen=True)
class _FrameMaker:
    """Makes decoded frames of one video ready to send."""

    media: Media
    rule: MediaRule
    codec: str
    timeline: Timeline

    def make(self, frame: VideoFrame, index: int) -> Picture:
        from PIL.Image import Image, Resampling, Transpose

        image: Image = frame.to_image()  # type: ignore[no-untyped-call]
        changes = [f"converted from {self.codec}"]
        turn = {90: Transpose.ROTATE_90, 180: Transpose.ROTATE_180, 270: Transpose.ROTATE_270}.get(frame.rotation % 360)
        if turn is not None:
            image = image.transpose(turn)
            changes.append("oriented")
        original = image.size
        size = fit(*original, self.rule.max_side)
        if size != original:
            image = image.resize(size, Resampling.LANCZOS, reducing_gap=3.0)
            changes.append("resized")
        # Videos hold colour at half the resolution: only a smaller frame has more to keep.
        data, mime = encode(image, lossless=False, fine_colour=size != original)
        return Picture(
            name=self.media.name,
            data=data,
            mime=mime,
            width=image.width,
            height=image.height,
            sha256=sha256(data).hexdigest(),
            original_width=original[0],
            original_height=original[1],
            changes=tuple(changes),
            frame=index,
            timestamp_s=round(self.timeline.times_s[index], 6),
        )


def _decode_planned(
    container: InputContainer, stream: VideoStream, maker: _FrameMaker, indices: Sequence[int]
) -> dict[int, Picture]:
    """The frames wanted, by seeking where that is cheaper; fewer where the file does not keep what it promises."""
    line = maker.timeline
    if line.count < _FAR * len(line.keys):
        # Threads that each decode a frame ahead have to be filled anew after every seek, for nothing.
        stream.thread_type = "SLICE"
    index_at = {line.pts[index]: index for index in indices}
    frames: dict[int, Picture] = {}
    for key, ticks in plan_reading(line, indices):
        packets = container.demux(stream) if key is None else _packets_from(container, stream, key)
        wanted = set(ticks)
        for frame in _decode_towards(packets, stream, wanted):
            if frame.pts in wanted:
                wanted.discard(frame.pts)
                index = index_at[frame.pts]
                frames[index] = maker.make(frame, index)
            if not wanted or (frame.pts is not None and frame.pts > ticks[-1]):
                break
    return frames


def _packets_from(
    container: InputContainer, stream: VideoStream, key: tuple[int, int]
) -> Iterator[Packet[VideoStream]]:
    """The packets from a key frame on."""
    shown, decoded = key
    container.seek(shown, stream=stream)
    packets = container.demux(stream)
    first = next(packets)
    if first.is_keyframe and first.pts == shown:
        return chain([first], packets)
    # Some formats are sought by the time of decoding. Where others are, that would lead one key frame too far back.
    container.seek(decoded, stream=stream)
    return container.demux(stream)


def _decode_towards(
    packets: Iterator[Packet[VideoStream]], stream: VideoStream, wanted: set[int]
) -> Iterator[VideoFrame]:
    """Decoded frames; of H.264, those that no other frame is built on are skipped where they are not wanted."""
    decoder = stream.codec_context
    # Only there is it certain that a frame marked so is never referred to.
    may_skip = decoder.name == "h264"
    for packet in packets:
        if may_skip:
            decoder.skip_frame = "DEFAULT" if packet.pts is None or packet.pts in wanted else "NONREF"
        yield from packet.decode()


def _decode_all(
    container: InputContainer, stream: VideoStream, maker: _FrameMaker, indices: Sequence[int]
) -> dict[int, Picture]:
    """The frames wanted, by counting them as they are decoded."""
    wanted = set(indices)
    frames: dict[int, Picture] = {}
    for index, frame in enumerate(container.decode(stream)):
        if index in wanted:
            frames[index] = maker.make(frame, index)
        if len(frames) == len(wanted):
            break
    return frames
