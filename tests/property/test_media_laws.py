"""Laws of preparing pictures: never larger than asked, never out of shape, no crash whatever the bytes."""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PIL import Image

from eyechart.errors import ModelError
from eyechart.media.header import read_header
from eyechart.media.pixels import fit
from eyechart.media.prepare import prepare
from eyechart.media.rule import MediaRule
from eyechart.media.timeline import SEEK_COST, Timeline, frame_at, plan_reading
from eyechart.records import Media

SIDES = st.integers(1, 400)
FORMS = st.sampled_from(
    [(form, mode) for form in ("JPEG", "PNG", "WEBP", "TIFF", "BMP", "GIF") for mode in ("RGB", "L", "P", "1", "RGBA")]
    + [("JPEG", "CMYK"), ("TIFF", "CMYK"), ("PNG", "LA"), ("PNG", "I;16"), ("TIFF", "F"), ("TIFF", "I;16")]
)


def draw(form: str, mode: str, width: int, height: int, orientation: int = 1) -> bytes:
    """A picture of this form, or the nearest that the format can hold."""
    image = Image.radial_gradient("L").resize((width, height))
    image = image.convert("I;16" if mode == "I;16" else mode)
    if form == "JPEG" and mode not in ("RGB", "L", "CMYK", "1"):
        image = image.convert("RGB")
    options = {}
    if orientation != 1 and form in ("JPEG", "PNG", "WEBP", "TIFF"):
        exif = Image.Exif()
        exif[0x0112] = orientation
        options["exif"] = exif.tobytes()
    buffer = BytesIO()
    image.save(buffer, form, **options)
    return buffer.getvalue()


@given(width=st.integers(1, 100_000), height=st.integers(1, 100_000), limit=st.integers(1, 5000))
def test_fitting_keeps_the_shape(width: int, height: int, limit: int) -> None:
    """The longer side is at most the limit, the shape is kept, and fitting again changes nothing."""
    size = fit(width, height, limit)
    assert max(size) == min(max(width, height), limit)
    assert fit(*size, limit) == size
    scale = max(size) / max(width, height)
    for sent, original in zip(size, (width, height), strict=True):
        assert sent >= 1
        assert abs(sent - max(1.0, original * scale)) <= 0.5 + 1e-6


@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow])
@given(kind=FORMS, width=SIDES, height=SIDES, limit=st.none() | st.integers(1, 500), orientation=st.integers(1, 8))
def test_prepared_pictures(kind: tuple[str, str], width: int, height: int, limit: int | None, orientation: int) -> None:
    """What is sent opens everywhere, obeys the rule, is recorded truly, and needs nothing done a second time."""
    rule = MediaRule(max_side=limit)
    data = draw(*kind, width, height, orientation)
    (picture,) = prepare(Media(name="p", data=data), rule)
    image = Image.open(BytesIO(picture.data))
    image.load()
    assert image.size == (picture.width, picture.height)
    assert picture.mime == {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}[image.format]
    assert image.size == fit(picture.original_width, picture.original_height, limit)
    assert {picture.original_width, picture.original_height} == {width, height}
    assert (picture.data == data) == (picture.changes == ())
    assert ("resized" in picture.changes) == (limit is not None and max(width, height) > limit)
    (again,) = prepare(Media(name="p", data=picture.data), rule)
    assert again.data == picture.data
    assert again.changes == ()


WHOLE = {form: draw(form, "RGB", 40, 30, 6) for form in ("JPEG", "PNG", "WEBP", "TIFF", "GIF", "BMP")}


@pytest.mark.filterwarnings("ignore")
@settings(deadline=None, max_examples=400)
@given(
    form=st.sampled_from(sorted(WHOLE)),
    edits=st.lists(st.tuples(st.integers(0, 3000), st.binary(max_size=6)), max_size=6),
    keep=st.floats(0, 1),
)
@example(form="JPEG", edits=[(2, b"\xff\xe1\0\0")], keep=1.0)
@example(form="WEBP", edits=[(4, b"\xff\xff\xff\xff")], keep=1.0)
def test_damaged_bytes_never_crash(form: str, edits: list[tuple[int, bytes]], keep: float) -> None:
    """However a file is damaged, it is prepared or refused as unreadable; nothing else happens."""
    data = bytearray(WHOLE[form])
    for at, new in edits:
        data[at % len(data) : at % len(data) + len(new)] = new
    broken = bytes(data[: int(len(data) * keep)])
    with suppress(ModelError):
        (picture,) = prepare(Media(name="p", data=broken), MediaRule(max_side=20))
        assert max(picture.width, picture.height) <= 20


@given(
    data=st.binary(max_size=200), start=st.sampled_from([b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"RIFF\x10\0\0\0WEBP"])
)
def test_headers_of_anything(data: bytes, start: bytes) -> None:
    """Reading a header ends, whatever follows the first bytes, and never names an empty picture."""
    header = read_header(start + data)
    assert header is None or (header.width > 0 and header.height > 0)


@given(gaps=st.lists(st.integers(1, 60), min_size=1, max_size=30), data=st.data())
def test_reading_plans(gaps: list[int], data: st.DataObject) -> None:
    """A plan reaches every frame wanted once, in order, and never decodes more than reading from the start would."""
    keys = [sum(gaps[:number]) for number in range(len(gaps))]
    total = sum(gaps)
    line = Timeline(
        pts=tuple(10 * tick for tick in range(total)),
        keys=tuple((10 * key, 10 * key) for key in keys),
        times_s=tuple(float(tick) for tick in range(total)),
        end_s=float(total),
    )
    wanted = data.draw(st.lists(st.integers(0, total - 1), min_size=1, max_size=12))
    plan = plan_reading(line, wanted)
    assert [tick // 10 for _, ticks in plan for tick in ticks] == sorted(set(wanted))
    cost, here = 0, 0
    for start, ticks in plan:
        if start is not None:
            assert start[0] <= ticks[0]
            here, cost = start[0] // 10, cost + SEEK_COST
        cost += ticks[-1] // 10 + 1 - here
        here = ticks[-1] // 10 + 1
    assert cost <= max(wanted) + 1
    assert all(frame_at(line, float(index)) == index for index in wanted)
