"""What a memory recalls: old patterns worse than new ones, whole patterns from parts, sequences."""

import numpy as np
import pytest

from hebbian_descent import AssociativeMemory, patterns
from hebbian_descent.measures import identified, mean_absolute_error

SPARSE = patterns.sparse(60, 200, activity=0.1, seed=0)
TARGETS = patterns.sparse(60, 100, activity=0.3, seed=1)


def test_recent_patterns_are_recalled_better_than_old_ones():
    memory = AssociativeMemory(200, 100)
    many = patterns.sparse(400, 200, activity=0.1, seed=2)
    targets = patterns.sparse(400, 100, activity=0.5, seed=3)
    memory.store(many, targets)
    curve = memory.forgetting_curve(many, targets)
    assert curve.age.tolist() == list(range(1, 401))
    assert curve.measure == "mae"
    assert curve.value[:20].mean() < 0.1 < 0.3 < curve.value[-20:].mean()
    np.testing.assert_allclose(curve.value[0], np.abs(memory.recall(many[-1]) - targets[-1]).mean())
    assert curve.fits["power_law"].parameters["exponent"] > 0
    assert curve.best_fit.label == "exponential with asymptote"  # as theory says, and as an error levels off
    assert curve.fits_with_asymptote["exponential"].aic < curve.fits["exponential"].aic


def test_a_curve_can_start_from_other_cues_and_measure_otherwise():
    memory = AssociativeMemory(200, 100)
    memory.store(SPARSE, TARGETS)
    damaged = patterns.corrupt(SPARSE, erase=0.5, seed=0)
    whole = memory.forgetting_curve(SPARSE, TARGETS, measure="correlation")
    parts = memory.forgetting_curve(SPARSE, TARGETS, cue=damaged, measure="correlation")
    assert parts.value.mean() < whole.value.mean()

    def wrong_units(targets, output):
        return (np.round(output) != targets).sum(axis=1)

    counted = memory.forgetting_curve(SPARSE, TARGETS, measure=wrong_units)
    assert counted.measure == "wrong_units"
    assert counted.value.sum() == (np.round(memory.recall(SPARSE)) != TARGETS).sum()


@pytest.mark.parametrize(
    ("settings", "passes"),
    [
        ({"auto": "layer"}, 1),
        ({"auto": "layer", "connectivity": ~np.eye(200, dtype=bool)}, 1),
        ({"auto": "autoencoder", "n_hidden": 200}, 10),
    ],
    ids=["layer", "no self-connections", "autoencoder"],
)
def test_patterns_are_completed(settings, passes):
    memory = AssociativeMemory(200, **settings)
    for _ in range(passes):
        memory.store(SPARSE[:30])
    cues = patterns.corrupt(SPARSE[:30], flip=0.1, seed=5)
    recalled = memory.recall(cues)
    assert identified(SPARSE[:30], recalled).mean() == 1
    before, after = mean_absolute_error(SPARSE[:30], cues), mean_absolute_error(SPARSE[:30], recalled)
    assert after.mean() < 0.75 * before.mean()


def test_after_one_pass_an_autoencoder_is_far_behind_a_layer():
    """As the page on memories says."""
    layer = AssociativeMemory(200, auto="layer")
    autoencoder = AssociativeMemory(200, auto="autoencoder", n_hidden=200)
    errors = []
    for memory in (layer, autoencoder):
        memory.store(SPARSE[:50])
        errors.append(mean_absolute_error(SPARSE[:50], memory.recall(SPARSE[:50])).mean())
    assert errors[1] > 2 * errors[0]


def test_a_sequence_is_replayed_from_its_first_pattern():
    memory = AssociativeMemory(200, 200)
    sequence = SPARSE[:10]
    for _ in range(3):
        memory.store_sequence(sequence)
    replayed = memory.replay(sequence[0], steps=9)
    assert replayed.shape == (9, 200)
    assert identified(sequence[1:], replayed).all()
    assert memory.n_stored == 27


def test_replay_is_recall_of_what_was_recalled():
    memory = AssociativeMemory(200, 200)
    memory.store_sequence(SPARSE[:5])
    cues = SPARSE[:3]
    replayed = memory.replay(cues, steps=4)
    assert replayed.shape == (3, 4, 200)
    np.testing.assert_allclose(replayed[:, 0], memory.recall(cues), atol=1e-12)
    np.testing.assert_allclose(replayed[:, 3], memory.recall(cues, steps=4), atol=1e-12)
    np.testing.assert_allclose(memory.replay(cues[1], steps=4), replayed[1], atol=1e-12)


def test_one_pattern_in_one_pattern_out():
    memory = AssociativeMemory(200, 100)
    memory.store(SPARSE[0], TARGETS[0])
    assert memory.recall(SPARSE[0]).shape == (100,)
    assert memory.recall(SPARSE[:1]).shape == (1, 100)
    assert memory.recall(SPARSE[0].astype(int).tolist()).shape == (100,)
    assert "200 → 100, pairs, hebbian_descent, 1 stored" in repr(memory)
