"""Epochs of `fit`: a fixed number of them, or until the loss no longer falls.

The loss is the mean matching loss of the layer that predicts, Φ(a) − t·a + Φ*(t) summed over the output
units: the cross entropy of softmax and sigmoid units, half the squared error of linear ones, half the
deviance of exponential ones. A custom activation that has none, and targets that an activation can never
reach, are measured by half the squared error.

An epoch counts as better if its loss is below the lowest so far by more than `tol` times the loss after the
first epoch. So the scale of the targets does not matter, and `fit` ends even if the loss falls towards 0.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from math import inf, isfinite
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_count, as_flag, as_number
from hebbian_descent.engines.online import Order, Targets, in_codes
from hebbian_descent.estimators.online_pass import Samples, learn, mean_target, weighted_mean
from hebbian_descent.learning.run import epoch_order
from hebbian_descent.network import Activation
from hebbian_descent.transaction import keep_so_far, own_state

ROWS_AT_ONCE = 4096


class Stopping(NamedTuple):
    """When `fit` ends before the last epoch, and what it reports on the way."""

    max_epochs: int | None = None
    tol: float = 1e-3
    n_iter_no_change: int = 5
    early_stopping: bool = False
    validation_fraction: float = 0.1
    verbose: bool = False

    @property
    def needs_losses(self) -> bool:
        """Whether the loss after each epoch is needed."""
        return self.max_epochs is not None or self.verbose


def as_stopping(estimator: Any) -> Stopping:
    """Check the parameters of an estimator that say when `fit` ends."""
    most = estimator.max_epochs
    stopping = Stopping(
        max_epochs=None if most is None else as_count(most, "max_epochs"),
        tol=as_number(estimator.tol, "tol", at_least=0),
        n_iter_no_change=as_count(estimator.n_iter_no_change, "n_iter_no_change"),
        early_stopping=as_flag(estimator.early_stopping, "early_stopping"),
        validation_fraction=as_number(estimator.validation_fraction, "validation_fraction", above=0),
        verbose=as_flag(estimator.verbose, "verbose"),
    )
    if stopping.validation_fraction >= 1:
        raise ValueError(f"The validation_fraction must be below 1. Got {estimator.validation_fraction!r}.")
    if stopping.early_stopping and most is None:
        raise ValueError(
            "The early_stopping needs max_epochs, the largest number of epochs. Got max_epochs=None."
        )
    return stopping


def fit_epochs(estimator: Any, setting: Any, samples: Samples, mean: Array | None) -> None:
    """Learn epoch after epoch; orders follow from (seed, epoch), so that epochs can be continued.

    `mean` is that of all inputs, where it is needed. An interrupt leaves the state after the last whole
    epoch.
    """
    learned = measured = samples
    if setting.stopping.early_stopping:
        labels, fraction = getattr(estimator, "classes_", None), setting.stopping.validation_fraction
        learned, measured = map(samples.at, hold_out(samples.targets, fraction, estimator.seed_, labels))
        mean = None if mean is None else weighted_mean(learned.inputs, learned.scales)
    show, stopping = epoch_of(estimator, setting, learned, mean), setting.stopping
    losses, n_epochs = Losses(stopping), stopping.max_epochs or setting.epochs
    mean_loss = MeanLoss(setting, measured, estimator._n_outputs) if stopping.needs_losses else None
    for name in ("n_iter_", "loss_curve_"):
        vars(estimator).pop(name, None)
    for number in range(1, n_epochs + 1):
        start = perf_counter()
        show()
        estimator.n_epochs_ += 1
        if mean_loss is not None:
            loss = mean_loss(estimator._activity)
            is_lowest = losses.add(loss)
            estimator.n_iter_, estimator.loss_curve_ = number, np.array(losses.all)
            if is_lowest and stopping.early_stopping:
                best = own_state(estimator)
            if stopping.verbose:
                seconds = perf_counter() - start
                sys.stderr.write(f"epoch {number}: loss {loss:.6g}, {seconds:.1f} s\n")
        if number == n_epochs or losses.are_over:
            break
        keep_so_far(estimator)
    if stopping.early_stopping:
        vars(estimator).update({**best, "n_iter_": number, "loss_curve_": estimator.loss_curve_})


def epoch_of(estimator: Any, setting: Any, samples: Samples, mean: Array | None) -> Callable[[], None]:
    """Return a function that presents all samples once, in a new order each time."""
    in_fit, means, n_samples = setting.in_fit, None, len(samples.scales)

    def next_order() -> Order:
        if setting.shuffle:
            return epoch_order(n_samples, estimator.seed_, estimator.n_epochs_)
        return np.arange(n_samples)

    estimator._start_at(in_fit, samples, next_order()[0])
    loop = estimator._loop(setting, in_fit, samples)
    if mean is not None:
        if in_fit.offset.takes_data_mean:
            estimator._arrays(in_fit)
            estimator._take_mean(setting, samples, mean)
        if loop is None:
            means = mean, mean_target(samples, estimator._n_outputs, setting.error)
    target_offset = estimator._target_offset(setting, in_fit.offset)
    arrays = estimator._learned_arrays(in_fit, samples, loop)

    def show() -> None:
        learn(
            in_fit,
            arrays,
            samples,
            next_order(),
            estimator._progress,
            loop=loop,
            batch_size=setting.batch_size,
            means=means,
            target_offset=target_offset,
        )

    return show


class Losses:
    """The losses so far, and whether they no longer fall."""

    def __init__(self, stopping: Stopping) -> None:
        self.stopping = stopping
        self.all: list[float] = []
        self.unit = 0.0
        self.best = inf
        self.n_without = 0

    def add(self, loss: float) -> bool:
        """Record the loss after an epoch; return whether it is the lowest."""
        is_lowest = not self.all or loss < min(self.all)
        self.all.append(loss)
        if self.unit == 0 and isfinite(loss):
            self.unit = loss
        if loss < self.best - self.stopping.tol * self.unit:
            self.best, self.n_without = loss, 0
        else:
            self.n_without += 1
        return is_lowest

    @property
    def are_over(self) -> bool:
        """Whether no further improvement is expected."""
        return self.stopping.max_epochs is not None and self.n_without >= self.stopping.n_iter_no_change


class MeanLoss:
    """The weighted mean loss of the layer that predicts, on given samples."""

    def __init__(self, setting: Any, samples: Samples, n_outputs: int) -> None:
        self.activation: Activation = setting.activation
        self.error, self.n_outputs = setting.error, n_outputs
        self.samples = samples
        self.is_matching = has_matching_loss(setting.activation) and all(
            setting.activation.domain.contains(targets).all() for _, targets, _ in self._blocks()
        )

    def __call__(self, activity: Callable[[Array], Array]) -> float:
        """Return the loss of a layer, given as x → a."""
        total = 0.0
        for x, t, weights in self._blocks():
            a = activity(x)
            with np.errstate(over="ignore", invalid="ignore"):
                losses = self._losses(t, a)
            total += float(weights @ losses.sum(axis=1, dtype=np.float64))
        return total / float(self.samples.scales.sum(dtype=np.float64))

    def _losses(self, t: Array, a: Array) -> Array:
        if self.is_matching:
            return self.activation.matching_loss(t, a)
        squares: Array = (self.activation(a) - t) ** 2 / 2
        return squares

    def _blocks(self) -> Iterator[Samples]:
        for start in range(0, len(self.samples.scales), ROWS_AT_ONCE):
            x, t, weights = self.samples.at(slice(start, start + ROWS_AT_ONCE))
            yield Samples(x, in_codes(t, self.n_outputs, self.error, weights.dtype), weights)


def has_matching_loss(activation: Activation) -> bool:
    """Return whether an activation states what its matching loss needs."""
    has_parts = activation.antiderivative is not None and activation.conjugate is not None
    return has_parts or activation.stable_matching_loss is not None


def hold_out(targets: Targets, fraction: float, seed: int, labels: Any = None) -> tuple[Order, Order]:
    """Return which samples to learn and which to hold out, both in ascending order, drawn by the seed alone.

    `targets` in one dimension are places in `labels`, the names of the classes. Both parts have at least one
    sample of each class: a class that is not learned cannot be predicted, and one that is not held out does
    not count in the loss. Samples without classes, or with several labels each, count as one class.
    """
    n_samples = len(targets)
    places = targets if targets.ndim == 1 else np.zeros(n_samples, np.int64)
    classes, counts = np.unique(places, return_counts=True)
    if counts.min() < 2:
        rare = None if targets.ndim == 2 else labels[classes[counts.argmin()]]
        raise _too_few(rare)
    n_held_out = min(max(round(fraction * n_samples), len(counts)), n_samples - len(counts))
    shares = np.repeat(shares_of_classes(counts, n_held_out), counts)
    order = np.random.default_rng((seed, n_samples, n_held_out)).permutation(n_samples)
    by_class = order[np.argsort(places[order], kind="stable")]
    number_in_class = np.arange(n_samples) - np.repeat(np.cumsum(counts) - counts, counts)
    is_held_out = number_in_class < shares
    return np.sort(by_class[~is_held_out]), np.sort(by_class[is_held_out])


def shares_of_classes(counts: npt.NDArray[np.int64], n_held_out: int) -> npt.NDArray[np.int64]:
    """Return how many samples to hold out of each class: in proportion, but some and not all of them."""
    exact = counts * (n_held_out / counts.sum())
    shares: npt.NDArray[np.int64] = np.clip(exact.astype(np.int64), 1, counts - 1)
    while missing := n_held_out - shares.sum():
        step = 1 if missing > 0 else -1
        can_change = shares < counts - 1 if missing > 0 else shares > 1
        shares[np.argmax(np.where(can_change, step * (exact - shares), -np.inf))] += step
    return shares


def _too_few(label: Any) -> ValueError:
    of_each, of_it, others = "", "", ""
    if label is not None:
        name = label.item() if isinstance(label, np.generic) else label
        of_each, of_it, others = " of each class", f" of class {name!r}", " leave the class out,"
    return ValueError(
        f"The early_stopping needs at least 2 samples{of_each}, one to learn and one to hold out. "
        f"Got 1 sample{of_it}: add some,{others} or set early_stopping=False."
    )
