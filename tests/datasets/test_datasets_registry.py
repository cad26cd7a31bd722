"""One list drives everything: what it says of a dataset is what loading gives."""

import os
import subprocess
import sys

import numpy as np
import pytest

from hebbian_descent import datasets

NEED_NO_FILES = [name for name in datasets.names() if not datasets.describe(name).needs_download]


def test_the_datasets_of_the_paper_are_there_and_two_that_need_no_download():
    assert datasets.names() == (
        "rand",
        "randn",
        "adult",
        "connect",
        "mnist",
        "cifar",
        "digits",
        "connect_positions",
    )
    assert NEED_NO_FILES == ["rand", "randn", "digits", "connect_positions"]


@pytest.mark.parametrize("name", datasets.names())
def test_every_dataset_is_described(name):
    description = datasets.describe(name)
    assert description.title
    assert description.what.endswith(".")
    assert description.source
    assert description.licence
    if description.image_shape is not None:
        assert np.prod(description.image_shape) == description.n_features


@pytest.mark.parametrize("name", NEED_NO_FILES)
def test_loading_gives_what_the_description_says(name):
    assert_as_described(datasets.load(name))


def assert_as_described(dataset):
    description = datasets.describe(dataset.name)
    sizes = [0 if part is None else len(part) for part in (dataset.train, dataset.valid, dataset.test)]
    assert sizes == [description.n_train, description.n_valid, description.n_test]
    assert description.shape == (sum(sizes), dataset.n_features)
    assert dataset.n_classes == len(dataset.class_names) == description.n_classes
    for part in (dataset.train, dataset.valid, dataset.test):
        if part is not None:
            assert part.inputs.shape == (len(part), description.n_features)
            assert part.inputs.min() == 0
            assert 0.99 < part.inputs.max() <= 1
            assert (part.labels is None) == (dataset.n_classes == 0)
            if part.labels is not None:
                assert set(part.labels.tolist()) == set(range(dataset.n_classes))


def test_what_takes_long_to_import_waits_until_it_is_needed():
    code = (
        "import sys, numpy, hebbian_descent; before = set(sys.modules); import hebbian_descent.datasets; "
        "print({'sklearn', 'scipy', 'rich', 'urllib.request'} & (set(sys.modules) - before))"
    )
    path = {"PYTHONPATH": os.pathsep.join(sys.path)}
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | path
    )
    assert answer.stdout.strip() == "set()", answer.stderr


def test_inputs_are_float64_unless_asked_otherwise_and_labels_can_index():
    digits = datasets.load("digits")
    assert digits.train.inputs.dtype == np.float64
    assert digits.train.labels.dtype == np.int64
    assert datasets.load("digits", dtype="float32").train.inputs.dtype == np.float32


def test_digits_are_scaled_by_sixteen():
    from sklearn.datasets import load_digits

    inputs, labels = load_digits(return_X_y=True)
    digits = datasets.load("digits")
    np.testing.assert_array_equal(np.vstack([digits.train.inputs, digits.test.inputs]), inputs / 16)
    np.testing.assert_array_equal(np.concatenate([digits.train.labels, digits.test.labels]), labels)


def test_changing_a_loaded_dataset_does_not_change_the_next_one():
    first = datasets.load("digits")
    first.train.inputs[:] = 7
    assert datasets.load("digits").train.inputs.max() == 1


def test_a_dataset_is_shown_in_one_line_a_part():
    assert repr(datasets.load("digits").test) == "Split(500 patterns of 64 float64 features, with labels)"


@pytest.mark.parametrize("dtype", [int, "uint8", complex, "no type"])
def test_a_type_that_is_not_floating_is_refused(dtype):
    with pytest.raises(TypeError, match="must be a floating type such as float32"):
        datasets.load("digits", dtype=dtype)


@pytest.mark.parametrize("call", [datasets.load, datasets.describe, datasets.locate, datasets.fetch])
def test_an_unknown_name_gets_a_suggestion(call):
    with pytest.raises(ValueError, match=r"The dataset must be one of adult, .* Did you mean 'mnist'"):
        call("mnits")
