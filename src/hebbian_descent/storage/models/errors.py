"""What can be wrong with the file of a model."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from hebbian_descent.checks import printable
from hebbian_descent.regular_file import NotRegularError

LONGEST = 1000
"""Characters of a message; the words in it may come from a file."""


class ModelFileError(ValueError):
    """A file does not hold a model, or a model cannot be put into one; the message says why.

    Words from a file may be in the message; what could steer a terminal is written as an escape.
    """

    def __init__(self, message: str, path: str | os.PathLike[str] = "") -> None:
        shown = message if len(message) <= LONGEST else f"{message[:LONGEST]}…"
        text = f"{os.fspath(path)}: {shown}" if path else shown
        super().__init__(printable(text))


@contextmanager
def named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Put the path into the message of what is wrong with a file."""
    try:
        yield
    except ModelFileError as error:
        raise ModelFileError(str(error), path) from error.__cause__
    except NotRegularError as error:
        raise ModelFileError(f"A model is read from a file: {error}.", path) from None
    except MemoryError:
        raise ModelFileError("The model does not fit into memory.", path) from None
