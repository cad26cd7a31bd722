"""The hetero-associative tables: every printed row has its sweep, and the comparison is honest."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from hebbian_descent.datasets import draw_pair
from hebbian_descent.sweep import sweep
from reproduction.comparison import cell_key, compare_rows, would_agree
from reproduction.experiments import Association, Measured
from reproduction.grids import LEARNING_RATES
from reproduction.printed import PrintedRow, printed_rows
from reproduction.run_context import Effort, RunContext
from reproduction.summaries import summarise
from reproduction.tables import TABLES

ASSOCIATIONS = [label for label, table in TABLES.items() if isinstance(table, Association)]


@pytest.mark.parametrize("label", ASSOCIATIONS)
def test_the_jobs_of_a_table_make_its_printed_rows(label):
    """Run with one learning rate and one epoch, on random patterns in place of the datasets."""
    table = TABLES[label]
    made = {name: lambda n, seed: np.random.default_rng(seed).random((n, 5)) for name in table.datasets}
    small = dataclasses.replace(table, generators=made)
    changes = {"learning_rates": 0.1, "trials": 1, "epochs": 1, "patterns": 25, "weight_decays": 0.0}
    effort = Effort(draws=2, overrides=changes)
    jobs = list(small.jobs(effort))
    assert len({job.name for job in jobs}) == len(jobs)
    context = RunContext(Path("unused"), effort)
    context.__dict__["store"] = None
    measured = [row for job in jobs for row in job.run(context)]
    for draw in (0, 1):
        found = sorted(cell_key(row.cell) for row in measured if row.draw == draw)
        assert found == sorted(cell_key(row.cell) for row in printed_rows(label))
    assert {tuple(row.results) for row in measured} == {tuple(printed_rows(label)[0].results)}


def test_a_job_is_the_papers_protocol(tmp_path):
    """Done by hand for the pair that needs no download: 35 rates, ten trials, offsets at the data mean."""
    table = TABLES["tab:Hetero_online_centered_2"]
    (job,) = [job for job in table.jobs(Effort(draws=1)) if job.name == "rand-rand-draw0"]
    measured = job.run(RunContext(tmp_path))
    assert len(measured) == 20
    by_hand = sweep(
        *draw_pair("rand", "rand", seed=0),
        rules="hebbian_descent",
        activations="sigmoid",
        learning_rates=LEARNING_RATES,
        trials=10,
        centering="mean",
    ).best("last20")[0]
    (found,) = [
        row
        for row in measured
        if (row.cell["rule"], row.cell["activation"]) == ("hebbian_descent", "sigmoid")
    ]
    assert found.results["mae_last20"] == pytest.approx(by_hand.value, rel=1e-12)
    assert found.results["mae_all"] == pytest.approx(by_hand.per_pattern.mean())
    assert (found.learning_rate, found.n_trials) == (by_hand.learning_rate, 10)
    (printed,) = [row for row in printed_rows(table.label) if cell_key(row.cell) == cell_key(found.cell)]
    assert found.results["mae_last20"] == pytest.approx(printed.results["mae_last20"], abs=0.01)


def test_the_same_dataset_gives_other_targets_than_inputs_and_other_draws():
    table = Association("tab:own", "own", {("mine", "mine"): ["linear"]}, generators={"mine": own_patterns})
    first, second = table.jobs(Effort(draws=2))
    jobs = [first, second, *table.jobs(Effort(draws=1, overrides={"seed": 7}))]
    drawn = [job._patterns("mine", role, 3, job.settings["seed"]) for job in jobs for role in (0, 1)]
    assert len({tuple(patterns.ravel()) for patterns in drawn}) == 6


def test_trials_that_are_asked_for_are_those_of_every_draw():
    table = TABLES["tab:Hetero_online_centered_1"]
    for effort, trials in (
        (Effort(draws=2), [10, 2]),
        (Effort(draws=2, quick=True), [2, 2]),
        (Effort(draws=2, overrides={"trials": 50}), [50, 50]),
    ):
        jobs = [job for job in table.jobs(effort) if job.name.startswith("rand-adult")]
        assert [job.settings["trials"] for job in jobs] == trials


def test_what_the_variants_of_a_table_differ_by_cannot_be_set():
    table = TABLES["tab:Hetero_online_centered_shift"]
    with pytest.raises(ValueError, match="centering must not be set: the variants of"):
        table.check(Effort(overrides={"centering": None}))
    with pytest.raises(ValueError, match=r"must have more patterns.* by the last 20 patterns. Got 10"):
        table.check(Effort(overrides={"patterns": 10}))


def test_a_shorter_search_than_ours_is_kept_apart():
    assert not Effort(search="halving").is_the_papers
    assert Effort(search="grid").name == Effort().name
    names = {
        Effort(quick=quick, search=search).name for quick in (True, False) for search in (None, "halving")
    }
    assert len(names) == 4


def own_patterns(n, seed):
    return np.random.default_rng(seed).random((n, 4))


def row_with(value):
    cell = {"input": "rand", "target": "rand", "rule": "hebb"}
    return PrintedRow("file", "tab:label", cell, {"mae_mean": value}, {}, bold=False)


def compare(measured_and_row):
    row, measured = measured_and_row
    return compare_rows([row], measured)


def measured_of(row, values):
    return row, [
        Measured(row.cell, {"mae_mean": value}, {"mae_mean": 0.0}, 0.1, 0.0, 2, draw)
        for draw, value in enumerate(values)
    ]


def test_a_number_agrees_within_the_99_percent_interval_of_one_more_draw():
    values = np.array([0.60, 0.64, 0.62, 0.66, 0.63])
    half_width = stats.t.ppf(0.995, 4) * values.std(ddof=1) * np.sqrt(1 + 1 / 5)
    for distance, agrees in ((0.99 * half_width, True), (1.01 * half_width, False)):
        row = row_with(values.mean() + distance)
        (verdict,) = compare(measured_of(row, values))
        assert verdict.half_width == pytest.approx(half_width)
        assert verdict.rests_on == ("interval" if agrees else "")
        assert verdict.z == pytest.approx(distance / (values.std(ddof=1) * np.sqrt(1.2)))
        assert verdict.word == ("agrees" if agrees else "differs")


def test_a_number_agrees_within_0_005_however_small_the_spread():
    for distance, word, reason in ((0.0049, "agrees", "absolute"), (0.0051, "differs", "")):
        (verdict,) = compare(measured_of(row_with(0.2 + distance), [0.2] * 5))
        assert (verdict.word, verdict.rests_on) == (word, reason)


def test_few_draws_decide_nothing_however_far_the_number_is():
    for n in range(1, 5):
        (close,) = compare(measured_of(row_with(0.2), [0.2] * n))
        (far,) = compare(measured_of(row_with(0.9), [0.2] * n))
        assert (close.word, far.word) == ("undecided", "undecided")
    (summary,) = summarise([close, far])
    assert (summary.n_run, summary.n_judged, summary.n_agree, summary.n_differ) == (2, 0, 0, 0)
    assert str(summary).endswith("2 undecided")


def test_in_a_wide_interval_nothing_agrees_and_outside_of_it_a_number_differs():
    values = np.array([0.10, 0.20, 0.15, 0.17, 0.13])
    half_width = stats.t.ppf(0.995, 4) * values.std(ddof=1) * np.sqrt(1.2)
    assert half_width > 0.25 * values.mean()
    (inside,) = compare(measured_of(row_with(values.mean()), values))
    (outside,) = compare(measured_of(row_with(values.mean() + 1.01 * half_width), values))
    assert (inside.word, outside.word) == ("undecided", "differs")
    # The same spread about a number four times as large is narrow enough.
    (large,) = compare(measured_of(row_with(values.mean() + 0.7), values + 0.7))
    assert large.word == "agrees"


def test_another_number_in_place_of_the_printed_one_would_agree_just_where_it_is_judged_so():
    rng = np.random.default_rng(0)
    for _ in range(50):
        values = rng.normal(0.3, rng.choice([0.001, 0.01, 0.03]), size=6)
        (verdict,) = compare(measured_of(row_with(0.3), values))
        number = rng.uniform(0.2, 0.4)
        (other,) = compare(measured_of(row_with(number), values))
        assert would_agree(verdict, number) == (other.word == "agrees")


def test_prediction_intervals_hold_what_they_promise():
    """Of printed numbers that are draws like ours, 99 in 100 agree, and z has root mean square about 1."""
    rng = np.random.default_rng(0)
    verdicts = [
        verdict
        for _ in range(2000)
        for verdict in compare(measured_of(row_with(rng.normal(0.5, 0.02)), rng.normal(0.5, 0.02, size=10)))
    ]
    (summary,) = summarise(verdicts)
    assert summary.n_results == 2000
    assert 0.983 < summary.n_agree / 2000 < 0.996
    assert 1.0 < summary.rms_z < 1.3  # of Student's t with 9 degrees of freedom it is √(9/7)


@pytest.mark.parametrize("sd_of_trials", [0.0, 0.02, 0.1])
def test_prediction_intervals_hold_at_least_that_where_the_print_has_more_trials(sd_of_trials):
    """The printed draw has ten trials; of our ten draws the first has ten, the others two."""
    rng = np.random.default_rng(0)

    def draw(n_trials):
        return rng.normal(0.5, 0.02) + rng.normal(0, sd_of_trials, n_trials).mean()

    verdicts = [
        verdict
        for _ in range(2000)
        for verdict in compare(measured_of(row_with(draw(10)), [draw(10), *(draw(2) for _ in range(9))]))
    ]
    assert sum(verdict.word == "differs" for verdict in verdicts) / 2000 < 0.017


def test_a_number_that_was_not_run_is_said_to_be_so():
    (verdict,) = compare((row_with(0.3), []))
    assert verdict.word == "not run"
    (summary,) = summarise([verdict])
    assert (summary.n_results, summary.n_run, summary.n_agree) == (1, 0, 0)
