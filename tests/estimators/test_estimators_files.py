"""Fitted estimators in files: what is loaded predicts the same, and continues to learn in the same way."""

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.datasets import load_digits

from hebbian_descent import (
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
)
from hebbian_descent.storage import models
from hebbian_descent.storage.models import ModelFileError

X, y = load_digits(return_X_y=True)
X, y = X[:200] / 16, y[:200]
WORDS = np.array(["ham", "spam"])[y % 2]
FRAME = pd.DataFrame(X, columns=[f"pixel {number}" for number in range(X.shape[1])])


@pytest.mark.parametrize(
    ("estimator", "inputs", "targets"),
    [
        (HebbianDescentClassifier(random_state=0), X, y),
        (HebbianDescentClassifier(activation="sigmoid", learning_rate=0.1), FRAME, WORDS),
        (HebbianDescentClassifier(random_state=1), X.astype(np.float32), y),
        (HebbianDescentRegressor(activation="sigmoid"), X, X[:, ::-1]),
        (HebbianDescentRegressor(), X, y.astype(float)),
        (HebbianDescentAutoencoder(random_state=0), X, None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_estimator_comes_back_the_same(estimator, inputs, targets, tmp_path):
    estimator.fit(inputs, targets)
    estimator.save(tmp_path / "model.safetensors")
    for loaded in (
        type(estimator).load(tmp_path / "model.safetensors"),
        models.load(tmp_path / "model.safetensors"),
    ):
        assert loaded.get_params() == estimator.get_params()
        use = "transform" if hasattr(estimator, "transform") else "predict"
        np.testing.assert_array_equal(getattr(loaded, use)(inputs), getattr(estimator, use)(inputs))
        assert getattr(loaded, use)(inputs).dtype == getattr(estimator, use)(inputs).dtype
    again = () if targets is None else (targets[:50],)
    loaded.partial_fit(inputs[:50], *again)
    estimator.partial_fit(inputs[:50], *again)
    np.testing.assert_array_equal(getattr(loaded, use)(inputs), getattr(estimator, use)(inputs))


@pytest.mark.parametrize(
    ("estimator", "inputs", "targets"),
    [
        (HebbianDescentClassifier(), FRAME, WORDS),
        (HebbianDescentRegressor(activation="sigmoid"), X, X[:, ::-1]),
        (HebbianDescentAutoencoder(), X, None),
    ],
    ids=lambda value: type(value).__name__,
)
def test_skops_brings_an_estimator_back(estimator, inputs, targets, tmp_path):
    """It asks to trust the class, and nothing else; what is loaded has the same bits and can learn more."""
    estimator.set_params(random_state=0).fit(inputs, targets)
    skops.io.dump(estimator, tmp_path / "model.skops")
    kind = type(estimator)
    untrusted = skops.io.get_untrusted_types(file=tmp_path / "model.skops")
    assert untrusted == [f"{kind.__module__}.{kind.__name__}"]
    loaded = skops.io.load(tmp_path / "model.skops", trusted=untrusted)
    again = () if targets is None else (targets[:50],)
    for each in (loaded, estimator):
        each.partial_fit(inputs[:50], *again)
    use = "transform" if targets is None else "predict"
    np.testing.assert_array_equal(getattr(loaded, use)(inputs), getattr(estimator, use)(inputs))


def test_an_estimator_that_has_not_learned_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="not fitted"):
        HebbianDescentClassifier().save(tmp_path / "model.safetensors")
    assert not list(tmp_path.iterdir())


def test_the_wrong_class_is_named(tmp_path):
    HebbianDescentClassifier().fit(X, y).save(tmp_path / "model.safetensors")
    with pytest.raises(
        ModelFileError, match=r"HebbianDescentRegressor\. Got one of HebbianDescentClassifier"
    ):
        HebbianDescentRegressor.load(tmp_path / "model.safetensors")
