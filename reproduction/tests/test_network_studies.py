"""Fates of output units, learning rates and comparisons follow from rows alone, without PyTorch."""

import subprocess
import sys
from itertools import product

import pytest

from reproduction.rows import tidy, together
from reproduction.studies.perceptrons import by_units, compared
from reproduction.studies.value_network_fates import VARIANTS, Findings, chosen_rates, fates, late_returns
from reproduction.tests.made_up import dying, made_up


def test_fates_of_units():
    found = fates(made_up("value_networks", dying("TRLA"), draws=1))
    found = found.loc["cartpole", "usual", "squared"].astype(int)
    assert found["at_start"].tolist() == found["early"].tolist() == [1, 1, 0, 0]
    assert found["trapped"].tolist() == [1, 0, 0, 0]
    assert found["died"].tolist() == [0, 0, 1, 0]
    assert found["came_back"].tolist() == [0, 1, 0, 0]


def test_seeds_are_hit_if_a_unit_of_the_squared_error_is_dead_early():
    for letters, hit in (("ARA", True), ("ALA", False)):
        found = Findings(made_up("value_networks", dying(letters), draws=2))
        assert found.hit("cartpole", "0.1").tolist() == [hit, hit]


def test_the_best_rate_has_the_highest_return_in_the_last_fifth():
    def records(draw):
        for (variant, rate), look in product({**rates, **others}, range(11)):
            at = {"task": "cartpole", "start": "search", "variant": variant, "learning_rate": rate}
            late = {**rates, **others}[variant, rate]
            yield {**at, "look": look, "return": late if look > 8 else 100 - late}

    rates = {(variant, "0.1"): 5.0 for variant in VARIANTS}
    others = {("linear", "0.2"): 9.0, ("squared", "0.2"): 4.0, ("matching", "0.2"): 3.0}
    own, common = chosen_rates(late_returns(made_up("value_networks", records, draws=1)), "cartpole")
    assert own == {"linear": "0.2", "squared": "0.1", "matching": "0.1"}
    assert common == "0.2"


def errors_of(loss, *errors, unit="sigmoid"):
    at = {"unit": unit, "loss": loss, "measure": "error"}
    return tidy("deep_losses", [{**at, "draw": seed, "value": error} for seed, error in enumerate(errors)])


def test_differences_are_paired_by_seed_and_below_zero_where_this_is_better():
    rows = [errors_of("a", 0.1, 0.2, 0.3), errors_of("b", 0.2, 0.301, 0.4), errors_of("a", 0.1, unit="step")]
    found = compared(together(rows), "loss", "a", "b")
    assert found[["is_better", "is_worse"]].to_numpy().tolist() == [[True, False]]
    assert found["difference"][0].mean == pytest.approx(-0.301 / 3)
    assert by_units(found, "unit", "is_better") == "1 (sigmoid 1 of 1)"
    assert by_units(found, "unit", "is_worse") == "none"


def test_what_is_measured_is_read_without_the_libraries_that_measure():
    program = "import sys, reproduction.studies\nassert not {'torch', 'gymnasium'} & set(sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
