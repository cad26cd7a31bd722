"""An auto-encoder with tied weights: it learns to describe its inputs with fewer numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from hebbian_descent.checks import Array, refuse_masked
from hebbian_descent.engines.online import Order
from hebbian_descent.estimators.base import SLOW_SAMPLES, scales_of
from hebbian_descent.estimators.describe import describe_autoencoder, or_what_is_wrong
from hebbian_descent.estimators.layer_state import seed_of, start_of_offset
from hebbian_descent.estimators.online_pass import check_mean, weighted_mean
from hebbian_descent.estimators.parameters import AutoencoderParameters, available_unless, why_no_stream
from hebbian_descent.estimators.state import HasState
from hebbian_descent.learning.centering import HIDDEN_SHIFT, SHIFT, Centering, Offset
from hebbian_descent.learning.divergence import DivergenceError, limit_of
from hebbian_descent.learning.run import batches, epoch_order
from hebbian_descent.network import Activation, Autoencoder, glorot_uniform
from hebbian_descent.rules import AutoRule, ErrorTerm
from hebbian_descent.storage.models import saveable
from hebbian_descent.transaction import all_or_nothing, alone, is_finite, keep_so_far

STATE = (
    *("components_", "bias_", "decoder_bias_", "offset_", "hidden_offset_"),
    *("n_samples_seen_", "weight_seen_", "n_epochs_", "seed_", "n_features_in_"),
)


@saveable
class HebbianDescentAutoencoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, HasState, BaseEstimator):
    """A tied auto-encoder that learns one example at a time: h = φₑ((x − μ)W + b), z = φ_d((h − λ)Wᵀ + c).

    `transform` returns h, `inverse_transform` returns z for a given h, `score` is minus the mean absolute
    error of the reconstruction.

    Args:
        n_hidden: The number of hidden units; None is a quarter of the inputs.
        rule: "hebbian_descent", "gradient_descent", "hebb", "contrastive", "oja", "sanger", or an `AutoRule`.
        hidden_activation: φₑ, by name or an `Activation`.
        activation: φ_d of the outputs.
        error: "difference", "saturating", "leaky_hinge", or a function of inputs and reconstruction.
        learning_rate: η, or "auto": κ / (L·(‖x − μ‖² + ‖h − λ‖² + 1)), L the largest slope of the outputs.
        weight_decay: ω, the share of the weights that each update removes; not multiplied by η.
        centering: "auto" (the data mean in `fit`, moving in `partial_fit`), "mean", "moving", None (hidden
            units are not centered either), or numbers for a fixed offset.
        shift: ν, the rate at which a moving offset follows the inputs.
        hidden_shift: The same for the offset of the hidden units, which starts at 0.5.
        epochs: Passes over the data in `fit`.
        batch_size: Samples per update in `fit`; `partial_fit` takes them one by one.
        shuffle: Whether `fit` takes a new random order in every epoch.
        random_state: The seed of the initial weights and of the orders.
        warm_start: Whether `fit` continues from where it stopped.
        offset_start: Where a moving offset starts, 0.5 in the paper; None is the mean of the inputs so far.

    Attributes:
        components_: The weights, (n_hidden, n_features).
        bias_, decoder_bias_: b and c.
        offset_, hidden_offset_: μ and λ.
        n_features_in_, feature_names_in_: As in scikit-learn.
        n_samples_seen_, weight_seen_, n_epochs_, seed_: How far learning has come: the number of samples,
            the sum of their weights, and the number of epochs; and the seed of the orders.

    Paper: eqn:update_auto_hebbian_descent_unsup_w_1
    """

    _state_names = STATE
    _optional_state = ("feature_names_in_",)
    _purpose = "remember"

    def __init__(
        self,
        n_hidden: int | None = None,
        rule: str | AutoRule = "hebbian_descent",
        hidden_activation: str | Activation = "sigmoid",
        activation: str | Activation = "linear",
        error: str | ErrorTerm = "difference",
        learning_rate: float | str = "auto",
        weight_decay: float = 0.0,
        centering: Centering = "auto",
        shift: float = SHIFT,
        hidden_shift: float = HIDDEN_SHIFT,
        epochs: int = 10,
        batch_size: int = 10,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        offset_start: float | None = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.rule = rule
        self.hidden_activation = hidden_activation
        self.activation = activation
        self.error = error
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.centering = centering
        self.shift = shift
        self.hidden_shift = hidden_shift
        self.epochs = epochs
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.offset_start = offset_start

    def describe(self) -> str:
        """Describe the parameters in plain words."""
        return or_what_is_wrong(lambda: describe_autoencoder(self._setting()))

    def _setting(self) -> AutoencoderParameters:
        return AutoencoderParameters.of(self)

    @alone
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> HebbianDescentAutoencoder:
        """Learn all samples for some epochs; a sample of weight 0 counts as absent.

        Weights are shares in the mean change of a mini-batch, and counts of presentations in batches of one.
        """
        with all_or_nothing(self) as draft:
            draft._fit(X, sample_weight)
        return self

    def _fit(self, X: Any, sample_weight: Any) -> None:
        setting = self._setting()
        offset = setting.offset_in_fit
        x = self._read(setting, X, offset, goes_on=self.warm_start and hasattr(self, "components_"))
        scales = scales_of(sample_weight, x)
        x, scales = x[scales > 0], scales[scales > 0]
        if len(x) == 0:
            raise ValueError("The sample_weight must be positive for at least one sample. Got zeros only.")
        are_weighted = (scales != 1).any()
        network = self._network(setting)
        if offset.takes_data_mean:
            mean = weighted_mean(x, scales)
            check_mean(mean, x, setting.learning_rate)
            if self.n_samples_seen_ == 0:
                self.offset_[:] = mean
            else:
                network.move_offset(mean)  # what was learned so far stays the same
        for _ in range(setting.epochs):
            order = epoch_order(len(x), self.seed_, self.n_epochs_) if setting.shuffle else np.arange(len(x))
            shown = batches(order, setting.batch_size)
            self._learn(setting, network, x, shown, offset, scales if are_weighted else None)
            self.n_epochs_ += 1
            keep_so_far(self)

    @available_unless(why_no_stream)
    @alone
    def partial_fit(self, X: Any, y: Any = None) -> HebbianDescentAutoencoder:
        """Learn the samples once, one after another; equal to as many calls with one sample each."""
        with all_or_nothing(self) as draft:
            draft._partial_fit(X)
        return self

    def _partial_fit(self, X: Any) -> None:
        setting = self._setting()
        offset = setting.offset_in_stream
        x = self._read(setting, X, offset, goes_on=hasattr(self, "components_"))
        network, order = self._network(setting), np.arange(len(x))
        for start in range(0, len(x), SLOW_SAMPLES):
            self._learn(setting, network, x, batches(order[start : start + SLOW_SAMPLES], 1), offset)
            if start + SLOW_SAMPLES < len(x):
                keep_so_far(self)

    def transform(self, X: Any) -> Array:
        """Return the activity of the hidden units, (n_samples, n_hidden)."""
        return self._network(self._setting()).infer_hidden(self._inputs(X))[1]

    def inverse_transform(self, X: Any) -> Array:
        """Return what the hidden activities X are decoded to, (n_samples, n_features)."""
        check_is_fitted(self)
        refuse_masked(X, "X")
        hidden = check_array(X, dtype=self.components_.dtype, input_name="X")
        if hidden.shape[1] != len(self.components_):
            raise ValueError(
                f"The hidden activities must have {len(self.components_)} columns. Got {hidden.shape}."
            )
        return self._network(self._setting()).infer_inputs(hidden)[1]

    def score(self, X: Any, y: Any = None) -> float:
        """Return minus the mean absolute error of the reconstruction: higher is better, 0 is perfect."""
        x = self._inputs(X)
        reconstruction = self._network(self._setting()).forward(x).reconstruction
        return -float(np.abs(reconstruction - x).mean())

    def _learn(
        self,
        setting: AutoencoderParameters,
        network: Autoencoder,
        x: Array,
        shown: Iterable[Order],
        offset: Offset,
        scales: Array | None = None,
    ) -> None:
        for rows in shown:
            weight = float(len(rows) if scales is None else scales[rows].sum())
            self.n_samples_seen_ += len(rows)
            self.weight_seen_ += weight
            setting.update.autoencoder(
                network,
                x[rows],
                step=self.n_samples_seen_,
                scales=None if scales is None else scales[rows],
                shift=offset.shift_after(self.weight_seen_, weight),
                hidden_shift=setting.hidden.shift_after(self.weight_seen_, weight),
            )
        if not is_finite(network):
            raise DivergenceError(self.n_samples_seen_, setting.learning_rate, limit=limit_of(x))

    def _read(self, setting: AutoencoderParameters, X: Any, offset: Offset, *, goes_on: bool) -> Array:
        """Check the inputs, and start if there is nothing to continue from."""
        refuse_masked(X, "X")
        dtype = self.components_.dtype if goes_on else setting.dtypes
        x: Array = validate_data(self, X, reset=not goes_on, dtype=dtype, order="C")
        setting.error.check_targets(x)
        if not goes_on:
            self._start(setting, x.dtype, offset)
        return x

    def _start(self, setting: AutoencoderParameters, dtype: Any, offset: Offset) -> None:
        n_inputs = self.n_features_in_
        n_hidden = setting.n_hidden or max(1, round(n_inputs / 4))
        self.seed_ = seed_of(self.random_state)
        rng = np.random.default_rng(self.seed_)
        weights = glorot_uniform(n_inputs, n_hidden, rng=rng, dtype=dtype)
        self.components_ = np.ascontiguousarray(weights.T)
        self.bias_, self.decoder_bias_ = np.zeros(n_hidden, dtype), np.zeros(n_inputs, dtype)
        self.offset_ = start_of_offset(offset, n_inputs, dtype)
        self.hidden_offset_ = np.full(n_hidden, setting.hidden.start, dtype)
        self.n_samples_seen_ = self.n_epochs_ = 0
        self.weight_seen_ = 0.0

    def _network(self, setting: AutoencoderParameters) -> Autoencoder:
        check_is_fitted(self)
        return Autoencoder(
            self.components_.T,
            self.bias_,
            self.decoder_bias_,
            self.offset_,
            self.hidden_offset_,
            setting.hidden_activation,
            setting.activation,
        )

    def _inputs(self, X: Any) -> Array:
        check_is_fitted(self)
        refuse_masked(X, "X")
        x: Array = validate_data(self, X, reset=False, dtype=self.components_.dtype)
        return x

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "components_")

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)
