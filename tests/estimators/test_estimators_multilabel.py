"""Samples that have several labels: y is a matrix of zeros and ones, and so are the predictions."""

import numpy as np
import pytest
import scipy.sparse
from same_bits import assert_same_bits
from scipy.special import expit
from sklearn.datasets import make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from hebbian_descent import HebbianDescentClassifier, load

X, Y = make_multilabel_classification(600, 10, n_classes=4, random_state=0)


def classifier(**settings):
    return HebbianDescentClassifier(**{"activation": "sigmoid", "random_state": 0, **settings})


def test_labels_are_learned_as_by_logistic_regressions():
    fitted = classifier().fit(X[:400], Y[:400])
    other = OneVsRestClassifier(LogisticRegression(max_iter=1000)).fit(X[:400], Y[:400])
    right = (fitted.predict(X[400:]) == Y[400:]).mean()
    assert right > (other.predict(X[400:]) == Y[400:]).mean() - 0.03


@pytest.mark.parametrize("n_labels", [2, 4])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_shapes_and_meaning_of_outputs(n_labels, method):
    fitted = getattr(classifier(), method)(X, Y[:, :n_labels])
    assert fitted.classes_.tolist() == list(range(n_labels))
    a = fitted.decision_function(X)
    assert a.shape == (600, n_labels)
    assert fitted.coef_.shape == (n_labels, 10)
    assert fitted.intercept_.shape == (n_labels,)
    np.testing.assert_allclose(a, X @ fitted.coef_.T + fitted.intercept_)
    np.testing.assert_allclose(fitted.predict_proba(X), expit(a))
    predicted = fitted.predict(X)
    assert predicted.dtype == np.int64
    np.testing.assert_array_equal(predicted, a > 0)


def test_each_label_is_learned_as_if_it_were_alone():
    """Sigmoid units are independent: a column is a regression on zeros and ones."""
    both = classifier(shuffle=False).fit(X, Y[:, :2])
    swapped = classifier(shuffle=False).fit(X, Y[:, 1::-1])
    np.testing.assert_array_equal(both.coef_, swapped.coef_[::-1])


def test_a_stream_in_pieces_or_one_by_one_is_the_same():
    whole, single = classifier().partial_fit(X[:50], Y[:50]), classifier()
    for row in range(50):
        single.partial_fit(X[row : row + 1], Y[row : row + 1])
    assert_same_bits(whole, single)


def test_sparse_matrices_of_labels_and_lists_are_taken():
    dense = classifier().fit(X, Y)
    assert_same_bits(dense, classifier().fit(X, scipy.sparse.csr_matrix(Y)))
    assert_same_bits(dense, classifier().fit(X, Y.tolist()))
    assert_same_bits(dense, classifier().fit(X, Y.astype(bool)))


def test_a_fitted_classifier_comes_back_from_a_file(tmp_path):
    fitted = classifier().fit(X, Y)
    fitted.save(tmp_path / "labels.safetensors")
    loaded = load(tmp_path / "labels.safetensors")
    assert loaded.multilabel_
    assert_same_bits(loaded, fitted)
    np.testing.assert_array_equal(loaded.predict(X), fitted.predict(X))
    assert_same_bits(loaded.partial_fit(X[:5], Y[:5]), fitted.partial_fit(X[:5], Y[:5]))


def test_a_new_fit_may_have_one_label_per_sample():
    fitted = classifier().fit(X, Y).fit(X, Y[:, 0])
    assert not fitted.multilabel_
    assert fitted.predict(X).shape == (600,)


@pytest.mark.parametrize("activation", ["softmax", "linear", "step"])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_units_of_which_one_is_on_are_refused(activation, method):
    with pytest.raises(ValueError, match=f'set activation="sigmoid" and .* Got {activation!r}'):
        getattr(HebbianDescentClassifier(activation=activation), method)(X, Y)


def test_what_does_not_fit_is_refused():
    fitted = classifier().fit(X, Y)
    with pytest.raises(ValueError, match=r"matrix of 4 columns, as before\. Got the shape \(600,\)"):
        fitted.partial_fit(X, Y[:, 0])
    with pytest.raises(ValueError, match=r"as before\. Got the shape \(600, 2\)"):
        fitted.partial_fit(X, Y[:, :2])
    with pytest.raises(ValueError, match=r"one label per sample, as before"):
        classifier().partial_fit(X, Y[:, 0]).partial_fit(X, Y)
    with pytest.raises(ValueError, match=r"1 where a sample has a label and 0 .* Got -1"):
        classifier().fit(X, 2 * Y - 1)
    with pytest.raises(ValueError, match=r"must be their numbers, from 0 on\. Got \[1, 2, 3, 4\]"):
        classifier().partial_fit(X, Y, classes=[1, 2, 3, 4])
    with pytest.raises(ValueError, match=r'error="difference"\. Got .sigmoid. and .leaky_hinge.'):
        classifier(error="leaky_hinge").fit(X, Y)
    with pytest.raises(ValueError, match=r"several labels\. Got 'balanced': use sample_weight"):
        classifier(class_weight="balanced").fit(X, Y)


def test_only_sigmoid_units_say_that_they_take_several_labels():
    assert classifier().__sklearn_tags__().classifier_tags.multi_label
    assert not HebbianDescentClassifier().__sklearn_tags__().classifier_tags.multi_label
