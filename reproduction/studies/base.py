"""What a study is: a question that the paper leaves open, how it is measured, and what the numbers answer.

A study is data. Its parts are computed one by one and kept in small files (`running`), its table, figure and
answer follow from the numbers of the parts alone, so that a page can be written from committed results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.table_formats import TextTable
from reproduction.claims.base import Word
from reproduction.comparison import student
from reproduction.origin import Origin

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Settings = Mapping[str, Any]
Numbers = dict[str, Any]
"""What a part measured: plain JSON."""
Part = Callable[[], Numbers]


class Later(NamedTuple):
    """A part that is computed from the numbers of the parts before it, such as a rate chosen there."""

    compute: Callable[[Mapping[str, Numbers]], Numbers]


class Results(NamedTuple):
    """What a study measured, with the settings it was measured with."""

    settings: Settings
    parts: Mapping[str, Numbers]
    seconds: float = 0.0
    origin: Origin = Origin()


class Answer(NamedTuple):
    """The verdict on what the paper says, and two sentences that answer the question."""

    verdict: Word
    text: str


def numbers_to(n: int) -> str:
    """Write the numbers of n seeds: 0 to n − 1."""
    return f"0 to {n - 1}" if n > 1 else "0"


def _seeds_of_all_parts(settings: Settings) -> str:
    """Return the seeds of a study that repeats everything with one seed per draw."""
    return numbers_to(settings["draws"] if "draws" in settings else settings["seeds"])


@dataclass(frozen=True)
class Study:
    """A question that the paper leaves open.

    `parts` makes the pieces of work from the settings; each takes a few minutes at most, since a study that
    was stopped resumes after its last finished part.
    """

    name: str
    title: str
    section: str
    """The label of the paper's section that raises the question."""
    says: str
    """What the paper says there, in our words."""
    question: str
    protocol: str
    """How it was measured; names of settings in braces stand for their values."""
    settings: Settings
    quick: Settings
    """Settings that differ in a quick look, which needs no data but what the package brings."""
    parts: Callable[[Settings], Mapping[str, Part | Later]]
    table: Callable[[Results], TextTable]
    figure: Callable[[Results], Figure]
    caption: str
    answer: Callable[[Results], Answer]
    further_tables: Callable[[Results], Sequence[TextTable]] = lambda results: ()
    """Tables of what was measured besides, with titles."""
    seeds: Callable[[Settings], str] = _seeds_of_all_parts
    """The seeds of the random numbers, in words."""
    needs: tuple[str, ...] = ()
    """Libraries without which the study cannot be run, which the extra `studies` installs."""

    def tables(self, results: Results) -> list[TextTable]:
        """Return all tables, the first without a title."""
        return [self.table(results), *self.further_tables(results)]

    def settings_of(self, *, quick: bool) -> dict[str, Any]:
        """Return all settings, of the full study or of a quick look."""
        return {**self.settings, **(self.quick if quick else {})}

    def protocol_of(self, settings: Settings) -> str:
        """Return the protocol in words, with the values of the settings."""
        return self.protocol.format(**{name: in_words(value) for name, value in settings.items()})


def in_words(value: Any) -> str:
    """Write a value, or several with commas and "and"."""
    if isinstance(value, list | tuple):
        *first, last = map(in_words, value)
        return f"{', '.join(first)} and {last}" if first else last
    return f"{value:,g}" if isinstance(value, int | float) else str(value)


class Interval(NamedTuple):
    """A mean with the half width of its 99 % interval (Student's t)."""

    mean: float
    half: float

    @property
    def is_certain(self) -> bool:
        """Whether zero lies outside, so that the sign is known."""
        return abs(self.mean) > self.half

    def within(self, bound: float) -> bool:
        """Whether all of the interval lies within ±bound."""
        return abs(self.mean) + self.half <= bound

    def __str__(self) -> str:
        mean = round(self.mean, 4) or 0.0  # no −0.0000
        return f"{mean:+.4f} ± {self.half:.4f}"


def interval(values: npt.ArrayLike) -> Interval:
    """Return the mean of paired differences, one per draw, with its interval; infinite for a single draw."""
    numbers = np.asarray(values, dtype=float)
    n = len(numbers)
    half = student(n - 1) * numbers.std(ddof=1) / np.sqrt(n) if n > 1 else np.inf
    return Interval(float(numbers.mean()), float(half))


def legend_below(figure: Figure, axes: Axes) -> None:
    """Put the legend of one panel below all of them."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", frameon=False, ncols=3, fontsize=9)
