"""Reading a media file whole: from disk, or out of a zip archive without unpacking it."""

from __future__ import annotations

import stat
from pathlib import Path

from eyechart.media.unreadable import unreadable
from eyechart.records import Media

MAX_BYTES = {"image": 512 * 1024**2, "video": 4 * 1024**3}


def read_media(media: Media) -> bytes:
    """The encoded bytes of a picture or video, or the failure that says why there are none."""
    if media.data or not media.path:
        return media.data
    try:
        status = Path(media.path).stat()
        if not stat.S_ISREG(status.st_mode):
            raise unreadable(media, "it is not a file")
        if status.st_size > MAX_BYTES[media.kind]:
            raise unreadable(media, f"{status.st_size:,} bytes are more than {MAX_BYTES[media.kind]:,}")
        return Path(media.path).read_bytes()
    except FileNotFoundError as error:
        raise unreadable(media, "there is no such file") from error
    except ValueError as error:  # a zero byte in the path
        raise unreadable(media, str(error)) from error
    except OSError as error:
        raise unreadable(media, error.strerror or str(error)) from error
