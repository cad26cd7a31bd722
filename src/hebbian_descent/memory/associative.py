"""A memory that sees each pattern once, keeps none, and recalls them from cues."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count, as_number, as_patterns
from hebbian_descent.forgetting import ForgettingCurve
from hebbian_descent.learning.centering import HIDDEN_SHIFT, SHIFT, Centering, hidden_offset
from hebbian_descent.learning.divergence import DivergenceError
from hebbian_descent.measures import get_measure
from hebbian_descent.memory import contents
from hebbian_descent.memory.parts import Auto, as_connectivity, new_network, offset_in_memory, storing
from hebbian_descent.network import Activation, Autoencoder, Layer
from hebbian_descent.rules import AutoRule, ErrorTerm, Rule
from hebbian_descent.rules.base import ErrorFunction
from hebbian_descent.storage.models import Saved, saveable
from hebbian_descent.transaction import all_or_nothing, is_finite


@saveable
class AssociativeMemory(Saved):
    """A network that stores patterns one at a time, each once, in the order in which they come.

    Args:
        n_inputs: Units of a cue.
        n_outputs: Units of what a cue recalls, for pairs x → t.
        auto: How a pattern is associated with itself, instead of pairs: "layer" is one layer x → x,
            "autoencoder" is x → h → x with tied weights.
        n_hidden: Hidden units of the auto-encoder.
        rule: Name of a rule, or one of your own.
        activation: Of the output units.
        hidden_activation: Of the hidden units of the auto-encoder.
        error: The error term.
        learning_rate: η, or "auto": κ/(L·(‖x̃‖² + 1)), computed for each pattern from its centered input x̃ and
            the largest slope L of the activation; see `learning.rates`.
        weight_decay: ω, the part of the weights that each pattern takes away.
        centering: "moving" lets the input offset follow the patterns, None is without; one number, or one for
            each input, is an offset that stays.
        shift: ν, by which a moving offset follows.
        hidden_shift: The same for the offset of the hidden units, from 0.5 on.
        offset_start: Where a moving offset starts, as 0.5 in the paper. None is a running mean: it moves by
            max(ν, 1/n) after the n-th pattern.
        connectivity: Which synapses there are, True or False for each weight, shape (n_inputs, n_outputs or
            n_hidden). The others are 0 and stay so.
        seed: Of the small random weights at the start.

    >>> memory = AssociativeMemory(4, 2)
    >>> memory.store([[1, 0, 1, 0], [0, 1, 1, 0]], [[1, 0], [0, 1]])
    >>> memory.recall([0, 1, 1, 0]).round(1)
    array([0., 1.])
    """

    def __init__(
        self,
        n_inputs: int,
        n_outputs: int | None = None,
        *,
        auto: Auto = None,
        n_hidden: int | None = None,
        rule: str | Rule | AutoRule = "hebbian_descent",
        activation: str | Activation = "sigmoid",
        hidden_activation: str | Activation = "sigmoid",
        error: str | ErrorTerm | ErrorFunction = "difference",
        learning_rate: float | Literal["auto"] = "auto",
        weight_decay: float = 0.0,
        centering: Centering = "moving",
        shift: float = SHIFT,
        hidden_shift: float = HIDDEN_SHIFT,
        offset_start: float | None = None,
        connectivity: npt.ArrayLike | None = None,
        seed: int = 0,
    ) -> None:
        self.auto = auto
        self.n_stored = 0
        offset = offset_in_memory(centering, shift, offset_start)
        self.network: Layer | Autoencoder = new_network(
            (n_inputs, n_outputs, n_hidden),
            auto,
            activation,
            hidden_activation,
            offset=offset.start,
            hidden_offset=hidden_offset(centering, hidden_shift, offset_start).start,
            seed=seed,
        )
        mask = None if connectivity is None else as_connectivity(connectivity, self.network)
        if mask is not None:
            self.network.weights *= mask
        hidden_shift = as_number(hidden_shift, "hidden shift", at_least=0, at_most=1)
        self.learning = storing(
            self.network,
            rule=rule,
            error=error,
            learning_rate=learning_rate,
            weight_decay=weight_decay,
            offset=offset,
            hidden=hidden_offset(centering, hidden_shift, offset_start),
            connectivity=mask,
        )
        self.target_offset = np.zeros_like(self.network.bias) if self.learning.centers_targets else None

    @property
    def n_inputs(self) -> int:
        """Units of a cue."""
        return self.network.n_inputs

    @property
    def n_outputs(self) -> int:
        """Units of what is recalled."""
        return self.network.n_outputs if isinstance(self.network, Layer) else self.network.n_inputs

    def store(self, x: npt.ArrayLike, t: npt.ArrayLike | None = None) -> None:
        """Learn one pair, or many in the given order, once each; an auto-associative memory takes x alone.

        Any exception leaves the memory as it was before the call.
        """
        cues = self._patterns(x, "cues", self.n_inputs)
        if self.auto is not None:
            if t is not None:
                raise ValueError("An auto-associative memory stores patterns alone. Got targets as well.")
            targets = cues
        else:
            if t is None:
                raise ValueError("A memory of pairs stores cues and targets. Got no targets.")
            targets = self._patterns(t, "targets", self.n_outputs)
            if len(targets) != len(cues):
                raise ValueError(
                    f"Cues and targets must be pairs. Got {len(cues)} cues and {len(targets)} targets."
                )
        self.learning.check_targets(targets)
        clamped = targets if isinstance(self.network, Layer) else None
        with all_or_nothing(self) as draft:
            for row in range(len(cues)):
                t = None if clamped is None else clamped[row : row + 1]
                x = cues[row : row + 1]
                self.learning.learn(draft.network, x, t, draft.n_stored + 1, draft.target_offset)
                draft.n_stored += 1
            if not is_finite(draft.network):
                raise DivergenceError(draft.n_stored, self.learning.update.fixed_rate)

    def recall(self, cue: npt.ArrayLike, *, steps: int = 1) -> Array:
        """Return what each cue recalls; with several steps what is recalled is the cue of the next."""
        x = self._patterns(cue, "cues", self.n_inputs)
        steps = as_count(steps, "number of steps")
        if steps > 1:
            self._must_feed_itself("recall in several steps")
        for _ in range(steps):
            x = self._respond(x)
        return x if np.ndim(cue) == 2 else x[0]

    def store_sequence(self, patterns: npt.ArrayLike) -> None:
        """Learn to go from each pattern to the next: pairs of neighbours, in order."""
        if self.auto is not None:
            raise ValueError(
                "A sequence is stored as pairs of neighbours. Got an auto-associative memory: "
                f"use AssociativeMemory({self.n_inputs}, {self.n_inputs})."
            )
        self._must_feed_itself("store a sequence")
        x = as_patterns(patterns, "patterns of a sequence", n_columns=self.n_inputs)
        if len(x) < 2:
            raise ValueError("A sequence must have at least two patterns. Got one.")
        self.store(x[:-1], x[1:])

    def replay(self, cue: npt.ArrayLike, steps: int) -> Array:
        """Return the next `steps` patterns after a cue, one per row; for several cues a matrix each."""
        self._must_feed_itself("replay")
        x = self._patterns(cue, "cues", self.n_inputs)
        replayed = []
        for _ in range(as_count(steps, "number of steps")):
            x = self._respond(x)
            replayed.append(x)
        sequences = np.stack(replayed, axis=1)  # (n_cues, steps, n_outputs)
        return sequences if np.ndim(cue) == 2 else sequences[0]

    def forgetting_curve(
        self,
        x: npt.ArrayLike,
        t: npt.ArrayLike | None = None,
        *,
        cue: npt.ArrayLike | None = None,
        measure: str | Callable[[Array, Array], Array] = "mae",
        steps: int = 1,
    ) -> ForgettingCurve:
        """Measure the recall of stored patterns by their age; x and t are given in the order of storing.

        The memory keeps no patterns, so they have to be passed. `cue` stands in for x where recall is to
        start from something else, as from damaged patterns. `measure` is a name of `MEASURES`, or a function
        of targets and outputs to one number per pattern.
        """
        targets = as_patterns(x if t is None else t, "targets", n_columns=self.n_outputs)
        cues = as_patterns(x if cue is None else cue, "cues", n_columns=self.n_inputs)
        if len(cues) != len(targets):
            raise ValueError(f"There must be a cue for each target. Got {len(cues)} and {len(targets)}.")
        chosen = measure if callable(measure) else get_measure(measure)
        value = np.asarray(chosen(targets, self.recall(cues, steps=steps)))
        if value.shape != (len(targets),):
            raise ValueError(f"A measure must return one number per pattern. Got shape {value.shape}.")
        name = getattr(chosen, "name", getattr(chosen, "__name__", type(chosen).__name__))
        return ForgettingCurve(np.arange(1, len(targets) + 1), value[::-1].copy(), str(name))

    def __repr__(self) -> str:
        how = "pairs" if self.auto is None else f"auto-association by {self.auto}"
        return (
            f"AssociativeMemory({self.n_inputs} → {self.n_outputs}, {how}, "
            f"{self.learning.rule.name}, {self.n_stored} stored)"
        )

    def _respond(self, x: Array) -> Array:
        if isinstance(self.network, Layer):
            return self.network.forward(x)[1]
        return self.network.forward(x).reconstruction

    def _patterns(self, values: npt.ArrayLike, name: str, n_units: int) -> Array:
        array = np.asarray(values)
        return as_patterns(
            array[np.newaxis] if array.ndim == 1 else array, name, dtype=np.float64, n_columns=n_units
        )

    def _must_feed_itself(self, what: str) -> None:
        if self.n_inputs != self.n_outputs:
            raise ValueError(
                f"To {what}, outputs must be as many as inputs, {self.n_inputs}. Got {self.n_outputs}."
            )

    def _contents(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        parts = self.network, self.auto, self.learning, self.n_stored, self.target_offset
        return contents.taken_apart(contents.Parts(*parts))

    @classmethod
    def _from_contents(
        cls, parameters: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
    ) -> AssociativeMemory:
        memory = cls.__new__(cls)
        vars(memory).update(contents.put_together(parameters, arrays)._asdict())
        return memory
