"""Pictures made ready to send: what passes untouched, what is changed, and how each change is recorded."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from media_drawn import decoded, encoded, gradient, medium, oriented
from PIL import Image, ImageChops, ImageOps, ImageStat

from eyechart.errors import ModelError
from eyechart.media import decode
from eyechart.media.prepare import prepare
from eyechart.media.rule import MediaRule
from eyechart.records import Media, Picture

AS_IT_IS = MediaRule()


def prepared(data: bytes, rule: MediaRule = AS_IT_IS) -> Picture:
    """The one picture that these bytes give."""
    (picture,) = prepare(medium(data), rule)
    assert picture.sha256 == sha256(picture.data).hexdigest()
    assert (picture.width, picture.height) == decoded(picture.data).size
    return picture


def difference(one: Image.Image, other: Image.Image) -> float:
    """The mean absolute difference of two pictures, in grey levels."""
    means = ImageStat.Stat(ImageChops.difference(one.convert("RGB"), other.convert("RGB"))).mean
    return sum(means) / len(means)


@pytest.mark.parametrize(
    ("form", "mode", "options"),
    [
        ("JPEG", "RGB", {}),
        ("JPEG", "L", {}),
        ("JPEG", "RGB", {"progressive": True}),
        ("PNG", "RGB", {}),
        ("PNG", "L", {}),
        ("PNG", "1", {}),
        ("PNG", "P", {}),
        ("PNG", "RGBA", {}),
        ("PNG", "LA", {}),
        ("WEBP", "RGB", {}),
        ("WEBP", "RGB", {"lossless": True}),
        ("WEBP", "RGBA", {"lossless": True, "exact": True}),
    ],
)
def test_passes_untouched(form: str, mode: str, options: dict[str, bool]) -> None:
    """A picture that needs no change is sent byte for byte, opaque alpha channels included."""
    data = encoded(gradient(mode=mode), form, **options)
    picture = prepared(data, MediaRule(max_side=120))
    assert picture.data == data
    assert picture.changes == ()
    assert picture.mime == f"image/{form.lower()}"
    assert (picture.original_width, picture.original_height) == (120, 80)


def test_passing_does_not_decode() -> None:
    """A JPEG whose scan is nonsense but whose frame is whole passes: nobody looked inside."""
    data = bytearray(encoded(gradient(), "JPEG"))
    data[-60:-10] = b"\x55" * 50
    assert prepared(bytes(data)).changes == ()


def test_trailing_bytes_pass() -> None:
    """What cameras append after the end mark does not stop a JPEG."""
    data = encoded(gradient(), "JPEG") + b"appended" * 10
    assert prepared(data).data == data


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_orientation_is_applied(orientation: int, form: str) -> None:
    """Each of the eight EXIF orientations is made upright, as Pillow itself would show it."""
    data = oriented(gradient(), orientation, form)
    picture = prepared(data)
    upright = ImageOps.exif_transpose(decoded(data))
    assert difference(decoded(picture.data), upright) < 1.5
    assert (picture.width, picture.height) == upright.size
    assert (picture.original_width, picture.original_height) == upright.size
    assert ("oriented" in picture.changes) == (orientation != 1)
    assert decoded(picture.data).getexif().get(0x0112, 1) == 1


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "TIFF", "BMP"])
def test_longest_side(form: str) -> None:
    """A large picture is made smaller with its shape kept, close to what plain LANCZOS gives."""
    data = encoded(gradient(2000, 1500), form)
    picture = prepared(data, MediaRule(max_side=256))
    assert (picture.width, picture.height) == (256, 192)
    assert (picture.original_width, picture.original_height) == (2000, 1500)
    assert picture.changes[-1] == "resized"
    plain = decoded(data).convert("RGB").resize((256, 192), Image.Resampling.LANCZOS)
    assert difference(decoded(picture.data), plain) < 1.5


def test_resized_and_oriented() -> None:
    """A phone photo taken upright is shrunk and turned, and both are said."""
    picture = prepared(oriented(gradient(800, 600), 6), MediaRule(max_side=200))
    assert (picture.width, picture.height) == (150, 200)
    assert (picture.original_width, picture.original_height) == (600, 800)
    assert picture.changes == ("resized", "oriented")


def test_small_pictures_are_not_enlarged() -> None:
    """A picture below the limit keeps its size."""
    data = encoded(gradient(10, 7), "PNG")
    assert prepared(data, MediaRule(max_side=1024)).data == data


def test_cmyk() -> None:
    """A CMYK JPEG becomes RGB."""
    picture = prepared(encoded(gradient(mode="CMYK"), "JPEG", quality=95))
    assert picture.changes == ("converted from CMYK",)
    assert decoded(picture.data).mode == "RGB"
    assert difference(decoded(picture.data), gradient()) < 4


def test_sixteen_bit_grey() -> None:
    """A 16-bit grey PNG keeps its upper eight bits; it does not turn white."""
    values = np.arange(0, 65536, 16, dtype=np.uint16).reshape(64, 64)
    picture = prepared(encoded(Image.fromarray(values), "PNG"))
    assert picture.changes == ("converted from 16 bits",)
    assert np.array_equal(np.asarray(decoded(picture.data)), values >> 8)


def test_numbers_without_a_white() -> None:
    """A picture of real numbers is stretched from its darkest to its brightest, and says so."""
    values = np.linspace(-3.0, 9.0, 64 * 64, dtype=np.float32).reshape(64, 64)
    values[0, 5] = np.nan
    picture = prepared(encoded(Image.fromarray(values), "TIFF"))
    assert picture.changes == ("converted from TIFF", "stretched from mode F")
    assert decoded(picture.data).getextrema() == (0, 255)


@pytest.mark.parametrize(("form", "mode"), [("PNG", "RGBA"), ("PNG", "LA"), ("WEBP", "RGBA"), ("TIFF", "RGBA")])
def test_transparency_is_put_on_white(form: str, mode: str) -> None:
    """What is transparent becomes white, whatever colour hides beneath."""
    image = Image.new("RGBA", (20, 10), (255, 0, 0, 0)).convert(mode)
    picture = prepared(encoded(image, form, **({"lossless": True} if form == "WEBP" else {})))
    assert picture.changes[-1] == "transparency on white"
    assert decoded(picture.data).convert("RGB").getcolors() == [(200, (255, 255, 255))]
    assert picture.mime == "image/png"


def test_transparent_palette() -> None:
    """A palette with a transparent entry is put on white as well."""
    image = Image.new("P", (20, 10), 3)
    image.putpalette([value for entry in range(256) for value in (entry, 0, 0)])
    picture = prepared(encoded(image, "PNG", transparency=3))
    assert picture.changes == ("transparency on white",)
    assert decoded(picture.data).getpixel((0, 0)) == (255, 255, 255)


@pytest.mark.parametrize("form", ["GIF", "PNG", "WEBP"])
def test_animation_gives_its_first_frame(form: str) -> None:
    """Of an animation the first frame is sent, and the count is recorded."""
    colours = [(255, 0, 0), (0, 255, 0), (0, 0, 255)]
    frames = [Image.new("RGB", (32, 16), colour) for colour in colours]
    options = {"lossless": True} if form == "WEBP" else {}
    picture = prepared(encoded(frames[0], form, save_all=True, append_images=frames[1:], **options))
    assert "first of 3 frames" in picture.changes
    assert decoded(picture.data).convert("RGB").getpixel((3, 3)) == (255, 0, 0)


@pytest.mark.parametrize(
    ("form", "mode"),
    [("GIF", "P"), ("GIF", "L"), ("BMP", "RGB"), ("BMP", "1"), ("TIFF", "RGB"), ("TIFF", "CMYK"), ("JPEG2000", "RGB")],
)
def test_other_formats_become_png(form: str, mode: str) -> None:
    """Formats that few servers take are converted without loss."""
    image = gradient(mode=mode)
    picture = prepared(encoded(image, form))
    assert picture.mime == "image/png"
    assert picture.changes[0] == f"converted from {form}"
    assert difference(decoded(picture.data), image) < 2


def test_same_input_same_bytes() -> None:
    """Preparing twice gives the same bytes."""
    data = oriented(gradient(900, 700), 8)
    assert prepared(data, MediaRule(max_side=300)).data == prepared(data, MediaRule(max_side=300)).data


def test_url_is_left_to_the_server() -> None:
    """A medium that is only an address gives no picture."""
    assert prepare(Media(name="far", url="https://example.org/a.jpg"), AS_IT_IS) == ()


def refusal(media: Media) -> str:
    """The message of the failure that a medium ends in."""
    with pytest.raises(ModelError) as caught:
        prepare(media, AS_IT_IS)
    assert caught.value.kind == "unreadable_media"
    assert not caught.value.retryable
    assert media.name in caught.value.what
    return caught.value.what


def test_missing_file_is_named(tmp_path: Path) -> None:
    """A missing picture is a failure with its path."""
    path = str(tmp_path / "COCO_val2014_000000000042.jpg")
    assert refusal(medium(name="42", path=path)) == f"picture '42' ({path}) cannot be read: there is no such file"


def test_folder_and_odd_paths(tmp_path: Path) -> None:
    """A folder, or a path that no file can have, is refused like a missing file."""
    assert refusal(medium(path=str(tmp_path))).endswith("it is not a file")
    assert "null" in refusal(medium(path="a\0b"))


def test_empty_file(tmp_path: Path) -> None:
    """A file of zero bytes says so."""
    path = tmp_path / "empty.jpg"
    path.touch()
    assert refusal(medium(path=str(path))).endswith("it is empty (0 bytes)")


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF"])
@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
def test_truncated(form: str, share: float) -> None:
    """A file that was cut short is refused, wherever the cut."""
    data = encoded(gradient(400, 300).effect_spread(40), form)
    refusal(medium(data[: int(len(data) * share)]))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"<!DOCTYPE html><html>404", "web page"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n", "not a picture of a known format"),
        (b"\0" * 100, "not a picture of a known format"),
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 30, "cannot be read"),
        (b"\xff\xd8\xff\xe0", "cannot be read"),
    ],
)
def test_not_a_picture(data: bytes, why: str) -> None:
    """What is no picture is refused with what it seems to be."""
    assert why in refusal(medium(data))


@pytest.mark.parametrize("form", ["PNG", "GIF", "TIFF"])
def test_bomb(form: str) -> None:
    """A small file that would fill the memory is refused by its header, and Pillow's own limit is left alone."""
    limit = Image.MAX_IMAGE_PIXELS
    side = 11_400
    data = encoded(Image.new("1", (side, side)), form, **({"compression": "group4"} if form == "TIFF" else {}))
    assert side * side > decode.MAX_PIXELS > len(data)
    assert "pixels are more than" in refusal(medium(data))
    assert limit == Image.MAX_IMAGE_PIXELS
