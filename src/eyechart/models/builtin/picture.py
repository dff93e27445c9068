"""A picture as the tiny model's eye takes it: any format and size, brought to one square."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyechart.media.decode import open_picture, readable
from eyechart.models.builtin.network import SIDE
from eyechart.records import Media, Picture

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MARGIN = (232, 232, 229)  # what lies beside a picture that is not square: paper


def pixels(picture: Picture) -> NDArray[np.uint8]:
    """SIDE × SIDE × 3 bytes; a picture of that size is taken as it is."""
    import numpy as np
    from PIL import Image, ImageOps

    media = Media(name=picture.name)
    image = open_picture(media, picture.data)
    with readable(media):
        colours = image.convert("RGB")
    if colours.size != (SIDE, SIDE):
        colours = ImageOps.pad(colours, (SIDE, SIDE), Image.Resampling.LANCZOS, color=MARGIN)
    return np.asarray(colours)
