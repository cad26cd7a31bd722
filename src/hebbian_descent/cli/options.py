"""Options that several commands share: JSON, changed settings, a share of the work."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from hebbian_descent.streams.source import STANDARD_INPUT
from hebbian_descent.sweep.executors import Dask, Executor, get_executor

Json = Annotated[
    bool, typer.Option("--json", help="The result as JSON, alone on standard output.", show_default=False)
]


def parsed_overrides(changes: Sequence[str]) -> dict[str, Any]:
    """Return settings by name, from name=value; a value is a number, a word, or a comma-separated list."""
    overrides = {}
    for change in changes:
        name, equals, text = change.partition("=")
        if not equals or not name.strip() or not text.strip():
            raise ValueError(f"--set must be name=value, such as trials=50. Got {change!r}.")
        overrides[name.strip()] = _value(text.strip())
    return overrides


WORDS = {"true": True, "false": False, "none": None}
"""Python's constants, which may be written in lower case."""


def _value(text: str) -> Any:
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    try:
        value = ast.literal_eval(text)
    except (MemoryError, RecursionError, SyntaxError, TypeError, ValueError):  # all that literal_eval raises
        if "," in text:
            return tuple(_value(word.strip()) for word in text.split(",") if word.strip())
        return text
    return tuple(value) if isinstance(value, list) else value


def refuse_overwriting(output: Path | None, *inputs: Path | str) -> None:
    """Refuse an output that is one of the input files, under whatever name; - is standard input."""
    if output is None or not output.is_file():
        return
    for name in inputs:
        with suppress(OSError):  # an input that does not exist is reported by what reads it
            if os.path.samefile(0 if name == STANDARD_INPUT else name, output):
                raise ValueError(
                    f"The output must not be a file that is read. Got {str(output)!r}: name another."
                )


def check_where(workers: int | None, scheduler: str | None) -> Executor:
    """Return the executor for these options; a scheduler that does not answer is refused at once."""
    executor = get_executor(workers=workers, scheduler=scheduler)
    if isinstance(executor, Dask):
        executor.check()
    return executor


def parsed_shard(text: str) -> tuple[int, int]:
    """Return part and number of parts from text such as 2/5."""
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if match is None:
        raise ValueError(f"--shard must be i/n, such as 2/5. Got {text!r}.")
    part, parts = int(match[1]), int(match[2])
    if not 1 <= part <= parts:
        raise ValueError(f"--shard must be i/n, and the shard must be between 1 and {parts}. Got {text!r}.")
    return part, parts
