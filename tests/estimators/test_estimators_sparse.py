"""Sparse input: the numbers of dense input, at the cost of what is stored."""

import pickle

import numpy as np
import pytest
import scipy.sparse
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import HashingVectorizer, TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from hebbian_descent import HebbianDescentClassifier, HebbianDescentRegressor, load
from hebbian_descent.engines import sparse_online
from hebbian_descent.engines.sparse_online import PAST, SparseArrays
from hebbian_descent.estimators import base
from hebbian_descent.estimators.layer_state import LEARNED
from hebbian_descent.estimators.online_pass import learn
from hebbian_descent.native import choice

KINDS = (HebbianDescentClassifier, HebbianDescentRegressor)
TOLERANCES = {np.float64: 2e-12, np.float32: 1e-4}
"""Of the largest value; measured: 4e-13 and 2e-5, where it is dense input that is rounded more."""
needs_core = pytest.mark.skipif(
    choice().core is None, reason="Without a compiled core the dense loop learns."
)


def sparse_problem(n_samples=1500, n_inputs=40, dtype=np.float64, seed=0):
    """Inputs of which some are nearly always present and some once in a thousand, labels and targets."""
    rng = np.random.default_rng(seed)
    present = rng.random((n_samples, n_inputs)) < 10.0 ** -rng.uniform(0, 3, n_inputs)
    X = (present * rng.normal(1, 1, (n_samples, n_inputs))).astype(dtype)
    labels = (X @ rng.normal(size=n_inputs) > 0) + (X[:, 0] > 1)
    targets = X @ rng.normal(size=(n_inputs, 2)) + 0.1 * rng.normal(size=(n_samples, 2))
    return X, labels, targets.astype(dtype)


def target_of(kind, labels, targets):
    return labels if kind is HebbianDescentClassifier else targets


def assert_same_numbers(found, expected, tolerance):
    for name in LEARNED:
        one, other = getattr(found, name, None), getattr(expected, name, None)
        assert (one is None) == (other is None), name
        if one is not None:
            largest = max(1.0, np.abs(other).max())
            np.testing.assert_allclose(one, other, rtol=0, atol=tolerance * largest, err_msg=name)
    assert found.n_samples_seen_ == expected.n_samples_seen_
    assert found.weight_seen_ == pytest.approx(expected.weight_seen_)


@pytest.mark.parametrize("weight_decay", [0.0, 1e-3])
@pytest.mark.parametrize("average", ["auto", False])
@pytest.mark.parametrize("scaling", ["auto", None])
@pytest.mark.parametrize(
    ("centering", "offset_start"), [("auto", None), ("moving", None), ("moving", 0.5), (None, None)]
)
@pytest.mark.parametrize("kind", KINDS)
def test_the_numbers_are_those_of_dense_input(kind, centering, offset_start, scaling, average, weight_decay):
    X, labels, targets = sparse_problem()
    y, weights = target_of(kind, labels, targets), np.random.default_rng(1).uniform(0.1, 4, len(X))
    setting = {"centering": centering, "scaling": scaling, "average": average, "weight_decay": weight_decay}
    setting["offset_start"] = offset_start
    for sample_weight in (None, weights):
        dense = kind(**setting).partial_fit(X, y, sample_weight=sample_weight)
        sparse = kind(**setting).partial_fit(scipy.sparse.csr_array(X), y, sample_weight=sample_weight)
        assert_same_numbers(sparse, dense, TOLERANCES[np.float64])
        dense = kind(**setting, epochs=2, random_state=0).fit(X, y, sample_weight=sample_weight)
        sparse = kind(**setting, epochs=2, random_state=0)
        sparse.fit(scipy.sparse.csr_array(X), y, sample_weight=sample_weight)
        assert_same_numbers(sparse, dense, TOLERANCES[np.float64])
        np.testing.assert_allclose(
            sparse._preactivation(scipy.sparse.csr_array(X)), dense._preactivation(X), atol=1e-9
        )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shift", [0.3, 1.0])
def test_an_offset_that_moves_fast(kind, shift):
    X, labels, targets = sparse_problem()
    y = target_of(kind, labels, targets)
    dense = kind(shift=shift).partial_fit(X, y)
    sparse = kind(shift=shift).partial_fit(scipy.sparse.csr_array(X), y)
    assert_same_numbers(sparse, dense, TOLERANCES[np.float64])


@pytest.mark.parametrize("weight_decay", [0.0, 1e-3])
@pytest.mark.parametrize("average", ["auto", True, False])
@pytest.mark.parametrize("shift", [0.01, 0.2])
@pytest.mark.parametrize("dtype", TOLERANCES)
def test_inputs_that_are_rarely_there(dtype, shift, average, weight_decay):
    """Most of them are away for many blocks, and for several looks of the average."""
    X, labels, _ = sparse_problem(2000, n_inputs=1200, dtype=dtype)
    rows = scipy.sparse.csr_array(X)
    setting = {"shift": shift, "average": average, "weight_decay": weight_decay}
    dense = HebbianDescentClassifier(**setting).partial_fit(X, labels)
    sparse = HebbianDescentClassifier(**setting).partial_fit(rows, labels)
    assert_same_numbers(sparse, dense, TOLERANCES[dtype])
    a, tolerance = dense._preactivation(X), 1e3 * TOLERANCES[dtype]
    np.testing.assert_allclose(sparse._preactivation(rows), a, atol=tolerance * np.abs(a).max())


@pytest.mark.parametrize("kind", KINDS)
def test_single_precision(kind):
    X, labels, targets = sparse_problem(dtype=np.float32)
    y = target_of(kind, labels, targets)
    dense, sparse = kind().partial_fit(X, y), kind().partial_fit(scipy.sparse.csr_array(X), y)
    assert sparse.weights_.dtype == np.float32
    assert_same_numbers(sparse, dense, TOLERANCES[np.float32])


@pytest.mark.parametrize(
    "setting",
    [
        {"learning_rate": 0.05, "scaling": None, "centering": 0.3},
        {"rule": "hebb", "learning_rate": 0.01},
        {"rule": "gradient_descent", "activation": "sigmoid"},
        {"rule": "covariance", "centering": "moving"},  # these last two have no compiled form
        {"batch_size": 7},
    ],
    ids=str,
)
def test_other_rules_and_offsets(setting):
    X, labels, _ = sparse_problem(400)
    for method in ("fit", "partial_fit"):
        dense, sparse = (HebbianDescentClassifier(random_state=0, **setting) for _ in range(2))
        getattr(dense, method)(X, labels)
        getattr(sparse, method)(scipy.sparse.csr_array(X), labels)
        assert_same_numbers(sparse, dense, TOLERANCES[np.float64])


@needs_core
def test_any_pieces_leave_the_same_bits():
    X, labels, _ = sparse_problem()
    rows, rng = scipy.sparse.csr_array(X), np.random.default_rng(2)
    weights = rng.uniform(0.5, 3, len(X))
    whole = HebbianDescentClassifier().partial_fit(rows, labels, sample_weight=weights)
    pieces, start = HebbianDescentClassifier(), 0
    while start < len(X):
        part = slice(start, start := start + int(rng.integers(1, 90)))
        pieces.partial_fit(rows[part], labels[part], sample_weight=weights[part])
    for one, other in zip(whole._sparse, pieces._sparse, strict=True):
        np.testing.assert_array_equal(one, other)


def test_classes_that_come_late():
    X, labels, _ = sparse_problem()
    order = np.argsort(labels, kind="stable")
    dense = HebbianDescentClassifier().partial_fit(X[order], labels[order])
    sparse = HebbianDescentClassifier().partial_fit(scipy.sparse.csr_array(X[order]), labels[order])
    assert_same_numbers(sparse, dense, TOLERANCES[np.float64])


def test_dense_and_sparse_in_turns():
    X, labels, _ = sparse_problem()
    mixed, dense = HebbianDescentClassifier(), HebbianDescentClassifier()
    for start in range(0, 900, 100):
        part = slice(start, start + 100)
        rows = scipy.sparse.csr_array(X[part]) if start % 200 else X[part]
        mixed.partial_fit(rows, labels[part])
        dense.partial_fit(X[part], labels[part])
    assert_same_numbers(mixed, dense, TOLERANCES[np.float64])
    np.testing.assert_array_equal(mixed.predict(X), dense.predict(scipy.sparse.csr_array(X)))


@pytest.mark.parametrize("make", [scipy.sparse.csc_matrix, scipy.sparse.coo_array, scipy.sparse.csr_matrix])
def test_any_sparse_format(make):
    X, labels, _ = sparse_problem(300)
    expected = HebbianDescentClassifier().partial_fit(scipy.sparse.csr_array(X), labels)
    found = HebbianDescentClassifier().partial_fit(make(X), labels)
    np.testing.assert_array_equal(found.coef_, expected.coef_)
    np.testing.assert_array_equal(found.predict(make(X)), expected.predict(X))


def test_stored_zeros_and_parts_of_one_input_change_nothing():
    X, labels, _ = sparse_problem(300)
    rows = scipy.sparse.csr_array(X)
    parts = scipy.sparse.coo_array(rows)
    again = scipy.sparse.coo_array(
        (
            np.concatenate([parts.data * 0.5, parts.data * 0.5, [0.0]]),
            (np.concatenate([parts.row, parts.row, [3]]), np.concatenate([parts.col, parts.col, [5]])),
        ),
        shape=rows.shape,
    )
    expected = HebbianDescentClassifier().partial_fit(rows, labels)
    found = HebbianDescentClassifier().partial_fit(again, labels)
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-12)


def test_files_and_pickles_go_on_with_the_same_bits(tmp_path):
    X, labels, _ = sparse_problem()
    rows = scipy.sparse.csr_array(X)
    model = HebbianDescentClassifier(random_state=0).partial_fit(rows[:700], labels[:700])
    copies = [pickle.loads(pickle.dumps(model))]
    model.save(tmp_path / "model.safetensors")
    saved = load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(saved.coef_, model.coef_)
    copies[0].save(tmp_path / "copy.safetensors")  # settles what is due, as saving the model did
    for copy in [*copies, saved]:
        copy.partial_fit(rows[700:], labels[700:])
    model.partial_fit(rows[700:], labels[700:])
    for copy in [*copies, saved]:
        np.testing.assert_array_equal(copy.coef_, model.coef_)
        np.testing.assert_array_equal(copy.weights_, model.weights_)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, 1e200])
def test_a_bad_value_leaves_everything_as_it_was(kind, bad):
    X, labels, targets = sparse_problem(200)
    y, rows = target_of(kind, labels, targets), scipy.sparse.csr_array(X)
    model = kind().partial_fit(rows, y)
    before = pickle.dumps(model)
    wrong = rows[:50].copy()
    wrong.data[-1] = bad
    with pytest.raises((ValueError, ArithmeticError)):
        model.partial_fit(wrong, y[:50])
    after, then = model, pickle.loads(before)
    assert after.n_samples_seen_ == then.n_samples_seen_
    np.testing.assert_array_equal(after.weights_, then.weights_)
    np.testing.assert_array_equal(after.offset_, then.offset_)


def interrupted_after_learning(monkeypatch, model, *call):
    """Let Ctrl-C come when all samples of a call are learned, and before it returns."""

    def learned(*args, **options):
        learn(*args, **options)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(base, "learn", learned)
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(*call)


@needs_core
@pytest.mark.parametrize("change", ["none", "dense", "average", "scaling"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_interrupt_leaves_counts_and_weights_that_agree(monkeypatch, kind, change):
    X, labels, targets = sparse_problem(80)
    rows, y = scipy.sparse.csr_array(X), target_of(kind, labels, targets)
    model = kind().partial_fit(rows[:40], y[:40])
    twin = kind().partial_fit(rows[:40], y[:40])
    for each in (model, twin):
        each.set_params(**{"average": {"average": False}, "scaling": {"scaling": None}}.get(change, {}))
    inputs = X if change == "dense" else rows
    interrupted_after_learning(monkeypatch, model, inputs[40:], y[40:])
    if model.n_samples_seen_ > 40:
        twin.partial_fit(inputs[40:], y[40:])
    assert model.n_samples_seen_ == twin.n_samples_seen_
    np.testing.assert_array_equal(model.weights_, twin.weights_)


@needs_core
@pytest.mark.parametrize("which", ["multilabel", "far apart"])
def test_a_refused_sample_leaves_the_samples_before_it_unlearned(which):
    X, labels, _ = sparse_problem(60, dtype=np.float32 if which == "far apart" else np.float64)
    model, y = HebbianDescentClassifier(), labels
    if which == "multilabel":
        model, y = HebbianDescentClassifier(activation="sigmoid"), np.eye(2, dtype=int)[labels.astype(int)]
    X *= 1e-10 if which == "far apart" else 1
    model.partial_fit(scipy.sparse.csr_array(X[:30]), y[:30])
    before = model.weights_
    X[-1] = 1e10 if which == "far apart" else 1e200
    with pytest.raises(ArithmeticError):
        model.partial_fit(scipy.sparse.csr_array(X[30:]), y[30:])
    assert model.n_samples_seen_ == 30
    np.testing.assert_array_equal(model.weights_, before)


@pytest.mark.parametrize(
    "changed", [{"average": False}, {"average": 0.05}, {"scaling": None}, {"shift": 0.3}]
)
@pytest.mark.parametrize("first", [{}, {"scaling": None}, {"average": False}])
def test_parameters_that_change_in_mid_stream(first, changed):
    X, labels, _ = sparse_problem(300)
    dense, sparse = (HebbianDescentClassifier(**first) for _ in range(2))
    for inputs, model in ((X, dense), (scipy.sparse.csr_array(X), sparse)):
        model.partial_fit(inputs[:100], labels[:100])
        model.set_params(**changed).partial_fit(inputs[100:200], labels[100:200])
        model.set_params(scaling="auto").partial_fit(inputs[200:], labels[200:])
    assert_same_numbers(sparse, dense, TOLERANCES[np.float64])


@pytest.mark.parametrize("weight_decay", [1.0, 1.5, 0.999999])
def test_weights_that_decay_at_once(weight_decay):
    X, labels, _ = sparse_problem(300)
    dense = HebbianDescentClassifier(weight_decay=weight_decay).partial_fit(X, labels)
    sparse = HebbianDescentClassifier(weight_decay=weight_decay).partial_fit(
        scipy.sparse.csr_array(X), labels
    )
    assert_same_numbers(sparse, dense, TOLERANCES[np.float64])


def test_labels_of_other_kinds_of_numbers_stay_whole():
    X = np.eye(3)
    model = HebbianDescentClassifier().partial_fit(X[:2], [True, False]).partial_fit(X, [0, 1, 2])
    assert model.classes_.dtype.kind == "i"
    assert model.classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("kind", KINDS)
def test_samples_without_weight_leave_a_new_estimator_unfitted(kind):
    model = kind().partial_fit(np.eye(2), [0, 1], sample_weight=[0, 0])
    if kind is HebbianDescentClassifier:
        with pytest.raises(NotFittedError):
            model.predict(np.eye(2))
    assert model.partial_fit(np.eye(2), [0, 1]).n_samples_seen_ == 2


def many_classes(n_classes=60, n_samples=400):
    """Classes in no order, and most of them new in mid-stream."""
    X, _, _ = sparse_problem(n_samples)
    rng = np.random.default_rng(3)
    return X, rng.permutation(n_classes)[np.sort(rng.integers(0, n_classes, n_samples))]


def test_new_classes_in_mid_stream_leave_the_numbers_of_dense_input():
    X, labels = many_classes()
    rows = scipy.sparse.csr_array(X)
    dense = HebbianDescentClassifier().partial_fit(X, labels)
    sparse = HebbianDescentClassifier().partial_fit(rows, labels)
    np.testing.assert_array_equal(sparse.classes_, dense.classes_)
    assert_same_numbers(sparse, dense, TOLERANCES[np.float64])
    np.testing.assert_allclose(sparse.predict_proba(rows), dense.predict_proba(X), atol=1e-9)


@needs_core
def test_new_classes_in_pieces_leave_the_same_bits():
    X, labels = many_classes()
    rows = scipy.sparse.csr_array(X)
    whole, pieces = HebbianDescentClassifier().partial_fit(rows, labels), HebbianDescentClassifier()
    for start in range(0, len(X), 7):
        pieces.partial_fit(rows[start : start + 7], labels[start : start + 7])
    for one, other in zip(whole._sparse, pieces._sparse, strict=True):
        np.testing.assert_array_equal(one, other)


@needs_core
def test_new_classes_seldom_need_new_arrays():
    X, labels = many_classes(n_classes=200)
    rows, model, seen = scipy.sparse.csr_array(X), HebbianDescentClassifier(), []
    for row, label in enumerate(labels):
        model.partial_fit(rows[row : row + 1], [label])
        if not any(model._sparse.rows is known for known in seen):
            seen.append(model._sparse.rows)
    assert len(model.classes_) > 150
    assert len(seen) < 10


@needs_core
@pytest.mark.parametrize("setting", [{}, {"rule": "hebb", "centering": None}], ids=str)
def test_a_new_class_that_came_to_nothing_begins_at_zero(monkeypatch, setting):
    X, labels = many_classes()
    rows = scipy.sparse.csr_array(X)
    model = HebbianDescentClassifier(**setting).partial_fit(rows[:200], labels[:200])
    learned = HebbianDescentClassifier._stream_samples

    def fails_afterwards(self, *args):
        learned(self, *args)
        raise MemoryError

    known, new = model.classes_, np.setdiff1d(labels, model.classes_)[:1]
    with monkeypatch.context() as patch:
        patch.setattr(HebbianDescentClassifier, "_stream_samples", fails_afterwards)
        with pytest.raises(MemoryError):
            model.partial_fit(rows[200:201], new)
    np.testing.assert_array_equal(model.classes_, known)
    other = np.setdiff1d(labels, model.classes_)[-1:]
    model._add_classes(other)
    row = int(np.flatnonzero(model.classes_ == other[0])[0])
    assert not model.weights_[row].any()
    assert model.bias_[row] == 0


@needs_core
def test_memory_and_work_do_not_grow_with_columns_that_are_never_there():
    """Of a million columns, forty are ever there: what is written is what is stored."""
    X, labels, _ = sparse_problem(300)
    narrow = scipy.sparse.csr_array(X)
    places = np.sort(np.random.default_rng(0).choice(10**6, X.shape[1], replace=False))
    wide = scipy.sparse.csr_array((narrow.data, places[narrow.indices], narrow.indptr), shape=(len(X), 10**6))
    setting = {"average": False, "scaling": None}
    expected = HebbianDescentClassifier(**setting).partial_fit(narrow, labels)
    found = HebbianDescentClassifier(**setting).partial_fit(wide, labels)
    np.testing.assert_allclose(found.weights_[:, places], expected.weights_, rtol=0, atol=1e-11)
    assert not np.delete(found.weights_, places, axis=1).any()


@needs_core
def test_a_layer_comes_back_from_what_is_written():
    X, labels, _ = sparse_problem()
    model = HebbianDescentClassifier().partial_fit(scipy.sparse.csr_array(X), labels)
    arrays = model._sparse.dense()
    again = SparseArrays.of(arrays).dense()
    for one, other in zip(arrays, again, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-15)


@needs_core
@pytest.mark.parametrize("weight_decay", [0.0, 1e-3])
@pytest.mark.parametrize("average", ["auto", False])
def test_what_catches_up_in_python_is_what_catches_up_in_the_core(monkeypatch, average, weight_decay):
    X, labels, _ = sparse_problem(1100, n_inputs=1200)
    rows = scipy.sparse.csr_array(X)
    setting = {"shift": 0.05, "average": average, "weight_decay": weight_decay}
    model = HebbianDescentClassifier(**setting).partial_fit(rows, labels)
    found, a = model._sparse.dense(), model._preactivation(rows)
    assert model._sparse.totals[PAST] > 1
    monkeypatch.setattr(sparse_online, "core", lambda: None)
    for one, other in zip(found, model._sparse.dense(), strict=True):
        if other is not None:
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)
    np.testing.assert_allclose(a, model._preactivation(rows), atol=1e-12)


def texts():
    rng = np.random.default_rng(0)
    topics = [[f"topic{k}word{i}" for i in range(20)] for k in range(3)]
    common = [f"common{i}" for i in range(50)]
    labels = rng.integers(0, 3, 400)
    return [" ".join([*rng.choice(common, 10), *rng.choice(topics[label], 3)]) for label in labels], labels


@pytest.mark.parametrize("vectorizer", [HashingVectorizer(n_features=2**12), TfidfVectorizer()], ids=str)
def test_texts_in_a_pipeline(vectorizer):
    words, labels = texts()
    model = make_pipeline(vectorizer, HebbianDescentClassifier(random_state=0))
    assert model.fit(words[:300], labels[:300]).score(words[300:], labels[300:]) > 0.95


def test_categories_in_a_pipeline():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 8, (500, 4)).astype(str)
    y = (X[:, 0] < "4") ^ (X[:, 1] == "7")
    model = make_pipeline(OneHotEncoder(), HebbianDescentClassifier(random_state=0)).fit(X, y)
    assert model.score(X, y) > 0.85
