"""Whatever ends a call that learns, the learner is left in a consistent state.

It is the state before the call or after it. Ctrl-C may also leave what whole epochs, or some samples, taught.
"""

import _thread
import sys
import time
from itertools import pairwise
from threading import Timer

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from campaigns.interrupts import interrupted
from campaigns.snapshots import is_finite, is_same, snapshot
from hebbian_descent import (
    AssociativeMemory,
    Autoencoder,
    DivergenceError,
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
    Layer,
    train,
    transaction,
)
from hebbian_descent.engines import online
from hebbian_descent.network import Activation
from hebbian_descent.transaction import all_or_nothing

RNG = np.random.default_rng(0)
X, T = RNG.normal(size=(12, 4)), RNG.random((12, 2))
LABELS = np.array([0, 1, 0, 1, 2, 1, 0, 2, 1, 0, 2, 1])  # one class is first seen late
SIGMOID = Activation("mine", lambda a: 1 / (1 + np.exp(-a)))


CLASSIFIER = HebbianDescentClassifier
LEARNERS = {
    # name: a new learner, what it has seen before, the call
    "fit": (lambda: CLASSIFIER(epochs=3, random_state=0), None, lambda it: it.fit(X, LABELS)),
    "fit again": (
        lambda: HebbianDescentRegressor(epochs=2, random_state=0),
        lambda it: it.fit(X[:, :3], T[:, 0]),
        lambda it: it.fit(X, T),
    ),
    "fit further": (
        lambda: CLASSIFIER(epochs=2, warm_start=True, random_state=0, batch_size=12),
        lambda it: it.fit(X, LABELS % 2),
        lambda it: it.fit(X, LABELS),
    ),
    "fit an auto-encoder": (
        lambda: HebbianDescentAutoencoder(
            n_hidden=2, epochs=2, batch_size=12, warm_start=True, random_state=0
        ),
        lambda it: it.fit(X),
        lambda it: it.fit(X),
    ),
    "first stream": (lambda: CLASSIFIER(random_state=0), None, lambda it: it.partial_fit(X, LABELS)),
    "stream with a new class": (
        lambda: CLASSIFIER(random_state=0),
        lambda it: it.partial_fit(X[:3], LABELS[:3]),
        lambda it: it.partial_fit(X, LABELS),
    ),
    "stream of your own units": (
        lambda: HebbianDescentRegressor(activation=SIGMOID, random_state=0),
        lambda it: it.partial_fit(X[:2], T[:2]),
        lambda it: it.partial_fit(X[2:4], T[2:4]),
    ),
    "stream of an auto-encoder": (
        lambda: HebbianDescentAutoencoder(n_hidden=2, random_state=0),
        lambda it: it.partial_fit(X[:2]),
        lambda it: it.partial_fit(X[2:4]),
    ),
    "one class": (
        lambda: CLASSIFIER(random_state=0),
        lambda it: it.partial_fit(X, LABELS),
        lambda it: it.partial_fit(X[:1], LABELS[:1]),
    ),
    "one target": (
        lambda: HebbianDescentRegressor(random_state=0),
        lambda it: it.partial_fit(X, T),
        lambda it: it.partial_fit(X[:1], T[:1]),
    ),
    "memory": (lambda: AssociativeMemory(4, 2), None, lambda it: it.store(X[:2], T[:2])),
    "memory of patterns": (
        lambda: AssociativeMemory(4, auto="autoencoder", n_hidden=2, activation="linear"),
        lambda it: it.store(X[0]),
        lambda it: it.store(X[:2]),
    ),
}


def moments(name, event, every):
    """Yield an interrupted learner for moments of its call, with snapshots from before and after it.

    For `fit`, there is one after each epoch.
    """
    make, prepare, call = LEARNERS[name]

    def prepared():
        learner = make()
        if prepare is not None:
            prepare(learner)
        return learner

    learner = prepared()
    before, after = snapshot(learner), []
    for epochs in range(1, learner.epochs + 1) if name.startswith("fit") else [None]:
        learner = prepared()
        if epochs is None:
            call(learner)
        else:
            most = learner.epochs
            call(learner.set_params(epochs=epochs)).set_params(epochs=most)
        after.append(snapshot(learner))
        assert not is_same(before, after[-1])
    moment = 1
    while True:
        learner = prepared()
        try:
            with interrupted(moment, event=event):
                call(learner)
        except KeyboardInterrupt:
            yield learner, before, after
        else:
            return
        moment += every


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("name", "event"),
    [(name, "line") for name in LEARNERS] + [("one class", "opcode"), ("one target", "opcode")],
)
def test_an_interrupt_at_any_moment_leaves_one_moment(name, event, every):
    found = []
    for learner, before, after in moments(name, event, every):
        same = [is_same(snapshot(learner), moment) for moment in (before, *after)]
        assert any(same)
        found.append(same.index(True))
    # Time runs forward, but for one line: the end of a `with` is no longer inside of it.
    assert sum(later < earlier for earlier, later in pairwise(found)) <= 1
    assert found.count(0) > 20 // every
    if every == 1 and (event == "opcode" or name.startswith("fit")):
        assert set(found) == set(range(len(after) + 1))


@pytest.mark.parametrize("make", [
    lambda: Layer.create(4, 2, rng=np.random.default_rng(0)),
    lambda: Autoencoder.create(4, 2, rng=np.random.default_rng(0)),
], ids=["layer", "autoencoder"])  # fmt: skip
def test_an_interrupt_of_training_leaves_whole_epochs(make):
    def call(network, epochs):
        train(network, X, T, epochs=epochs, learning_rate=0.1, shift=0.1, batch_size=6, shuffle=True)

    whole = []
    for epochs in range(4):
        whole.append(make())
        call(whole[-1], epochs)
    found, moment = [], 0
    while True:
        moment, network = moment + 1, make()
        try:
            with interrupted(moment):
                call(network, 3)
        except KeyboardInterrupt:
            same = [is_same(snapshot(network), snapshot(other)) for other in whole]
            assert any(same)
            found.append(same.index(True))
        else:
            break
    assert found == sorted(found)
    assert set(found) == {0, 1, 2, 3}


def test_ctrl_c_during_long_calls(monkeypatch):
    """Real interrupts, at many moments; what was learned is what the counted samples make of a fresh one."""
    monkeypatch.setattr(online, "WEIGHTS_IN_A_CALL", 2**12)
    data = np.random.default_rng(0)
    inputs = data.normal(size=(5_000, 300))
    labels = (inputs @ data.normal(size=(300, 3))).argmax(axis=1)
    learner = CLASSIFIER(random_state=0).partial_fit(inputs[:10], labels[:10])
    start = time.perf_counter()
    learner.partial_fit(inputs, labels)
    parts = [len(inputs)]
    duration = time.perf_counter() - start
    interval, n_interrupted = sys.getswitchinterval(), 0
    sys.setswitchinterval(1e-5)
    try:
        for part in np.linspace(0, 0.9, 40):
            timer, is_done = Timer(part * duration, _thread.interrupt_main), False
            try:
                timer.start()
                learner.partial_fit(inputs, labels)
                is_done = True
                timer.join()
            except KeyboardInterrupt:
                n_interrupted += not is_done
            parts.append(learner.n_samples_seen_ - 10 - sum(parts))
    finally:
        sys.setswitchinterval(interval)
    assert n_interrupted > 0
    assert sum(parts) == learner.n_samples_seen_ - 10
    assert any(0 < part < len(inputs) for part in parts)
    fresh = CLASSIFIER(random_state=0).partial_fit(inputs[:10], labels[:10])
    for part in parts:
        if part:
            fresh.partial_fit(inputs[:part], labels[:part])
    assert is_same(snapshot(learner), snapshot(fresh))


@pytest.mark.parametrize("error", [MemoryError, ZeroDivisionError, KeyboardInterrupt, StopIteration])
@pytest.mark.parametrize("kind", [CLASSIFIER, HebbianDescentRegressor, HebbianDescentAutoencoder])
@pytest.mark.parametrize("method", ["fit", "partial_fit"])
def test_units_of_your_own_that_raise(kind, method, error):
    calls_left = [3]  # within the first epoch

    def output(a):
        calls_left[0] -= 1
        if calls_left[0] < 0:
            raise error
        return 1 / (1 + np.exp(-a))

    learner = kind(activation=Activation("mine", output), random_state=0, batch_size=3)
    untouched = snapshot(learner)
    with pytest.raises((error, RuntimeError)):
        getattr(learner, method)(X, LABELS)
    assert is_same(snapshot(learner), untouched)
    with pytest.raises(NotFittedError):
        check_is_fitted(learner)
    assert not hasattr(learner, "n_samples_seen_")
    calls_left[0] = 1000
    learner.partial_fit(X, LABELS)
    before = snapshot(learner)
    calls_left[0] = 3
    with pytest.raises((error, RuntimeError)):
        getattr(learner, method)(X, LABELS)
    assert is_same(snapshot(learner), before)


def test_a_rule_of_a_memory_that_raises_in_the_middle():
    calls = []

    def error(t, h):
        calls.append(t)
        if len(calls) == 4:
            raise MemoryError
        return h - t

    memory = AssociativeMemory(4, 2, error=error)
    memory.store(X[0], T[0])
    before = snapshot(memory)
    with pytest.raises(MemoryError):
        memory.store(X, T)
    assert is_same(snapshot(memory), before)
    memory.store(X, T)
    assert memory.n_stored == 13


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("centering", "offset_start"), [("auto", None), ("moving", None), ("moving", 0.5)])
@pytest.mark.parametrize("rate", ["auto", 0.1])
@pytest.mark.parametrize("alone", [True, False])
def test_one_hostile_input_is_refused_and_forgotten(dtype, centering, offset_start, rate, alone):
    inputs = X.astype(dtype)
    hostile = inputs.copy()
    hostile[0 if alone else 7, 1] = {np.float32: 1e20, np.float64: 1e155}[dtype]
    rows = slice(0, 1) if alone else slice(None)
    learner = CLASSIFIER(centering=centering, offset_start=offset_start, learning_rate=rate, random_state=0)
    untouched = snapshot(learner)
    for known in (False, True):
        before = snapshot(learner)
        for method in (learner.fit, learner.partial_fit):
            with pytest.raises(DivergenceError, match=r"Got inputs up to 1e\+(20|155)\. Try"):
                method(hostile[rows], LABELS[rows])
            assert is_same(snapshot(learner), before)
        if not known:
            assert is_same(before, untouched)
            learner.partial_fit(inputs, LABELS)
    learner.partial_fit(inputs, LABELS)
    assert learner.n_samples_seen_ == 24
    assert is_finite(snapshot(learner))


def test_a_parameter_set_in_between_changes_nothing_of_this():
    learner = HebbianDescentRegressor(random_state=0).fit(X, T)
    before = snapshot(learner)
    learner.set_params(activation="linear", learning_rate=1e6)
    with pytest.raises(DivergenceError):
        learner.fit(np.tile(100 * X, (50, 1)), np.tile(T, (50, 1)))
    after = snapshot(learner)
    assert is_same({**before, "learning_rate": 1e6}, after)
    assert learner.set_params(learning_rate="auto").partial_fit(X, T).n_samples_seen_ == 132


def test_epochs_in_blocks_have_the_bits_of_epochs_at_once(monkeypatch):
    settings = {"epochs": 3, "centering": "moving", "weight_decay": 0.01, "random_state": 0}
    whole = CLASSIFIER(**settings).fit(X, LABELS)
    monkeypatch.setattr(online, "WEIGHTS_IN_A_CALL", 4 * X.shape[1] * 3)
    assert is_same(snapshot(CLASSIFIER(**settings).fit(X, LABELS)), snapshot(whole))


def test_a_draft_begins_with_nothing_kept(monkeypatch):
    """An interrupt may come before a kept state is forgotten, and a later draft have the same identity."""
    monkeypatch.setattr(transaction, "_KEPT", {})
    layer = Layer(np.ones((3, 2)).T, np.zeros(3), np.zeros(2), SIGMOID)
    before, drafts = vars(layer), [transaction.draft_of(layer) for _ in range(500)]
    for draft in drafts:
        transaction.keep_so_far(draft)
    del draft, drafts
    for _ in range(50):
        with pytest.raises(KeyboardInterrupt), all_or_nothing(layer):
            raise KeyboardInterrupt
        assert vars(layer) is before


def test_a_draft_has_its_own_arrays_in_the_same_order():
    layer = Layer(np.ones((3, 2)).T, np.zeros(3), np.zeros(2), SIGMOID)
    with all_or_nothing(layer) as draft:
        assert draft.weights.flags.f_contiguous
        draft.weights[:] = 5
        assert (layer.weights == 1).all()
    assert (layer.weights == 5).all()
    assert vars(layer) is vars(draft)
