"""Estimators that learn from an iterable of batches."""

import dask.array
import numpy as np
import pyarrow as pa
import pytest

from hebbian_descent import HebbianDescentClassifier, HebbianDescentRegressor

RNG = np.random.default_rng(0)
X = RNG.normal(size=(500, 4))
LABELS = np.where(X.sum(axis=1) > 0, "above", "below")
NUMBERS = X @ [1.0, 2.0, 3.0, 4.0]

CASES = pytest.mark.parametrize(
    ("new", "y"), [(HebbianDescentClassifier, LABELS), (HebbianDescentRegressor, NUMBERS)]
)


def assert_same_bits(found, expected):
    for name in ("coef_", "bias_", "offset_"):
        assert getattr(found, name).tolist() == getattr(expected, name).tolist()


@CASES
def test_a_generator_is_learned_in_one_pass(new, y):
    estimator = new()
    assert estimator.learn((X[i : i + 70], y[i : i + 70]) for i in range(0, 500, 70)) is estimator
    assert_same_bits(estimator, new().partial_fit(X, y))
    assert estimator.n_samples_seen_ == 500


@CASES
def test_blocks_of_dask_arrays(new, y):
    inputs, targets = dask.array.from_array(X, chunks=(120, 4)), dask.array.from_array(y, chunks=120)
    blocks = ((inputs.blocks[i], targets.blocks[i]) for i in range(inputs.numblocks[0]))
    assert_same_bits(new().learn(blocks), new().partial_fit(X, y))


@CASES
def test_record_batches_of_pyarrow(new, y):
    columns = {"a": X[:, 0], "y": y, "b": X[:, 1], "c": X[:, 2], "d": X[:, 3]}
    batches = pa.table(columns).to_batches(max_chunksize=90)
    batches[1] = batches[1].select(["d", "c", "b", "a", "y"])  # columns are found by name
    assert_same_bits(new().learn(batches, target="y"), new().partial_fit(X, y))


@pytest.mark.parametrize(
    ("batches", "target", "message"),
    [
        ([X], None, r"must be a pair \(X, y\). Got ndarray"),
        ([(X, NUMBERS, NUMBERS)], None, "must be a pair"),
        ([(X, NUMBERS)], "y", "must be record batches. Got tuple"),
    ],
)
def test_other_batches_are_refused(batches, target, message):
    with pytest.raises(TypeError, match=message):
        HebbianDescentRegressor().learn(batches, target=target)


def test_a_record_batch_with_other_columns_is_refused():
    first = pa.RecordBatch.from_pydict({"a": [1.0, 2.0], "y": [1.0, 2.0]})
    other = pa.RecordBatch.from_pydict({"b": [1.0, 2.0], "y": [1.0, 2.0]})
    with pytest.raises(ValueError, match=r"must have the columns a, y\. Got b, y"):
        HebbianDescentRegressor().learn([first, other], target="y")
    with pytest.raises(ValueError, match=r"must have the columns a, y, z\. Got a, y"):
        HebbianDescentRegressor().learn([first], target="z")


def test_batches_before_one_that_is_refused_stay_learned():
    regressor = HebbianDescentRegressor()
    with pytest.raises(ValueError, match="NaN"):
        regressor.learn([(X[:100], NUMBERS[:100]), (np.full((1, 4), np.nan), [1.0])])
    assert_same_bits(regressor, HebbianDescentRegressor().partial_fit(X[:100], NUMBERS[:100]))
