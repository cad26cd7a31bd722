"""Inputs are learned in units of their spread: a dense oracle learns z = (x − μ)/σ with weights of z."""

import numpy as np
import pytest
import scipy.special
from scipy.sparse import csr_array

from campaigns.snapshots import is_same, snapshot
from hebbian_descent import DivergenceError, HebbianDescentClassifier, HebbianDescentRegressor
from hebbian_descent.learning.scaling import as_scaling
from tests.plain import PLAIN

FLOOR = {np.float64: 1e-8, np.float32: 1e-5}
UNITS = {  # by estimator: φ, and κ/L of the automatic rate
    HebbianDescentClassifier: (scipy.special.softmax, 0.5 / 0.5),
    HebbianDescentRegressor: (lambda a: a, 0.5),
}
KINDS = list(UNITS)
N, N_INPUTS, N_OUTPUTS = 90, 7, 3


def own_difference(t, h):
    """The usual error term as one without a compiled form."""
    return h - t


def problem(dtype=np.float64, seed=0):
    """Inputs of all scales, many of them 0, one column constant and one always 0; labels and targets."""
    rng = np.random.default_rng(seed)
    X = rng.normal([0, 3, -2, 0, 1, 0, 0], size=(N, N_INPUTS))
    X[:, :5] *= [1e-6, 1e-3, 1, 1e3, 1e6]
    X[:, :4] *= rng.random((N, 4)) < 0.7
    X[:, 5], X[:, 6] = 4.0, 0.0
    labels = rng.integers(0, N_OUTPUTS, N)
    return X.astype(dtype), labels, rng.random((N, N_OUTPUTS)).astype(dtype)


def aims_of(kind, labels, targets):
    """Return what an estimator is given, and what its units are to show."""
    return (labels, np.eye(N_OUTPUTS)[labels]) if kind is HebbianDescentClassifier else (targets, targets)


def in_units(sigma, values):
    """Return values/σ, 0 where there is no σ."""
    return np.divide(values, sigma, out=np.zeros_like(values), where=sigma > 0)


def streamed(estimator, X, y):
    """Learn a stream whose classes are known from the start, as they are to the oracle."""
    known = {"classes": range(N_OUTPUTS)} if isinstance(estimator, HebbianDescentClassifier) else {}
    return estimator.partial_fit(X, y, **known)


class Dense:
    """A layer on z with weights of z, which are renewed when σ changes so that the output stays."""

    def __init__(self, kind, eta="auto", decay=0.0):
        self.phi, self.kappa = UNITS[kind]
        self.eta, self.decay = eta, decay
        self.U, self.b = np.zeros((N_OUTPUTS, N_INPUTS)), np.zeros(N_OUTPUTS)
        self.mu, self.q, self.sigma = np.zeros(N_INPUTS), np.zeros(N_INPUTS), np.zeros(N_INPUTS)
        self.n_times = np.full(N_INPUTS, 2)  # that an input was there

    @property
    def W(self):
        """The weights of raw inputs."""
        return in_units(self.sigma, self.U)

    def rescale(self, sigma):
        self.U, self.sigma = self.W * sigma, sigma

    def step(self, x, t, extent=None):
        """Learn one batch; absent inputs that were there only once stay as they are."""
        z = np.array([in_units(self.sigma, row - self.mu) for row in x])
        post = np.array([self.phi(self.U @ row + self.b) for row in z]) - t
        z = np.where((x == 0) & (self.n_times == 1), 0, z)
        products = (z @ z.T if extent is None else extent) + 1
        eta = self.kappa / (np.linalg.norm(products) / len(x)) if self.eta == "auto" else self.eta
        self.U = (1 - self.decay) * self.U - eta * post.T @ z / len(x)
        self.b = self.b - eta * post.mean(axis=0)

    def stream(self, X, T, *, nu=0.01, centers=True, floor=1e-8, begins_at_target=False):
        self.n_times = np.zeros(N_INPUTS, int)
        if centers:
            self.mu = X[0]
            self.b = T[0] if begins_at_target else self.b
        for n, (x, t) in enumerate(zip(X, T, strict=True), 1):
            share = max(nu, 1 / n)
            self.n_times += x != 0
            self.q = self.q + share * (x**2 - self.q)
            moved = self.mu + share * (x - self.mu) if centers else self.mu
            least = max(floor, 0.5 * 0.7 ** (1 / share))
            spread = np.sqrt(np.maximum(self.q - moved**2, least * self.q))
            self.rescale(np.where(x != 0, spread, self.sigma))
            starts = centers and n == 1
            self.step(x[np.newaxis], t[np.newaxis], extent=np.array([[(x != 0).sum()]]) if starts else None)
            self.b = self.b + self.W @ (moved - self.mu)
            self.mu = moved
        return self

    def fit(self, X, T, *, epochs, batch_size):
        self.mu = X.mean(axis=0)
        variance = ((X - self.mu) ** 2).mean(axis=0)
        self.rescale(np.sqrt(np.maximum(variance, 1e-8 * (variance + self.mu**2))))
        for _ in range(epochs):
            for start in range(0, len(X), batch_size):
                self.step(X[start : start + batch_size], T[start : start + batch_size])
        return self


def assert_agrees(estimator, dense, X, rtol):
    """Compare activities, offsets and scales, each relative to its size."""
    np.testing.assert_allclose(estimator.offset_, dense.mu, rtol=rtol)
    np.testing.assert_allclose(estimator.scale_, np.where(dense.n_times > 1, dense.sigma, 0), rtol=rtol)
    expected = (X - dense.mu) @ dense.W.T + dense.b
    found = (X - estimator.offset_) @ estimator.weights_.T + estimator.bias_
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * np.abs(expected).max())


@pytest.mark.parametrize("error", ["difference", own_difference], ids=["compiled", "plain"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("decay", [0.0, 0.03])
@pytest.mark.parametrize(("centering", "shift"), [("auto", 0.01), ("auto", 0.2), (None, 0.05)])
def test_a_stream_is_that_of_the_dense_layer(kind, error, centering, shift, decay):
    X, labels, targets = problem()
    y, T = aims_of(kind, labels, targets)
    for eta in ("auto", 1e-3):
        settings = {"error": error, "centering": centering, "shift": shift}
        estimator = streamed(kind(learning_rate=eta, weight_decay=decay, **settings), X, y)
        dense = Dense(kind, eta, decay)
        dense.stream(
            X, T, nu=shift, centers=centering is not None, begins_at_target=kind is HebbianDescentRegressor
        )
        assert_agrees(estimator, dense, X, 1e-13)
        np.testing.assert_allclose(estimator.mean_squares_, dense.q, rtol=1e-13)


@pytest.mark.parametrize("batch_size", [1, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_is_that_of_the_dense_layer(kind, batch_size):
    X, labels, targets = problem()
    y, T = aims_of(kind, labels, targets)
    settings = {"epochs": 3, "shuffle": False, "batch_size": batch_size}
    dense = Dense(kind).fit(X, T, epochs=3, batch_size=batch_size)
    assert_agrees(kind(**settings).fit(X, y), dense, X, 1e-13)


@pytest.mark.parametrize("error", ["difference", own_difference], ids=["compiled", "plain"])
@pytest.mark.parametrize("kind", KINDS)
def test_single_precision_does_the_same_roughly(kind, error):
    X, labels, targets = problem(np.float32)
    y, T = aims_of(kind, labels, targets)
    estimator = streamed(kind(error=error), X, y)
    dense = Dense(kind)
    dense.stream(
        X.astype(float), T, floor=FLOOR[np.float32], begins_at_target=kind is HebbianDescentRegressor
    )
    assert estimator.precisions_.dtype == np.float32
    assert_agrees(estimator, dense, X, 1e-5)


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("centering", ["auto", None])
def test_the_units_of_inputs_do_not_matter(kind, method, centering):
    """By powers of two nothing is even rounded otherwise."""
    rng = np.random.default_rng(1)
    X, labels, targets = problem()
    X = rng.normal(1, 1, X.shape) * (rng.random(X.shape) < 0.8)
    y, _ = aims_of(kind, labels, targets)

    def output(X):
        return getattr(kind(random_state=0, centering=centering), method)(X, y)._preactivation(X)

    expected = output(X)
    twos = 2.0 ** rng.integers(-40, 40, N_INPUTS)
    np.testing.assert_allclose(output(X * twos), expected, rtol=1e-13, atol=1e-13)
    decades = 10 ** rng.uniform(-6, 6, N_INPUTS)
    np.testing.assert_allclose(output(X * decades), expected, rtol=1e-9, atol=1e-9)
    single = getattr(kind(random_state=0, centering=centering), method)
    wide = (X * decades).astype(np.float32)
    np.testing.assert_allclose(single(wide, y)._preactivation(wide), expected, rtol=0.02, atol=0.02)


def test_without_a_scale_units_do_matter():
    X, labels, _ = problem()
    plain = HebbianDescentClassifier(random_state=0, scaling=None).fit(X, labels)
    assert plain.scale_ is None
    scaled = HebbianDescentClassifier(random_state=0).fit(X, labels)
    assert np.abs(plain._preactivation(X) - scaled._preactivation(X)).max() > 0.1


@pytest.mark.parametrize("kind", KINDS)
def test_the_output_stays_while_the_scale_moves(kind):
    """With a rate of 0 nothing but offset and scale follows the inputs."""
    X, labels, targets = problem()
    y, _ = aims_of(kind, labels, targets)
    X = X[:, :5]
    estimator = kind(average=False).partial_fit(X[:40], y[:40])
    before, scale = estimator._preactivation(X), estimator.scale_
    estimator.set_params(learning_rate=0.0).partial_fit(100 * X[40:], y[40:])
    assert (estimator.scale_ > 2 * scale).all()
    np.testing.assert_allclose(estimator._preactivation(X), before, rtol=1e-9, atol=1e-9)


def test_a_scale_is_renewed_only_where_the_input_is_not_0():
    X, _, targets = problem()
    regressor = HebbianDescentRegressor().partial_fit(X[:50], targets[:50])
    squares, precisions = regressor.mean_squares_.copy(), regressor.precisions_.copy()
    sample = X[50:51].copy()
    sample[0, [1, 4]] = 0
    regressor.partial_fit(sample, targets[50:51])
    there = sample[0] != 0
    np.testing.assert_array_equal(regressor.precisions_[~there], precisions[~there])
    assert (regressor.precisions_[there & (np.arange(N_INPUTS) != 5)] != precisions[there][:-1]).all()
    assert (regressor.mean_squares_ != squares)[:5].all()


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_input_that_is_always_0_is_as_if_it_were_not_there(kind, method):
    X, labels, targets = problem()
    y, _ = aims_of(kind, labels, targets)
    whole, without = (getattr(kind(random_state=0), method)(data, y) for data in (X, X[:, :6]))
    assert whole.scale_[6] == 0
    assert not whole.weights_[:, 6].any()
    np.testing.assert_allclose(whole._preactivation(X), without._preactivation(X[:, :6]), rtol=1e-9)


@pytest.mark.parametrize("value", [1e-6, 1.0, -1e6])
@pytest.mark.parametrize("dtype", FLOOR)
def test_an_input_that_never_changes_has_the_smallest_spread_and_teaches_nothing_in_fit(dtype, value):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)).astype(dtype)
    labels = (X[:, 0] > X[:, 1]).astype(int)
    X[:, 2] = value
    classifier = HebbianDescentClassifier(random_state=0).fit(X, labels)
    np.testing.assert_allclose(classifier.scale_[2], np.sqrt(FLOOR[dtype]) * abs(value), rtol=1e-3)
    assert classifier.score(X, labels) > 0.95
    streamed = HebbianDescentClassifier().partial_fit(X, labels)
    np.testing.assert_allclose(streamed.scale_[2], np.sqrt(FLOOR[dtype]) * abs(value), rtol=1e-3)
    assert np.isfinite(streamed._preactivation(X)).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_a_single_sample_has_a_scale_only_as_a_whole_dataset(kind, method):
    x, y = np.array([[3.0, -4e5, 0.0, 1e-5]]), [1]
    settings = {"epochs": 1} if method == "fit" else {}
    estimator = getattr(kind(average=False, **settings), method)(x, y)
    part = 1e-4 if method == "fit" else 0.0  # by the floor of a whole dataset; a stream knows nothing as yet
    np.testing.assert_allclose(estimator.scale_, part * np.abs(x[0]), rtol=1e-6)
    np.testing.assert_array_equal(estimator.offset_, x[0])
    assert not estimator.weights_.any()
    assert estimator.bias_.any() == (kind is HebbianDescentRegressor)
    if kind is HebbianDescentRegressor:
        part_learned = 0.5 if method == "fit" else 1.0
        np.testing.assert_allclose(estimator.predict(x), part_learned, rtol=1e-9)


def test_the_first_sample_of_a_stream_is_learned_as_if_each_input_were_one_deviation_away():
    x = np.array([[3.0, -4e5, 0.0, 1e-5]])
    classifier = HebbianDescentClassifier(average=False).partial_fit(x, [1], classes=[0, 1])
    np.testing.assert_allclose(classifier.bias_, np.array([-0.5, 0.5]) / (3 + 1), rtol=1e-12)


@pytest.mark.parametrize("as_input", [np.asarray, csr_array], ids=["dense", "sparse"])
def test_an_input_that_was_there_once_is_not_learned_until_it_comes_again(as_input):
    X = np.ones((6, 2))
    X[:, 1] = [0, 0, 5, 0, 0, 5]
    learned = []
    classifier = HebbianDescentClassifier(average=False)
    for row, label in zip(X, [0, 1, 0, 1, 0, 1], strict=True):
        classifier.partial_fit(as_input(row[np.newaxis]), [label], classes=[0, 1])
        learned.append((classifier.weights_[1, 1], classifier.scale_[1]))
    weights, scales = np.transpose(learned)
    assert list(scales[:5]) == [0] * 5
    assert scales[5] > 0
    assert weights[1] == 0
    assert weights[2] < 0
    assert weights[3] == weights[4] == weights[2] < weights[5]


def new_words(n, *, n_topics=10, seed=0):
    """Texts of 30 words, four of them out of 100 of the topic and the others out of very many."""
    rng = np.random.default_rng(seed)
    topics = rng.integers(n_topics, size=n)
    words = (20_000 ** rng.random((n, 30))).astype(int) + n_topics * 100
    words[:, :4] = topics[:, np.newaxis] * 100 + rng.integers(100, size=(n, 4))
    X = csr_array((np.ones(words.size), words.ravel(), np.arange(0, words.size + 1, 30)), shape=(n, 2**15))
    X.sum_duplicates()
    return X, topics


@pytest.mark.parametrize("seed", [0, 1])
def test_ever_new_words_do_not_spoil_a_centered_stream(seed):
    X, y = new_words(1_200, seed=seed)
    right = {}
    for centering in ("auto", None):
        stream = HebbianDescentClassifier(centering=centering, average=False)
        stream.partial_fit(X[:600], y[:600], classes=range(10))
        right[centering] = stream.score(X[600:], y[600:])
    assert right["auto"] > 0.8
    assert right["auto"] > right[None] - 0.06


def test_a_scale_may_begin_in_mid_stream():
    """Inputs far from 0 have as much to say as others, from the first sample with a scale on."""
    rng = np.random.default_rng(0)
    X = rng.normal([50, 0, 5, 0], size=(700, 4))
    t = X @ [1.0, -1.0, 0.5, 2.0]
    regressor = HebbianDescentRegressor(**PLAIN).partial_fit(X[:300], t[:300])
    regressor.set_params(scaling="auto").partial_fit(X[300:320], t[300:320])
    assert regressor.scale_.max() < 3 * regressor.scale_.min()
    regressor.partial_fit(X[320:], t[320:])
    np.testing.assert_allclose(regressor.scale_, 1, rtol=0.25)
    regressor.set_params(scaling=None).partial_fit(X[:1], t[:1])
    assert regressor.scale_ is None
    assert "mean_squares_" not in vars(regressor)


@pytest.mark.parametrize(
    "settings",
    [
        {"rule": "hebb"},
        {"rule": "covariance"},
        {"centering": 0.5},
        {"offset_start": 0.5},
    ],
)
def test_what_has_no_spread_to_learn_by_is_not_scaled(settings):
    X, _, targets = problem()
    scaled = HebbianDescentRegressor(learning_rate=1e-16, **settings).partial_fit(X, targets)
    plain = HebbianDescentRegressor(learning_rate=1e-16, scaling=None, **settings).partial_fit(X, targets)
    assert scaled.scale_ is None
    np.testing.assert_array_equal(scaled.weights_, plain.weights_)


@pytest.mark.parametrize("wrong", ["yes", "Auto", True, 1.0, ["auto"]])
def test_words(wrong):
    assert (as_scaling("auto"), as_scaling(None)) == ("auto", None)
    with pytest.raises(ValueError, match="scaling, unless it is None, must be"):
        as_scaling(wrong)


@pytest.mark.parametrize("error", ["difference", own_difference], ids=["compiled", "plain"])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize("dtype", FLOOR)
def test_an_input_whose_square_is_no_number_is_refused(dtype, method, error):
    """Its mean square would be infinite ever after, so that nothing of it could be learned again."""
    X, _, targets = problem(dtype)
    regressor = HebbianDescentRegressor(error=error)
    X[7, 2] = {np.float64: 1e155, np.float32: 1e20}[dtype]
    for rows in (slice(None), slice(7, 8)):
        with pytest.raises(ArithmeticError, match=r"Got inputs up to 1e\+(155|20)"):
            getattr(regressor, method)(X[rows], targets[rows])
        assert not hasattr(regressor, "n_samples_seen_")


@pytest.mark.parametrize("error", ["difference", own_difference], ids=["compiled", "plain"])
@pytest.mark.parametrize("as_rows", [np.asarray, csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("kind", KINDS)
def test_where_the_first_sample_is_refused_the_offset_has_not_started(kind, as_rows, error):
    X, labels, targets = problem()
    y, _ = aims_of(kind, labels, targets)
    estimator = kind(error=error, initial_weights="random", random_state=0)
    estimator.partial_fit(as_rows(X[:1]), y[:1], sample_weight=[0.0])  # which is not there
    before = snapshot(estimator)
    huge = X[:1].copy()
    huge[0, 2] = 1e200
    for inputs in (as_rows(huge), huge):
        with pytest.raises(DivergenceError, match=r"Got inputs up to 1e\+200. Try inputs of a smaller scale"):
            estimator.partial_fit(inputs, y[:1])
        assert is_same(snapshot(estimator), before)
    whole = streamed(kind(error=error, initial_weights="random", random_state=0), as_rows(X), y)
    np.testing.assert_array_equal(streamed(estimator, as_rows(X), y).offset_, whole.offset_)
