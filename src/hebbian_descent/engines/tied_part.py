"""One part of the inputs of an auto-encoder, and what it does with a batch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.engines.tied_inputs import Inputs, cut
from hebbian_descent.engines.tied_passes import Passes, Rows
from hebbian_descent.network import Autoencoder


class Rates(NamedTuple):
    """How much an update changes."""

    learning_rate: float
    weight_decay: float
    hidden_shift: float
    form: str
    """The compiled form of the rule: "decoder", "encoder_and_decoder" or "imprint"."""


class HiddenUnits:
    """What the parts of a run share: hidden units, of which each part has its own copy of b and λ."""

    def __init__(self, network: Autoencoder, n_parts: int) -> None:
        def room() -> Array:
            return np.zeros((n_parts, network.n_hidden), network.weights.dtype)

        self.n_parts = n_parts
        self.bias, self.offset = room() + network.bias, room() + network.hidden_offset
        self.moves, self.sums, self.sums_of_errors = room(), room(), room()
        self.beyond = np.zeros((2, n_parts), dtype=bool)  # hidden units, output units


class HiddenBatch:
    """The hidden units for n patterns."""

    def __init__(self, units: HiddenUnits, n: int) -> None:
        n_hidden, dtype = units.bias.shape[1], units.bias.dtype
        self.shares = np.zeros((2, n, n_hidden), dtype)  # of the activity, or of the errors; one may stay 0
        self.a, self.h = np.zeros((2, n, n_hidden), dtype)
        self.post = np.zeros((2 * n, n_hidden), dtype)  # h − λ, then the errors


class Part:
    """A part of the inputs of a run, for batches of n patterns; it activates as large a part of the patterns.

    ΔW of both halves of gradient descent is one product: [δ; x − μ]ᵀ[h − λ; ε].
    """

    def __init__(
        self,
        number: int,
        inputs: Inputs,
        network: Autoencoder,
        units: HiddenUnits,
        batch: HiddenBatch,
        passes: Passes,
        rates: Rates,
    ) -> None:
        n, dtype = len(batch.a), network.weights.dtype
        low, high = cut(number, units.n_parts, network.n_inputs)
        some = slice(*cut(number, units.n_parts, n))
        self.inputs, self.passes, self.rates, self.n = inputs, passes, rates, n
        self.weights, self.offset = network.weights[low:high], network.offset[low:high]
        self.transposed, self.decoder_bias = self.weights.T, network.decoder_bias[low:high]
        self.x, self.change = (
            np.zeros((n, high - low), dtype),
            np.zeros((high - low, network.n_hidden), dtype),
        )
        pre = np.zeros((2 * n, high - low), dtype)
        self.errors, self.centered = pre[:n], pre[n:]
        self.scratch, self.sums = np.zeros((2, high - low), dtype), np.zeros(high - low, dtype)
        self.share, self.centered_hidden = batch.shares[number], batch.post[:n]
        self.some_shares = batch.shares[0][some], batch.shares[1][some]
        self.some_units = batch.a[some], batch.h[some]
        self.some_centered, self.some_errors = batch.post[:n][some], batch.post[n:][some]
        self.bias, self.hidden_offset, self.move = (
            units.bias[number],
            units.offset[number],
            units.moves[number],
        )
        self.some_sums, self.some_sums_of_errors = units.sums[number], units.sums_of_errors[number]
        self.all_sums, self.all_sums_of_errors = units.sums, units.sums_of_errors
        self.hidden_beyond, self.output_beyond = (row[number : number + 1] for row in units.beyond)
        self.eta, self.learned_sums = rates.learning_rate / n, self.sums
        if rates.form == "decoder":
            self.pre, self.post = self.errors, self.centered_hidden
        elif rates.form == "encoder_and_decoder":
            self.pre, self.post = pre, batch.post
        else:  # what is there is added, and no error is learned from
            self.pre, self.post, self.eta = self.centered, self.centered_hidden, -self.eta
            self.learned_sums = np.zeros_like(self.sums)
        self.pre_transposed = self.pre.T

    def encode(self, rows: Rows) -> None:
        """Take up inputs and find their share of the hidden units' activity."""
        self.inputs.encode(rows, self.weights, self.offset, self.x, self.centered, self.share)

    def activate(self) -> None:
        """Activate the hidden units for some of the patterns."""
        self.hidden_beyond[0] = self.passes.activate(
            *self.some_shares,
            self.bias,
            self.hidden_offset,
            *self.some_units,
            self.some_centered,
            self.some_sums,
        )

    def decode(self) -> None:
        """Reconstruct the inputs, and find the errors and what they tell hidden units."""
        np.matmul(self.centered_hidden, self.transposed, out=self.errors)
        self.output_beyond[0] = self.passes.find_errors(
            self.errors, self.decoder_bias, self.x, self.scratch, self.sums
        )
        if self.rates.form == "encoder_and_decoder":  # by the old weights
            np.matmul(self.errors, self.weights, out=self.share)

    def pull_back(self) -> None:
        """Find the errors of the hidden units for some of the patterns."""
        self.passes.pull_back(*self.some_shares, *self.some_units, self.some_errors, self.some_sums_of_errors)

    def update(self) -> None:
        """Change the weights and the decoder bias, and this part's copy of b and λ."""
        if self.rates.form == "encoder_and_decoder":
            self.bias -= self.eta * self.all_sums_of_errors.sum(axis=0)
        np.matmul(self.pre_transposed, self.post, out=self.change)
        self.passes.update(
            self.weights,
            self.change,
            self.rates.weight_decay,
            self.eta,
            self.decoder_bias,
            self.learned_sums,
            self.hidden_offset,
            self.move,
            self.all_sums,
            self.rates.hidden_shift,
            self.n,
        )
