"""Which samples early stopping holds out: the same share of each class, drawn by the seed alone."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_digits

from hebbian_descent import HebbianDescentClassifier, HebbianDescentRegressor
from hebbian_descent.estimators import epochs
from hebbian_descent.estimators.epochs import hold_out, shares_of_classes

X, Y = load_digits(return_X_y=True)
X, Y = X[:400], Y[:400]
STOPPING = {"max_epochs": 4, "early_stopping": True}


def drawn(labels, n_held_out, seed):
    """Return the samples held out, in naive loops: of each class, the first ones of an order."""
    order = np.random.default_rng((seed, len(labels), n_held_out)).permutation(len(labels))
    members = {label: [row for row in order if labels[row] == label] for label in sorted(set(labels))}
    exact = {label: n_held_out * len(rows) / len(labels) for label, rows in members.items()}
    left = n_held_out - sum(int(share) for share in exact.values())
    most_short = sorted(members, key=lambda label: int(exact[label]) - exact[label])[:left]
    return sorted(
        row for label, rows in members.items() for row in rows[: int(exact[label]) + (label in most_short)]
    )


@pytest.fixture
def measured(monkeypatch):
    """The inputs that losses are measured on, of each fit."""
    shown = []

    class Recorded(epochs.MeanLoss):
        def __init__(self, setting, samples, n_outputs):
            shown.append(samples)
            super().__init__(setting, samples, n_outputs)

    monkeypatch.setattr(epochs, "MeanLoss", Recorded)
    return shown


@pytest.mark.parametrize("seed", [0, 1, 2**40])
@pytest.mark.parametrize("fraction", [0.1, 0.25, 0.33, 0.5])
def test_each_class_gives_its_share(seed, fraction, measured):
    y = np.array(["odd" if digit % 2 else "few" if digit == 0 else "even" for digit in Y])
    classifier = HebbianDescentClassifier(random_state=seed, validation_fraction=fraction, **STOPPING)
    classifier.fit(X, y)
    expected = drawn(y.tolist(), round(fraction * 400), seed)
    np.testing.assert_array_equal(measured[0].inputs, X[expected])
    np.testing.assert_array_equal(classifier.classes_[measured[0].targets], y[expected])


@pytest.mark.parametrize("convert", [np.asarray, csr_array])
def test_the_rest_is_learned(convert):
    stopped = HebbianDescentClassifier(random_state=0, **STOPPING).fit(convert(X), Y)
    rest = np.setdiff1d(np.arange(400), drawn(Y.tolist(), 40, 0))
    plain = HebbianDescentClassifier(random_state=0, epochs=stopped.n_epochs_).fit(convert(X[rest]), Y[rest])
    np.testing.assert_array_equal(stopped.coef_, plain.coef_)
    assert stopped.n_samples_seen_ == 360 * stopped.n_epochs_


def test_a_warm_start_holds_out_the_same_samples(measured):
    classifier = HebbianDescentClassifier(random_state=None, warm_start=True, **STOPPING).fit(X, Y)
    classifier.fit(X, Y)
    np.testing.assert_array_equal(measured[0].inputs, measured[1].inputs)
    more = np.concatenate([Y, np.full(20, -1)])  # a class that comes before all others
    classifier.fit(np.concatenate([X, X[:20]]), more)
    classifier.fit(X, Y)
    np.testing.assert_array_equal(measured[0].inputs, measured[3].inputs)
    np.testing.assert_array_equal(measured[0].targets + 1, measured[3].targets)


def test_what_has_no_single_label_is_drawn_as_a_whole(measured):
    expected = np.sort(np.random.default_rng((0, 400, 40)).permutation(400)[:40])
    several = np.stack([Y % 2, Y > 8], axis=1).astype(int)
    HebbianDescentClassifier(activation="sigmoid", random_state=0, **STOPPING).fit(X, several)
    HebbianDescentRegressor(random_state=0, **STOPPING).fit(X, Y.astype(float))
    for samples in measured:
        np.testing.assert_array_equal(samples.inputs, X[expected])


@pytest.mark.parametrize("seed", range(20))
def test_both_parts_have_every_class_and_shares_are_close(seed):
    rng = np.random.default_rng(seed)
    counts = rng.integers(2, rng.choice([4, 30, 300]), size=rng.integers(1, 40))
    labels = rng.permutation(np.repeat(np.arange(len(counts)), counts))
    fraction = float(rng.choice([0.001, 0.1, 0.3, 0.7, 0.999]))
    learned, held_out = hold_out(labels, fraction, seed)
    assert sorted([*learned, *held_out]) == list(range(len(labels)))
    given = np.bincount(labels[held_out], minlength=len(counts))
    assert (given >= 1).all()
    assert (given <= counts - 1).all()
    wanted = round(fraction * len(labels))
    assert len(held_out) == np.clip(wanted, len(counts), len(labels) - len(counts))
    exact = counts * len(held_out) / len(labels)
    if (exact >= 1).all() and (exact <= counts - 1).all():
        assert (np.abs(given - exact) < 1).all()


@pytest.mark.parametrize(
    ("counts", "n_held_out", "shares"),
    [
        ([50, 50], 10, [5, 5]),
        ([90, 10], 10, [9, 1]),
        ([97, 3], 10, [9, 1]),  # 9.7 and 0.3: no class is left out
        ([95, 3, 2], 10, [8, 1, 1]),
        ([2, 2, 2], 3, [1, 1, 1]),
        ([2, 98], 90, [1, 89]),  # 1.8 and 88.2: every class is learned
        ([7], 3, [3]),
    ],
)
def test_shares(counts, n_held_out, shares):
    assert shares_of_classes(np.array(counts), n_held_out).tolist() == shares


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        (
            ["a", "b", "a", "a"],
            "at least 2 samples of each class, .* Got 1 sample of class 'b': add some, leave",
        ),
        ([3, 3, 5], "Got 1 sample of class 5: add some, leave the class out, or set early_stopping=False"),
        ([0], "Got 1 sample of class 0"),
    ],
)
def test_a_class_of_one_sample_is_refused(labels, sentence):
    classifier = HebbianDescentClassifier(random_state=0, **STOPPING)
    with pytest.raises(ValueError, match=sentence):
        classifier.fit(X[: len(labels)], labels)
    assert not hasattr(classifier, "classes_")
    classifier.set_params(early_stopping=False).fit(X[: len(labels)], labels)


def test_a_sample_without_weight_does_not_count():
    weights = [1, 1, 1, 1, 0]
    with pytest.raises(ValueError, match="Got 1 sample of class 1"):
        HebbianDescentClassifier(**STOPPING).fit(X[:5], [0, 0, 0, 1, 1], sample_weight=weights)


def test_one_sample_cannot_be_split():
    with pytest.raises(
        ValueError, match=r"at least 2 samples, one to learn .* Got 1 sample: add some, or set"
    ):
        HebbianDescentRegressor(**STOPPING).fit(X[:1], [1.0])
