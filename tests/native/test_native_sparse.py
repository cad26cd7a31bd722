"""Sparse samples in compiled code: with the sanitizers, this shows every access out of bounds."""

import numpy as np
import pytest
import scipy.sparse

from hebbian_descent import HebbianDescentClassifier
from hebbian_descent.engines.online import native_loop
from hebbian_descent.engines.sparse_online import SparseArrays, rows_of
from hebbian_descent.estimators.parameters import Parameters

N_ROWS, N_INPUTS, N_CLASSES = 600, 37, 3


def problem(dtype):
    X = scipy.sparse.random_array((N_ROWS, N_INPUTS), density=0.2, dtype=dtype, format="csr", rng=0)
    return X, np.arange(N_ROWS) % N_CLASSES


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("average", [True, False])
def test_sparse_samples_are_learned_like_dense_ones(dtype, average):
    X, y = problem(dtype)
    sparse, dense = (HebbianDescentClassifier(average=average) for _ in range(2))
    for start in range(0, N_ROWS, 50):
        rows = slice(start, start + 50)
        labels = y[rows] + (y[rows] == 2) * start  # new classes on the way
        sparse.partial_fit(X[rows], labels)
        dense.partial_fit(X[rows].toarray(), labels)
    tolerance = 1e-3 if dtype == np.float32 else 1e-9
    np.testing.assert_allclose(sparse.decision_function(X), dense.decision_function(X), atol=tolerance)


def calls(core, kind, fault):
    """Yield calls of the compiled loop for sparse samples, of which one index is out of range."""
    classifier = HebbianDescentClassifier()
    setting, dtype = Parameters.of(classifier).in_stream, np.dtype(kind)
    X, y = problem(kind)
    arrays = SparseArrays.of(classifier.partial_fit(X.toarray(), y)._arrays(setting))
    values, columns, starts = (part.copy() for part in rows_of(X))
    order = np.arange(N_ROWS)
    if fault == "column":
        columns[5] = N_INPUTS
    elif fault == "negative column":
        columns[5] = -1
    elif fault == "start":
        starts[7] = len(columns) + 1
    elif fault == "descending starts":
        starts[7] = 0
    else:
        order[3] = N_ROWS
    loop = native_loop(setting, N_INPUTS, dtype, per_pass=1)
    ones, progress, rows = np.ones(N_ROWS, kind), np.zeros(2), (values, columns, starts)
    labels = arrays.places[y]
    yield lambda: loop.learn_sparse_labels(arrays.compiled, rows, labels, ones, order, progress)
    if fault != "order":
        out = np.empty((N_ROWS, N_CLASSES), kind)
        yield lambda: loop.respond_sparse(arrays.compiled, rows, False, out)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("fault", ["column", "negative column", "start", "descending starts", "order"])
def test_a_debug_build_refuses_indices_out_of_range(kind, fault):
    from hebbian_descent.native import core

    native = core()
    if native is None or not native.checks_indices:
        pytest.skip("only a debug build, such as that of `make test-sanitized`, checks indices again")
    for call in calls(native, kind, fault):
        with pytest.raises(IndexError):
            call()
