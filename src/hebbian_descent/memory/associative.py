"""A memory that sees each pattern once, keeps none, and recalls them from cues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count, as_number, read_only
from hebbian_descent.learning.centering import HIDDEN_SHIFT, SHIFT, Centering, hidden_offset
from hebbian_descent.learning.constraints import Constraints, as_connectivity, as_constraints
from hebbian_descent.learning.divergence import DivergenceError
from hebbian_descent.learning.noise import Noise, NoiseStream, as_noise
from hebbian_descent.learning.recorders import Recorder, all_recorded, as_recorders
from hebbian_descent.learning.strength import StrengthFunction, as_strength, rows_of
from hebbian_descent.memory import contents
from hebbian_descent.memory.base import Memory
from hebbian_descent.memory.energy import energy_of, has_energy
from hebbian_descent.memory.parts import Auto, new_network, offset_in_memory, storing
from hebbian_descent.network import Activation, Autoencoder, Layer
from hebbian_descent.network.reach import warn_of_targets_out_of_reach
from hebbian_descent.rules import AutoRule, ErrorTerm, Rule
from hebbian_descent.rules.base import ErrorFunction
from hebbian_descent.storage.models import saveable
from hebbian_descent.transaction import all_or_nothing, alone, is_finite


@saveable
class AssociativeMemory(Memory):
    """A network that stores patterns one at a time, each once, in the order in which they come.

    Args:
        n_inputs: Units of a cue.
        n_outputs: Units of what a cue recalls, for pairs x → t.
        auto: How a pattern is associated with itself, instead of pairs: "layer" is one layer x → x,
            "autoencoder" is x → h → x with tied weights.
        n_hidden: Hidden units of the auto-encoder.
        rule: Name of a rule, or your own.
        activation: Activation of the output units.
        hidden_activation: Activation of the hidden units of the auto-encoder.
        error: The error term.
        learning_rate: η, or "auto": κ/(L·(‖x̃‖² + 1)), computed for each pattern from its centered input x̃ and
            the largest slope L of the activation; see `learning.rates`.
        weight_decay: ω, the share of the weights that each pattern removes.
        centering: "moving" lets the input offset follow the patterns, None is no centering; one number, or
            one per input, is a fixed offset.
        shift: ν, the rate at which a moving offset follows.
        hidden_shift: The same for the offset of the hidden units, which starts at 0.5.
        offset_start: Where a moving offset starts, 0.5 in the paper. None is a running mean: it moves by
            max(ν, 1/n) after the n-th pattern.
        connectivity: Which synapses exist, True or False for each weight, shape (n_inputs, n_outputs or
            n_hidden). The others are and stay 0.
        constraints: Constraints on the weights, at the start and after every pattern: names of `CONSTRAINTS`,
            constraints or functions of the weights, applied in order.
        noise: `Noise` of synapses or of activity while patterns are stored; recall has none.
        seed: Seed of the small initial weights, and of the noise.

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
        constraints: Constraints | None = None,
        noise: Noise | None = None,
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
        mask = None if connectivity is None else as_connectivity(connectivity, self.network.weights.shape)
        noise = as_noise(noise)
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
            constraints=as_constraints(constraints),
            noise=None if noise is None else NoiseStream(noise, seed),
        )
        self.state = self.learning.start(self.network)
        """What the rule remembers, by name; empty for most rules."""
        self.target_offset = np.zeros_like(self.network.bias) if self.learning.centers_targets else None

    @classmethod
    def for_patterns(cls, n_units: int, *, activity: float = 0.5, signed: bool = False) -> AssociativeMemory:
        """Return one layer without self-connections, through which a unit would copy the cue.

        Signed patterns get linear units: with the automatic learning rate, 30 of them hold 6 patterns, 30
        scaled tanh units 1.
        """
        activation = "linear" if signed else "sigmoid"
        others = ~np.eye(n_units, dtype=bool)
        return cls(n_units, auto="layer", activation=activation, connectivity=others)

    @classmethod
    def from_layer(cls, layer: Layer, *, n_stored: int = 0, **settings: Any) -> AssociativeMemory:
        """Return a memory that continues from a copy of a layer, in float64.

        Args:
            layer: Where it starts: weights, bias, offset and activation.
            n_stored: How many patterns the layer has learned; an offset that is a running mean continues from
                there, or starts anew with 0.
            settings: Those of the constructor, except activation and seed; auto="layer" for patterns that
                recall themselves.

        >>> layer = Layer.from_weights([[0, 1], [1, 0]], activation="step", offset=0.5)
        >>> AssociativeMemory.from_layer(layer).recall([1, 0])
        array([0., 1.])
        """
        if not isinstance(layer, Layer):
            raise TypeError(f"A memory is made from a Layer. Got {layer!r}.")
        if taken := sorted({"activation", "seed", "n_hidden", "hidden_activation"} & set(settings)):
            raise TypeError(f"The activation and the weights are those of the layer. Got {', '.join(taken)}.")
        outputs = None if settings.get("auto") is not None else layer.n_outputs
        if outputs is None and layer.n_inputs != layer.n_outputs:
            raise ValueError(
                f"An auto-associative layer has as many outputs as inputs. Got {layer.n_inputs} inputs and "
                f"{layer.n_outputs} outputs."
            )
        memory = cls(layer.n_inputs, outputs, activation=layer.activation, **settings)
        memory.n_stored = as_count(n_stored, "number of stored patterns", at_least=0)
        if memory.n_stored and memory.target_offset is not None:
            raise ValueError(
                f"The rule {memory.learning.rule.name!r} learns the mean of the targets, which a layer does "
                f"not hold. Got n_stored={n_stored}: use 0, or copy() of a memory."
            )
        offset = layer.offset if memory.learning.offset.moves else memory.network.offset
        start = Layer.from_weights(
            layer.weights.astype(np.float64),
            activation=layer.activation,
            offset=layer.offset,
            bias=layer.bias,
        )
        memory.network = start.centered(offset)
        memory.state = memory.learning.start(memory.network)
        return memory

    @property
    def n_inputs(self) -> int:
        """Units of a cue."""
        return self.network.n_inputs

    @property
    def n_outputs(self) -> int:
        """Units of what is recalled."""
        return self.network.n_outputs if isinstance(self.network, Layer) else self.network.n_inputs

    @property
    def is_auto(self) -> bool:
        """Whether patterns recall themselves."""
        return self.auto is not None

    @alone
    def store(
        self,
        x: npt.ArrayLike,
        t: npt.ArrayLike | None = None,
        *,
        strength: npt.ArrayLike | StrengthFunction | None = None,
        recorders: Recorder | Sequence[Recorder] = (),
    ) -> None:
        """Learn one pair, or many in the given order, once each; an auto-associative memory takes x alone.

        `strength` multiplies what is learned of each pattern: one number per pattern, or a function of the
        activity. `recorders` look at the memory every so many patterns. Rules that take no targets, such as
        "oja", need none. Any exception leaves the memory as it was before the call. Targets that the units
        cannot reach cause a `TargetRangeWarning`.
        """
        if t is None and not self.is_auto and not getattr(self.learning.rule, "takes_targets", True):
            t = np.zeros((len(self._patterns(x, "cues", self.n_inputs)), self.n_outputs))
        cues, targets = map(read_only, self._pairs(x, t))  # a rule sees the patterns of the caller
        self.learning.check_targets(targets)
        labels = self.learning.update.error.target_values
        warn_of_targets_out_of_reach(targets, [self._activation], labels, stacklevel=3)
        clamped = targets if isinstance(self.network, Layer) else None
        factor, recorders = as_strength(strength, len(cues), cues.dtype), as_recorders(recorders)
        with all_or_nothing(self) as draft, all_recorded(recorders):
            for number in range(len(cues)):
                row = slice(number, number + 1)
                x, t = cues[row], None if clamped is None else clamped[row]
                draft.n_stored += 1
                self.learning.learn(
                    draft.network,
                    x,
                    t,
                    draft.n_stored,
                    draft.target_offset,
                    draft.state,
                    rows_of(factor, row),
                )
                for recorder in recorders:
                    recorder.see(draft.network, x, t, draft.n_stored, draft.state)
            # A memory that cannot recall what it has just stored could store nothing else, either. For
            # every pattern but the last, the next update detects it.
            self.learning.update.stop_if_diverged(draft.network, cues[-1:], draft.n_stored)
            if not is_finite(draft.network):
                raise DivergenceError(draft.n_stored, self.learning.update.fixed_rate)

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

    def _respond_unit(self, x: Array, unit: int) -> Array:
        layer = self.network
        if not isinstance(layer, Layer) or not layer.activation.elementwise:
            return super()._respond_unit(x, unit)
        return layer.activation((x - layer.offset) @ layer.weights[:, unit] + layer.bias[unit])

    def _energy(self, x: Array) -> Array:
        layer = self.network
        if self.auto != "layer" or not isinstance(layer, Layer) or not has_energy(layer):
            return super()._energy(x)
        return energy_of(layer, x)

    @property
    def _activation(self) -> Activation:
        return self.network.activation if isinstance(self.network, Layer) else self.network.output_activation

    def _contents(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        parts = self.network, self.auto, self.learning, self.n_stored, self.target_offset, self.state
        return contents.taken_apart(contents.Parts(*parts))

    @classmethod
    def _from_contents(
        cls, parameters: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
    ) -> AssociativeMemory:
        memory = cls.__new__(cls)
        vars(memory).update(contents.put_together(parameters, arrays)._asdict())
        return memory
