"""The weight of a class is a weight of its samples."""

import numpy as np
import pytest
from same_bits import assert_same_bits
from sklearn.utils.class_weight import compute_sample_weight

from hebbian_descent import HebbianDescentClassifier, load
from hebbian_descent.storage.models import ModelFileError, read_model, write_model

RNG = np.random.default_rng(0)
Y = (RNG.random(500) < 0.1).astype(int)
X = RNG.normal(size=(500, 4)) + Y[:, np.newaxis]


def classifier(**settings):
    return HebbianDescentClassifier(random_state=0, **settings)


def test_weights_of_classes_are_weights_of_samples():
    sample_weight = np.where(Y == 1, 3.0, 0.5)
    weights = {0: 0.5, 1: 3.0}
    for method in ("fit", "partial_fit"):
        by_class = getattr(classifier(class_weight=weights), method)(X, Y)
        assert_same_bits(by_class, getattr(classifier(), method)(X, Y, sample_weight=sample_weight))


def test_a_class_that_is_not_named_weighs_one():
    by_class = classifier(class_weight={1: 3.0}).fit(X, Y)
    assert_same_bits(by_class, classifier().fit(X, Y, sample_weight=np.where(Y == 1, 3.0, 1.0)))


def test_a_class_that_is_not_there_is_refused_where_another_has_no_weight():
    weights = {1: 3.0, 7: 2.0}
    with pytest.raises(ValueError, match="Got 7, which is not in y, but not 0, which is: correct the label"):
        classifier(class_weight=weights).fit(X, Y)
    in_stream = classifier(class_weight=weights).partial_fit(X, Y)  # it may still come
    assert_same_bits(in_stream, classifier(class_weight={1: 3.0}).partial_fit(X, Y))
    weights |= {0: 0.5}
    with_more = classifier(class_weight=weights).fit(X, Y)
    assert_same_bits(with_more, classifier(class_weight={0: 0.5, 1: 3.0}).fit(X, Y))


def test_balanced_classes_weigh_as_in_scikit_learn():
    balanced = classifier(class_weight="balanced").fit(X, Y)
    assert_same_bits(balanced, classifier().fit(X, Y, sample_weight=compute_sample_weight("balanced", Y)))
    assert balanced.predict(X).mean() > classifier().fit(X, Y).predict(X).mean()


def test_balance_counts_the_weights_of_samples():
    twice = np.where(np.arange(500) % 2, 2.0, 1.0)
    balanced = classifier(class_weight="balanced").fit(X, Y, sample_weight=twice)
    sums = np.bincount(Y, twice)
    assert_same_bits(balanced, classifier().fit(X, Y, sample_weight=twice * (sums.sum() / (2 * sums))[Y]))


def test_classes_whose_samples_weigh_nothing_have_no_part_in_the_balance():
    labels = np.where(np.arange(500) % 5 == 0, 2, Y)
    there = labels < 2
    balanced = classifier(class_weight="balanced").fit(X, labels, sample_weight=there.astype(float))
    assert_same_bits(balanced, classifier(class_weight="balanced").fit(X[there], labels[there]))


def test_one_sample_alone_has_the_weight_of_its_class():
    whole = classifier(class_weight={1: 3.0}).partial_fit(X[:30], Y[:30])
    single = classifier(class_weight={1: 3.0})
    for row in range(30):
        single.partial_fit(X[row : row + 1], Y[row : row + 1])
    assert_same_bits(whole, single)


def test_balance_in_a_stream_is_refused_with_advice():
    stream = classifier(class_weight="balanced")
    with pytest.raises(ValueError, match=r"compute_class_weight\(.*pass them as a dictionary"):
        stream.partial_fit(X, Y)
    assert not hasattr(stream, "classes_")


@pytest.mark.parametrize(
    ("class_weight", "sentence"),
    [
        ("even", "must be None, \"balanced\" or a dictionary of weights by label. Got 'even'"),
        ([1.0, 2.0], r"dictionary of weights by label. Got \[1.0, 2.0\]"),
        ({0: 0.0}, "class_weight of 0 must be above 0. Got 0.0"),
        ({"a": np.nan}, "class_weight of 'a' must be above 0. Got nan"),
    ],
)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_other_weights_are_refused(class_weight, sentence, method):
    with pytest.raises(ValueError, match=sentence):
        getattr(classifier(class_weight=class_weight), method)(X, Y)


@pytest.mark.parametrize("class_weight", [{0: 1.0, 1: 2.5}, {"ham": 1.0, "spam": 2.5}, "balanced", None])
def test_weights_of_classes_come_back_from_a_file(class_weight, tmp_path):
    labels = np.array(["ham", "spam"])[Y] if class_weight and "ham" in class_weight else Y
    classifier(class_weight=class_weight).fit(X, labels).save(tmp_path / "model")
    assert load(tmp_path / "model").class_weight == class_weight


@pytest.mark.parametrize("pairs", [[[0, -1.0]], [[[0], 1.0]], {"0": 1.0}, [[0, "much"]], [0, 1]])
def test_a_file_with_other_weights_is_refused(pairs, tmp_path):
    classifier(class_weight={0: 1.0}).fit(X, Y).save(tmp_path / "model")
    found = read_model(tmp_path / "model")
    write_model(tmp_path / "model", found.kind, {**found.parameters, "class_weight": pairs}, found.arrays)
    with pytest.raises(ModelFileError, match="class_weight"):
        load(tmp_path / "model")
