"""States, constraints, strength, noise and recorders: what `train` and memories promise of them."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hebbian_descent import (
    CONSTRAINTS,
    AssociativeMemory,
    Autoencoder,
    Change,
    Constraint,
    Factors,
    Layer,
    Noise,
    Recorder,
    Rule,
    state_of,
    train,
)

N, M, D = 5, 3, 12
RNG = np.random.default_rng(3)
X, T = RNG.random((D, N)), RNG.random((D, M))
MASK = RNG.random((N, M)) < 0.6
STRENGTH = RNG.uniform(-1, 2, D)


def new_layer(activation="sigmoid"):
    return Layer.create(N, M, activation=activation, offset=0.4, rng=np.random.default_rng(1))


def arrays_of(layer):
    return [layer.weights.tobytes(), layer.bias.tobytes(), layer.offset.tobytes(), repr(state_of(layer))]


def adaptive(activity, state):
    """Delta rule whose step shrinks with the errors seen so far; no product of two factors for batches."""
    error = activity.output - activity.targets
    state["errors"] += np.abs(error).sum(axis=0)
    x = activity.inputs - activity.offset
    return Change(x.T @ error / (1 + state["errors"]) / len(x) + 0.01 * activity.weights, error.mean(axis=0))


def no_errors(layer):
    return {"errors": np.zeros(layer.n_outputs)}


ADAPTIVE = Rule("adaptive", adaptive, state=no_errors)


def test_a_rule_with_weights_and_state_agrees_with_the_naive_loop():
    layer = new_layer("linear")
    w, b, seen = layer.weights.tolist(), [0.0] * M, [0.0] * M
    train(layer, X, T, rule=ADAPTIVE, learning_rate=0.3, epochs=2)
    for x, t in [*zip(X, T, strict=True)] * 2:
        error = [sum((x[i] - 0.4) * w[i][j] for i in range(N)) + b[j] - t[j] for j in range(M)]
        for j in range(M):
            seen[j] += abs(error[j])
            for i in range(N):
                w[i][j] -= 0.3 * ((x[i] - 0.4) * error[j] / (1 + seen[j]) + 0.01 * w[i][j])
            b[j] -= 0.3 * error[j]
    np.testing.assert_allclose(layer.weights, w, rtol=1e-12)
    np.testing.assert_allclose(layer.bias, b, rtol=1e-12)
    np.testing.assert_allclose(state_of(layer)["errors"], seen, rtol=1e-12)


EVERYTHING = {
    "rule": ADAPTIVE,
    "connectivity": MASK,
    "constraints": ["non_negative", CONSTRAINTS["bounds"](0, 0.5)],
    "noise": Noise(weights=0.01, activity=0.1),
    "strength": STRENGTH,
    "shift": 0.1,
    "shuffle": True,
}


@pytest.mark.parametrize("learning_rate", ["auto", 0.2])
def test_k_epochs_and_then_m_more_are_k_plus_m_epochs(learning_rate):
    at_once, in_parts = new_layer(), new_layer()
    options = {**EVERYTHING, "learning_rate": learning_rate}
    train(at_once, X, T, epochs=5, **options)
    train(in_parts, X, T, epochs=2, **options)
    train(in_parts, X, T, epochs=3, first_epoch=2, **options)
    assert arrays_of(at_once) == arrays_of(in_parts)


def test_a_state_starts_afresh_with_every_run():
    first, second = new_layer(), new_layer()
    train(first, X, T, rule=ADAPTIVE)
    train(second, X[::-1], T, rule=ADAPTIVE)
    second.weights[:], second.bias[:] = new_layer().weights, 0
    train(second, X, T, rule=ADAPTIVE)
    assert arrays_of(first) == arrays_of(second)


def test_resuming_without_the_state_is_refused():
    layer = new_layer()
    train(layer, X, T, rule=ADAPTIVE)
    with pytest.raises(ValueError, match=r"Got none: pass the very network that was trained"):
        train(layer.copy(), X, T, rule=ADAPTIVE, first_epoch=1)
    with pytest.raises(ValueError, match=r"Got that of 'adaptive'"):
        train(layer, X, T, rule="bcm", first_epoch=1)


def failing_after(n_calls, rule):
    calls = []

    def function(activity, state):
        calls.append(1)
        if len(calls) > n_calls:
            raise RuntimeError("enough")
        return rule.factors(activity, state)

    return Rule(rule.name, function, state=rule.state)


def test_an_exception_restores_weights_state_and_records():
    layer, recorder = new_layer(), Recorder(every=1, keep="weights")
    train(layer, X, T, rule=ADAPTIVE)
    before = arrays_of(layer)
    with pytest.raises(RuntimeError, match="enough"):
        train(layer, X, T, rule=failing_after(4, ADAPTIVE), first_epoch=1, recorders=recorder)
    assert arrays_of(layer) == before
    assert recorder.n_seen == []

    memory = AssociativeMemory(N, M, rule=failing_after(D + 4, ADAPTIVE))
    memory.store(X, T, recorders=recorder)
    before, entries = (
        (memory.network.weights.tobytes(), memory.state["errors"].tobytes()),
        list(recorder.n_seen),
    )
    with pytest.raises(RuntimeError, match="enough"):
        memory.store(X, T, recorders=recorder)
    assert (memory.network.weights.tobytes(), memory.state["errors"].tobytes()) == before
    assert memory.n_stored == D
    assert recorder.n_seen == entries
    assert len(recorder["weights"]) == D


def test_a_memory_keeps_its_state_over_calls_and_shares_it_with_no_other():
    whole, in_parts = (AssociativeMemory(N, M, rule=ADAPTIVE, noise=Noise(0.01)) for _ in range(2))
    whole.store(X, T)
    for x, t in zip(X, T, strict=True):
        in_parts.store(x, t)
    np.testing.assert_array_equal(whole.network.weights, in_parts.network.weights)
    np.testing.assert_array_equal(whole.state["errors"], in_parts.state["errors"])


def test_weights_and_bias_are_seen_and_cannot_be_changed_by_a_rule():
    def meddling(activity):
        activity.weights[:] = 0
        return Factors(activity.inputs, activity.output)

    with pytest.raises(ValueError, match="read-only"):
        train(new_layer(), X, T, rule=Rule("meddling", meddling))


def test_the_noise_of_every_step_of_weights_and_of_activity_has_its_own_numbers():
    drawn = []

    def look(rng, array):
        drawn.append(rng.random())
        return np.zeros_like(array)

    train(new_layer(), X, T, noise=Noise(weights=look, activity=look), epochs=2)
    assert len(set(drawn)) == len(drawn) == 2 * 2 * D


# Constraints


HOLDS = {
    "bounds": lambda W: (np.abs(W) <= 1).all(),
    "non_negative": lambda W: (W >= 0).all(),
    "dale": lambda W: (W[0::2] >= 0).all() and (W[1::2] <= 0).all(),
    "unit_columns": lambda W: all(
        math.isclose(math.sqrt(sum(w * w for w in column)), 1) or not column.any() for column in W.T
    ),
}


def test_there_is_a_property_for_every_constraint():
    assert HOLDS.keys() == CONSTRAINTS.keys()


def made(name):
    return CONSTRAINTS[name](*([[1, -1, 1, -1, 1]] if name == "dale" else []))


@pytest.mark.parametrize("rule", ["hebb", "hebbian_descent", "oja"])
@pytest.mark.parametrize("name", CONSTRAINTS)
def test_a_constraint_holds_at_the_start_and_after_every_step_and_masks_stay_zero(name, rule):
    seen = []

    def look(moment):
        seen.append(moment.network.weights.copy())

    memory = AssociativeMemory(
        N, M, rule=rule, constraints=made(name), connectivity=MASK, noise=Noise(0.3), learning_rate=0.5
    )
    seen.append(memory.network.weights.copy())
    memory.store(X, T, recorders=Recorder(call=look))
    assert len(seen) == D + 1
    for W in seen:
        assert HOLDS[name](W)
        assert not W[~MASK].any()


@given(st.lists(st.floats(-3, 3), min_size=N * M, max_size=N * M))
@settings(max_examples=30)
def test_constraints_are_the_nearest_weights_in_naive_loops(values):
    def applied(constraint):
        W = np.array(values).reshape(N, M)
        constraint.apply(W)
        return W.ravel().tolist()

    assert applied(CONSTRAINTS["bounds"](-0.5, 2)) == [min(2.0, max(-0.5, w)) for w in values]
    assert applied(CONSTRAINTS["non_negative"]()) == [max(0.0, w) for w in values]
    signs = [1, -1, 1, -1, 1]
    expected = [w if w * signs[k // M] > 0 else 0.0 for k, w in enumerate(values)]
    assert applied(CONSTRAINTS["dale"](signs)) == expected


def test_constraints_are_applied_in_order_and_may_be_functions():
    def halved(weights):
        return weights / 2

    def one_more(weights):
        weights += 1

    one, other = new_layer(), new_layer()
    W = one.weights.copy()
    still = {"rule": "hebb", "learning_rate": 0.0}
    train(one, X[:1], T[:1], constraints=[halved, one_more], **still)
    train(other, X[:1], T[:1], constraints=[Constraint("one_more", one_more), halved], **still)
    np.testing.assert_allclose(one.weights, (W / 2 + 1) / 2 + 1)  # at the start and after the update
    np.testing.assert_allclose(other.weights, ((W + 1) / 2 + 1) / 2)


# The third factor


@pytest.mark.parametrize("rule", ["hebbian_descent", ADAPTIVE], ids=["factors", "change"])
def test_strength_multiplies_the_change_of_its_pattern(rule):
    layer, plain = new_layer(), new_layer()
    W = layer.weights.copy()
    train(layer, X[:1], T[:1], rule=rule, strength=[-2.5])
    train(plain, X[:1], T[:1], rule=rule)
    np.testing.assert_allclose(layer.weights - W, -2.5 * (plain.weights - W), rtol=1e-12)
    np.testing.assert_allclose(layer.bias, -2.5 * plain.bias, rtol=1e-12)


def test_a_batch_learns_the_mean_of_its_patterns_times_their_strength():
    layer = new_layer()
    W = layer.weights.copy()
    h = layer.output(X)
    train(layer, X, T, strength=STRENGTH, batch_size=D, learning_rate=0.5)
    change = sum(s * np.outer(x - 0.4, y - t) for s, x, y, t in zip(STRENGTH, X, h, T, strict=True)) / D
    np.testing.assert_allclose(layer.weights, W - 0.5 * change, rtol=1e-12)
    with pytest.raises(ValueError, match=r"one change for a batch.*Got a batch of 4: use batch_size=1"):
        train(layer, X, T, rule=ADAPTIVE, strength=STRENGTH, batch_size=4)


def test_strength_is_aligned_with_patterns_also_where_they_are_shuffled():
    chosen = np.zeros(D)
    chosen[4] = 1
    layer, alone = new_layer(), new_layer()
    train(layer, X, T, strength=chosen, shuffle=True)
    train(alone, X[4:5], T[4:5])
    np.testing.assert_array_equal(layer.weights, alone.weights)


def novelty(activity):
    return np.abs(activity.output - activity.targets).mean(axis=1)


def test_strength_may_be_computed_from_the_activity():
    memory, told = AssociativeMemory(N, M), AssociativeMemory(N, M)
    memory.store(X, T, strength=novelty)
    for x, t in zip(X, T, strict=True):
        told.store(x, t, strength=np.abs(told.recall(x) - t).mean())
    np.testing.assert_allclose(memory.network.weights, told.network.weights, rtol=1e-12)


def test_an_autoencoder_takes_strength_constraints_masks_and_noise_of_weights():
    mask = RNG.random((N, 2)) < 0.7
    network = Autoencoder.create(N, 2, rng=np.random.default_rng(0))
    options = {"connectivity": mask, "constraints": "non_negative", "noise": Noise(weights=0.1)}
    train(network, X, strength=STRENGTH, batch_size=3, **options)
    assert (network.weights >= 0).all()
    assert not network.weights[~mask].any()
    plain, scaled = (Autoencoder.create(N, 2, rng=np.random.default_rng(0)) for _ in range(2))
    W = plain.weights.copy()
    train(plain, X[:1], learning_rate=0.1)
    train(scaled, X[:1], learning_rate=0.1, strength=[3.0])
    np.testing.assert_allclose(scaled.weights - W, 3 * (plain.weights - W), rtol=1e-10)
    with pytest.raises(ValueError, match=r"Got an Autoencoder: use Noise\(weights=…\)"):
        train(network, X, noise=Noise(activity=0.1))


# Noise


def test_noise_has_the_stated_size_and_follows_from_seed_trial_and_step():
    def changed(**options):
        layer = Layer.from_weights(np.zeros((40, 40)))
        train(layer, np.zeros((2, 40)), np.zeros((2, 40)), rule="hebb", noise=Noise(weights=0.5), **options)
        return layer.weights

    assert changed().std() == pytest.approx(0.5 * math.sqrt(2), rel=0.05)  # two updates
    np.testing.assert_array_equal(changed(), changed())
    for other in ({"seed": 1}, {"trial": 1}):
        assert np.corrcoef(changed().ravel(), changed(**other).ravel())[0, 1] < 0.1


def test_noise_of_activity_is_what_the_rule_sees():
    outputs = []

    def listening(activity):
        outputs.append(activity.output.copy())
        np.testing.assert_array_equal(activity.output, activity.activation(activity.preactivation))
        return Factors(activity.inputs * 0, activity.output)

    layer = new_layer("linear")
    train(layer, X, T, rule=Rule("listening", listening, learns_bias=False), noise=Noise(activity=0.2))
    deviations = np.concatenate(outputs) - layer.output(X)
    assert 0.1 < deviations.std() < 0.3


def test_noise_may_be_a_function():
    def one_percent(rng, weights):
        return 0.01 * weights * rng.choice([-1, 1], weights.shape)

    layer = new_layer()
    W = layer.weights.copy()
    train(layer, X[:1], T[:1], learning_rate=0.0, noise=Noise(weights=one_percent))
    np.testing.assert_allclose(np.abs(layer.weights / W - 1), 0.01, rtol=1e-9)


# Recorders


def test_recorders_keep_call_and_measure_every_so_many_patterns():
    layer = new_layer()
    recorder = Recorder(
        every=5,
        keep=("weights", "output", "errors"),
        call=lambda moment: moment.n_seen * 10,
        measures=["mae", novelty_of],
        patterns=(X, T),
    )
    train(layer, X, T, rule=ADAPTIVE, epochs=2, recorders=recorder)
    assert recorder.n_seen == [5, 10, 15, 20]
    assert recorder["weights"].shape == (4, N, M)
    assert recorder["output"].shape == (4, 1, M)
    assert recorder["errors"].shape == (4, M)
    assert recorder["call"].tolist() == [50, 100, 150, 200]
    np.testing.assert_allclose(recorder["mae"], recorder["novelty_of"], rtol=1e-12)

    again, after_five = new_layer(), new_layer()
    train(again, X, T, rule=ADAPTIVE, epochs=2)
    np.testing.assert_array_equal(again.weights, layer.weights)  # looking changes nothing
    train(after_five, X[:5], T[:5], rule=ADAPTIVE)
    np.testing.assert_array_equal(recorder["weights"][0], after_five.weights)


def novelty_of(targets, output):
    return np.abs(output - targets).mean(axis=1)


# Files


def test_a_memory_with_constraints_and_noise_is_saved_whole(tmp_path):
    signs = [1, -1, 1, 1, -1]
    options = {"constraints": ["bounds", CONSTRAINTS["dale"](signs)], "noise": Noise(0.1, 0.2), "seed": 4}
    memory = AssociativeMemory(N, M, connectivity=MASK, **options)
    memory.store(X, T)
    memory.save(tmp_path / "memory")
    again = AssociativeMemory.load(tmp_path / "memory")
    for part in (memory, again):
        part.store(X[::-1], T[::-1])
    np.testing.assert_array_equal(memory.network.weights, again.network.weights)


def plus(rng, weights):
    return weights


@pytest.mark.parametrize(
    "own",
    [{"rule": ADAPTIVE}, {"constraints": np.abs}, {"noise": Noise(weights=plus)}],
    ids=lambda own: str(*own),
)
def test_what_is_your_own_code_is_not_written_to_a_file(own, tmp_path):
    memory = AssociativeMemory(N, M, **own)
    with pytest.raises(ValueError, match=r"(custom|your own function).*the m(odel|emory) from them"):
        memory.save(tmp_path / "memory")


# Bad input


def gives(answer):
    return Rule("mine", lambda activity: answer)


BAD = [
    (
        {"rule": gives(Change(np.zeros((2, 2))))},
        r"change of the weights, shape \(5, 3\).*Got \(2, 2\) and None",
    ),
    ({"rule": gives(Change(np.zeros((N, M)), np.zeros(2)))}, r"Got \(5, 3\) and \(2,\)"),
    (
        {"rule": Rule("mine", adaptive, state=lambda layer: [1])},
        r"must be a dict of arrays by name.*Got list",
    ),
    ({"constraints": "bound"}, r"constraint must be one of .*Did you mean 'bounds'"),
    ({"constraints": "dale"}, r"pass get_constraint\('dale', signs=…\)"),
    ({"constraints": 3}, r"A constraint must be a name.*Got 3"),
    ({"constraints": CONSTRAINTS["dale"]([1, -1])}, r"for each of 5 inputs. Got 2 signs"),
    ({"constraints": lambda W: W[0]}, r"must return weights of shape \(5, 3\).*Got \(3,\)"),
    ({"connectivity": np.ones((2, 2))}, r"one entry for each weight, shape \(5, 3\). Got shape \(2, 2\)"),
    ({"noise": 0.1}, r"must be Noise\(weights=…, activity=…\) or None. Got 0.1"),
    ({"noise": Noise(weights=lambda rng, W: W[0])}, r"must return an array of shape.*Got \(3,\)"),
    ({"strength": [1, 2]}, r"one for each of 12 patterns. Got shape \(2,\)"),
    ({"strength": np.full(D, np.nan)}, r"strength must be finite. Got nan"),
    ({"strength": "high"}, r"one number per pattern, or a function. Got 'high'"),
    ({"strength": lambda activity: [1, 2]}, r"one finite number per pattern, 1 of them"),
    ({"recorders": [3]}, r"must be Recorder\(…\), one or several. Got 3"),
    ({"recorders": Recorder(keep="wheights")}, r"array to keep must be one of .*Did you mean 'weights'"),
    ({"trial": -1}, r"trial must be at least 0"),
]


@pytest.mark.parametrize(("options", "message"), BAD, ids=[message for _, message in BAD])
def test_bad_input_is_one_clear_sentence_and_changes_nothing(options, message):
    layer = new_layer()
    before = arrays_of(layer)
    with pytest.raises((ValueError, TypeError), match=message):
        train(layer, X, T, **options)
    assert arrays_of(layer) == before


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Recorder(every=0, keep="weights"), r"between two records must be at least 1. Got 0"),
        (lambda: Recorder(), r"must keep, call or measure something"),
        (lambda: Recorder(call=3), r"must be a function of a Moment. Got 3"),
        (lambda: Recorder(measures="mae"), r"go together. Got measures='mae' and no patterns"),
        (lambda: CONSTRAINTS["bounds"](1, 0), r"below the upper one. Got 1 and 0"),
        (lambda: CONSTRAINTS["dale"]([1, 0]), r"one sign for each input, 1 or -1. Got \[1, 0\]"),
        (lambda: Noise(weights=-1), r"noise of weights must be at least 0. Got -1"),
    ],
)
def test_what_cannot_be_is_refused_where_it_is_made(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()
