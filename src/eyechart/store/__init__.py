"""The run folder on disk: a journal that loses nothing, a manifest, and what is derived from them."""

from eyechart.store.folder import RunFolder, find_runs, open_run
from eyechart.store.journal import Final, Journal, read_exchanges, read_finals
from eyechart.store.manifest import Manifest

__all__ = ["Final", "Journal", "Manifest", "RunFolder", "find_runs", "open_run", "read_exchanges", "read_finals"]
