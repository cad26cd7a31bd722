"""Fates of output units, learning rates and verdicts follow from the kept numbers, without PyTorch."""

import numpy as np
import pytest

from reproduction.studies.base import Results
from reproduction.studies.value_networks import STUDY
from reproduction.studies.value_networks.findings import (
    NEGATIVE,
    RATES,
    best_rate,
    common_rate,
    conditions_of,
    fates,
    hit_runs,
    part_name,
)
from reproduction.studies.value_networks.summary import verdict_of
from reproduction.studies.value_networks.variants import VARIANTS

ALIVE, TRAPPED, REVIVED, LATE = "0" * 11, "1" * 11, "1" * 3 + "0" * 8, "0" * 6 + "1" * 5
TASKS = ["cartpole", "breakout"]


def numbers(*units, greedy=(1.0, 1.0)):
    """Two runs of two units each, whose dead looks are given as digits."""
    dead = np.array([[int(look) for look in unit] for unit in units]).T.reshape(-1, 2, 2)
    returns = np.tile(greedy, (len(dead), 1))
    return {"runs": [[0.1, 0], [0.1, 1]], "dead": dead.tolist(), "returns": returns, "greedy": list(greedy)}


def results(**parts):
    """All parts; those that are not given have only living units, and higher returns by the matching loss."""
    found = {}
    for task in TASKS:
        for variant in VARIANTS:
            for start in (*conditions_of(variant), RATES):
                greedy = (9.0, 9.1) if variant == "matching" else (1.0, 1.0)
                units = parts.get(variant + start.replace("-", "_"), (ALIVE,) * 4)
                found[part_name(task, variant, start)] = numbers(*units, greedy=greedy)
    return Results({**STUDY.settings, "tasks": TASKS}, found)


def test_fates_of_units():
    found = fates(numbers(TRAPPED, REVIVED, LATE, ALIVE))
    assert found.at_start.tolist() == [[True, True], [False, False]]
    assert found.early.tolist() == [[True, True], [False, False]]
    assert found.trapped.tolist() == [[True, False], [False, False]]
    assert found.died.tolist() == [[False, False], [True, False]]
    assert found.came_back.tolist() == [[False, True], [False, False]]


def test_dead_before_learning_counts_as_early():
    found = fates(numbers("1" + "0" * 10, "0" * 3 + "1" * 8, ALIVE, ALIVE))
    assert found.early.tolist() == [[True, False], [False, False]]
    assert not found.trapped.any()


def test_the_best_rate_has_the_highest_return_in_the_last_fifth():
    returns = np.zeros((11, 4))
    returns[:9, :2], returns[9:, 2:] = 100.0, 5.0
    found = {"runs": [[0.1, 0], [0.1, 1], [0.2, 0], [0.2, 1]], "returns": returns.tolist()}
    assert best_rate(found) == 0.2
    others = {"runs": found["runs"], "returns": returns[::-1].tolist()}
    parts = {part_name("cartpole", variant, RATES): found for variant in VARIANTS}
    assert common_rate(parts, "cartpole") == 0.2
    assert common_rate({**parts, part_name("cartpole", "linear", RATES): others}, "cartpole") == 0.1


def test_seeds_are_hit_where_units_of_the_squared_error_are_dead_early():
    assert hit_runs(results(squared=(ALIVE, LATE, REVIVED, ALIVE)).parts, "cartpole").tolist() == [
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        ({"squared": (TRAPPED, TRAPPED, REVIVED, ALIVE)}, "holds"),
        ({"squared": (TRAPPED, REVIVED, REVIVED, ALIVE)}, "holds with limits"),
        ({"squared": (TRAPPED,) * 4, "matching_negative": (TRAPPED, *(ALIVE,) * 3)}, "holds with limits"),
        (
            {"squared": (TRAPPED, REVIVED, ALIVE, ALIVE), "matching": (TRAPPED, *(ALIVE,) * 3)},
            "does not hold",
        ),
        ({}, "does not hold"),
        ({"squared": (LATE,) * 4}, "does not hold"),
    ],
)
def test_the_verdict_is_by_the_rule_of_the_protocol(parts, verdict):
    assert verdict_of(results(**parts)) == verdict


def test_without_a_gain_from_the_negative_start_it_holds_with_limits():
    found = results(squared=(TRAPPED,) * 4)
    found.parts[part_name("breakout", "matching", NEGATIVE)]["greedy"] = [0.0, 9.0]
    assert verdict_of(found) == "holds with limits"
