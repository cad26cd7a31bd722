"""How inputs are centered: one vocabulary for estimators, memories and sweeps.

- `None`: no centering, μ = 0.
- `"mean"`: μ is the mean of all inputs, which must be available at once.
- `"moving"`: μ follows the inputs, μ ← μ + ν_n(x − μ), after the update that learned x. With
  `offset_start=None`, ν_n = max(ν, 1/n): the mean of all inputs so far, until there are 1/ν of them. With a
  number, μ starts there and ν_n = ν throughout, as in the paper, whose start is 0.5.
- `"auto"`, for estimators only: "mean" in `fit`, "moving" in `partial_fit`.
- an array, or one number for all inputs: μ stays there.

`shift` is ν. A moving offset keeps the output: the bias absorbs (μ′ − μ)W. Rules that learn from the target
alone never correct a bias. For them a running mean of the targets is learned as well, and the bias stays: see
`rules.covariance`.

The offset of hidden units follows their activity in the same way, starting at 0.5. ν is 0.01 by default for
both and in every interface: the mean of the first hundred patterns, then of the last hundred or so. With a
running mean a larger ν does not help unless the inputs drift (docs/memory.md).

Paper: sec:HD_importance_centering
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import as_number, unknown_name
from hebbian_descent.rules import AutoRule, Rule

Centering: TypeAlias = Literal["auto", "mean", "moving"] | npt.ArrayLike | None
WORDS = ("auto", "mean", "moving")

SHIFT = 0.01
"""ν of a moving offset unless stated otherwise."""
HIDDEN_SHIFT = 0.01
"""The same for the offset of hidden units, which starts at `HIDDEN_START`, as in the paper."""
HIDDEN_START = 0.5
PAPER_START = 0.5


class Offset(NamedTuple):
    """How an offset behaves while patterns are learned."""

    start: float | tuple[float, ...] = 0.0
    takes_data_mean: bool = False
    """Whether it is the mean of all inputs, and stays there."""
    shift: float = 0.0
    """ν, by which it follows the inputs; 0 leaves it where it is."""
    starts_as_mean: bool = False
    """Whether it is the running mean until 1/n falls below ν."""
    n_before: int = 0
    """Number of patterns that the start counts as in a running mean."""

    @property
    def moves(self) -> bool:
        """Whether it follows the inputs."""
        return self.shift > 0 or self.starts_as_mean

    def centers_targets(self, rule: Rule | AutoRule) -> bool:
        """Whether a rule also centers the targets by a running mean; with the paper's start none does."""
        return self.starts_as_mean and isinstance(rule, Rule) and rule.moving_factors is not None

    def shift_after(self, n_seen: float, n_new: float = 1) -> float:
        """Return ν for a batch of `n_new` patterns, the last of which is the `n_seen`-th, counted from 1.

        Patterns that have weights are counted by them.
        """
        return max(self.shift, n_new / (n_seen + self.n_before)) if self.starts_as_mean else self.shift


def offset_in_fit(centering: Centering, shift: float, start: float | None = None) -> Offset:
    """Return how the offset behaves where all data are at hand."""
    if isinstance(centering, str) and centering in ("auto", "mean"):
        return Offset(takes_data_mean=True)
    return _offset(centering, shift, start)


def offset_in_stream(
    centering: Centering, shift: float, start: float | None = None, *, learner: str = "partial_fit"
) -> Offset:
    """Return how the offset behaves where patterns come one at a time."""
    if isinstance(centering, str) and centering == "mean":
        raise ValueError(
            f'centering="mean" needs the mean of the whole data, which {learner} does not have. '
            'Use centering="moving", or pass the mean itself if you know it.'
        )
    return _offset(centering, shift, start)


def hidden_offset(centering: Centering, shift: float, start: float | None = None) -> Offset:
    """Return how the offset of hidden units behaves: it follows them from 0.5, unless nothing is centered.

    A running mean counts its start as one pattern, since the first activities say little. With the paper's
    start for the inputs, hidden units also have the paper's constant ν.
    """
    if centering is None:
        return Offset()
    return Offset(start=HIDDEN_START, shift=shift, starts_as_mean=start is None, n_before=1)


def as_centering(centering: Centering, n_inputs: int | None = None) -> Centering:
    """Return a word of the vocabulary, None, or an array of finite numbers; refuse anything else."""
    if centering is None:
        return None
    if isinstance(centering, str):
        if centering not in WORDS:
            raise unknown_name("centering, unless it is None or numbers,", centering, WORDS)
        return centering
    try:
        offset = np.array(centering, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"The centering must be a word, None or numbers. Got {centering!r}.") from None
    if offset.ndim > 1 or offset.size == 0 or not np.isfinite(offset).all():
        raise ValueError(
            f"A centering by numbers must be one, or one for each input, all finite. Got {centering!r}."
        )
    if n_inputs is not None and offset.ndim == 1 and len(offset) != n_inputs:
        raise ValueError(f"The centering must be one number or {n_inputs}. Got {len(offset)}.")
    return offset


def as_start(offset_start: object, centering: Centering) -> float | None:
    """Return where a moving offset starts; refuse a start for a fixed one."""
    if offset_start is None:
        return None
    if not isinstance(centering, str) or centering not in ("moving", "auto"):
        raise ValueError(
            "Only a moving offset has a start. "
            f"Got offset_start={offset_start!r} with centering={centering!r}."
        )
    return as_number(offset_start, "start of the offset")


def start_of(centering: npt.ArrayLike) -> float | tuple[float, ...]:
    """Return the numbers of a fixed offset in a form that can be compared and hashed."""
    offset = np.asarray(centering, np.float64)
    return tuple(offset.tolist()) if offset.ndim else float(offset)


def _offset(centering: Centering, shift: float, start: float | None) -> Offset:
    if centering is None:
        return Offset()
    if not isinstance(centering, str):
        return Offset(start=start_of(centering))
    return Offset(shift=shift, starts_as_mean=True) if start is None else Offset(start=start, shift=shift)
