"""Auto-encoders of built-in units, with nothing but matrix products and one compiled pass between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from hebbian_descent.aligned import LINE_BYTES
from hebbian_descent.checks import Array
from hebbian_descent.engines.auto_setting import AutoCell, AutoSetting
from hebbian_descent.engines.base import kernel_kind
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.engines.stacked_inputs import SparseBatch, leaving_out_zeros_pays
from hebbian_descent.kernels.addresses import address_of_blas
from hebbian_descent.kernels.tied_parts import HALVES, Functions, Parameters, Rates, Workspace
from hebbian_descent.learning.run import DivergenceError
from hebbian_descent.network import Autoencoder

if TYPE_CHECKING:  # it imports Numba
    from hebbian_descent.kernels.sparse_batches import SparsePatterns

PRODUCTS = {np.dtype(np.float32): "sgemm", np.dtype(np.float64): "dgemm"}


def knows(cell: AutoCell, setting: AutoSetting) -> bool:
    """Return whether all functions of a cell have a compiled form that takes output units one by one."""
    hidden, output = cell.activation
    return (
        cell.rule.compiled_form != "imprint"
        and hidden.compiled_form is not None
        and output.compiled_form is not None
        and output.elementwise
        and setting.error.compiled_form == "difference"
    )


def entries_of(setting: AutoSetting, patterns: Patterns) -> SparsePatterns | None:
    """Return the inputs without their zeros, or None where products with whole inputs are as fast."""
    n = min(setting.batch_size, len(patterns.inputs))
    hidden_units_fill_a_line = setting.n_hidden * setting.dtype.itemsize >= LINE_BYTES
    if not (hidden_units_fill_a_line and leaving_out_zeros_pays(patterns.share_of_inputs, n)):
        return None
    from hebbian_descent.kernels.sparse_batches import cut_in_halves, sparse_patterns

    inputs = _as_compiled_loops_take_them(patterns.inputs)
    edges = cut_in_halves(inputs.shape[1])
    return sparse_patterns(inputs, patterns.n_entries, edges=edges, dtype=setting.dtype)


def product_of(entries: SparsePatterns, network: Autoencoder) -> Callable[[slice], Array]:
    """Return the function from some of the patterns to (x − μ)W."""

    def product(rows: slice) -> Array:
        n_patterns = len(entries.starts)
        batch = SparseBatch(entries, np.arange(n_patterns)[rows], network.offset, learns=False)
        return batch.product(network.weights)

    return product


class LearnerInHalves:
    """One run of Hebbian-descent or gradient descent, in place of `Training` for an auto-encoder.

    It may have a second thread. The work is cut in the same way without.
    """

    def __init__(
        self,
        cell: AutoCell,
        setting: AutoSetting,
        network: Autoencoder,
        learning_rate: float,
        threads: int,
        entries: SparsePatterns | None = None,
    ) -> None:
        self.setting, self.network, self.eta = setting, network, learning_rate
        self.entries = entries
        self.n_threads = min(threads, HALVES)
        self.functions = _functions(cell, setting.dtype)
        self.rates = Rates(
            learning_rate=learning_rate,
            keep=1 - cell.weight_decay,
            hidden_shift=setting.hidden_shift if setting.centering else 0.0,
            follows_gradient=cell.rule.pulls_back,
            least=np.finfo(setting.dtype).tiny,
        )
        self.parameters = Parameters(
            network.weights,
            network.decoder_bias,
            network.offset,
            bias=np.tile(network.bias, (HALVES, 1)),
            hidden_offset=np.tile(network.hidden_offset, (HALVES, 1)),
        )

    def run(self, inputs: Array) -> None:
        """Show all patterns, epoch by epoch."""
        batch_size = min(self.setting.batch_size, len(inputs))
        work = Workspace.of(self.parameters, batch_size)
        shown = self._shown(inputs, batch_size)
        n_steps = 0
        for order in self.setting.orders(len(inputs)):
            diverged = self._learn(shown, order, batch_size, work, n_steps)
            if diverged >= 0:
                raise DivergenceError(n_steps + diverged, self.eta)
            n_steps += -(-len(order) // batch_size)
            if work.n_diverging.any():
                raise DivergenceError(n_steps - 1, self.eta)
        if not np.isfinite(self.network.weights).all():
            raise DivergenceError(n_steps, self.eta)
        self.network.bias[:] = self.parameters.bias[0]
        self.network.hidden_offset[:] = self.parameters.hidden_offset[0]

    def _shown(self, inputs: Array, batch_size: int) -> Any:
        """Return the patterns in the form in which they are shown."""
        from hebbian_descent.kernels.tied_encoding import Entries

        if self.entries is None:
            return _as_compiled_loops_take_them(inputs)
        return Entries.of(self.entries, self.parameters, batch_size)

    def _learn(
        self, inputs: Any, order: npt.NDArray[np.intp], batch_size: int, work: Workspace, n_steps: int
    ) -> int:
        """Show all patterns once; return the step that diverged, counted from here, or −1."""
        from hebbian_descent.engines.lockstep import in_lockstep
        from hebbian_descent.kernels.tied_steps import learn_in_batches

        def take_part(number: int, meeting: Any) -> int:
            return learn_in_batches(
                HALVES * number // self.n_threads,
                HALVES * (number + 1) // self.n_threads,
                meeting,
                self.functions,
                self.rates,
                self.parameters,
                work,
                inputs,
                order,
                batch_size,
                n_steps,
            )

        return in_lockstep(take_part, self.n_threads)[0]


def _functions(cell: AutoCell, dtype: np.dtype[Any]) -> Functions:
    # Numba is imported when it is first needed.
    from hebbian_descent.kernels.reconstruction import (
        address_of_error,
        address_of_hidden,
        address_of_pull_back,
    )

    hidden, output = map(kernel_kind, cell.activation)
    return Functions(
        product=address_of_blas(PRODUCTS[dtype]),
        hidden=address_of_hidden(hidden, dtype),
        error=address_of_error(output, dtype),
        pull_back=address_of_pull_back(hidden, dtype) if cell.rule.pulls_back else 0,
    )


def _as_compiled_loops_take_them(inputs: Array) -> Array:
    """Return the patterns row by row and not to be written to, so that loops are compiled for one form alone.

    They keep their precision, to save a copy of them all.
    """
    known = inputs if inputs.dtype in PRODUCTS else inputs.astype(np.float64)
    view = np.ascontiguousarray(known).view()
    view.flags.writeable = False
    return view
