"""Values that a file or a model wrote the way Python writes them, read as data and never run."""

from __future__ import annotations

from threading import Lock

# CPython 3.11 and 3.12 count the depth of the tree that they build in one place for all threads: two threads that
# read literals at the same moment get a SystemError (python/cpython#106905).
_ONE_AT_A_TIME = Lock()


def literal(text: str) -> object:
    """The value that is written here; ValueError where it is no literal."""
    import ast
    import warnings

    with _ONE_AT_A_TIME, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escapes in somebody else's text
        try:
            value: object = ast.literal_eval(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
            raise ValueError(f"not a literal: {error}") from error
    return value
