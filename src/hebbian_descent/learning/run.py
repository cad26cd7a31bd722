"""Training a network: one batch, one epoch, a run. `step` defines a single update."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count, as_number, as_patterns, read_only
from hebbian_descent.lazy import cached_property
from hebbian_descent.learning.centering import HIDDEN_SHIFT, Offset
from hebbian_descent.learning.constraints import Constraints, as_connectivity, as_constraints
from hebbian_descent.learning.divergence import DivergenceError
from hebbian_descent.learning.means import mean_target_of, means_of_run, remember_means
from hebbian_descent.learning.noise import Noise, NoiseStream, as_noise, refuse_noise_of_units
from hebbian_descent.learning.rates import Automatic, as_rate
from hebbian_descent.learning.recorders import Recorder, all_recorded, as_recorders
from hebbian_descent.learning.states import resumed_state, start_state
from hebbian_descent.learning.step import Means, Network, Update
from hebbian_descent.learning.strength import Strength, StrengthFunction, as_strength, rows_of
from hebbian_descent.network import Layer
from hebbian_descent.network.reach import warn_of_targets_out_of_reach
from hebbian_descent.rules import AutoRule, ErrorTerm, Rule, get_auto_rule, get_error_term, get_rule
from hebbian_descent.rules.base import ErrorFunction
from hebbian_descent.transaction import all_or_nothing, is_finite


@dataclass(frozen=True)
class Training:
    """The settings of learning. One object trains any number of networks and keeps none of their state."""

    rule: str | Rule | AutoRule = "hebbian_descent"
    error: str | ErrorTerm | ErrorFunction = "difference"
    learning_rate: float | Literal["auto"] | Automatic = 0.1
    """η, or "auto", as explained in `rates`; `Automatic("classify")` takes shorter steps."""
    weight_decay: float = 0.0
    """ω, the share of the weights that every update removes."""
    shift: float = 0.0
    """ν, by which the input offset follows the inputs; 0 leaves it where it is."""
    running_mean: bool = False
    """Whether a moving offset is the mean so far: ν is 1/n for the n-th pattern while that is larger.

    Rules that learn from targets alone then center these as well, and leave the bias as it is.
    """
    hidden_shift: float = HIDDEN_SHIFT
    """ν of the hidden offset of an auto-encoder."""
    batch_size: int = 1
    shuffle: bool = False
    """A new order in every epoch, derived from (seed, epoch); otherwise the given order."""
    seed: int = 0
    constraints: Constraints | None = None
    """Names of `CONSTRAINTS`, constraints or functions of the weights: applied to the weights at the start
    and after every update, in this order."""
    connectivity: npt.ArrayLike | None = None
    """Which synapses exist, True or False for each weight; the others are always 0."""
    noise: Noise | None = None
    """Noise of synapses or of activity, from (seed, trial, step)."""
    trial: int = 0
    """The number of this run among others with the same seed, for its noise."""

    def __post_init__(self) -> None:
        as_rate(self.learning_rate)
        as_number(self.weight_decay, "weight decay", at_least=0, at_most=2)
        as_number(self.shift, "shift", at_least=0, at_most=1)
        as_number(self.hidden_shift, "hidden shift", at_least=0, at_most=1)
        as_count(self.batch_size, "batch size")
        as_count(self.seed, "seed", at_least=0)
        as_count(self.trial, "trial", at_least=0)
        as_constraints(self.constraints)
        as_noise(self.noise)
        self._error  # noqa: B018  # an unknown name is refused here, not at the first batch

    @cached_property
    def _error(self) -> ErrorTerm:
        return get_error_term(self.error)

    @cached_property
    def _offset(self) -> Offset:
        return Offset(shift=self.shift, starts_as_mean=self.running_mean and self.shift > 0)

    @cached_property
    def _hidden_offset(self) -> Offset:
        is_mean = self.running_mean and self.hidden_shift > 0
        return Offset(shift=self.hidden_shift, starts_as_mean=is_mean, n_before=1)

    def update(self, network: Network) -> Update:
        """Return the update that a batch applies to a network of this kind."""
        return self._update_of_layers if isinstance(network, Layer) else self._update_of_autoencoders

    @cached_property
    def _update_of_layers(self) -> Update:
        return self._update(get_rule(self.rule))  # type: ignore[arg-type]  # it refuses an AutoRule itself

    @cached_property
    def _update_of_autoencoders(self) -> Update:
        return self._update(get_auto_rule(self.rule))  # type: ignore[arg-type]  # likewise

    def _update(self, rule: Rule | AutoRule) -> Update:
        mask, noise = self.connectivity, as_noise(self.noise)
        return Update(
            rule,
            self._error,
            as_rate(self.learning_rate),
            weight_decay=self.weight_decay,
            connectivity=None if mask is None else as_connectivity(mask, np.shape(mask)),
            constraints=as_constraints(self.constraints),
            noise=None if noise is None else NoiseStream(noise, self.seed, self.trial),
        )

    def run(
        self,
        network: Network,
        inputs: npt.ArrayLike,
        targets: npt.ArrayLike | None = None,
        *,
        epochs: int = 1,
        first_epoch: int = 0,
        means: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
        after_epoch: Callable[[int], None] | None = None,
        strength: npt.ArrayLike | StrengthFunction | None = None,
        recorders: Recorder | Sequence[Recorder] = (),
    ) -> None:
        """Train a network; `targets` are the outputs of a layer, or hidden activities to clamp.

        k epochs and then m more with `first_epoch=k` are k + m epochs, bit for bit. After any exception the
        network is as it was after the last whole epoch, the last one passed to `after_epoch`. With
        `first_epoch=0` the constraints are applied to the weights and a rule's state starts afresh.

        `strength` is one number per pattern that multiplies its change, or a function of the activity that
        returns one. `recorders` keep or call something every so many patterns. Rules that take no targets,
        such as "oja", need none.

        A rule that needs the means of all patterns, such as "covariance", takes those of the given patterns.
        If these come in parts, pass the `means` of all inputs and targets; parts without them are refused.
        """
        as_count(epochs, "number of epochs", at_least=0)
        as_count(first_epoch, "first epoch", at_least=0)
        x, t = self._patterns(network, inputs, targets)
        rule = self.update(network).rule
        are_learned = self._offset.centers_targets(rule)
        known = means_of_run(rule, network, x, t, means, are_learned=are_learned)
        factor = as_strength(strength, len(x), x.dtype)
        recorders = as_recorders(recorders)
        for epoch in range(first_epoch, first_epoch + epochs):
            self.epoch(network, x, t, epoch=epoch, means=known, strength=factor, recorders=recorders)
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
        strength: Strength | None = None,
        recorders: Sequence[Recorder] = (),
    ) -> None:
        """Show every pattern once, in the order of the epoch, or change nothing; patterns are not checked."""
        n_patterns = len(inputs)
        inputs, targets = read_only(inputs), None if targets is None else read_only(targets)
        step, n_seen = epoch * -(-n_patterns // self.batch_size), epoch * n_patterns
        update = self.update(network)
        with all_or_nothing(network) as draft, all_recorded(recorders):
            if epoch == 0:
                start_state(update.rule, draft)
                update.constrain(draft.weights)
            for rows in self._batches(n_patterns, epoch):
                x, t = inputs[rows], None if targets is None else targets[rows]
                n_seen += len(x)
                factor = rows_of(strength, rows)
                self.batch(draft, x, t, means=means, step=step, n_seen=n_seen, strength=factor)
                for recorder in recorders:
                    recorder.see(draft, x, t, n_seen, resumed_state(update.rule, draft))
                step += 1
            if not is_finite(draft):
                raise DivergenceError(step, update.fixed_rate)
            remember_means(draft, update.rule, means)

    def _batches(self, n_patterns: int, epoch: int) -> Iterator[npt.NDArray[np.intp] | slice]:
        """Yield the rows of each batch; in the given order they are slices, so nothing is copied."""
        if self.shuffle:
            yield from batches(epoch_order(n_patterns, self.seed, epoch), self.batch_size)
            return
        for start in range(0, n_patterns, self.batch_size):
            yield slice(start, start + self.batch_size)

    def batch(
        self,
        network: Network,
        inputs: Array,
        targets: Array | None,
        *,
        means: Means | None = None,
        step: int = 0,
        n_seen: int | None = None,
        strength: Strength | None = None,
    ) -> None:
        """Update the arrays of a network once with the mean change of a batch, then move its offsets.

        This is the bare step, in place: `run` and `epoch` check its arguments and undo incomplete steps.
        `n_seen` counts the patterns up to the last of this batch, for a running mean.
        """
        counts = len(inputs) if n_seen is None else n_seen, len(inputs)
        shift, update = self._offset.shift_after(*counts), self.update(network)
        if isinstance(network, Layer):
            assert targets is not None
            mean_target = mean_target_of(network) if self._offset.centers_targets(update.rule) else None
            update.layer(
                network,
                inputs,
                targets,
                means=means,
                shift=shift,
                target_offset=mean_target,
                step=step,
                state=resumed_state(update.rule, network),
                strength=strength,
            )
        else:
            hidden_shift = self._hidden_offset.shift_after(*counts)
            update.autoencoder(
                network,
                inputs,
                targets,
                step=step,
                shift=shift,
                hidden_shift=hidden_shift,
                strength=strength,
            )

    def _patterns(
        self, network: Network, inputs: npt.ArrayLike, targets: npt.ArrayLike | None
    ) -> tuple[Array, Array | None]:
        dtype = network.weights.dtype
        x = as_patterns(inputs, "inputs", dtype=dtype, n_columns=network.n_inputs)
        rule = self.update(network).rule
        if self.connectivity is not None:
            as_connectivity(self.connectivity, network.weights.shape)
        if not isinstance(network, Layer):
            refuse_noise_of_units(as_noise(self.noise))
        if targets is None:
            if isinstance(rule, Rule) and not rule.takes_targets:
                return x, np.zeros((len(x), network.bias.size), dtype)
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
    means: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
    after_epoch: Callable[[int], None] | None = None,
    strength: npt.ArrayLike | StrengthFunction | None = None,
    recorders: Recorder | Sequence[Recorder] = (),
    **settings: Any,
) -> None:
    """Train a network: `Training(**settings).run(…)` in one call.

    Targets that the output units cannot reach give a `TargetRangeWarning`.
    """
    training = Training(**settings)
    x, t = training._patterns(network, inputs, targets)
    if isinstance(network, Layer):
        assert t is not None
        warn_of_targets_out_of_reach(t, [network.activation], training._error.target_values)
    else:
        warn_of_targets_out_of_reach(x, [network.output_activation], training._error.target_values)
    training.run(
        network,
        inputs,
        targets,
        epochs=epochs,
        first_epoch=first_epoch,
        means=means,
        after_epoch=after_epoch,
        strength=strength,
        recorders=recorders,
    )


def epoch_order(n_patterns: int, seed: int, epoch: int) -> npt.NDArray[np.intp]:
    """Return the order in which an epoch shows its patterns; it depends on (seed, epoch) alone."""
    return np.random.default_rng((seed, epoch)).permutation(n_patterns)


def batches(order: npt.NDArray[np.intp], batch_size: int) -> Iterator[npt.NDArray[np.intp]]:
    """Cut an order into batches; the last one holds the rest."""
    for start in range(0, len(order), batch_size):
        yield order[start : start + batch_size]
