"""Recorders: records of what happens while a network learns, every so many patterns.

A recorder keeps copies of arrays by name, measures the recall of patterns, or calls a function. Patterns are
counted through all epochs; with batches, a recorder looks after the batch that holds the pattern.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count, as_patterns, unknown_name
from hebbian_descent.learning.step import Network
from hebbian_descent.measures import Measure, MeasureLike, get_measures
from hebbian_descent.network import Layer
from hebbian_descent.rules.base import State


class Moment(NamedTuple):
    """What a function called by a recorder can see; it must not change the arrays."""

    n_seen: int
    """Patterns learned so far."""
    network: Network
    inputs: Array
    """Those of the last update, one per row."""
    targets: Array | None
    state: State
    """What the rule remembers."""


@dataclass(eq=False)
class Recorder:
    """A record of learning, one entry per `every` patterns.

    >>> recorder = Recorder(every=10, keep=("weights",))
    >>> recorder["weights"]  # after training: (n_entries, n_inputs, n_outputs)
    Traceback (most recent call last):
    ...
    KeyError: 'Nothing is recorded yet: pass the recorder to train or to store.'
    """

    every: int = 1
    keep: str | Sequence[str] = ()
    """Arrays of the network ("weights", "bias", "offset"), "inputs", "targets" and "output" of the patterns
    just learned, after the update, or names of the rule's state."""
    call: Callable[[Moment], object] | None = None
    """Called with a `Moment`; what it returns is kept as "call", unless it is None."""
    measures: MeasureLike | Sequence[MeasureLike] = ()
    """Names of `MEASURES` or functions of targets and outputs, one number per pattern of `patterns`."""
    patterns: tuple[npt.ArrayLike, npt.ArrayLike] | None = None
    """Inputs and targets to measure, which may differ from those learned."""
    n_seen: list[int] = field(default_factory=list, init=False)
    """After how many patterns each entry was made."""
    records: dict[str, list[Any]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        as_count(self.every, "number of patterns between two records")
        if not (self.keep or self.call or self.measures):
            raise ValueError("A recorder must keep, call or measure something. Got none of the three.")
        if self.call is not None and not callable(self.call):
            raise TypeError(f"What a recorder calls must be a function of a Moment. Got {self.call!r}.")
        if bool(self.measures) != (self.patterns is not None):
            raise ValueError(
                "A recorder measures the recall of patterns: measures and patterns=(inputs, targets) go "
                f"together. Got measures={self.measures!r} and "
                f"{'no patterns' if self.patterns is None else 'patterns'}."
            )
        self._measures: Mapping[str, Measure] = get_measures(self.measures) if self.measures else {}

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """Return all entries of one name, the first axis over time."""
        if not self.records:
            raise KeyError("Nothing is recorded yet: pass the recorder to train or to store.")
        if name not in self.records:
            raise KeyError(str(unknown_name("record", name, self.records)))
        return np.array(self.records[name])

    def see(
        self, network: Network, inputs: Array, targets: Array | None, n_seen: int, state: State | None
    ) -> None:
        """Make an entry if it is time for one."""
        if n_seen // self.every == (n_seen - len(inputs)) // self.every:
            return
        moment = Moment(n_seen, network, inputs, targets, state or {})
        found: dict[str, Any] = {name: self._kept(name, moment) for name in self._names}
        found |= self._measured(network)
        if self.call is not None and (result := self.call(moment)) is not None:
            found["call"] = result
        self.n_seen.append(n_seen)
        for name, value in found.items():
            self.records.setdefault(name, []).append(value)

    @property
    def _names(self) -> Sequence[str]:
        return (self.keep,) if isinstance(self.keep, str) else self.keep

    def _kept(self, name: str, moment: Moment) -> Array:
        if name == "output":
            return response(moment.network, moment.inputs)
        arrays = {
            **{key: value for key, value in vars(moment.network).items() if isinstance(value, np.ndarray)},
            **moment.state,
            "inputs": moment.inputs,
            **({} if moment.targets is None else {"targets": moment.targets}),
        }
        if name not in arrays:
            raise unknown_name("array to keep", name, [*arrays, "output"])
        return np.array(arrays[name])

    def _measured(self, network: Network) -> dict[str, Array]:
        if self.patterns is None:
            return {}
        x = as_patterns(self.patterns[0], "recorded inputs", n_columns=network.n_inputs)
        t = as_patterns(self.patterns[1], "recorded targets")
        output = response(network, x.astype(network.weights.dtype, copy=False))
        if t.shape != output.shape:
            raise ValueError(
                f"The recorded targets must be one for each recorded input, shape {output.shape}. "
                f"Got shape {t.shape}."
            )
        return {name: measure.checked(t, output) for name, measure in self._measures.items()}


def response(network: Network, inputs: Array) -> Array:
    """Return a network's response to inputs: the output, or the reconstruction."""
    if isinstance(network, Layer):
        return network.forward(inputs)[1]
    return network.forward(inputs).reconstruction


def as_recorders(recorders: Recorder | Sequence[Recorder]) -> Sequence[Recorder]:
    """Return one recorder or several as a list."""
    found = list(recorders) if isinstance(recorders, Sequence) else [recorders]
    for recorder in found:
        if not isinstance(recorder, Recorder):
            raise TypeError(f"The recorders must be Recorder(…), one or several. Got {recorder!r}.")
    return found


@contextmanager
def all_recorded(recorders: Sequence[Recorder]) -> Iterator[None]:
    """Undo what was recorded within if an exception undoes what was learned."""
    before = [
        (recorder, len(recorder.n_seen), {k: len(v) for k, v in recorder.records.items()})
        for recorder in recorders
    ]
    try:
        yield
    except BaseException:
        for recorder, n_entries, lengths in before:
            del recorder.n_seen[n_entries:]
            for name in list(recorder.records):
                del recorder.records[name][lengths.get(name, 0) :]
        raise
