"""Ctrl-C at a chosen moment, so that an interrupted call can be repeated."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import hebbian_descent

PACKAGE = str(Path(hebbian_descent.__file__).parent)


@contextmanager
def interrupted(moment: int, *, event: str = "line") -> Iterator[None]:
    """Raise KeyboardInterrupt before the package's line (or "opcode") of this number, counting from 1."""
    left = moment

    def enter(frame: FrameType, happened: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(PACKAGE):
            return None
        frame.f_trace_opcodes = event == "opcode"
        return count

    def count(frame: FrameType, happened: str, argument: Any) -> Any:
        nonlocal left
        if happened == event:
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return count

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield
    finally:
        sys.settrace(before)
