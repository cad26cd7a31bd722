"""The real data are the paper's: the simplest guesses have the errors that it prints."""

import numpy as np
import pytest

from hebbian_descent import datasets
from hebbian_descent.datasets.loading import read_unscaled

HIGHEST = {"adult": 1, "connect": 1, "mnist": 255 / 256, "cifar": 1}


@pytest.fixture(params=["adult", "connect", "mnist", "cifar"], scope="module")
def dataset(request, real_data):
    return datasets.load(request.param, folder=real_data, dtype=np.float32)


def test_the_parts_have_the_sizes_and_values_described(dataset):
    description = datasets.describe(dataset.name)
    parts = (dataset.train, dataset.valid, dataset.test)
    assert [0 if part is None else len(part) for part in parts] == [
        description.n_train,
        description.n_valid,
        description.n_test,
    ]
    for part in parts:
        if part is not None:
            assert part.inputs.shape == (len(part), dataset.n_features)
            assert part.inputs.min() == 0
            assert part.inputs.max() == np.float32(HIGHEST[dataset.name])
            assert set(part.labels.tolist()) == set(range(dataset.n_classes))


def test_the_mean_pattern_errs_as_much_as_the_paper_prints(dataset):
    printed = {"adult": 0.1248, "connect": 0.1717, "mnist": 0.1496, "cifar": 0.1955}
    inputs = dataset.test.inputs
    deviation = np.abs(inputs - inputs.mean(axis=0, dtype=np.float64).astype(np.float32))
    assert round(float(deviation.mean(dtype=np.float64)), 4) == printed[dataset.name]
    assert datasets.describe(dataset.name).origin.deviation == printed[dataset.name]


def test_the_most_frequent_label_errs_as_much_as_the_paper_prints(dataset):
    printed = {"adult": 0.2399, "connect": 0.3409, "mnist": 0.8865, "cifar": 0.9}
    assert round(error_of_most_frequent_label(dataset.test), 4) == printed[dataset.name]
    assert datasets.describe(dataset.name).origin.label_error == printed[dataset.name]


def test_baseline_of_mnist_is_that_of_the_most_frequent_label(real_data):
    # One of the paper's tables prints 0.8895 for it.
    splits, _ = read_unscaled("mnist", folder=real_data)
    assert round(error_of_most_frequent_label(splits.test), 4) == 0.8865


def error_of_most_frequent_label(split):
    return 1 - np.bincount(split.labels).max() / len(split)
