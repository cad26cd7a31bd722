"""Fates of output units, learning rates, comparisons and verdicts follow from rows alone, without PyTorch."""

import subprocess
import sys

import pytest

from reproduction.rows import tidy, together
from reproduction.studies import deep_autoencoders
from reproduction.studies.perceptrons import by_units, compared, judged
from reproduction.studies.value_networks import NEGATIVE, SEARCH, USUAL, VARIANTS, Findings, fates, verdict_of

ALIVE, TRAPPED, REVIVED, LATE = "0" * 11, "1" * 11, "1" * 3 + "0" * 8, "0" * 6 + "1" * 5


def records(task, start, variant, units, greedy=(1.0, 1.1), rate="0.1", returns=1.0):
    """Yield records of two runs of two units each, whose dead looks are given as digits."""
    shared = {"task": task, "start": start, "variant": variant, "learning_rate": rate}
    for run in (0, 1):
        yield {**shared, "draw": run, "measure": "greedy_return", "value": greedy[run]}
        for look in range(11):
            at = {**shared, "draw": run, "look": str(look)}
            yield {**at, "measure": "return", "value": returns if look > 8 else 5.0}
            for unit in (0, 1):
                dead = int(units[2 * run + unit][look])
                yield {**at, "unit": str(unit), "measure": "dead", "value": dead}


def findings(changed=None, **units):
    """Return findings in which units live, and greedy returns of the matching loss are higher."""
    found = []
    for task in ("cartpole", "breakout"):
        for variant in VARIANTS:
            for start in (SEARCH, USUAL, NEGATIVE):
                greedy = (9.0, 9.1) if variant == "matching" else (1.0, 1.1)
                greedy = (changed or {}).get((task, start, variant), greedy)
                fate = units.get(f"{variant}_{start}", (ALIVE,) * 4)
                found += records(task, start, variant, fate, greedy)
                if start == SEARCH:
                    found += records(task, start, variant, fate, rate="0.2", returns=0.5)
    return Findings(tidy("value_networks", found))


def test_fates_of_units():
    rows = tidy(
        "value_networks", records("cartpole", USUAL, "squared", (TRAPPED, REVIVED, LATE, "1" + "0" * 10))
    )
    found = fates(rows).astype(int)
    assert found["at_start"].tolist() == found["early"].tolist() == [1, 1, 0, 1]
    assert found["trapped"].tolist() == [1, 0, 0, 0]
    assert found["died"].tolist() == [0, 0, 1, 0]
    assert found["came_back"].tolist() == [0, 1, 0, 1]


def test_the_best_rate_has_the_highest_return_in_the_last_fifth_and_seeds_are_hit_by_early_deaths():
    found = findings(squared_usual=(ALIVE, LATE, REVIVED, ALIVE))
    assert found.own["cartpole"] == dict.fromkeys(VARIANTS, "0.1")
    assert found.common == {"cartpole": "0.1", "breakout": "0.1"}
    assert found.hit("cartpole", "0.1").tolist() == [False, True]


@pytest.mark.parametrize(
    ("units", "verdict"),
    [
        ({"squared_usual": (TRAPPED, TRAPPED, REVIVED, ALIVE)}, "holds"),
        ({"squared_usual": (TRAPPED, REVIVED, REVIVED, ALIVE)}, "holds with limits"),
        (
            {"squared_usual": (TRAPPED,) * 4, "matching_negative": (TRAPPED, *(ALIVE,) * 3)},
            "holds with limits",
        ),
        ({"squared_usual": (TRAPPED, REVIVED), "matching_usual": (TRAPPED, ALIVE)}, "does not hold"),
        ({"squared_usual": (LATE, LATE)}, "does not hold"),
        ({}, "does not hold"),
    ],
)
def test_the_verdict_on_value_networks_is_by_the_rule(units, verdict):
    assert (
        verdict_of(findings(**{name: (*fate, ALIVE, ALIVE)[:4] for name, fate in units.items()})) == verdict
    )


def test_without_a_gain_from_the_negative_start_it_holds_with_limits():
    no_gain = {("breakout", NEGATIVE, "matching"): (0.0, 9.0)}
    assert verdict_of(findings(no_gain, squared_usual=(TRAPPED,) * 4)) == "holds with limits"


def errors_of(loss, *errors, unit="sigmoid"):
    at = {"unit": unit, "loss": loss, "measure": "error"}
    return tidy("deep_losses", [{**at, "draw": seed, "value": error} for seed, error in enumerate(errors)])


def test_differences_are_paired_by_seed_and_below_zero_where_this_is_better():
    rows = together(
        [errors_of("a", 0.1, 0.2, 0.3), errors_of("b", 0.2, 0.301, 0.4), errors_of("a", 0.1, unit="step")]
    )
    found = compared(rows, "loss", "a", "b")
    assert found[["is_better", "is_worse"]].to_numpy().tolist() == [[True, False]]
    assert found["difference"][0].mean == pytest.approx(-0.301 / 3)
    assert by_units(found, "unit", "is_better") == "1 (sigmoid 1 of 1)"
    assert by_units(found, "unit", "is_worse") == "none"
    turned = compared(rows, "loss", "b", "a")
    assert judged(turned, "").verdict == "does not hold"
    assert judged(found, "").verdict == "holds"


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ((6, 6, 0), "holds"),
        ((6, 3, 3), "holds with limits"),
        ((6, 2, 4), "does not hold"),
        ((6, 1, 1), "undecided"),
    ],
)
def test_the_verdict_on_deep_autoencoders_counts_networks_that_are_certain(counts, verdict):
    assert deep_autoencoders.verdict_of(*counts) == verdict


def test_what_is_measured_is_read_without_the_libraries_that_measure():
    program = "import sys, reproduction.studies\nassert not {'torch', 'gymnasium'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
