"""The online engine: its plain twin is the paper's loop, and the compiled loops are the twin."""

import importlib
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial

import numpy as np
import pytest

from hebbian_descent import ACTIVATIONS, ERROR_TERMS, RULES, Activation, get_activation
from hebbian_descent.aligned import aligned_copy
from hebbian_descent.engines import online
from hebbian_descent.engines.online import (
    ALL_LEARNED,
    LayerArrays,
    OnlineSetting,
    has_compiled_form,
    learn_in_blocks,
    learn_in_python,
    loop_of,
)
from hebbian_descent.learning.averaging import Averaging
from hebbian_descent.learning.centering import Offset
from hebbian_descent.learning.divergence import REPRESENTABLE
from hebbian_descent.learning.rates import Automatic
from hebbian_descent.learning.step import Update
from hebbian_descent.rules import get_error_term, get_rule
from tests import oracle

TOLERANCE = {np.float64: 1e-13, np.float32: 2e-5}
"""Of sums over a few dozen numbers of about 1, in another order; measured: 9e-15 and 6e-6."""
MOVING = Offset(shift=0.05, starts_as_mean=True)
ONLINE_RULES = [rule for rule in RULES if not get_rule(rule).needs_data_mean]
SPREAD, AVERAGES = ("squares", "precisions"), ("mean_weights", "mean_bias")
EXTRAS = {
    "plain": {},
    "decay": {"weight_decay": 0.03},
    "automatic": {"rate": Automatic("classify")},
    "moving": {"shift": 0.05},
    "mean": {"shift": 0.05, "starts_as_mean": True, "weight_decay": 0.03},
    "scaled by the data": {"scale": Offset(takes_data_mean=True), "rate": Automatic("classify")},
    "scaled around 0": {"scale": MOVING, "weight_decay": 0.03},
    "averaged": {"averaging": Averaging(), "shift": 0.05},
    "all": {
        "shift": 0.05, "starts_as_mean": True, "weight_decay": 0.03,
        "rate": Automatic("classify"), "scale": MOVING, "averaging": Averaging(0.05),
    },
}  # fmt: skip


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
    scale=None,
    averaging=None,
):
    update = Update(
        get_rule(rule), get_error_term(error), rate, weight_decay=weight_decay, bound=REPRESENTABLE
    )
    offset = Offset(shift=shift, starts_as_mean=starts_as_mean)
    return OnlineSetting(update, get_activation(activation), offset, scale, averaging)


class Stream:
    """A layer that has already learned, and samples in an order."""

    def __init__(self, n=24, n_inputs=19, n_outputs=5, dtype=np.float64, seed=0):
        rng = np.random.default_rng(seed)
        self.inputs = rng.random((n, n_inputs)).astype(dtype)
        self.targets = rng.random((n, n_outputs)).astype(dtype)
        self.scales = np.linspace(0.5, 1.5, n).astype(dtype)
        self.order = rng.permutation(n)
        W = aligned_copy(rng.uniform(-0.3, 0.3, (n_outputs, n_inputs)).astype(dtype))
        mu, variance = rng.random(n_inputs), rng.uniform(0.05, 0.2, n_inputs)
        self.arrays = LayerArrays(
            W,
            bias=rng.uniform(-0.3, 0.3, n_outputs).astype(dtype),
            offset=mu.astype(dtype),
            squares=(mu * mu + variance).astype(dtype),
            precisions=(1 / variance).astype(dtype),
            mean_weights=aligned_copy(W / 2),
            mean_bias=np.zeros(n_outputs, dtype),
        )
        self.progress = np.array([4.0, 2.5])  # even, so that pairs end where the layer is averaged

    @property
    def samples(self):
        return self.inputs, self.targets, self.scales

    @property
    def dtype(self):
        return self.inputs.dtype

    def copy_for(self, setting):
        """Return copies of the arrays that a setting has."""
        unused = SPREAD if setting.scale is None else ()
        unused += AVERAGES if setting.averaging is None else ()
        copies = {name: aligned_copy(array) for name, array in self.arrays._asdict().items()}
        if setting.scale is MOVING and not setting.offset.moves:
            copies["offset"][:] = 0
        return LayerArrays(**{**copies, **dict.fromkeys(unused)})

    def learned(self, setting, loop, orders=None):
        """Return the arrays and the progress after some orders, and where the last one ended."""
        arrays, progress, ended = self.copy_for(setting), self.progress.copy(), ALL_LEARNED
        for order in [self.order] if orders is None else orders:
            ended = loop(arrays, *self.samples, order, progress)
        return arrays, progress, ended

    def by_loop(self, setting, per_pass=1, **options):
        """Return the result of the compiled loop on the stream."""
        loop = loop_of(setting, self.inputs.shape[1], self.dtype, per_pass=per_pass)
        return self.learned(setting, loop, **options)

    def by_twin(self, setting, **options):
        """Return the result of the plain twin on it."""
        return self.learned(setting, partial(learn_in_python, setting), **options)


def assert_close(found, expected, tolerance):
    arrays, progress, ended = found
    others, progress_of_other, ended_of_other = expected
    assert (progress[0], ended) == (progress_of_other[0], ended_of_other)
    np.testing.assert_allclose(progress, progress_of_other, rtol=1e-15)
    for name, array, other in zip(arrays._fields, arrays, others, strict=True):
        assert (array is None) == (other is None)
        if array is not None:
            np.testing.assert_allclose(array, other, rtol=tolerance, atol=tolerance, err_msg=name)


def assert_same_bits(found, expected):
    (arrays, progress, ended), (others, progress_of_other, ended_of_other) = found, expected
    np.testing.assert_array_equal(progress, progress_of_other)
    assert ended == ended_of_other
    for name, array, other in zip(arrays._fields, arrays, others, strict=True):
        np.testing.assert_array_equal(array, other, err_msg=name)


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("rule", ONLINE_RULES)
@pytest.mark.parametrize("omega", [0.0, 0.1])
@pytest.mark.parametrize("nu", [0.0, 0.2])
def test_the_twin_is_the_loop_of_the_paper(rule, activation, omega, nu):
    stream = Stream(n=6, n_inputs=4, n_outputs=3)
    stream.scales[:] = 1
    order, (W, b, mu) = stream.order, stream.arrays[:3]
    expected = oracle.train(
        stream.inputs[order].tolist(), stream.targets[order].tolist(), W.T.tolist(), b.tolist(), mu.tolist(),
        rule=rule, activation=activation, eta=0.02, omega=omega, nu=nu,
    )  # fmt: skip
    arrays, progress, ended = stream.by_twin(setting_of(rule, activation, weight_decay=omega, shift=nu))
    assert (*progress, ended) == (10, 8.5, ALL_LEARNED)
    for array, other in zip((arrays.weights.T, *arrays[1:3]), expected, strict=True):
        np.testing.assert_allclose(array, other, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("rule", ["hebbian_descent", "gradient_descent"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_unit_is_that_of_the_twin(compiled, activation, rule, dtype):
    stream = Stream(dtype=dtype)
    for extras in ("mean", "all"):
        setting = setting_of(rule, activation, **EXTRAS[extras])
        expected = stream.by_twin(setting)
        for per_pass in (1, 2):
            assert_close(stream.by_loop(setting, per_pass), expected, TOLERANCE[dtype])


@pytest.mark.parametrize("extras", EXTRAS)
@pytest.mark.parametrize("error", ERROR_TERMS)
@pytest.mark.parametrize("rule", ONLINE_RULES)
def test_every_rule_and_error_term_is_that_of_the_twin(compiled, rule, error, extras):
    stream = Stream()
    if error == "leaky_hinge":
        stream.targets = np.where(stream.targets > 0.5, 1.0, -1.0)
    for activation in ("linear", "softmax", "exponential"):
        setting = setting_of(rule, activation, error, **EXTRAS[extras])
        expected = stream.by_twin(setting)
        for per_pass in (1, 2):
            assert_close(stream.by_loop(setting, per_pass), expected, TOLERANCE[np.float64])


@cache  # all levels are compared with the same twin, which takes most of the time
def weighted_cases(activation, rule, dtype):
    """Return streams of weighted samples, settings, and the results of the twin."""
    cases = []
    for weight in (2.5, 17, 300):
        stream = Stream(n=2, n_inputs=9, n_outputs=4, dtype=dtype)
        stream.targets *= 3
        stream.scales[:] = weight
        for error, extras in [("difference", "automatic"), ("saturating", "plain")]:
            setting = setting_of(rule, activation, error, **EXTRAS[extras])
            cases.append((stream, setting, stream.by_twin(setting)))
    return cases


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("rule", ["hebbian_descent", "gradient_descent", "contrastive"])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_weight_of_a_sample_is_that_of_the_twin(compiled, activation, rule, dtype):
    """By a closed form, or by 16 presentations and implicit steps."""
    for stream, setting, expected in weighted_cases(activation, rule, dtype):
        assert_close(stream.by_loop(setting), expected, TOLERANCE[dtype])


@pytest.mark.parametrize("per_pass", [1, 2])
@pytest.mark.parametrize("extras", ["plain", "mean", "all"])
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_every_size_is_that_of_the_twin(compiled, dtype, extras, per_pass):
    setting = setting_of(**EXTRAS[extras])
    sizes = [(n, 13, 7) for n in range(4)]
    sizes += [(9, n_inputs, 3) for n_inputs in (1, 7, 8, 9, 15, 16, 17, 33, 640)]
    sizes += [(9, 20, n_outputs) for n_outputs in range(1, 12)]
    for size in sizes:
        stream = Stream(*size, dtype=dtype)
        assert_close(stream.by_loop(setting, per_pass), stream.by_twin(setting), TOLERANCE[dtype])


@pytest.mark.parametrize("n_outputs", [1, 4, 6, 13])
@pytest.mark.parametrize("n_inputs", [1, 7, 8, 33, 64])
@pytest.mark.parametrize("extras", EXTRAS)
def test_a_sample_has_the_same_bits_alone_and_among_many(compiled, extras, n_inputs, n_outputs):
    stream, setting = Stream(12, n_inputs, n_outputs), setting_of(**EXTRAS[extras])
    together = stream.by_loop(setting)
    assert_same_bits(stream.by_loop(setting, orders=stream.order[:, np.newaxis]), together)
    assert_same_bits(stream.by_loop(setting, orders=np.split(stream.order, [1, 4])), together)


@pytest.mark.parametrize("per_pass", [1, 2])
@pytest.mark.parametrize("extras", ["plain", "mean", "all"])
def test_bits_do_not_depend_on_where_arrays_are(compiled, extras, per_pass):
    stream, setting = Stream(n=9, n_inputs=21, n_outputs=3), setting_of(**EXTRAS[extras])
    expected = stream.by_loop(setting, per_pass)
    loop = loop_of(setting, 21, stream.dtype, per_pass=per_pass)
    for gap in range(9):
        arrays = stream.copy_for(setting)
        starts = [stream.inputs, *(array for array in arrays if array is not None)]
        arena = np.full(sum(start.size + gap + 1 for start in starts), np.nan)
        moved, place = [], 0
        for start in starts:
            place += gap + 1
            moved.append(arena[place : place + start.size].reshape(start.shape))
            moved[-1][:] = start
            place += start.size
        inputs, *rest = moved
        rest = iter(rest)
        arrays = LayerArrays(*(None if array is None else next(rest) for array in arrays))
        progress = stream.progress.copy()
        ended = loop(arrays, inputs, *stream.samples[1:], stream.order, progress)
        assert_same_bits((arrays, progress, ended), expected)
        assert np.isnan(arena).sum() == len(starts) * (gap + 1)


SPOILT = {"huge": None, "nan": np.nan, "inf": np.inf, "-inf": -np.inf}


def refused(stream, setting, loop, place, spoilt):
    """Return what is left of a stream with a spoilt sample, and what the samples before it make alone."""
    whole, row = stream.inputs.copy(), stream.order[place]
    stream.inputs[row] = np.sqrt(np.finfo(stream.dtype).max) if spoilt is None else spoilt
    arrays, progress, ended = stream.learned(setting, loop)
    stream.inputs = whole
    assert ended == place
    assert progress[0] == 4 + place
    return (arrays, progress, ALL_LEARNED), stream.learned(setting, loop, [stream.order[:place]])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("extras", EXTRAS)
@pytest.mark.parametrize("spoilt", SPOILT)
@pytest.mark.parametrize("place", [0, 1, 2, 3, 5])
def test_learning_stops_before_a_sample_that_would_leave_the_bounds(compiled, place, spoilt, extras, dtype):
    """Weights, offset, spread, averages and progress are as after the samples before it."""
    setting, stream = setting_of(activation="linear", **EXTRAS[extras]), Stream(n=6, dtype=dtype)
    twin = partial(learn_in_python, setting)
    assert_same_bits(*refused(stream, setting, twin, place, SPOILT[spoilt]))
    for per_pass in (1, 2):
        loop = loop_of(setting, 19, stream.dtype, per_pass=per_pass)
        found, before = refused(stream, setting, loop, place, SPOILT[spoilt])
        if per_pass == 1 or place % 2 == 0:
            assert_same_bits(found, before)
        else:  # the last of them was learned in a pass for two
            assert_close(found, before, TOLERANCE[dtype])


@pytest.mark.parametrize("spoilt", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("rule", ONLINE_RULES)
def test_a_sample_that_is_not_finite_leaves_everything_untouched(compiled, rule, spoilt):
    stream = Stream(n=1)
    stream.inputs[0, 3] = spoilt
    for extras in ("mean", "all"):
        setting = setting_of(rule, **EXTRAS[extras])
        untouched = stream.copy_for(setting), stream.progress, 0
        for found in (stream.by_loop(setting), stream.by_twin(setting)):
            assert_same_bits(found, untouched)


def test_what_fades_becomes_zero(compiled):
    stream = Stream(n=2, n_inputs=11)
    stream.arrays.weights[:], stream.arrays.offset[:] = np.full((2, 1), 1.5 * np.finfo(float).tiny)
    stream.arrays.squares[:] = 1.5 * np.finfo(float).tiny
    stream.inputs[:] = 0
    stream.scales[:] = 0
    setting = setting_of(weight_decay=0.5, shift=0.5, scale=Offset(shift=0.5))
    for found in (stream.by_loop(setting), stream.by_loop(setting, 2), stream.by_twin(setting)):
        arrays = found[0]
        assert not arrays.weights.any()
        assert not arrays.offset.any()
        assert not arrays.squares.any()


@pytest.mark.parametrize("per_pass", [1, 2])
@pytest.mark.parametrize("extras", ["mean", "all"])
def test_blocks_have_the_bits_of_one_call(compiled, monkeypatch, extras, per_pass):
    stream, setting = Stream(n=23), setting_of(**EXTRAS[extras])
    loop = loop_of(setting, 19, stream.dtype, per_pass=per_pass)

    def in_blocks(arrays, inputs, targets, scales, order, progress):
        samples, n_weights = (inputs, targets, scales), arrays.weights.size
        return learn_in_blocks(loop, arrays, samples, order, progress, n_weights=n_weights)

    expected = stream.learned(setting, loop)
    monkeypatch.setattr(online, "WEIGHTS_IN_A_CALL", 4 * stream.arrays.weights.size)
    assert_same_bits(stream.learned(setting, in_blocks), expected)
    stream.inputs[stream.order[17]] = np.nan
    _, progress, ended = stream.learned(setting, in_blocks)
    assert (progress[0], ended) == (21, 17)


def test_threads_may_share_a_loop(compiled):
    streams = [Stream(n=300, n_inputs=100, n_outputs=10, seed=seed) for seed in range(4)]
    setting = setting_of(activation="softmax", **EXTRAS["all"])
    loop = loop_of(setting, 100, np.dtype(float))
    expected = [stream.learned(setting, loop) for stream in streams]
    with ThreadPoolExecutor(4) as pool:
        for found, alone in zip(
            pool.map(lambda stream: stream.learned(setting, loop), streams), expected, strict=True
        ):
            assert_same_bits(found, alone)


@pytest.mark.parametrize("name", ["inputs", "targets", "scales", *LayerArrays._fields[1:]])
def test_arrays_that_do_not_fit_are_refused(compiled, name):
    stream, setting = Stream(), setting_of(**EXTRAS["all"])
    if name in LayerArrays._fields:
        shorter = getattr(stream.arrays, name)[..., :-1].copy()
        stream.arrays = stream.arrays._replace(**{name: shorter})
    else:
        setattr(stream, name, getattr(stream, name)[..., :-1].copy())
    with pytest.raises(ValueError, match=r"do not fit together|have the shape of the weights"):
        stream.by_loop(setting)
    single = Stream(dtype=np.float32)
    with pytest.raises(ValueError, match="precision"):
        single.learned(setting, loop_of(setting, 19, np.dtype(float)))


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_v3_and_v4_give_the_same_bits(monkeypatch, activation, dtype):
    stream = Stream(300, 83, 21, dtype)
    stream.scales[::7] = 40  # most of them presented by implicit steps
    for rule, extras, per_pass in [
        ("hebbian_descent", "mean", 1),
        ("gradient_descent", "automatic", 2),
        ("hebbian_descent", "all", 1),
        ("gradient_descent", "all", 2),
    ]:
        found, setting = [], setting_of(rule, activation, **EXTRAS[extras])
        for module in (level("v3"), level("v4")):
            monkeypatch.setattr(online, "core", lambda module=module: module)
            found.append(stream.by_loop(setting, per_pass))
        assert_same_bits(*found)


def test_without_the_compiled_core_the_twin_runs(monkeypatch):
    monkeypatch.setattr(online, "core", lambda: None)
    setting, stream = setting_of(**EXTRAS["all"]), Stream()
    assert_same_bits(stream.by_loop(setting, per_pass=2), stream.by_twin(setting))


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
    by_labels = Stream(dtype=dtype)
    by_labels.targets = labels
    for per_pass in (1, 2):
        assert_same_bits(by_labels.by_loop(setting, per_pass), stream.by_loop(setting, per_pass))
    assert_same_bits(by_labels.by_twin(setting), stream.by_twin(setting))


@pytest.mark.parametrize("label", [-1, 5])
def test_a_label_of_no_unit_is_refused(compiled, label):
    stream = Stream()
    stream.targets = np.full(len(stream.inputs), label)
    with pytest.raises(ValueError, match="number of an output unit"):
        stream.by_loop(setting_of())
