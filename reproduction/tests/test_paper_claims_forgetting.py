"""The claim about forgetting: made-up streams lead to every verdict, and short real ones can be judged."""

import numpy as np
import pytest
from reproduction.run_context import Effort, RunContext

from reproduction.claims import CLAIMS, forgetting_curve
from reproduction.claims.forgetting_curve import (
    CENTERINGS,
    OURS,
    RULES,
    Stream,
    on_being_alone,
    on_forgetting,
    on_power_law,
    prefers_power_law,
    shows_forgetting,
    stream,
)

(claim,) = (item for item in CLAIMS if item.number == 14)
AGE = np.arange(60.0, 0, -1)
FLAT = np.full(60, 0.3)
POWER = 0.06 * AGE**0.5
EXPONENTIAL = 0.45 - 0.43 * np.exp(-AGE / 12)


def made_up(ours=POWER, other=FLAT, n_other=2, n_draws=2):
    """Return a stream in which another rule has its own curve in some of the draws."""
    rng = np.random.default_rng(0)
    errors = {(rule, word): [FLAT] * n_draws for rule in RULES for word in CENTERINGS}
    errors[OURS] = [ours + rng.normal(scale=0.001, size=60) for _ in range(n_draws)]
    errors["gradient_descent", "centered"] = [other] * n_other + [FLAT] * (n_draws - n_other)
    return Stream("x→y", 60, errors, [0.5] * n_draws)


def test_a_rule_forgets_if_it_recalls_what_is_recent_better_than_what_is_old():
    assert shows_forgetting(POWER, 0.5)
    assert not shows_forgetting(FLAT, 0.5)
    assert not shows_forgetting(POWER, 0.2)  # the last 20 are not recalled
    assert not shows_forgetting(FLAT * 0.1, 0.5)  # nothing is forgotten


def test_forgetting_is_judged_by_all_streams_and_draws():
    forgets, does_not = made_up(), made_up(ours=FLAT)
    assert on_forgetting([forgets, forgets]) == "holds"
    assert on_forgetting([forgets, forgets, does_not]) == "holds with limits"
    assert on_forgetting([forgets, does_not]) == "does not hold"
    sometimes = made_up()
    sometimes.errors[OURS][0] = FLAT  # in one of two draws it does not: neither for it nor against it
    assert on_forgetting([sometimes]) == "undecided"
    assert on_forgetting([forgets, sometimes]) == "holds"


def test_one_other_rule_that_always_forgets_is_against_being_alone():
    alone, sometimes, always = made_up(), made_up(other=POWER, n_other=1), made_up(other=POWER)
    assert on_being_alone([alone, alone]) == "holds"
    assert on_being_alone([alone, alone, always]) == "holds with limits"
    assert on_being_alone([alone, always]) == "does not hold"
    assert on_being_alone([sometimes]) == "undecided"
    assert always.others == {("gradient_descent", "centered"): 2}


def test_power_laws_are_counted_against_other_laws():
    assert on_power_law(["power_law", "undecided", "wickelgren"]) == "holds"
    assert on_power_law(["power_law", "power_law", "exponential"]) == "holds with limits"
    assert on_power_law(["power_law", "line"]) == "does not hold"
    assert on_power_law(["stretched_exponential"]) == "does not hold"
    assert on_power_law(["undecided", "wickelgren"]) == "undecided"


@pytest.mark.parametrize(("ours", "law"), [(POWER, "power_law"), (EXPONENTIAL, "exponential")])
def test_the_law_of_made_up_streams_is_found(ours, law, monkeypatch):
    monkeypatch.setattr(forgetting_curve, "RESAMPLES", 3)
    found = made_up(ours, n_draws=4).laws()
    assert found.law == law
    assert prefers_power_law(found) == (law == "power_law")


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (made_up(), "holds"),
        (made_up(EXPONENTIAL), "does not hold"),
        (made_up(other=POWER), "does not hold"),
        (made_up(FLAT), "does not hold"),
        (made_up(other=POWER, n_other=1), "undecided"),
    ],
)
def test_the_sentence_is_as_good_as_its_weakest_part(found, verdict, monkeypatch, tmp_path):
    monkeypatch.setattr(forgetting_curve, "RESAMPLES", 0)
    monkeypatch.setattr(forgetting_curve, "DATA", (("rand", "rand"),))
    monkeypatch.setattr(forgetting_curve, "LENGTHS", (60,))
    monkeypatch.setattr(forgetting_curve, "stream", lambda context, data, n: found)
    judged = claim.judge(RunContext(tmp_path))
    assert judged.verdict == verdict
    assert "It forgets: " in judged.findings
    assert "60 pairs x→y: " in judged.findings


def test_short_streams_are_learned_by_every_rule(tmp_path):
    found = stream(RunContext(tmp_path, Effort(quick=True)), ("rand", "rand"), 40)
    assert set(found.errors) == {(rule, word) for rule in RULES for word in ("centered", "uncentered")}
    assert all(len(curves) == 2 and curves[0].shape == (40,) for curves in found.errors.values())
    assert all(0.4 < baseline < 0.6 for baseline in found.baselines)
    recent, old = forgetting_curve.recent_and_old(found.errors[OURS][0])
    assert recent < old
