"""Claims about networks of their own: made-up rows lead to every verdict; measured again, rows are equal."""

import numpy as np
import pandas as pd
import pytest

from reproduction.claims import CLAIMS, EXPERIMENTS, Numbers, judge, reconstruction
from reproduction.claims.convergence import stays_down, too_many_pairs
from reproduction.claims.forgetting import (
    OURS,
    best_law,
    by_power_law,
    forgetting_draws,
    it_forgets,
    only_it_does,
)
from reproduction.claims.reconstruction import participation, settles, unevenness
from reproduction.context import COMMITTED, Context, Effort
from reproduction.rows import committed, only, tidy
from reproduction.running import run

CLAIM = {claim.number: claim for claim in CLAIMS}
N = np.arange(101)
FALLING = 0.1 + 0.4 * np.exp(-N / 8)


class MadeUp(Numbers):
    """The committed rows, except for those of one experiment."""

    def __init__(self, label, made_up):
        super().__init__(COMMITTED)
        self.label, self.made_up = label, made_up

    def rows(self, label):
        return self.made_up if label == self.label else super().rows(label)


def verdict(number, records):
    label = f"claim {number}"
    return judge(CLAIM[number], MadeUp(label, tidy(label, records))).verdict


def records_of(number, rows_of):
    """Return records for each setting of an experiment, `rows_of(place, setting)` without the setting."""
    settings = EXPERIMENTS[f"claim {number}"].settings
    return [{**s, **record} for place, s in enumerate(settings) for record in rows_of(place, s)]


@pytest.mark.parametrize(
    ("n_failed", "word"),
    [(0, "holds"), (5, "holds with limits"), (6, "does not hold"), (12, "does not hold")],
)
def test_convergence_is_judged_by_the_median_of_the_draws(n_failed, word):
    def rows(place, _):
        left = [0.5] * 6 if place < n_failed else [0.5] * 4  # of ten draws
        values = left + [0.01] * (10 - len(left))
        return [{"draw": i, "measure": "excess_left", "value": value} for i, value in enumerate(values)]

    assert verdict(3, records_of(3, rows)) == word


@pytest.mark.parametrize(
    ("rises", "last", "word"),
    [(False, 0.0, "holds"), (True, 0.0, "holds with limits"), (True, 0.3, "does not hold")],
)
def test_units_with_flat_parts_must_converge(rises, last, word):
    def rows(place, _):
        for epoch, error in zip((1, 10, 100), (0.4, 0.1, last), strict=True):
            yield {"patterns": "100", "epoch": str(epoch), "measure": "mae_all", "value": error}
        for epoch, error in enumerate((0.5, 0.39, 0.44 if rises and place else 0.38)):
            yield {"patterns": "400", "epoch": str(epoch), "measure": "mae_all", "value": error}
            yield {"patterns": "400", "epoch": str(epoch), "measure": "loss", "value": 0.2 - 0.1 * epoch}

    assert verdict(13, records_of(13, rows)) == word


def test_the_error_of_step_units_rises_while_their_loss_falls():
    rows = pd.DataFrame(too_many_pairs("step"))
    errors, losses = (rows[rows["measure"] == name]["value"].to_numpy() for name in ("mae_all", "loss"))
    assert (np.diff(losses[:21]) < 0).all()
    assert errors[-1] > errors.min() + 0.01
    assert not stays_down(errors)


def draws(**forgetting):
    """Return in how many of two draws each of some streams forgets, by rule."""
    table = pd.DataFrame({(*name.split("__"),): counts for name, counts in forgetting.items()})
    return table, pd.Series([2] * len(table))


def test_forgetting_is_judged_by_all_streams_and_draws():
    ours = "__".join(OURS)
    assert it_forgets(*draws(**{ours: [2, 2]})) == "holds"
    assert it_forgets(*draws(**{ours: [2, 2, 0]})) == "holds with limits"
    assert it_forgets(*draws(**{ours: [2, 0]})) == "does not hold"
    assert it_forgets(*draws(**{ours: [1]})) == "undecided"  # neither for it nor against it
    assert it_forgets(*draws(**{ours: [2, 1]})) == "holds"


def test_one_other_rule_that_always_forgets_is_against_being_alone():
    def word(*others):
        n = len(others)
        return only_it_does(
            *draws(hebbian_descent__centered=[2] * n, hebb__centered=others, hebb__uncentered=[0] * n)
        )

    assert word(0, 0) == "holds"
    assert word(0, 0, 2) == "holds with limits"
    assert word(0, 2) == "does not hold"
    assert word(1) == "undecided"


def test_power_laws_are_counted_against_other_laws():
    def word(*laws):
        return by_power_law(pd.Series(laws))

    assert word("power_law", "undecided", "wickelgren") == "holds"
    assert word("power_law", "power_law", "exponential") == "holds with limits"
    assert word("power_law", "line") == "does not hold"
    assert word("stretched_exponential") == "does not hold"
    assert word("undecided", "wickelgren") == "undecided"


def stream(recent, old, support=0.95):
    """Return the rows of a stream of two draws that one rule has learned."""
    way = {"rule": OURS[0], "centering": OURS[1]}
    records = [
        {**way, "draw": i, "measure": name, "value": value}
        for name, values in (("mae_last20", recent), ("mae_older_half", old), ("baseline", (0.5, 0.5)))
        for i, value in enumerate(values)
    ]
    fits = {"exponential": -10.0, "power_law": -12.0, "power_law with asymptote": -9.0}
    records += [{"law": law, "measure": "aicc", "value": value} for law, value in fits.items()]
    return tidy("claim 14", [*records, {"law": "power_law", "measure": "support", "value": support}])


def test_a_rule_forgets_if_it_recalls_what_is_recent_better_than_what_is_old():
    for recent, old, n in (
        ((0.1, 0.1), (0.4, 0.4), 2),
        ((0.3, 0.1), (0.4, 0.4), 1),  # the last 20 are not recalled: not below half of baseline
        ((0.1, 0.1), (0.14, 0.4), 1),  # nothing is forgotten
    ):
        assert forgetting_draws(stream(recent, old))[OURS] == n


def test_a_law_is_decided_for_by_its_support():
    found = best_law(stream((0.1, 0.1), (0.4, 0.4)))
    assert (found["law"], found["prefers_power_law"]) == ("power_law", True)
    weights = np.exp(-np.array([2.0, 0.0, 3.0]) / 2)
    assert found["weight"] == pytest.approx(1 / weights.sum())
    assert best_law(stream((0.1, 0.1), (0.4, 0.4), support=0.8))["law"] == "undecided"


def test_a_curve_settles_if_it_falls_stays_and_is_flat():
    assert settles(FALLING)
    assert not settles(0.5 - 0.004 * N)  # still falling
    assert not settles(FALLING + 0.0005 * np.maximum(N - 50, 0))  # rises
    assert not settles(np.full(101, 0.5))  # nothing learned
    assert not settles(FALLING + 0.02 * np.sin(N))  # restless


@pytest.mark.parametrize(
    ("n_rising", "gap", "word"),
    [(0, 1.0, "holds"), (1, 1.0, "holds with limits"), (4, 1.0, "does not hold"), (0, 0.0, "does not hold")],
)
def test_reconstruction_must_converge_without_an_objective(n_rising, gap, word, monkeypatch):
    monkeypatch.setattr(reconstruction, "asymmetry", lambda update, at: gap)

    def rows(place, _):
        errors = FALLING + 0.001 * N if place < n_rising else FALLING
        order = np.random.default_rng(0).permutation(101)  # of rows, which means nothing
        return [{"epoch": str(i), "measure": "mae_mean", "value": errors[i]} for i in order]

    assert verdict(18, records_of(18, rows)) == word


@pytest.mark.parametrize(
    ("uneven", "fixed_bias", "used", "word"),
    [
        (0.2, 0.9, 0.4, "holds"),
        (0.2, 0.3, 0.4, "holds with limits"),  # owed to the fixed bias
        (0.2, 0.9, 0.1, "holds with limits"),  # fewer directions
        (0.8, 0.9, 0.4, "undecided"),
        (1.5, 0.9, 0.4, "does not hold"),
    ],
)
def test_even_activity_must_be_owed_to_the_rule(uneven, fixed_bias, used, word):
    def rows(*_):
        of_rules = {
            "gradient_descent": (1.0, 0.2),
            "hebbian_descent": (uneven, used),
            reconstruction.FIXED_BIAS: (fixed_bias, 0.2),
        }
        for rule, values in of_rules.items():
            for name, value in zip(("unevenness", "participation"), values, strict=True):
                yield {"rule": rule, "measure": name, "value": value}

    assert verdict(19, records_of(19, rows)) == word


def test_unevenness_is_zero_for_units_of_equal_mean():
    activity = np.random.default_rng(0).normal(size=(500, 8))
    activity -= activity.mean(axis=0)
    assert unevenness(activity) == pytest.approx(0, abs=1e-12)
    assert unevenness(activity + np.arange(8)) > 2
    assert participation(activity) > 0.9
    assert participation(activity[:, :1] * np.ones(8)) == pytest.approx(1 / 8)


@pytest.mark.parametrize("label", EXPERIMENTS)
def test_a_job_that_is_missing_leaves_no_verdict(label):
    rows, (first, *rest) = only(committed(), label), EXPERIMENTS[label].settings
    assert not EXPERIMENTS[label].missing(rows)
    is_first = np.logical_and.reduce([rows[name] == word for name, word in first.items()])
    found = judge(CLAIM[int(label.split()[1])], MadeUp(label, rows[~is_first]))
    assert found.verdict == "not run"
    assert "-".join(first.values()) in found.findings
    assert len(EXPERIMENTS[label].missing(pd.DataFrame())) == len(rest) + 1


def test_a_quick_run_measures_one_setting_and_changes_are_refused():
    assert len(list(EXPERIMENTS["claim 14"].jobs(Effort()))) == 15
    assert len(list(EXPERIMENTS["claim 14"].jobs(Effort(quick=True)))) == 1
    with pytest.raises(ValueError, match="set"):
        list(EXPERIMENTS["claim 14"].jobs(Effort(changes={"trials": 2})))


def test_measuring_again_gives_the_committed_rows(tmp_path):
    experiment = EXPERIMENTS["claim 3"]
    jobs = [job for job in experiment.jobs(COMMITTED.effort) if job.name in ("linear", "softplus")]
    found = run(experiment, Context(tmp_path), jobs).rows
    rows = only(committed(), "claim 3")
    expected = rows[rows["activation"].isin(["linear", "softplus"])]
    np.testing.assert_allclose(found["value"], expected["value"], rtol=1e-6)
