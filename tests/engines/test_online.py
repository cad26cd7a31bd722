"""The online engine: its plain twin is the paper's loop, and the compiled loops are the twin."""

import importlib
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from hebbian_descent import ACTIVATIONS, ERROR_TERMS, RULES, Activation, get_activation
from hebbian_descent.aligned import aligned_copy
from hebbian_descent.engines import online
from hebbian_descent.engines.online import (
    ALL_LEARNED,
    OnlineSetting,
    has_compiled_form,
    learn_in_blocks,
    learn_in_python,
    loop_of,
)
from hebbian_descent.learning.centering import Offset
from hebbian_descent.learning.divergence import REPRESENTABLE
from hebbian_descent.learning.rates import Automatic
from hebbian_descent.learning.step import Update
from hebbian_descent.rules import get_error_term, get_rule
from tests import oracle

TOLERANCE = {np.float64: 1e-12, np.float32: 2e-5}
"""Of sums over a few dozen numbers of about 1, in another order."""
ONLINE_RULES = [rule for rule in RULES if not get_rule(rule).needs_data_mean]
EXTRAS = {
    "plain": {},
    "decay": {"weight_decay": 0.03},
    "automatic": {"rate": Automatic("classify")},
    "moving": {"shift": 0.05},
    "mean": {"shift": 0.05, "starts_as_mean": True, "weight_decay": 0.03},
}


def level(name):
    baseline = pytest.importorskip("hebbian_descent.native._baseline", reason="`make native` builds the core")
    if not baseline.supports(name):
        pytest.skip(f"this processor has no {name}")
    return importlib.import_module(f"hebbian_descent.native._{name}")


@pytest.fixture(params=["baseline", "v3", "v4"])
def compiled(request, monkeypatch):
    """Let the engine use one level of the compiled core."""
    module = level(request.param)
    monkeypatch.setattr(online, "core", lambda: module)


def setting_of(
    rule="hebbian_descent",
    activation="sigmoid",
    error="difference",
    rate=0.02,
    weight_decay=0.0,
    shift=0.0,
    starts_as_mean=False,
):
    update = Update(
        get_rule(rule), get_error_term(error), rate, weight_decay=weight_decay, bound=REPRESENTABLE
    )
    return OnlineSetting(
        update, get_activation(activation), Offset(shift=shift, starts_as_mean=starts_as_mean)
    )


class Stream:
    """A layer in the middle of its life, and samples in an order."""

    def __init__(self, n=24, n_inputs=19, n_outputs=5, dtype=np.float64, seed=0):
        rng = np.random.default_rng(seed)
        self.inputs = rng.random((n, n_inputs)).astype(dtype)
        self.targets = rng.random((n, n_outputs)).astype(dtype)
        self.scales = np.linspace(0.5, 1.5, n).astype(dtype)
        self.order = rng.permutation(n)
        self.W = aligned_copy(rng.uniform(-0.3, 0.3, (n_outputs, n_inputs)).astype(dtype))
        self.b = rng.uniform(-0.3, 0.3, n_outputs).astype(dtype)
        self.mu = rng.random(n_inputs).astype(dtype)
        self.seen = np.array([3])

    @property
    def samples(self):
        return self.inputs, self.targets, self.scales

    def learned(self, loop, orders=None):
        """Return copies of W, b, μ and the count after some orders, and where the last one ended."""
        W, b, mu, seen = aligned_copy(self.W), self.b.copy(), self.mu.copy(), self.seen.copy()
        ended = ALL_LEARNED
        for order in [self.order] if orders is None else orders:
            ended = loop(W, b, mu, *self.samples, order, seen)
        return W, b, mu, seen, ended


def twin_of(setting):
    return lambda *arrays: learn_in_python(setting, *arrays)


def assert_close(found, expected, tolerance):
    *arrays, seen, ended = found
    *others, seen_by_other, ended_of_other = expected
    assert (seen[0], ended) == (seen_by_other[0], ended_of_other)
    for array, other in zip(arrays, others, strict=True):
        np.testing.assert_allclose(array, other, rtol=tolerance, atol=tolerance)


def assert_same_bits(found, expected):
    for array, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(array, other)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("rule", ONLINE_RULES)
@pytest.mark.parametrize("omega", [0.0, 0.1])
@pytest.mark.parametrize("nu", [0.0, 0.2])
def test_the_twin_is_the_loop_of_the_paper(rule, activation, omega, nu):
    stream = Stream(n=6, n_inputs=4, n_outputs=3)
    stream.scales[:] = 1
    order = stream.order
    expected = oracle.train(
        stream.inputs[order].tolist(), stream.targets[order].tolist(), stream.W.T.tolist(), stream.b.tolist(),
        stream.mu.tolist(), rule=rule, activation=activation, eta=0.02, omega=omega, nu=nu,
    )  # fmt: skip
    setting = setting_of(rule, activation, weight_decay=omega, shift=nu)
    W, b, mu, seen, ended = stream.learned(twin_of(setting))
    assert (seen[0], ended) == (9, ALL_LEARNED)
    for array, other in zip((W.T, b, mu), expected, strict=True):
        np.testing.assert_allclose(array, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("rule", ["hebbian_descent", "gradient_descent"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_unit_is_that_of_the_twin(compiled, activation, rule, dtype):
    setting, stream = setting_of(rule, activation, **EXTRAS["mean"]), Stream(dtype=dtype)
    expected = stream.learned(twin_of(setting))
    for per_pass in (1, 2):
        loop = loop_of(setting, np.dtype(dtype), per_pass=per_pass)
        assert_close(stream.learned(loop), expected, TOLERANCE[dtype])


@pytest.mark.parametrize("extras", EXTRAS)
@pytest.mark.parametrize("error", ERROR_TERMS)
@pytest.mark.parametrize("rule", ONLINE_RULES)
def test_every_rule_and_error_term_is_that_of_the_twin(compiled, rule, error, extras):
    stream = Stream()
    if error == "leaky_hinge":
        stream.targets = np.where(stream.targets > 0.5, 1.0, -1.0)
    for activation in ("linear", "softmax", "exponential"):
        setting = setting_of(rule, activation, error, **EXTRAS[extras])
        expected = stream.learned(twin_of(setting))
        for per_pass in (1, 2):
            assert_close(stream.learned(loop_of(setting, stream.W.dtype, per_pass=per_pass)), expected, 1e-12)


@pytest.mark.parametrize("per_pass", [1, 2])
@pytest.mark.parametrize("extras", ["plain", "mean"])
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_every_size_is_that_of_the_twin(compiled, dtype, extras, per_pass):
    setting = setting_of(**EXTRAS[extras])
    loop = loop_of(setting, np.dtype(dtype), per_pass=per_pass)
    sizes = [(n, 13, 7) for n in range(4)]
    sizes += [(5, n_inputs, 3) for n_inputs in (1, 7, 8, 9, 15, 16, 17, 33)]
    sizes += [(5, 20, n_outputs) for n_outputs in range(1, 12)]
    for size in sizes:
        stream = Stream(*size, dtype=dtype)
        assert_close(stream.learned(loop), stream.learned(twin_of(setting)), TOLERANCE[dtype])


@pytest.mark.parametrize("n_outputs", [1, 4, 6, 13])
@pytest.mark.parametrize("n_inputs", [1, 7, 8, 33, 64])
@pytest.mark.parametrize("extras", EXTRAS)
def test_a_sample_has_the_same_bits_alone_and_among_many(compiled, extras, n_inputs, n_outputs):
    stream = Stream(12, n_inputs, n_outputs)
    loop = loop_of(setting_of(**EXTRAS[extras]), stream.W.dtype)
    together = stream.learned(loop)
    assert_same_bits(stream.learned(loop, stream.order[:, np.newaxis]), together)
    assert_same_bits(stream.learned(loop, np.split(stream.order, [1, 4])), together)


@pytest.mark.parametrize("per_pass", [1, 2])
@pytest.mark.parametrize("extras", ["plain", "mean"])
def test_bits_do_not_depend_on_where_arrays_are(compiled, extras, per_pass):
    stream = Stream(n=9, n_inputs=21, n_outputs=3)
    loop = loop_of(setting_of(**EXTRAS[extras]), stream.W.dtype, per_pass=per_pass)
    expected = stream.learned(loop)
    n_weights = stream.W.size
    for gap in range(9):
        arena = np.full(2 * n_weights + 100 + stream.inputs.size, np.nan)
        places = np.cumsum([1 + gap, n_weights + gap, 3 + gap, 21 + gap])
        W, b, mu, x = (
            arena[place : place + array.size].reshape(array.shape)
            for place, array in zip(places, (stream.W, stream.b, stream.mu, stream.inputs), strict=True)
        )
        for array, start in zip((W, b, mu, x), (stream.W, stream.b, stream.mu, stream.inputs), strict=True):
            array[:] = start
        seen = stream.seen.copy()
        ended = loop(W, b, mu, x, stream.targets, stream.scales, stream.order, seen)
        assert_same_bits((W, b, mu, seen, ended), expected)
        assert np.isnan(arena).sum() == arena.size - sum(a.size for a in (W, b, mu, x))


def refused(setting, loop, dtype, place, per_pass):
    """Learn a stream of which one sample is too large; compare with the stream up to it."""
    stream = Stream(n=7, dtype=dtype)
    whole = stream.inputs.copy()
    stream.inputs[stream.order[place]] = np.sqrt(np.finfo(dtype).max)
    found = stream.learned(loop)
    assert found[-1] == place
    assert found[-2][0] == 3 + place
    stream.inputs = whole
    before = stream.learned(loop, [stream.order[:place]])
    compare = assert_same_bits if per_pass == 1 or place % 2 == 0 else lambda a, b: assert_close(a, b, 1e-4)
    compare((*found[:-1], ALL_LEARNED), before)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("extras", EXTRAS)
@pytest.mark.parametrize("place", [0, 1, 2, 5])
def test_learning_stops_before_a_sample_that_would_leave_the_bounds(compiled, place, extras, dtype):
    setting = setting_of(activation="linear", **EXTRAS[extras])
    refused(setting, twin_of(setting), dtype, place, 1)
    for per_pass in (1, 2):
        loop = loop_of(setting, np.dtype(dtype), per_pass=per_pass)
        refused(setting, loop, dtype, place, per_pass)


@pytest.mark.parametrize("spoilt", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("rule", ONLINE_RULES)
def test_a_sample_that_is_not_finite_leaves_everything_untouched(compiled, rule, spoilt):
    setting, stream = setting_of(rule, **EXTRAS["mean"]), Stream(n=1)
    stream.inputs[0, 3] = spoilt
    for loop in (loop_of(setting, stream.W.dtype), twin_of(setting)):
        assert_same_bits(stream.learned(loop), (stream.W, stream.b, stream.mu, stream.seen, 0))


def test_what_fades_becomes_zero(compiled):
    stream = Stream(n=2, n_inputs=11)
    stream.W[:], stream.mu[:] = 1.5 * np.finfo(float).tiny, 1.5 * np.finfo(float).tiny
    stream.inputs[:] = 0
    stream.scales[:] = 0
    setting = setting_of(weight_decay=0.5, shift=0.5)
    for loop in (
        loop_of(setting, stream.W.dtype),
        loop_of(setting, stream.W.dtype, per_pass=2),
        twin_of(setting),
    ):
        W, _, mu, _, _ = stream.learned(loop)
        assert not W.any()
        assert not mu.any()


@pytest.mark.parametrize("per_pass", [1, 2])
def test_blocks_have_the_bits_of_one_call(compiled, monkeypatch, per_pass):
    stream = Stream(n=23)
    loop = loop_of(setting_of(**EXTRAS["mean"]), stream.W.dtype, per_pass=per_pass)

    def in_blocks(W, b, mu, inputs, targets, scales, order, seen):
        return learn_in_blocks(loop, (W, b, mu), (inputs, targets, scales), order, seen)

    expected = stream.learned(loop)
    monkeypatch.setattr(online, "WEIGHTS_IN_A_CALL", 4 * stream.W.size)
    assert_same_bits(stream.learned(in_blocks), expected)
    stream.inputs[stream.order[17]] = np.nan
    assert stream.learned(in_blocks)[-2:] == (np.array([20]), 17)


def test_threads_may_share_a_loop(compiled):
    streams = [Stream(n=300, n_inputs=100, n_outputs=10, seed=seed) for seed in range(4)]
    loop = loop_of(setting_of(activation="softmax", **EXTRAS["mean"]), np.dtype(float))
    expected = [stream.learned(loop) for stream in streams]
    with ThreadPoolExecutor(4) as pool:
        for found, alone in zip(
            pool.map(lambda stream: stream.learned(loop), streams), expected, strict=True
        ):
            assert_same_bits(found, alone)


@pytest.mark.parametrize("name", ["b", "mu", "inputs", "targets", "scales"])
def test_arrays_that_do_not_fit_are_refused(compiled, name):
    stream = Stream()
    loop = loop_of(setting_of(), stream.W.dtype)
    setattr(stream, name, getattr(stream, name)[..., :-1].copy())
    with pytest.raises(ValueError, match="do not fit together"):
        stream.learned(loop)
    with pytest.raises(ValueError, match="precision"):
        Stream(dtype=np.float32).learned(loop)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_v3_and_v4_give_the_same_bits(monkeypatch, activation, dtype):
    stream = Stream(300, 83, 21, dtype)
    for rule, extras, per_pass in [("hebbian_descent", "mean", 1), ("gradient_descent", "automatic", 2)]:
        found = []
        for module in (level("v3"), level("v4")):
            monkeypatch.setattr(online, "core", lambda module=module: module)
            setting = setting_of(rule, activation, **EXTRAS[extras])
            found.append(stream.learned(loop_of(setting, np.dtype(dtype), per_pass=per_pass)))
        assert_same_bits(*found)


def test_without_the_compiled_core_the_twin_runs(monkeypatch):
    monkeypatch.setattr(online, "core", lambda: None)
    setting, stream = setting_of(**EXTRAS["mean"]), Stream()
    found = stream.learned(loop_of(setting, stream.W.dtype, per_pass=2))
    assert_same_bits(found, stream.learned(twin_of(setting)))


def test_what_has_a_compiled_form():
    sigmoid, own_unit = get_activation("sigmoid"), Activation("own", lambda a: a)
    for rule, error, activation, expected in [
        ("hebb", "difference", sigmoid, True),
        ("contrastive", lambda t, h: h - t, sigmoid, True),  # which takes no error term
        ("covariance", "difference", sigmoid, False),
        ("hebbian_descent", "difference", own_unit, False),
        ("hebbian_descent", lambda t, h: h - t, sigmoid, False),
    ]:
        update = Update(get_rule(rule), get_error_term(error), 0.1, bound=REPRESENTABLE)
        assert has_compiled_form(OnlineSetting(update, activation, Offset())) is expected
    update = Update(get_rule("hebb"), get_error_term("difference"), 0.1, bound=REPRESENTABLE)
    assert not has_compiled_form(OnlineSetting(update, sigmoid, Offset(shift=0.1, starts_as_mean=True)))
    assert not has_compiled_form(OnlineSetting(Update(update.rule, update.error, 0.1), sigmoid, Offset()))


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("error", ERROR_TERMS)
@pytest.mark.parametrize("rule", ONLINE_RULES)
def test_labels_stand_for_rows_of_codes(compiled, rule, error, dtype):
    setting, stream = setting_of(rule, "softmax", error=error), Stream(dtype=dtype)
    labels = np.random.default_rng(1).integers(0, 5, len(stream.inputs))
    off, on = (-1, 1) if error == "leaky_hinge" else (0, 1)
    stream.targets = np.where(np.eye(5)[labels] > 0, on, off).astype(dtype)
    for per_pass in (1, 2):
        loop = loop_of(setting, np.dtype(dtype), per_pass=per_pass)
        by_rows, by_labels = stream.learned(loop), Stream(dtype=dtype)
        by_labels.targets = labels
        assert_same_bits(by_labels.learned(loop), by_rows)
    by_twin = Stream(dtype=dtype)
    by_twin.targets = labels
    assert_same_bits(by_twin.learned(twin_of(setting)), stream.learned(twin_of(setting)))


@pytest.mark.parametrize("label", [-1, 5])
def test_a_label_of_no_unit_is_refused(compiled, label):
    stream = Stream()
    stream.targets = np.full(len(stream.inputs), label)
    with pytest.raises(ValueError, match="number of an output unit"):
        stream.learned(loop_of(setting_of(), np.dtype(float)))
