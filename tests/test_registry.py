"""What is listed by name: made once, known by identity, pickled by name."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

from hebbian_descent import (
    ACTIVATIONS,
    AUTO_RULES,
    CONSTRAINTS,
    ERROR_TERMS,
    LOCAL_RULES,
    RULES,
    Activation,
    Rule,
    get_activation,
)

EVERY = [
    *(make() for make in ACTIVATIONS.values()),
    *RULES.values(),
    *(make() for make in LOCAL_RULES.values()),
    *(make() for make in AUTO_RULES.values()),
    *(make() for make in ERROR_TERMS.values()),
    get_activation("leaky_rectifier", slope=0.3),
    AUTO_RULES["gradient_descent"](part="decoder"),
    LOCAL_RULES["bcm"](rate=0.3),
    *(make([1, -1]) if name == "dale" else make() for name, make in CONSTRAINTS.items()),
]


@pytest.mark.parametrize("member", EVERY, ids=lambda m: f"{type(m).__name__}-{m.name}")
def test_members_are_pickled_and_copied_to_themselves(member):
    assert member.is_built_in
    assert pickle.loads(pickle.dumps(member)) is member
    assert copy.deepcopy(member) is member


def test_the_same_parameters_give_the_same_object():
    make = ACTIVATIONS["leaky_rectifier"]
    assert make(0.2) is make(slope=0.2)
    assert make(0.2) is not make(0.3)
    assert make() is make(slope=0.01)


def test_a_changed_copy_is_not_the_packages_own():
    changed = replace(get_activation("sigmoid"), value=np.tanh)
    assert changed.name == "sigmoid"
    assert not changed.is_built_in
    assert not Activation("sigmoid", value=np.tanh).is_built_in
    assert not Rule("hebb", RULES["hebb"].factors).is_built_in


def test_a_rule_with_an_array_for_a_parameter_is_nobodys():
    rule = AUTO_RULES["hebbian_descent"](target_activity=np.array([0.1, 0.2]))
    assert not rule.is_built_in
    assert AUTO_RULES["hebbian_descent"](target_activity=0.1).is_built_in


def test_a_users_own_member_is_pickled_like_any_object():
    own = Activation("cube_root", value=np.cbrt)
    arrived = pickle.loads(pickle.dumps(own))
    assert (arrived.name, arrived.value) == ("cube_root", np.cbrt)
    assert not arrived.is_built_in
