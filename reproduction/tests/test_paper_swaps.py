"""Agreements that would survive if two printed numbers were exchanged."""

import json
import re
from itertools import permutations
from pathlib import Path

import pytest

from reproduction.comparison import Estimate, judge
from reproduction.measurements import Measurements
from reproduction.printed import PrintedRow, printed_rows
from reproduction.run_context import Effort
from reproduction.swaps import (
    BETWEEN_RULES,
    CENTERING,
    DESCENTS,
    OFFSETS,
    WITHIN_RULE,
    shares,
    swaps,
)
from reproduction.tables import TABLES
from reproduction.tests.conftest import N_DRAWS, made_up


def verdict(printed, ours, sd=0.0001, label="tab:x", **words):
    cell = {"input": "rand", "target": "rand", "activation": "linear", "rule": "hebb"} | words
    row = PrintedRow("file", label, cell, {"mae_all": printed}, {}, bold=False)
    return judge(row, "mae_all", Estimate(ours, sd, 10))


def found(verdicts):
    return {
        kind: (swap.n_swaps, swap.n_agree)
        for kind, swap in shares(swaps(verdicts))["tab:x", "mae_all"].items()
    }


def test_numbers_within_the_tolerance_of_each_other_are_exchanged_unnoticed():
    close = [verdict(0.300, 0.3, rule="gradient_descent"), verdict(0.304, 0.304, rule="hebbian_descent")]
    apart = [verdict(0.300, 0.3, rule="gradient_descent"), verdict(0.400, 0.4, rule="hebbian_descent")]
    assert found(close) == {DESCENTS: (2, 2)}
    assert found(apart) == {DESCENTS: (2, 0)}


def test_two_descents_are_swapped_as_rules_only_beside_a_third_rule():
    numbers = {"gradient_descent": 0.3, "hebbian_descent": 0.4, "hebb": 0.5}
    three = [verdict(value, value, rule=rule) for rule, value in numbers.items()]
    assert found(three) == {BETWEEN_RULES: (6, 0), DESCENTS: (2, 0)}
    assert found(three[:2]) == {DESCENTS: (2, 0)}


def test_what_is_equal_or_does_not_agree_cannot_be_exchanged():
    equal = [verdict(0.3, 0.3, rule="hebb"), verdict(0.3, 0.3, rule="covariance")]
    assert swaps(equal) == []
    differing = [verdict(0.3, 0.4, rule="hebb"), verdict(0.31, 0.31, rule="covariance")]
    assert found(differing) == {BETWEEN_RULES: (1, 0)}


def test_every_kind_has_its_partners():
    numbers = iter((0.30, 0.31, 0.32, 0.33))
    offsets = [
        verdict(value, value, rule=rule, offsets=word)
        for word in ("fixed", "adaptive")
        for rule, value in zip(("gradient_descent", "hebbian_descent"), numbers, strict=False)
    ]
    assert {kind: n for kind, (n, _) in found(offsets).items()} == {
        WITHIN_RULE: 4,
        DESCENTS: 4,
        OFFSETS: 4,
    }
    tables = [verdict(0.3, 0.3, label="tab:x_centered"), verdict(0.4, 0.4, label="tab:x_uncentered")]
    assert [(swap.label, swap.kind, swap.n_swaps, swap.n_agree) for swap in swaps(tables)] == [
        ("tab:x_centered", CENTERING, 1, 0),
        ("tab:x_uncentered", CENTERING, 1, 0),
    ]


def test_shares_are_those_of_judging_each_number_in_each_place():
    """A naive count: every number of a rule is judged in place of every other one."""
    values = (0.10, 0.104, 0.11, 0.2, 0.2)
    members = [verdict(value, value, activation=str(place)) for place, value in enumerate(values)]
    n = agree = 0
    for (place, ours), (_, other) in permutations(enumerate(values), 2):
        if ours != other:
            n += 1
            agree += verdict(other, ours, activation=str(place)).word == "agrees"
    assert found(members) == {WITHIN_RULE: (n, agree)}
    (swap,) = swaps(members)
    assert swap.share == pytest.approx(agree / n)


def test_json_has_the_pairs_and_swaps_of_two_tables_under_the_first_of_each(command):
    centered, uncentered = "tab:Hetero_online_centered_1", "tab:Hetero_online_uncentered_1"
    for label in (centered, uncentered):
        rows = [made_up(row, 0) for row in printed_rows(label)]
        Measurements(Path("reproduction"), Effort()).write(TABLES[label], "job", rows, seconds=1.0)
    _, printed, _ = command("compare", uncentered, centered, "--json")
    content = json.loads(printed)
    pairs = {label: {pair["kind"] for pair in content[label]["paired"]} for label in content}
    assert pairs == {uncentered: {DESCENTS, CENTERING}, centered: {DESCENTS}}
    assert sum(pair["kind"] == CENTERING for pair in content[uncentered]["paired"]) > 100


def test_compare_shows_the_larger_share_of_rules_and_offsets_and_says_what_it_is(command):
    label = "tab:Hetero_online_centered_shift"
    for draw in range(N_DRAWS):
        rows = [made_up(row, draw) for row in printed_rows(label)]
        Measurements(Path("reproduction"), Effort()).write(TABLES[label], f"draw{draw}", rows, seconds=1.0)
    _, printed, _ = command("compare", label, "--json")
    share = {
        (swap["column"], swap["kind"]): swap["n_agree"] / swap["n_swaps"]
        for swap in json.loads(printed)[label]["swaps"]
    }
    _, printed, _ = command("compare", label)
    for column in ("mae_last20", "mae_all"):
        assert share[column, OFFSETS] > share[column, DESCENTS]
        assert re.search(rf"{column} .* {share[column, OFFSETS]:.0%} ", printed)
    assert "Blind: share of agreements that would remain if" in printed
