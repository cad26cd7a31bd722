"""Whatever comes is refused with nothing changed, or learned and everything stays finite."""

import contextlib
import copy
import warnings

import joblib
import numpy as np
import pytest
import scipy.sparse
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from same_bits import assert_same_bits

from hebbian_descent import (
    DivergenceError,
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
    load,
)
from hebbian_descent.network import ACTIVATIONS

KINDS = (HebbianDescentClassifier, HebbianDescentRegressor, HebbianDescentAutoencoder)
FORMATS = ("csr", "csc", "coo", "bsr", "dia", "lil", "dok")
N_ROWS, N_INPUTS, N_SANE = 8, 5, 24
LARGE = {np.float32: (1e9, 1e12, 1e17, 1e18, 1e19, 1e20, 3e38), np.float64: (1e20, 1e76, 1e77, 1e150, 1e300)}
SMALL = {np.float32: (1e-20, 1e-38, 1e-42), np.float64: (1e-100, 1e-308, 1e-320)}
CENTERINGS = ({}, {"centering": None}, {"centering": "moving", "offset_start": 0.5})
WRONG_INDICES = (N_INPUTS, 77, 10**8, -1, -(10**8), 2**31 + 1)


@st.composite
def learners(draw, kind, dtype):
    """An estimator that has learned some ordinary samples, or none."""
    options = {
        "learning_rate": st.sampled_from(["auto", "auto", 0.1]),
        "shift": st.sampled_from([0.01, 0.0, 0.5, 1.0]),
        "activation": st.sampled_from(["", "", *ACTIVATIONS]),
        "weight_decay": st.sampled_from([0.0, 0.01]),
    }
    if kind is not HebbianDescentAutoencoder:
        options |= {
            "scaling": st.sampled_from(["auto", None]),
            "average": st.sampled_from(["auto", True, False]),
        }
    else:
        options |= {"hidden_activation": st.sampled_from(["", *ACTIVATIONS]), "n_hidden": st.integers(1, 6)}
    chosen = {name: draw(values) for name, values in options.items()}
    chosen = {name: value for name, value in chosen.items() if value != ""}  # not its default
    chosen |= draw(st.sampled_from(CENTERINGS))
    return kind(random_state=0, warm_start=True, epochs=2, **chosen)


def can_learn(estimator, X, y):
    """Whether these units learn ordinary samples: those without a slope have no automatic rate."""
    try:
        copy.deepcopy(estimator).partial_fit(X, y)
    except (ValueError, DivergenceError):
        return False
    return True


def sample(rng, n_rows, dtype):
    X = (rng.normal(size=(n_rows, N_INPUTS)) * (rng.random((n_rows, N_INPUTS)) < 0.6)).astype(dtype)
    return X, (X[:, 0] > X[:, 1]).astype(np.int64)


def contained(X, container, order):
    """Return the numbers in some container; those of compressed rows may be unsorted, or in parts."""
    if container == "dense":
        return X.copy()
    if container == "read-only":
        view = np.asfortranarray(X)
        view.flags.writeable = False
        return view
    matrix = getattr(scipy.sparse, container)(X)
    if matrix.format == "csr" and order != "sorted":
        rows = [np.flatnonzero(row)[::-1] for row in X]
        if order == "duplicates":
            rows = [np.repeat(row, 2) for row in rows]
        values = [row[there] / (1 + (order == "duplicates")) for row, there in zip(X, rows, strict=True)]
        starts = np.cumsum([0, *map(len, rows)])
        matrix = type(matrix)((np.concatenate(values), np.concatenate(rows), starts), shape=X.shape)
    return matrix


def misplace(matrix, index):
    """Move a value of a sparse matrix out of its shape, behind the back of SciPy."""
    if matrix.format in ("csr", "csc", "bsr"):
        wrong = matrix.indices.astype(np.int64)
        wrong[0] = index if matrix.format != "csc" or index != N_INPUTS else N_ROWS
        matrix.indices = wrong
    elif matrix.format == "coo":
        columns = matrix.coords[1].astype(np.int64)
        columns[0] = index
        matrix.coords = matrix.coords[0], columns
    elif matrix.format == "dia":
        matrix.offsets = matrix.offsets[:-1]
    elif matrix.format == "lil":
        matrix.rows[0] = [index] * max(1, len(matrix.rows[0]))
        matrix.data[0] = [1.0] * len(matrix.rows[0])
    else:
        matrix._dict[0, index] = 1.0


def numbers_of(values):
    """Return the numbers of a container that a learner must not change."""
    if isinstance(values, np.ndarray):
        return [values.copy()]
    names = [name for name in ("data", "indices", "indptr", "offsets", "coords") if hasattr(values, name)]
    return [np.copy(getattr(values, name)) for name in names if values.format not in ("lil", "dok")]


def is_fitted(estimator):
    return estimator.__sklearn_is_fitted__()


def assert_finite(estimator):
    for name, value in copy.deepcopy(estimator)._state().items():
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            assert np.isfinite(value).all(), name


def call(estimator, method, X, y, weights):
    if isinstance(estimator, HebbianDescentAutoencoder):
        method = {"predict": "transform"}.get(method, method)
        return getattr(estimator, method)(X)
    arguments = () if method == "predict" else (y,)
    named = {} if weights is None or method in ("predict", "score") else {"sample_weight": weights}
    return getattr(estimator, method)(X, *arguments, **named)


@pytest.mark.parametrize("dtype", LARGE)
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=90)
@given(data=st.data())
def test_refused_with_nothing_changed_or_learned_and_finite(tmp_path_factory, kind, dtype, data):
    estimator = data.draw(learners(kind, dtype))
    rng = np.random.default_rng(data.draw(st.integers(0, 99), "seed"))
    is_sparse = kind is not HebbianDescentAutoencoder and data.draw(st.booleans())
    form = data.draw(st.sampled_from(FORMATS)) + data.draw(st.sampled_from(["_array", "_matrix"]))
    container = form if is_sparse else data.draw(st.sampled_from(["dense", "read-only"]))
    order = data.draw(st.sampled_from(["sorted", "unsorted", "duplicates"]))

    sane, y_sane = sample(rng, N_SANE, dtype)
    assume(can_learn(estimator, contained(sane, container, order), y_sane))
    if data.draw(st.booleans(), "is fitted before"):
        estimator.partial_fit(contained(sane, container, order), y_sane)
    n_rows = data.draw(st.sampled_from([1, N_ROWS]))
    X, y = sample(rng, n_rows, dtype)
    X[0, 0] = 1  # so that there is an index to misplace
    value = data.draw(st.sampled_from([1.0, np.nan, np.inf, *LARGE[dtype], *SMALL[dtype]]))
    where = data.draw(st.sampled_from(["input", "row", "target", "weight", "index"]))
    weights = None
    if where == "input":
        X[-1, 1] = value
    elif where == "row":
        X[-1] = value
    elif where == "target" and kind is HebbianDescentRegressor:
        y = y.astype(dtype)
        y[-1] = value
    elif where == "weight":
        weights = np.ones(n_rows)
        weights[-1] = value
    given_X = contained(X, container, order)
    if where == "index" and is_sparse:
        misplace(given_X, data.draw(st.sampled_from(WRONG_INDICES)))

    method = data.draw(st.sampled_from(["partial_fit", "partial_fit", "fit", "predict", "score"]))
    before, numbers = copy.deepcopy(estimator), numbers_of(given_X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of scikit-learn, about numbers that overflow when it adds them up
        try:
            call(estimator, method, given_X, y, weights)
            was_refused = False
        except (ValueError, DivergenceError):
            was_refused = True
    for now, then in zip(numbers_of(given_X), numbers, strict=True):
        np.testing.assert_array_equal(now, then)
    if was_refused or method in ("predict", "score"):
        assert is_fitted(estimator) == is_fitted(before)
        if is_fitted(before):
            assert_same_bits(copy.deepcopy(estimator), before)
    else:
        assert where != "index" or not is_sparse
        path = tmp_path_factory.mktemp("saved") / "model"
        assert_finite(estimator)
        estimator.save(path)
        assert_same_bits(load(path), estimator)
    if estimator.learning_rate == "auto" and where != "weight":  # no other rate is safe with every input
        estimator.partial_fit(contained(sane, container, order), y_sane)
        assert_finite(estimator)


@pytest.mark.parametrize(
    "form", [*(f"{name}_array" for name in FORMATS), *(f"{name}_matrix" for name in FORMATS)]
)
@pytest.mark.parametrize("index", WRONG_INDICES)
def test_an_index_out_of_range_is_refused(form, index):
    X, y = sample(np.random.default_rng(0), N_ROWS, np.float64)
    X[0, 0] = 1
    for kind in KINDS[:2]:
        estimator = kind().partial_fit(X, y)
        for method in ("partial_fit", "fit", "predict", "score"):
            matrix = contained(X, form, "sorted")
            misplace(matrix, index)
            with pytest.raises(ValueError, match="X"):
                call(estimator, method, matrix, y, None)


@pytest.mark.parametrize("starts", [[0, 5, 2, 3, 4], [0, 9, 9, 9, 0], [0, 0, 0, 0, 99], [0, -5, 0, 0, 0]])
def test_wrong_starts_of_rows_are_refused(starts):
    matrix = scipy.sparse.csr_array(np.eye(4))
    matrix.indptr = np.array(starts, np.int32)
    for method in ("partial_fit", "fit"):
        with pytest.raises(ValueError, match="X"):
            getattr(HebbianDescentRegressor(), method)(matrix, np.arange(4.0))


def test_a_matrix_of_lists_with_too_few_rows_is_refused():
    for _ in range(20):  # the lengths of the absent rows are whatever memory holds
        matrix = scipy.sparse.lil_array(np.eye(4))
        matrix.rows, matrix.data = matrix.rows[:2], matrix.data[:2]
        with pytest.raises(ValueError, match="X"):
            HebbianDescentRegressor().fit(matrix, np.arange(4.0))


def test_labels_in_a_sparse_matrix_are_checked_too():
    y = scipy.sparse.csr_array(np.eye(4, dtype=int))
    y.indices = np.array([0, 1, 2, 10**8])
    with pytest.raises(ValueError, match="y must"):
        HebbianDescentClassifier(activation="sigmoid").fit(np.eye(4), y)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_rows", [1, 4])
@pytest.mark.parametrize("container", ["dense", "csr_array"])
def test_a_model_that_is_mapped_into_memory_learns_on_a_copy(tmp_path, kind, n_rows, container):
    X, y = sample(np.random.default_rng(0), N_SANE, np.float64)
    container = "dense" if kind is HebbianDescentAutoencoder else container
    estimator = kind(random_state=0).partial_fit(contained(X, container, "sorted"), y)
    joblib.dump(estimator, tmp_path / "model")
    stored = (tmp_path / "model").read_bytes()
    mapped = joblib.load(tmp_path / "model", mmap_mode="r")
    for _ in range(2):
        for each in (estimator, mapped):
            each.partial_fit(contained(X[:n_rows], container, "sorted"), y[:n_rows])
    assert_same_bits(mapped, estimator)
    assert (tmp_path / "model").read_bytes() == stored


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "parameters",
    [{}, {"learning_rate": 5e-324}, {"shift": 5e-324}, {"rule": "none"}, {"centering": object()}],
)
def test_a_description_never_fails(kind, parameters):
    assert kind(**parameters).describe()
    if kind is not HebbianDescentAutoencoder:
        assert kind(average=5e-324, **parameters).describe()


def learned(labels, *, one_by_one):
    X = np.random.default_rng(0).normal(size=(len(labels), 3))
    classifier = HebbianDescentClassifier()
    for row in range(len(labels)) if one_by_one else [slice(None)]:
        rows = slice(row, row + 1) if one_by_one else row
        classifier.partial_fit(X[rows], labels[rows])
    return classifier


@pytest.mark.parametrize("one_by_one", [False, True])
@pytest.mark.parametrize(
    "labels",
    [
        ["a", "a\0", "b"],
        np.array(["a", "a\0", "b"], object),
        np.array([b"a", b"b", b"a"]),
        np.array(["2020-01-01", "2020-01-02", "2020-01-01"], "M8[D]"),
        np.array([1, 2, 1], "m8[s]"),
        np.array([1, 2, 1], np.float16),
    ],
)
def test_labels_that_cannot_be_kept_are_refused_when_learned(labels, one_by_one):
    with pytest.raises(ValueError, match=r"[Ll]abel|continuous"):
        learned(labels, one_by_one=one_by_one)


@pytest.mark.parametrize("one_by_one", [False, True])
@pytest.mark.parametrize("labels", [np.array([1, 2, 1], np.int8), ["b", "a", "b"], [True, False, True]])
def test_labels_keep_their_kind_in_a_file(tmp_path, labels, one_by_one):
    classifier = learned(labels, one_by_one=one_by_one)
    classifier.save(tmp_path / "model")
    classes = load(tmp_path / "model").classes_
    assert classes.tolist() == sorted(set(labels))
    assert classes.dtype == classifier.classes_.dtype == np.asarray(labels).dtype


def test_whole_numbers_stay_whole():
    classifier = HebbianDescentClassifier().partial_fit(np.eye(3), [5, 1, 2])
    classifier.partial_fit(np.eye(3), [3.0, 5.0, 2**40])
    assert classifier.classes_.dtype == np.int64
    assert classifier.classes_.tolist() == [1, 2, 3, 5, 2**40]
    with pytest.raises(ValueError, match="labels y"):
        classifier.partial_fit(np.eye(3)[:1], np.array([2**63 + 1], np.uint64))


@pytest.mark.parametrize("kind", KINDS[:2])
@pytest.mark.parametrize("dtype", LARGE)
@pytest.mark.parametrize("scaling", ["auto", None])
def test_ordinary_samples_after_a_large_one_are_refused_as_a_whole(kind, dtype, scaling):
    n_refused = 0
    for seed in range(120):
        rng = np.random.default_rng(seed)
        estimator = kind(scaling=scaling, shift=rng.choice([0.01, 1.0]), average=bool(seed % 2))
        for call in range(4):
            X, y = sample(rng, 2 if call else N_SANE, dtype)
            if kind is HebbianDescentRegressor:
                y = y.astype(dtype)
            if call:
                part = rng.choice([0, 1] if kind is HebbianDescentRegressor else [0])
                (X[:, 1], y)[part][-1] = 10.0 ** rng.uniform(5, 20 if dtype == np.float32 else 155)
            before = copy.deepcopy(estimator)
            try:
                estimator.partial_fit(scipy.sparse.csr_array(X), y)
            except DivergenceError:
                n_refused += 1
                assert_same_bits(copy.deepcopy(estimator), before)
    assert n_refused or scaling == "auto"


@pytest.mark.parametrize("dtype", LARGE)
@pytest.mark.parametrize(
    ("kind", "units", "container"),
    [
        (HebbianDescentRegressor, {"activation": "exponential", "scaling": None}, "dense"),
        (HebbianDescentRegressor, {"activation": "exponential", "scaling": None}, "csr_array"),
        (HebbianDescentRegressor, {"scaling": None, "epochs": 2}, "csr_array"),
        (HebbianDescentAutoencoder, {"hidden_activation": "rectifier", "centering": "mean"}, "dense"),
    ],
)
def test_ordinary_samples_are_learned_after_a_large_one(kind, units, container, dtype):
    for seed in range(150):
        rng = np.random.default_rng(seed)
        shift, weight_decay = rng.choice([0.01, 1.0]), rng.choice([0.0, 0.01])
        estimator = kind(random_state=0, warm_start=True, shift=shift, weight_decay=weight_decay, **units)
        in_fit = "activation" not in units  # where a single sample is its own mean
        method = estimator.fit if in_fit else estimator.partial_fit
        samples = [sample(rng, n_rows, dtype) for n_rows in (N_SANE, 1, 3)]
        places = slice(None) if in_fit and seed % 2 else rng.integers(N_INPUTS)
        samples[1][0][0, places] = -(10.0 ** rng.uniform(6, 18 if dtype == np.float32 else 150))
        for X, y in samples:
            with contextlib.suppress(DivergenceError) if X is samples[1][0] else contextlib.nullcontext():
                method(contained(X, container, "sorted"), y)
