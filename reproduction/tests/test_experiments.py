"""Every printed row has its job, jobs follow the paper's protocol, and the committed rows are theirs."""

import numpy as np
import pytest

from hebbian_descent.datasets import draw_pair
from hebbian_descent.sweep import sweep
from hebbian_descent.sweep.grids import LEARNING_RATES
from reproduction.context import Context, Effort
from reproduction.experiments import Association, AutoAssociation, Classification, association
from reproduction.experiments.auto_association import n_hidden
from reproduction.printed import printed_rows
from reproduction.rows import committed, only, settings_of, tidy
from reproduction.running import run
from reproduction.tables import TABLES

ASSOCIATIONS = [label for label, table in TABLES.items() if isinstance(table, Association)]
SMALL = {"learning_rates": (0.1, 0.01), "trials": 2, "epochs": 1, "patterns": 200}


@pytest.mark.parametrize(
    "label", [label for label, table in TABLES.items() if isinstance(table, Association)]
)
def test_the_jobs_of_a_table_make_its_printed_rows(label, tmp_path, monkeypatch):
    """Run with one learning rate and one epoch, on random patterns in place of the datasets."""

    def drawn(first, second, n, seed, input_order):
        return np.random.default_rng(seed).random((2, n, 5))

    monkeypatch.setattr(association, "draw_pair", drawn)
    table = TABLES[label]
    changes = {"learning_rates": 0.1, "trials": 1, "epochs": 1, "patterns": 25, "weight_decays": 0.0}
    context = Context(tmp_path, Effort(draws=2, changes=changes))
    jobs = list(table.jobs(context.effort))
    assert len({job.name for job in jobs}) == len(jobs)
    rows = tidy(label, (line for job in jobs for line in job.measure(context, None)))
    for draw in (0, 1):
        lines = rows[(rows["draw"] == draw) & (rows["trial"] == 0)]
        cells = {
            frozenset(zip(settings_of(rows), cell, strict=True))
            for cell in lines[settings_of(rows)].to_numpy()
        }
        assert cells == {frozenset(row.cell.items()) for row in printed_rows(label)}
    assert set(rows["measure"]) == set(printed_rows(label)[0].results)


@pytest.mark.parametrize(
    "label", [label for label, table in TABLES.items() if not isinstance(table, Association)]
)
def test_the_committed_rows_of_whole_datasets_are_those_of_the_jobs(label):
    rows = only(committed(), label)
    n_jobs = len(rows.drop_duplicates([name for name in settings_of(rows) if name != "rule"]))
    assert n_jobs == len(list(TABLES[label].jobs(Effort())))
    assert set(rows["measure"]) == {*printed_rows(label)[0].results, "learning_rate"}


def test_a_job_is_the_papers_protocol(tmp_path):
    """Done by hand for the pair that needs no download: 35 rates, ten trials, offsets at the data mean."""
    table = TABLES["tab:Hetero_online_centered_2"]
    jobs = [job for job in table.jobs(Effort(draws=1)) if job.name == "rand-rand-draw0"]
    rows = run(table, Context(tmp_path), jobs).rows
    by_hand = sweep(
        *draw_pair("rand", "rand", seed=0),
        rules="hebbian_descent",
        activations="sigmoid",
        learning_rates=LEARNING_RATES,
        trials=10,
        centering="mean",
    ).best("last20")[0]
    found = rows[(rows["rule"] == "hebbian_descent") & (rows["activation"] == "sigmoid")]
    values = found[found["measure"] == "mae_last20"]["value"]
    assert (len(values), values.mean()) == (10, pytest.approx(by_hand.value, rel=1e-12))
    assert found[found["measure"] == "learning_rate"]["value"].tolist() == [by_hand.learning_rate]
    printed = next(
        row for row in printed_rows(table.label) if row.name == "rand→rand sigmoid hebbian_descent"
    )
    assert values.mean() == pytest.approx(printed.results["mae_last20"], abs=0.01)


def test_equal_seeds_give_the_committed_rows(tmp_path):
    """To rounding: other processors and versions add in another order."""
    table = TABLES["tab:Hetero_online_centered_2"]
    jobs = [job for job in table.jobs(Effort(draws=2)) if job.name == "rand-rand-draw1"]
    rows = run(table, Context(tmp_path), jobs).rows
    before = only(committed(), table.label)
    keys = [*settings_of(before), "draw", "trial", "measure"]
    both = rows.astype(dict.fromkeys(keys, str)).merge(
        before.astype(dict.fromkeys(keys, str)), on=keys, how="left"
    )
    np.testing.assert_allclose(both["value_x"], both["value_y"], rtol=1e-9)


def test_trials_that_are_asked_for_are_those_of_every_draw():
    table = TABLES["tab:Hetero_online_centered_1"]
    for effort, trials in (
        (Effort(draws=2), [10, 2]),
        (Effort(draws=2, quick=True), [2, 2]),
        (Effort(draws=2, changes={"trials": 50}), [50, 50]),
    ):
        assert [table.settings_of(effort, "", draw)["trials"] for draw in (0, 1)] == trials
    assert [table.settings_of(Effort(), "", draw)["seed"] for draw in (0, 1)] == [0, 1]


def test_unknown_settings_are_refused_before_anything_is_run():
    with pytest.raises(ValueError, match="trials"):
        list(TABLES["tab:Hetero_online_centered_1"].jobs(Effort(changes={"trails": 2})))


def test_digits_are_classified(tmp_path):
    """Shipped with scikit-learn, so this runs anywhere; softmax regression gets most of them right."""
    table = Classification("tab:digits", "digits", ("digits",), ("softmax",), "centered")
    changes = {**SMALL, "learning_rates": (4.0, 1.0, 0.1), "patterns": None, "epochs": 5}
    rows = run(table, Context(tmp_path, Effort(changes=changes))).rows
    errors = rows[rows["measure"] == "error_mean"].groupby("rule", observed=True)["value"]
    assert set(errors.groups) == {"gradient_descent", "hebbian_descent", "hebb", "covariance"}
    assert errors.mean()["hebbian_descent"] < 0.12
    assert (errors.size() == 2).all()


@pytest.mark.parametrize("large", [True, False])
def test_digits_are_reconstructed(tmp_path, monkeypatch, large):
    monkeypatch.setattr("reproduction.experiments.auto_association.LARGE", ("digits",) if large else ())
    measures = ("mae_mean", "mean_hidden_activity")
    table = AutoAssociation("tab:digits", "digits", (("digits", "sigmoid"),), ("linear",), measures)
    rows = run(table, Context(tmp_path, Effort(changes=SMALL))).rows
    errors = rows[rows["measure"] == "mae_mean"].groupby("rule", observed=True)["value"].mean()
    assert set(errors.index) == {"gradient_descent", "hebbian_descent"}
    assert ((errors > 0) & (errors < 0.4)).all()
    assert set(rows["measure"]) == {*measures, "learning_rate"}


def test_hidden_units_are_a_quarter_of_the_inputs():
    assert [n_hidden(n) for n in (123, 126, 784, 1024)] == [31, 32, 196, 256]
