"""Every listed memory stores all or nothing, recalls, copies, pickles and can be loaded from its file."""

import pickle

import numpy as np
import pytest

from hebbian_descent import load, patterns
from hebbian_descent.learning.rates import KAPPAS, Automatic
from hebbian_descent.memory import MEMORIES, AssociativeMemory, Memory
from hebbian_descent.storage.models import ModelFileError, read_model, write_model

N = 60
BINARY = patterns.sparse(8, N, activity=0.1, seed=0)
TARGETS = patterns.sparse(8, 10, activity=0.3, seed=1)
DENSE = patterns.sparse(8, N, activity=0.5, seed=2)
SIGNS = 2 * DENSE - 1

AUTO = {
    # how each is made for patterns that recall themselves, and such patterns
    "associative": ({"auto": "layer"}, BINARY),
    "associative, auto-encoder": ({"auto": "autoencoder", "n_hidden": 20}, BINARY),
    "hopfield": ({}, SIGNS),
    "hopfield, sparse": ({"activity": 0.1}, BINARY),
    "pseudo_inverse": ({}, BINARY),
    "willshaw": ({}, BINARY),
    "willshaw, winners": ({"n_winners": 6}, BINARY),
    "dense": ({}, BINARY),
    "dense, power": ({"power": 3}, SIGNS),
    "sparse_distributed": ({"n_locations": 300}, DENSE),
}
PAIRS = {
    "associative": ({}, BINARY),
    "pseudo_inverse": ({}, BINARY),
    "willshaw": ({}, BINARY),
    "sparse_distributed": ({"n_locations": 300}, DENSE),
}
ORDER_MATTERS = ("associative", "associative, auto-encoder")
ALL = [(name, "auto") for name in AUTO] + [(name, "pairs") for name in PAIRS]


def made(name, kind):
    """Return an empty memory, and what it stores."""
    cls = MEMORIES[name.partition(",")[0]]
    settings, x = AUTO[name] if kind == "auto" else PAIRS[name]
    return (cls(N, **settings), (x,)) if kind == "auto" else (cls(N, 10, **settings), (x, TARGETS))


def assert_same(found, memory):
    assert type(found) is type(memory)
    for ours, theirs in zip(found._contents(), memory._contents(), strict=True):
        assert ours.keys() == theirs.keys()
        for key, value in theirs.items():
            np.testing.assert_array_equal(ours[key], value)


def test_the_cases_are_those_of_the_list():
    assert {name.partition(",")[0] for name in AUTO} == set(MEMORIES)
    assert all(issubclass(cls, Memory) for cls in MEMORIES.values())
    assert all(">>> " in cls.__doc__ for cls in MEMORIES.values())


@pytest.mark.parametrize(("name", "kind"), ALL)
def test_it_recalls_and_says_what_it_is(name, kind, tmp_path):
    memory, stored = made(name, kind)
    assert memory.n_stored == 0
    assert memory.is_auto == (kind == "auto")
    memory.store(*stored)
    assert memory.n_stored == 8
    assert memory.n_bytes == sum(array.nbytes for array in memory._contents()[1].values()) > 0
    assert repr(memory).startswith(f"{type(memory).__name__}({N} → {memory.n_outputs}, ")
    assert "8 stored" in repr(memory)
    output = memory.recall(stored[0])
    assert output.dtype == np.float64
    curve = memory.forgetting_curve(*stored)
    np.testing.assert_allclose(curve.value[::-1], np.abs(output - stored[-1]).mean(axis=1))
    sharp = memory.recall(stored[0], between="sign" if stored[0].min() < 0 else "threshold")
    if "encoder" not in name:  # which has to see patterns more than once
        assert (sharp == stored[-1]).mean() > 0.95


@pytest.mark.parametrize(("name", "kind"), ALL)
def test_one_vector_is_one_row(name, kind):
    memory, stored = made(name, kind)
    memory.store(*stored)
    alone, _ = made(name, kind)
    for row in range(8):
        alone.store(*(part[row] for part in stored))
    tolerance = 0 if name in ORDER_MATTERS else 1e-12
    for mine, theirs in zip(alone._contents()[1].values(), memory._contents()[1].values(), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=tolerance)
    np.testing.assert_allclose(alone.recall(stored[0][3]), memory.recall(stored[0])[3], atol=1e-9)


@pytest.mark.parametrize(
    ("name", "kind"), [case for case in ALL if case[0] not in ORDER_MATTERS and case[0][:5] != "dense"]
)
def test_the_order_of_storing_does_not_matter(name, kind):
    memory, stored = made(name, kind)
    other, _ = made(name, kind)
    memory.store(*stored)
    other.store(*(part[:2:-1] for part in stored))
    other.store(*(part[:3] for part in stored))
    for mine, theirs in zip(other._contents()[1].values(), memory._contents()[1].values(), strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-12)


@pytest.mark.parametrize(("name", "kind"), ALL)
def test_a_copy_and_a_pickle_go_their_own_way(name, kind):
    memory, stored = made(name, kind)
    memory.store(*(part[:5] for part in stored))
    before, recalled = pickle.dumps(memory._contents()), memory.recall(stored[0])
    for other in (memory.copy(), pickle.loads(pickle.dumps(memory))):
        assert_same(other, memory)
        other.store(*(part[5:] for part in stored))
        assert other.n_stored == 8
        assert memory.n_stored == 5
        assert pickle.dumps(memory._contents()) == before
    np.testing.assert_array_equal(memory.recall(stored[0]), recalled)


@pytest.mark.parametrize(("name", "kind"), ALL)
@pytest.mark.parametrize("n_stored", [0, 5])
def test_it_comes_back_from_its_file_and_learns_on(name, kind, n_stored, tmp_path):
    memory, stored = made(name, kind)
    if n_stored:
        memory.store(*(part[:n_stored] for part in stored))
    memory.save(tmp_path / "file")
    found = load(tmp_path / "file")
    assert_same(found, memory)
    for one in (found, memory):
        one.store(*(part[5:] for part in stored))
    assert_same(found, memory)
    np.testing.assert_array_equal(found.recall(stored[0]), memory.recall(stored[0]))


class OutOfLuckError(Exception):
    pass


@pytest.mark.parametrize(("name", "kind"), ALL)
def test_an_exception_while_storing_leaves_it_as_it_was(name, kind, monkeypatch):
    memory, stored = made(name, kind)
    memory.store(*(part[:5] for part in stored))
    before = pickle.dumps(memory._contents())
    part = memory.learning if hasattr(memory, "learning") else memory
    method = "learn" if hasattr(memory, "learning") else "_learn"
    learn = getattr(type(part), method)

    def learn_and_fail(*arguments):
        learn(*arguments)
        raise OutOfLuckError

    monkeypatch.setattr(type(part), method, learn_and_fail)
    with pytest.raises(OutOfLuckError):
        memory.store(*(part[5:] for part in stored))
    assert pickle.dumps(memory._contents()) == before


@pytest.mark.parametrize(("name", "kind"), ALL)
def test_bad_patterns_are_one_clear_sentence_and_change_nothing(name, kind):
    memory, stored = made(name, kind)
    memory.store(*stored)
    before = pickle.dumps(memory._contents())
    with pytest.raises(ValueError, match="must have 60 columns"):
        memory.store(np.ones((2, 59)), *stored[1:])
    with pytest.raises(ValueError, match=r"must be finite. Got nan in row 0, column 0"):
        memory.store(stored[0] * np.nan, *stored[1:])
    with pytest.raises(TypeError, match="must be real numbers"):
        memory.store(stored[0].astype(str), *stored[1:])
    wrong, message = (
        ((stored[0], stored[0]), "stores patterns alone")
        if kind == "auto"
        else ((stored[0],), "stores cues and targets. Got no targets")
    )
    with pytest.raises(ValueError, match=message):
        memory.store(*wrong)
    if kind == "auto":
        with pytest.raises(ValueError, match=r"pairs of neighbours. Got an auto-associative memory: use "):
            memory.store_sequence(stored[0])
    else:
        with pytest.raises(ValueError, match="measured with their targets"):
            memory.forgetting_curve(stored[0])
    with pytest.raises(ValueError, match="must have 60 columns"):
        memory.recall(np.ones(59))
    assert pickle.dumps(memory._contents()) == before


TWO_VALUED = {
    "hopfield": "must be -1 or 1. Got 0.5: pass activity= for patterns of 0 and 1",
    "hopfield, sparse": "must be 0 or 1. Got 0.5",
    "willshaw": 'must be 0 or 1. Got 0.5: try x > 0.5, between="threshold"',
    "willshaw, winners": "must be 0 or 1. Got 0.5",
    "dense, power": "must be -1 or 1. Got 0.5: try 2x − 1",
    "sparse_distributed": "must be 0 or 1. Got 0.5",
}


@pytest.mark.parametrize(("name", "message"), TWO_VALUED.items())
def test_patterns_of_other_values_are_refused(name, message):
    memory, _ = made(name, "auto")
    with pytest.raises(ValueError, match=message):
        memory.store(np.full(N, 0.5))
    if name in PAIRS:
        pairs, _ = made(name, "pairs")
        with pytest.raises(ValueError, match=f"targets .* {message}"):
            pairs.store(BINARY, TARGETS / 2)


CLASSICAL = [case for case in ALL if not case[0].startswith("associative")]


@pytest.mark.parametrize(("name", "kind"), CLASSICAL)
def test_a_file_that_does_not_fit_together_is_refused(name, kind, tmp_path):
    memory, stored = made(name, kind)
    memory.store(*stored)
    parameters, arrays = memory._contents()
    first = next(iter(arrays))
    size = memory.SETTINGS[0]
    for wrong_parameters, wrong_arrays, message in (
        (parameters | {size: 59}, arrays, "arrays must have the shapes"),
        (parameters | {size: 10**12}, arrays, "arrays must have the shapes"),
        (parameters | {size: "many"}, arrays, f"The {size} must be a whole number"),
        (parameters | {"n_stored": -1}, arrays, "The n_stored must be a whole number"),
        (parameters | {"more": 1}, arrays, "The parameters must be"),
        (parameters, {}, "arrays must have the shapes"),
        (parameters, arrays | {first: arrays[first].astype(np.float32)}, "must have the dtype"),
    ):
        write_model(tmp_path / "file", type(memory).__name__, wrong_parameters, wrong_arrays)
        assert read_model(tmp_path / "file").kind == type(memory).__name__
        with pytest.raises(ModelFileError, match=message):
            load(tmp_path / "file")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MEMORIES["hopfield"](0), r"number of units must be at least 1"),
        (lambda: MEMORIES["hopfield"](5, activity=1), r"activity must be below 1"),
        (lambda: MEMORIES["hopfield"](5, activity=0), r"activity must be above 0"),
        (lambda: MEMORIES["willshaw"](5, 4, n_winners=6), r"as many winners as outputs, 4. Got 6"),
        (lambda: MEMORIES["dense"](5, beta=0), r"beta must be above 0"),
        (lambda: MEMORIES["dense"](5, power=1), r"power must be at least 2"),
        (lambda: MEMORIES["sparse_distributed"](5, n_locations=0), r"number of locations must be at least 1"),
        (lambda: MEMORIES["sparse_distributed"](5, radius=-1), r"radius must be at least 0"),
    ],
)
def test_bad_settings_are_one_clear_sentence(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("rate", [0.1, "auto", *map(Automatic, KAPPAS), Automatic("regress", 8.0)])
@pytest.mark.parametrize("auto", [None, "layer"])
def test_a_loaded_memory_continues_with_its_rate(rate, auto, tmp_path):
    memory = AssociativeMemory(
        N, None if auto else 10, auto=auto, learning_rate=rate, activation="exponential"
    )
    for _ in range(2):
        memory.store(BINARY, *([] if auto else [TARGETS]))
        memory.save(tmp_path / "memory.safetensors")
        loaded = load(tmp_path / "memory.safetensors")
        assert_same(loaded, memory)
        for continued in (memory, loaded):
            continued.store(BINARY[::-1], *([] if auto else [TARGETS]))
        assert_same(loaded, memory)
