"""A folder of pictures by content: the same bytes are kept once, under a name that says what they are."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from eyechart.errors import SetupError
from eyechart.media.frame_cache import write_atomically

_ENDINGS = (
    (0, b"\xff\xd8\xff", ".jpg"),
    (0, b"\x89PNG\r\n\x1a\n", ".png"),
    (8, b"WEBP", ".webp"),
    (0, b"GIF8", ".gif"),
    (4, b"ftyp", ".mp4"),
)


class MediaStore:
    """A folder of media named by their SHA-256. Safe to write from many threads and processes."""

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)

    def put(self, data: bytes) -> str:
        """Keep these bytes and return their name in the folder, such as `3fb0…c1.png`."""
        name = sha256(data).hexdigest() + ending(data)
        path = self.folder / name
        if path.is_file() and path.stat().st_size == len(data):
            return name
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_atomically(path, data)
        except OSError as error:
            raise SetupError(
                f"a picture cannot be kept in {self.folder}",
                why=error.strerror or str(error),
                fix="make room there, or choose another folder with -o",
            ) from error
        return name

    def path(self, name: str) -> Path:
        """Where the medium of this name is."""
        return self.folder / name


def ending(data: bytes) -> str:
    """The file name's ending for these bytes: `.bin` where they are of no known kind."""
    return next((suffix for at, magic, suffix in _ENDINGS if data[at : at + len(magic)] == magic), ".bin")
