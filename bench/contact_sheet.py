"""Draws docs/images/starter.png again: the first pictures of the bundled benchmark on one sheet.

python bench/contact_sheet.py docs/images/starter.png
"""

from __future__ import annotations

import sys

from eyechart.sources.starter import page
from eyechart.sources.starter.pixels import draw

COLUMNS, ROWS, TILE, GAP = 8, 4, 128, 4


def main(path: str) -> None:
    """One tile a picture; pairs side by side."""
    from PIL import Image

    scenes = [scene for number in range(COLUMNS * ROWS) for scene in page("0", number).scenes][: COLUMNS * ROWS]
    step = TILE + GAP
    sheet = Image.new("RGB", (COLUMNS * step + GAP, ROWS * step + GAP), "white")
    for place, scene in enumerate(scenes):
        tile = Image.fromarray(draw(scene)).reduce(2)
        sheet.paste(tile, (GAP + place % COLUMNS * step, GAP + place // COLUMNS * step))
    sheet.save(path, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1])
