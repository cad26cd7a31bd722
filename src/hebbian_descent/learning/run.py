"""How a network learns: one batch, one epoch, a run.

What all rules share is written here and nowhere else. One update is

    W ← W − ωW − η·ΔW,   b ← b − η·Δb,

the change taken at the old parameters and averaged over the batch; the decay is per update, not times η, and
the biases do not decay. Then, and not before, the offsets move: an offset that moved first would at batch
size 1 sit on the very pattern that is to be learned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count, as_number, as_patterns
from hebbian_descent.network import Autoencoder, Layer
from hebbian_descent.network.offsets import flush_subnormal
from hebbian_descent.rules import AutoRule, ErrorTerm, Rule, get_auto_rule, get_error_term, get_rule
from hebbian_descent.rules.base import Activity, AutoActivity, Change, ErrorFunction
from hebbian_descent.transaction import all_or_nothing, is_finite

Network = Layer | Autoencoder
Means = tuple[Array, Array | None]
"""The means of all training inputs and targets."""

LARGEST_PREACTIVATION = 1e6


class DivergenceError(ArithmeticError):
    """The activity of a network grew beyond all bounds; the step that would have made it so was not taken."""

    def __init__(
        self,
        step: int,
        learning_rate: float | None,
        largest: float | None = None,
        limit: float = LARGEST_PREACTIVATION,
        largest_input: float | None = None,
    ) -> None:
        """Say when it happened, with which learning rate (None: an automatic one), and what was too large."""
        rate = "an automatic learning rate" if learning_rate is None else f"learning rate {learning_rate:g}"
        advice = "inputs of a smaller scale" if learning_rate is None else "a smaller learning rate"
        # A step may also be too large for activities that are not yet.
        got = "" if largest is None or largest <= limit else f" Got {largest:g}."
        if largest_input is not None:
            got += f" Got inputs up to {largest_input:g}."
        super().__init__(
            f"Learning diverged at step {step} with {rate}: |a| must stay below {limit:g}.{got} Try {advice}."
        )
        self.step = step
        self.learning_rate = learning_rate
        self.largest = largest
        self.limit = limit
        self.largest_input = largest_input

    def __reduce__(self) -> tuple[type[DivergenceError], tuple[Any, ...]]:
        """Travel between processes whole."""
        return type(self), (self.step, self.learning_rate, self.largest, self.limit, self.largest_input)


@dataclass(frozen=True)
class Training:
    """The settings of learning. One object trains any number of networks and holds nothing of them."""

    rule: str | Rule | AutoRule = "hebbian_descent"
    error: str | ErrorTerm | ErrorFunction = "difference"
    learning_rate: float = 0.1
    weight_decay: float = 0.0
    """ω, the part of the weights that every update takes away."""
    shift: float = 0.0
    """ν, by which the input offset follows the inputs; 0 leaves it where it is."""
    hidden_shift: float = 0.01
    """The same for the hidden offset of an auto-encoder."""
    batch_size: int = 1
    shuffle: bool = False
    """A new order in every epoch, derived from (seed, epoch); otherwise the given order."""
    seed: int = 0

    def __post_init__(self) -> None:
        as_number(self.learning_rate, "learning rate", at_least=0)
        as_number(self.weight_decay, "weight decay", at_least=0, at_most=2)
        as_number(self.shift, "shift", at_least=0, at_most=1)
        as_number(self.hidden_shift, "hidden shift", at_least=0, at_most=1)
        as_count(self.batch_size, "batch size")
        as_count(self.seed, "seed", at_least=0)
        self._error  # noqa: B018  # an unknown name is refused here, not at the first batch

    @cached_property
    def _error(self) -> ErrorTerm:
        return get_error_term(self.error)

    def run(
        self,
        network: Network,
        inputs: npt.ArrayLike,
        targets: npt.ArrayLike | None = None,
        *,
        epochs: int = 1,
        first_epoch: int = 0,
        after_epoch: Callable[[int], None] | None = None,
    ) -> None:
        """Train a network; `targets` are the outputs of a layer, or hidden activities to clamp.

        k epochs and then m more with `first_epoch=k` are k + m epochs, bit for bit. After any exception the
        network is as it was after the last whole epoch, the one that `after_epoch` would be called with last.
        """
        as_count(epochs, "number of epochs", at_least=0)
        as_count(first_epoch, "first epoch", at_least=0)
        x, t = self._patterns(network, inputs, targets)
        means = (x.mean(axis=0), None if t is None else t.mean(axis=0))
        for epoch in range(first_epoch, first_epoch + epochs):
            self.epoch(network, x, t, epoch=epoch, means=means)
            if after_epoch is not None:
                after_epoch(epoch)

    def epoch(
        self,
        network: Network,
        inputs: Array,
        targets: Array | None,
        *,
        epoch: int = 0,
        means: Means | None = None,
    ) -> None:
        """Show every pattern once, in the order of that epoch, or change nothing; no checks of patterns."""
        n_patterns = len(inputs)
        order = epoch_order(n_patterns, self.seed, epoch) if self.shuffle else np.arange(n_patterns)
        step = epoch * -(-n_patterns // self.batch_size)
        with all_or_nothing(network) as draft:
            for rows in batches(order, self.batch_size):
                t = None if targets is None else targets[rows]
                self.batch(draft, inputs[rows], t, means=means, step=step)
                step += 1
            if not is_finite(draft):
                raise DivergenceError(step, self.learning_rate)

    def batch(
        self,
        network: Network,
        inputs: Array,
        targets: Array | None,
        *,
        means: Means | None = None,
        step: int = 0,
    ) -> None:
        """Update the arrays of a network once with the mean change of a batch, then move its offsets.

        This is the bare step, in place: `run` and `epoch` check what it is given and undo what it cannot end.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            if isinstance(network, Layer):
                self._update_layer(network, inputs, targets, means, step)
            else:
                self._update_autoencoder(network, inputs, targets, step)

    def _update_layer(self, layer: Layer, x: Array, t: Array | None, means: Means | None, step: int) -> None:
        assert t is not None
        a, h = layer.forward(x)
        self._stop_if_diverged(a, step)
        mean_input, mean_target = means if means is not None else (None, None)
        change = get_rule(self.rule).change(  # type: ignore[arg-type]  # get_rule refuses an AutoRule itself
            Activity(
                inputs=x,
                offset=layer.offset,
                targets=t,
                preactivation=a,
                output=h,
                activation=layer.activation,
                error=self._error,
                mean_input=mean_input,
                mean_target=mean_target,
            )
        )
        self._apply(layer, change)
        if self.shift:
            layer.shift_offset(x, self.shift)

    def _update_autoencoder(self, network: Autoencoder, x: Array, t: Array | None, step: int) -> None:
        units = network.forward(x)
        self._stop_if_diverged(units.hidden_preactivation, step)
        self._stop_if_diverged(units.preactivation, step)
        change = get_auto_rule(self.rule).change(  # type: ignore[arg-type]  # likewise
            AutoActivity(network, x, units, self._error, hidden_targets=t)
        )
        self._apply(network, change)
        if self.shift:
            network.shift_offset(x, self.shift)
        if self.hidden_shift:
            network.shift_hidden_offset(units.hidden, self.hidden_shift)

    def _apply(self, network: Network, change: Change) -> None:
        eta, omega, W = self.learning_rate, self.weight_decay, network.weights
        if omega:
            W *= 1 - omega
        W -= eta * change.weights
        if omega:
            flush_subnormal(W)
        if change.bias is not None:
            network.bias -= eta * change.bias
        if change.decoder_bias is not None and isinstance(network, Autoencoder):
            network.decoder_bias -= eta * change.decoder_bias

    def stop_if_diverged(self, network: Network, inputs: Array, step: int) -> None:
        """Raise if a unit's preactivation for any of these inputs is beyond the limit."""
        if isinstance(network, Layer):
            self._stop_if_diverged(network.forward(inputs)[0], step)
        else:
            units = network.forward(inputs)
            self._stop_if_diverged(units.hidden_preactivation, step)
            self._stop_if_diverged(units.preactivation, step)

    def _stop_if_diverged(self, preactivation: Array, step: int) -> None:
        largest = float(np.abs(preactivation).max())
        if not largest <= LARGEST_PREACTIVATION:  # also where it is not a number
            raise DivergenceError(step, self.learning_rate, largest)

    def _patterns(
        self, network: Network, inputs: npt.ArrayLike, targets: npt.ArrayLike | None
    ) -> tuple[Array, Array | None]:
        dtype = network.weights.dtype
        x = as_patterns(inputs, "inputs", dtype=dtype, n_columns=network.n_inputs)
        if targets is None:
            if isinstance(network, Layer):
                raise ValueError("A Layer learns pairs, inputs and targets. Got no targets.")
            return x, None
        width = network.n_outputs if isinstance(network, Layer) else network.n_hidden
        t = as_patterns(targets, "targets", dtype=dtype, n_columns=width)
        if len(t) != len(x):
            raise ValueError(f"Inputs and targets must be pairs. Got {len(x)} inputs and {len(t)} targets.")
        self._error.check_targets(t)
        return x, t


def train(
    network: Network,
    inputs: npt.ArrayLike,
    targets: npt.ArrayLike | None = None,
    *,
    epochs: int = 1,
    first_epoch: int = 0,
    after_epoch: Callable[[int], None] | None = None,
    **settings: Any,
) -> None:
    """Train a network: `Training(**settings).run(…)` in one call."""
    Training(**settings).run(
        network, inputs, targets, epochs=epochs, first_epoch=first_epoch, after_epoch=after_epoch
    )


def epoch_order(n_patterns: int, seed: int, epoch: int) -> npt.NDArray[np.intp]:
    """Return the order in which an epoch shows its patterns; it depends on (seed, epoch) alone."""
    return np.random.default_rng((seed, epoch)).permutation(n_patterns)


def batches(order: npt.NDArray[np.intp], batch_size: int) -> Iterator[npt.NDArray[np.intp]]:
    """Cut an order into batches; the last one holds what is left over."""
    for start in range(0, len(order), batch_size):
        yield order[start : start + batch_size]
