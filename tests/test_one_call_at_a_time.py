"""A learner learns in one call at a time; another call is refused, in a thread as in a callback."""

import copy
import os
import pickle
import sys
import threading

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from campaigns.snapshots import is_same
from hebbian_descent import (
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
    load,
)
from hebbian_descent.learning.recorders import Recorder
from hebbian_descent.memory import MEMORIES, Area, AssociativeMemory, Chain, random_projection
from hebbian_descent.storage.models import KINDS
from hebbian_descent.transaction import as_it_is

RNG = np.random.default_rng(0)
X = RNG.choice([-1.0, 1.0], (40, 4))
BITS = (X > 0).astype(float)
LABELS = np.arange(40) % 3


class Hooked:
    """Array-like that calls a function when it is read, in the middle of learning."""

    def __init__(self, values, during):
        self.values, self.during = np.asarray(values), during
        self.shape, self.dtype = self.values.shape, self.values.dtype

    def __array__(self, dtype=None, copy=None):
        self.during()
        return np.array(self.values, dtype)

    def __iter__(self):
        self.during()
        return iter(self.values.tolist())

    def __len__(self):
        return len(self.values)


def nothing():
    pass


def chain():
    areas = [Area("in", 4), Area("code", 12, winners=3), Area("out", 4)]
    return Chain(areas, [random_projection(4, 12, seed=0), AssociativeMemory(12, 4)])


ESTIMATORS = {
    "classifier": lambda: HebbianDescentClassifier(random_state=0).partial_fit(X, LABELS),
    "regressor": lambda: HebbianDescentRegressor(random_state=0).partial_fit(X, X[:, 0]),
    "autoencoder": lambda: HebbianDescentAutoencoder(2, random_state=0).partial_fit(X),
}
MEMORIES_HERE = {
    "associative": lambda: AssociativeMemory(4, 4),
    "chain": chain,
    **{name: (lambda cls=cls: cls(4)) for name, cls in MEMORIES.items() if name != "associative"},
}


def of_estimator(name, method, rows):
    targets = {"classifier": LABELS, "regressor": X[:, 0], "autoencoder": None}[name]

    def learn(estimator, during=nothing):
        if targets is None:
            return getattr(estimator, method)(Hooked(X[rows], during))
        return getattr(estimator, method)(X[rows], Hooked(targets[rows], during))

    return ESTIMATORS[name], learn, lambda it: it.n_samples_seen_, lambda it: it.score(X, targets)


def of_memory(name):
    def learn(memory, during=nothing):
        x = X if name == "hopfield" else BITS
        memory.store(Hooked(x[0], during), *([] if memory.is_auto else [x[1]]))

    cue = X[0] if name == "hopfield" else BITS[0]
    return MEMORIES_HERE[name], learn, lambda it: it.n_stored, lambda it: it.recall(cue)


def of_river(name, method):
    river = pytest.importorskip("hebbian_descent.river")
    cls = river.HebbianDescentClassifier if name == "classifier" else river.HebbianDescentRegressor
    rows = [dict(zip("abcd", row, strict=True)) for row in X.tolist()]

    class Row(dict):
        def __iter__(self):
            self.during()
            return super().__iter__()

    def made():
        model = cls()
        model.learn_many(pd.DataFrame(rows), pd.Series(LABELS))
        return model

    def learn(model, during=nothing):
        if method == "learn_many":
            return model.learn_many(pd.DataFrame(rows[:3]), Hooked(LABELS[:3], during))
        row = Row(rows[0])
        row.during = during
        return model.learn_one(row, 1)

    def count(model):
        return model._learned.estimator.n_samples_seen_

    return made, learn, count, lambda it: it.predict_one(rows[0])


LEARNERS = {
    **{
        f"{name}, {method}, {what}": (of_estimator, name, method, rows)
        for name in ESTIMATORS
        for method in ("fit", "partial_fit")
        for what, rows in (("all", slice(None)), ("one row", slice(1)))
        if method == "partial_fit" or what == "all"
    },
    **{f"memory, {name}": (of_memory, name) for name in MEMORIES_HERE},
    **{
        f"River {name}, {method}": (of_river, name, method)
        for name in ("classifier", "regressor")
        for method in ("learn_one", "learn_many")
    },
}


@pytest.fixture(params=LEARNERS)
def case(request):
    make, *arguments = LEARNERS[request.param]
    return make(*arguments)


def arrays_of(learner):
    inner = learner._learned.estimator if hasattr(learner, "_learned") else learner
    return inner._contents()[1]


def in_a_thread(call):
    """Return what a call raises in a thread, or None."""
    found = []

    def run():
        try:
            call()
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0] if found else None


def once(call):
    """Return a function that does something when it is called first."""
    left = [call]
    return lambda: left.pop()() if left else None


def test_every_learner_is_tested():
    names = {type(make()).__name__ for make in (*ESTIMATORS.values(), *MEMORIES_HERE.values())}
    learners = {name for name, cls in KINDS.items() if hasattr(cls(), "store") or hasattr(cls(), "fit")}
    assert names == learners


def test_another_call_is_refused_and_reading_is_not(case):
    make, learn, count, read = case
    learner, twin, found = make(), make(), []

    def meanwhile():
        found.append(in_a_thread(lambda: learn(learner)))
        found.append(in_a_thread(lambda: read(learner)))
        with pytest.raises(RuntimeError, match=type(learner).__name__):
            learn(learner)

    if count(learner):
        read(learner)
    learn(learner, once(meanwhile))
    learn(twin)
    assert type(found[0]) is RuntimeError
    assert found[1] is None
    assert count(learner) == count(twin)
    learn(learner)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, GeneratorExit, SystemExit])
def test_after_an_exception_it_learns_on(case, error):
    make, learn, count, _ = case
    learner = make()

    def fail():
        raise error

    before = count(learner)
    with pytest.raises(error):
        learn(learner, fail)
    assert count(learner) == before
    learn(learner)


def test_copies_made_meanwhile_can_learn(case, tmp_path):
    make, learn, _, _ = case
    learner, copies = make(), []

    def meanwhile():
        copies.extend([copy.deepcopy(learner), copy.copy(learner), pickle.loads(pickle.dumps(learner))])
        if hasattr(learner, "get_params"):
            copies.append(clone(learner))
        if hasattr(learner, "save"):
            learner.save(tmp_path / "learner.safetensors")
            copies.append(load(tmp_path / "learner.safetensors"))
        for copied in copies:
            learn(copied)

    before = set(vars(learner))
    learn(learner, once(meanwhile))
    assert len(copies) >= 3
    assert set(vars(learner)) - before <= {"_remembered", "_places", "_weights"}  # caches


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_child_process_is_not_bound(case):
    make, learn, _, _ = case
    learner, codes = make(), []

    def fork():
        if (child := os.fork()) == 0:
            os._exit(0 if in_a_thread(lambda: learn(learner)) is None else 1)
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    learn(learner, once(lambda: in_a_thread(fork)))
    assert codes == [0]


def test_no_sample_is_lost_silently(case):
    """Four threads and a reader: what is counted are the calls that raised nothing."""
    make, learn, count, read = case
    learner, expected = make(), make()
    learn(expected)
    learn(learner)
    learned, wrong, interval = [], [], sys.getswitchinterval()

    def hammer():
        for _ in range(25):
            try:
                learn(learner)
                learned.append(1)
            except RuntimeError:
                pass
            except BaseException as error:
                wrong.append(error)

    def look():
        for _ in range(25):
            try:
                read(learner)
            except BaseException as error:
                wrong.append(error)

    threads = [threading.Thread(target=target) for target in (hammer, hammer, hammer, hammer, look)]
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not wrong
    for _ in learned:
        learn(expected)
    assert count(learner) == count(expected)
    assert is_same(arrays_of(learner), arrays_of(expected))


def test_what_is_read_meanwhile_is_not_kept():
    """The pseudo-inverse is computed when it is first needed: that of an earlier state must not stay."""
    memory = MEMORIES["pseudo_inverse"](4)
    memory.store(np.eye(4)[0])
    present = as_it_is(memory)
    memory.store(np.eye(4)[1])
    assert present.recall(np.eye(4)[1]).round(6).tolist() == [0, 0, 0, 0]
    assert memory.recall(np.eye(4)[1]).round(6).tolist() == [0, 1, 0, 0]


def test_a_recorder_that_stores_is_refused():
    memory = AssociativeMemory(4, 4)
    with pytest.raises(RuntimeError, match="AssociativeMemory"):
        memory.store(BITS, BITS, recorders=Recorder(call=lambda _: memory.store(BITS[0], BITS[0])))
    assert memory.n_stored == 0
    memory.store(BITS, BITS)
