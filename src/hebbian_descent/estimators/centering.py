"""How inputs are centered: where the offset μ starts, and how it moves."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from hebbian_descent.checks import unknown_name

Centering: TypeAlias = Literal["auto", "mean", "moving", "half"] | None
OPTIONS = ("auto", "mean", "moving", "half", None)


class Offset(NamedTuple):
    """What an offset does during `fit`, or during `partial_fit`."""

    start: float = 0.0
    takes_data_mean: bool = False
    """Whether it is the mean of all inputs, and stays there."""
    shift: float = 0.0
    """ν, by which it follows the inputs; 0 leaves it where it is."""
    starts_as_mean: bool = False
    """Whether it is the running mean until 1/n falls below ν."""

    def shift_after(self, n_seen: int, n_new: int) -> float:
        """Return the rate of a batch of `n_new` patterns that makes `n_seen` in all."""
        return max(self.shift, n_new / n_seen) if self.starts_as_mean else self.shift


def offset_in_fit(centering: Centering, shift: float) -> Offset:
    """Return what the offset does where all data are at hand."""
    return Offset(takes_data_mean=True) if centering in ("auto", "mean") else _moving(centering, shift)


def offset_in_stream(centering: Centering, shift: float) -> Offset:
    """Return what the offset does where patterns come one at a time."""
    if centering == "mean":
        raise ValueError(
            'centering="mean" needs the mean of the whole data, which partial_fit does not have. '
            'Use centering="auto" or "moving", or fit.'
        )
    return _moving(centering, shift)


def checked(centering: Centering) -> Centering:
    """Return an option, or refuse what is none."""
    if centering not in OPTIONS:
        raise unknown_name("centering", centering, [str(option) for option in OPTIONS])
    return centering


def _moving(centering: Centering, shift: float) -> Offset:
    if centering is None:
        return Offset()
    if centering == "half":
        return Offset(start=0.5, shift=shift)
    return Offset(shift=shift, starts_as_mean=True)
