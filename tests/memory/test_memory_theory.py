"""Classical memories do what their theory says at finite size; the famous constants are limits."""

from math import erfc, log, sqrt

import numpy as np
import pytest

from hebbian_descent import AssociativeMemory, Layer, patterns
from hebbian_descent.memory import (
    DenseAssociativeMemory,
    HopfieldMemory,
    PseudoInverseMemory,
    SparseDistributedMemory,
    WillshawMemory,
)


def signs(n, size, seed=0):
    return np.random.default_rng(seed).choice([-1.0, 1.0], size=(n, size))


@pytest.mark.parametrize("load", [0.1, 0.138, 0.2])
def test_hopfield_errs_in_one_step_as_gaussian_noise_does(load):
    """The noise of a unit is a sum of (P − 1)(N − 1) signs over N; 1/√(2α) follows for large N."""
    n_wrong = expected = 0.0
    for seed in range(3):
        x = signs(round(load * 500), 500, seed)
        memory = HopfieldMemory(500)
        memory.store(x)
        n_wrong += (memory.recall(x) != x).sum()
        expected += x.size * erfc(1 / sqrt(2 * load)) / 2
    # Wrong units of one draw share their weights, and so vary more than single coins: by a fifth at most.
    assert n_wrong == pytest.approx(expected, rel=0.2, abs=3 * sqrt(expected))


def test_at_its_limit_hopfield_ends_near_its_patterns_and_beyond_it_nowhere():
    overlaps = {}
    for load in (0.138, 0.25):
        x = signs(round(load * 1000), 1000)
        memory = HopfieldMemory(1000)
        memory.store(x)
        overlaps[load] = (memory.recall(x[:40], 10) * x[:40]).mean()
    assert overlaps[0.138] == pytest.approx(0.97, abs=0.03)
    assert overlaps[0.25] < 0.6


def naive_hopfield(x, patterns, a, variance, threshold, off):
    n = len(x)
    new = []
    for i in range(n):
        field = 0.0
        for j in range(n):
            if i != j:
                weight = sum((xi[i] - a) * (xi[j] - a) for xi in patterns) / (n * variance)
                field += weight * (x[j] - a)
        excess = round(field - threshold, 9)
        new.append(x[i] if excess == 0 else 1.0 if excess > 0 else off)
    return new


def test_hopfield_is_the_naive_sum_for_both_kinds_of_patterns():
    x = signs(4, 12)
    memory = HopfieldMemory(12)
    memory.store(x)
    cue = signs(1, 12, seed=9)[0]
    assert memory.recall(cue).tolist() == naive_hopfield(cue, x, 0.0, 1.0, 0.0, -1.0)
    sparse = patterns.sparse(4, 12, activity=0.25, seed=0)
    memory = HopfieldMemory(12, activity=0.25)
    memory.store(sparse)
    cue = patterns.sparse(1, 12, activity=0.25, seed=5)[0]
    assert memory.recall(cue).tolist() == naive_hopfield(cue, sparse, 0.25, 0.1875, 0.25, 0.0)
    np.testing.assert_allclose(memory.weights, memory.weights.T)
    assert not memory.weights.diagonal().any()


@pytest.mark.parametrize("k", [5, 6])
def test_willshaw_turns_as_many_units_on_by_mistake_as_its_synapses_say(k):
    """P = −ln(1 − p)·N²/k² with p = N^(−1/k) sets the share p, and about one wrong unit per pattern."""
    N = 200
    p = N ** (-1 / k)
    P = round(-log(1 - p) * N**2 / k**2)
    cues, targets = (patterns.sparse(P, N, activity=k / N, seed=seed) for seed in (0, 1))
    memory = WillshawMemory(N, N)
    memory.store(cues, targets)
    assert memory.share_on == pytest.approx(1 - (1 - k**2 / N**2) ** P, rel=0.02)
    assert memory.share_on == pytest.approx(p, rel=0.02)
    output = memory.recall(cues)
    assert (output >= targets).all()  # no unit that should be on is off
    # (N − k)·pᵏ = 1 would hold if the synapses of a unit were set independently; units differ in how often
    # they were on, and the mean of pᵏ exceeds pᵏ of the mean.
    assert 0.9 < (output - targets).sum(axis=1).mean() < 1.6
    parts = cues[:20].copy()
    parts[np.arange(20), cues[:20].argmax(axis=1)] = 0
    assert (memory.recall(parts) >= targets[:20]).all()  # cues may lack units


def test_willshaw_is_the_naive_loop():
    x, t = patterns.sparse(5, 9, activity=0.3, seed=0), patterns.sparse(5, 7, activity=0.3, seed=1)
    memory = WillshawMemory(9, 7)
    memory.store(x, t)
    for cue in (*x, np.zeros(9), np.ones(9)):
        active = [i for i in range(9) if cue[i]]
        expected = [
            float(
                bool(active)
                and all(any(xi[i] and ti[j] for xi, ti in zip(x, t, strict=True)) for i in active)
            )
            for j in range(7)
        ]
        assert memory.recall(cue).tolist() == expected


def test_the_pseudo_inverse_recalls_independent_patterns_exactly_and_others_best():
    rng = np.random.default_rng(0)
    x, t = rng.normal(size=(20, 20)), rng.normal(size=(20, 3))
    memory = PseudoInverseMemory(20, 3)
    memory.store(x, t)
    np.testing.assert_allclose(memory.recall(x), t, atol=1e-7)
    more, targets = rng.normal(size=(50, 20)), rng.normal(size=(50, 3))
    memory = PseudoInverseMemory(20, 3)
    memory.store(more, targets)
    np.testing.assert_allclose(memory.weights, np.linalg.lstsq(more, targets)[0], atol=1e-9)
    bipolar = signs(60, 100)
    auto = PseudoInverseMemory(100)
    auto.store(bipolar)
    auto.store(bipolar[:5])  # again: nothing new is in them
    np.testing.assert_allclose(auto.weights @ auto.weights, auto.weights, atol=1e-9)
    assert (auto.recall(bipolar, between="sign") == bipolar).all()  # 0.6 patterns per unit, far beyond 0.138


@pytest.mark.parametrize("power", [2, 3, 4])
def test_a_dense_memory_changes_units_as_its_energy_says(power):
    x = signs(9, 11)
    memory = DenseAssociativeMemory(11, power=power)
    memory.store(x)
    for cue in signs(5, 11, seed=3):
        expected = []
        for i in range(11):
            energy = {}
            for value in (-1, 1):
                state = [value if j == i else cue[j] for j in range(11)]
                energy[value] = -sum(
                    round(sum(a * b for a, b in zip(xi, state, strict=True))) ** power for xi in x
                )
            expected.append(cue[i] if energy[1] == energy[-1] else 1.0 if energy[1] < energy[-1] else -1.0)
        assert memory.recall(cue).tolist() == expected


def test_a_dense_memory_errs_in_one_step_as_krotov_and_hopfield_say():
    N, P = 100, 800
    x = signs(P, N)
    memory = DenseAssociativeMemory(N, power=3)
    memory.store(x)
    error = (memory.recall(x[:300]) != x[:300]).mean()
    assert error == pytest.approx(erfc(sqrt(N**2 / (2 * 3 * P))) / 2, rel=0.35)  # exact for large N
    hopfield = HopfieldMemory(N)
    hopfield.store(x)
    assert (hopfield.recall(x[:300]) != x[:300]).mean() > 5 * error


def test_attention_recalls_the_nearest_of_real_patterns():
    x = np.random.default_rng(0).normal(size=(300, 50))
    memory = DenseAssociativeMemory(50, beta=2.0)
    memory.store(x)
    cue = x[7] + 0.1
    weights = [np.exp(2.0 * sum(xi * cue)) for xi in x]
    expected = sum(w * xi for w, xi in zip(weights, x, strict=True)) / sum(weights)
    np.testing.assert_allclose(memory.recall(cue), expected, rtol=1e-9)
    np.testing.assert_allclose(memory.recall(cue), x[7], atol=1e-6)
    assert memory.n_bytes == 300 * 50 * 8
    assert "300 stored in 120000 bytes" in repr(memory)


def test_sparse_distributed_memory_errs_as_its_signal_to_noise_ratio_says():
    N, M, T = 1000, 1000, 250
    rng = np.random.default_rng(0)
    x, t = rng.integers(0, 2, (T, N)), rng.integers(0, 2, (T, 64))
    memory = SparseDistributedMemory(N, 64, n_locations=M)
    memory.store(x, t)
    p = memory.near(x.astype(float)).mean()
    assert p == pytest.approx((2 * M * M / 10) ** (-1 / 3), rel=0.4)  # a radius is a whole number
    ratio = sqrt(M / ((T - 1) * (1 + p**2 * M)))
    assert (memory.recall(x) != t).mean() == pytest.approx(erfc(ratio / sqrt(2)) / 2, rel=0.2)


def test_sparse_distributed_memory_is_the_naive_loop():
    x, t = patterns.sparse(6, 10, activity=0.5, seed=0), patterns.sparse(6, 4, activity=0.5, seed=1)
    memory = SparseDistributedMemory(10, 4, n_locations=30, radius=4, seed=3)
    memory.store(x, t)
    addresses = memory.addresses.tolist()

    def near(cue):
        return [k for k, a in enumerate(addresses) if sum(u != v for u, v in zip(a, cue, strict=True)) <= 4]

    counters = np.zeros((30, 4))
    for cue, target in zip(x, t, strict=True):
        for k in near(cue):
            counters[k] += [1 if unit else -1 for unit in target]
    assert memory.counters.tolist() == counters.tolist()
    for cue in patterns.corrupt(x, flip=0.2, seed=2):
        assert memory.recall(cue).tolist() == [float(s > 0) for s in counters[near(cue)].sum(axis=0)]


def symmetric_layer(activation):
    W = np.random.default_rng(0).normal(size=(12, 12))
    W = W + W.T
    np.fill_diagonal(W, 0)
    return AssociativeMemory.from_layer(
        Layer.from_weights(W, activation=activation, offset=0.3, bias=0.1), auto="layer"
    )


def stored(memory, x):
    memory.store(x)
    return memory


ENERGIES = {
    "sigmoid layer": lambda: (symmetric_layer("sigmoid"), np.random.default_rng(1).random((6, 12)), None),
    "tanh layer": lambda: (symmetric_layer("tanh"), np.random.default_rng(1).random((6, 12)), None),
    "step layer": lambda: (symmetric_layer("step"), np.random.default_rng(1).random((6, 12)) > 0.5, None),
    "hopfield": lambda: (stored(HopfieldMemory(12), signs(3, 12)), signs(6, 12, 2), None),
    "hopfield, sparse": lambda: (
        stored(HopfieldMemory(12, activity=0.25), patterns.sparse(3, 12, activity=0.25, seed=0)),
        patterns.sparse(6, 12, activity=0.5, seed=1),
        None,
    ),
    "pseudo-inverse": lambda: (stored(PseudoInverseMemory(12), signs(3, 12)), signs(6, 12, 2), "sign"),
    "dense": lambda: (stored(DenseAssociativeMemory(12), signs(9, 12)), signs(6, 12, 2) / 2, None),
    "dense, power": lambda: (
        stored(DenseAssociativeMemory(12, power=3), signs(9, 12)),
        signs(6, 12, 2),
        None,
    ),
}


@pytest.mark.parametrize("name", ENERGIES)
def test_no_update_of_a_unit_makes_the_energy_larger(name):
    memory, x, between = ENERGIES[name]()
    energies = [memory.energy(x)]
    for seed in range(4):
        x = memory.recall(x, order="asynchronous", seed=seed, between=between)
        energies.append(memory.energy(x))
    assert (np.diff(energies, axis=0) <= 1e-9).all()
    assert energies[-1].sum() < energies[0].sum()
    assert memory.energy(x[2]) == pytest.approx(energies[-1][2])


def test_where_there_is_no_energy_a_sentence_says_so():
    learned = AssociativeMemory(9, auto="layer")
    for memory in (learned, AssociativeMemory(9, 9), WillshawMemory(9), PseudoInverseMemory(9, 9)):
        with pytest.raises(ValueError, match=r"through symmetric weights. Got .*, which has none"):
            memory.energy(np.ones(9))
    with pytest.raises(ValueError, match=r"needs stored patterns. Got none"):
        DenseAssociativeMemory(9).energy(np.ones(9))
