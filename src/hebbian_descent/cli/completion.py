"""Shell completion of names: labels, rules, activations, datasets. A failure completes nothing."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout

from hebbian_descent.datasets import DATASETS
from hebbian_descent.network import ACTIVATIONS
from hebbian_descent.rules import RULES
from reproduction.formula_tables import FORMULA_TABLES
from reproduction.index import INDEX
from reproduction.printed import printed_words
from reproduction.tables import TABLES

Completion = Callable[[str], list[str]]


def one_of(*names: str) -> Completion:
    """Return the completion of a word from a list."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return complete


def several_of(names: Iterable[str]) -> Completion:
    """Return the completion of the last of several comma-separated words."""
    known = tuple(names)

    def complete(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in known if name.startswith(last)]

    return complete


def printed_columns(incomplete: str) -> list[str]:
    """Return the columns of the paper's tables that begin with the given text."""
    columns = {column for label in TABLES for column in printed_words(label)[1]}
    return one_of(*sorted(columns))(incomplete)


labels = one_of("all", *INDEX)
printed_tables = one_of(*TABLES)
tables = one_of(*TABLES, *FORMULA_TABLES)
datasets = one_of("all", *DATASETS)
rules = several_of(RULES)
activations = several_of(ACTIVATIONS)


BASH = "complete_bash"


@contextmanager
def colons_of_bash(variable: str) -> Iterator[None]:
    """Let bash complete labels, although it takes their colon for the end of a word.

    It passes what is before the colon, the colon and what is after it as three words, and replaces only the
    last of them.
    """
    place = os.environ.get("COMP_CWORD", "")
    if os.environ.get(variable) != BASH or not place.isdecimal():
        yield
        return
    words = os.environ.get("COMP_WORDS", "").split("\n")
    before, typed = _joined(words[: int(place)]), "".join(words[int(place) : int(place) + 1])
    if len(before) > 1 and (typed == ":" or before[-1].endswith(":")):
        typed = before.pop() + typed
    os.environ["COMP_WORDS"], os.environ["COMP_CWORD"] = "\n".join([*before, typed]), str(len(before))
    found = io.StringIO()
    try:
        with redirect_stdout(found):
            yield
    finally:
        kept = typed[: typed.rfind(":") + 1]
        sys.stdout.write("\n".join(line.removeprefix(kept) for line in found.getvalue().split("\n")))


def _joined(words: list[str]) -> list[str]:
    """Return the words with their colons."""
    joined: list[str] = []
    for word in words:
        if len(joined) > 1 and (word == ":" or joined[-1].endswith(":")):
            joined[-1] += word
        else:
            joined.append(word)
    return joined
