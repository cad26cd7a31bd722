"""Mistakes in custom code: one sentence each, and nothing leaks."""

from dataclasses import replace

import numpy as np
import pytest

from hebbian_descent import AssociativeMemory, Factors, Layer, Recorder, Rule, get_constraint, state_of, train
from hebbian_descent.learning.divergence import Bound
from hebbian_descent.rules import get_rule
from hebbian_descent.sweep import sweep, sweep_autoencoders

rng = np.random.default_rng(0)
X, T = rng.integers(0, 2, (6, 5)).astype(float), rng.integers(0, 2, (6, 3)).astype(float)
GRID = {"activations": "sigmoid", "learning_rates": 0.1, "trials": 2}


def delta(activity):
    return Factors(activity.inputs - activity.offset, activity.output - activity.targets)


def counting(activity, state):
    state["n"] = float(state["n"]) + 1  # a new number instead of a change in place
    return delta(activity)


def new_layer():
    return Layer.create(5, 3, rng=np.random.default_rng(1))


BAD = {
    r"\(activity\)\. Got counting\(activity, state\), or give it a state": lambda: Rule("own", counting),
    r"\(activity, state\)\. Got delta\(activity\)": lambda: Rule("own", delta, state=lambda layer: {}),
    r"must be made from a function of \(activity\)\. Got 3": lambda: Rule("own", 3),
    "real numbers. Got 'high' for 'n'": lambda: AssociativeMemory(
        5, 3, rule=Rule("own", counting, state=lambda layer: {"n": "high"})
    ),
    r'Rule\("name", function\)': lambda: get_rule(delta),
    "'bcm' takes rate. Got speed": lambda: get_rule("bcm", speed=1),
    "'oja' has no parameters. Got rate": lambda: get_rule("oja", rate=1),
    "'bounds' takes low, high. Got top": lambda: get_constraint("bounds", top=1),
    "one finite number per pattern, 1 of them. Got 'much'": lambda: train(
        new_layer(), X, T, strength=lambda activity: "much"
    ),
    "recorders must be Recorder.*Got <built-in function print>": lambda: train(
        new_layer(), X, T, recorders=print
    ),
    r"one for each recorded input, shape \(6, 3\). Got shape \(2, 3\)": lambda: train(
        new_layer(), X, T, recorders=Recorder(measures="mae", patterns=(X, T[:2]))
    ),
    "different names. Got own, own": lambda: sweep(X, T, rules=[Rule("own", delta)] * 2, **GRID),
    "no recorders. Got Recorder.*train one run again": lambda: sweep(
        X, T, rules="hebb", recorders=Recorder(keep="weights"), **GRID
    ),
    "takes no recorders": lambda: sweep_autoencoders(
        X,
        rules="hebb",
        hidden_activations="sigmoid",
        output_activations="sigmoid",
        n_hidden=2,
        learning_rates=0.1,
        recorders=(),
    ),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_is_one_clear_sentence(message):
    with pytest.raises((TypeError, ValueError), match=message):
        BAD[message]()


def test_a_rule_cannot_change_the_patterns_of_the_caller():
    def careless(activity):
        activity.inputs[:] = 0
        return delta(activity)

    before = X.copy()
    memory = AssociativeMemory(5, 3, rule=Rule("careless", careless))
    for learn in (lambda: memory.store(X, T), lambda: train(new_layer(), X, T, rule=memory.learning.rule)):
        with pytest.raises(ValueError, match="read-only"):
            learn()
    assert np.array_equal(X, before)


def test_a_state_that_is_replaced_is_kept_like_one_that_changes_in_place():
    rule = Rule("counting", counting, state=lambda layer: {"n": 0})
    layer, memory = new_layer(), AssociativeMemory(5, 3, rule=rule)
    for first_epoch in (0, 1):
        train(layer, X, T, rule=rule, first_epoch=first_epoch)
        memory.store(X, T)
    assert state_of(layer) == {"n": 12} == memory.copy().state
    assert memory.n_bytes > memory.network.weights.nbytes


def test_whole_numbers_of_a_state_can_move_a_little():
    def following(activity, state):
        state["theta"] += 0.5 * (activity.output.mean(axis=0) - state["theta"])
        return delta(activity)

    layer = new_layer()
    train(layer, X, T, rule=Rule("following", following, state=lambda layer: {"theta": [1] * 3}))
    assert ((state_of(layer)["theta"] > 0) & (state_of(layer)["theta"] < 1)).all()


def test_rules_of_a_sweep_are_told_apart_by_their_parameters():
    slow, named = get_rule("bcm", rate=0.01), replace(get_rule("bcm", rate=0.02), name="named")
    result = sweep(X, T, rules=["bcm", slow, named], **GRID)
    assert result.axes["rule"].tolist() == ["bcm", "bcm(rate=0.01)", "named"]
    for place, best in enumerate(result.best(by="all")):
        assert (result.trials_of(best) == result.errors()[place, 0, 0, 0]).all()
    assert len(result.choices) == 3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_bound_holds_exactly_whatever_the_other_numbers(dtype):
    bound = Bound(limit=100.0)
    many = np.full((50, 40), 99, dtype)
    assert not bound.exceeded_by(many)
    assert not bound.exceeded_by(np.array([100], dtype))
    for beyond in (np.nextafter(dtype(100), dtype(np.inf)), np.nan, -np.inf):
        many[7, 3] = beyond
        assert bound.exceeded_by(many)
        assert bound.exceeded_by(np.array([beyond], dtype))
