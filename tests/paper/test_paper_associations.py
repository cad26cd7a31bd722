"""The hetero-associative tables: every printed row has its sweep, and the comparison is honest."""

import numpy as np
import pytest
from scipy import stats

from hebbian_descent.datasets import draw_pair
from hebbian_descent.paper.associations import ASSOCIATIONS, Measured, jobs, run_job
from hebbian_descent.paper.comparison import compare, summarise
from hebbian_descent.paper.grids import LEARNING_RATES
from hebbian_descent.paper.printed import PrintedRow, printed_rows
from hebbian_descent.sweep import sweep


@pytest.mark.parametrize("name", ASSOCIATIONS)
def test_every_printed_row_belongs_to_one_job_of_each_draw(name):
    association = ASSOCIATIONS[name]
    seen = [id(row) for job in jobs(association, n_draws=1) for row in job.rows]
    assert sorted(seen) == sorted(id(row) for row in printed_rows() if row.file == name)
    assert len(list(jobs(association, n_draws=3))) == 3 * len(list(jobs(association, n_draws=1)))


def test_a_job_is_the_papers_protocol():
    """Done by hand for the pair that needs no download: 35 rates, ten trials, offsets at the data mean."""
    (job,) = [
        job
        for job in jobs(ASSOCIATIONS["hetero_online_centered"], n_draws=1)
        if (job.input_name, job.target_name) == ("rand", "rand")
    ]
    measured = run_job(job)
    assert len(measured) == len(job.rows) == 20
    by_hand = sweep(
        *draw_pair("rand", "rand", seed=0),
        rules="hebbian_descent",
        activations="sigmoid",
        learning_rates=LEARNING_RATES,
        trials=10,
        centering="mean",
    ).best("last20")[0]
    (found,) = [
        m
        for m in measured
        if (m.row.cell["rule"], m.row.cell["activation"]) == ("hebbian_descent", "sigmoid")
    ]
    assert found.results["mae_last20"] == by_hand.value
    assert found.results["mae_all"] == pytest.approx(by_hand.per_pattern.mean())
    assert found.learning_rate == by_hand.learning_rate
    assert found.results["mae_last20"] == pytest.approx(found.row.results["mae_last20"], abs=0.01)


def row_with(value):
    return PrintedRow("file", "tab:label", {"rule": "hebb"}, {"mae_mean": value}, {}, bold=False)


def measured_of(row, values):
    return [Measured(row, draw, {"mae_mean": value}, 0.1, 0.0) for draw, value in enumerate(values)]


def test_a_number_agrees_within_the_99_percent_interval_of_one_more_draw():
    values = np.array([0.30, 0.34, 0.32, 0.36, 0.33])
    half_width = stats.t.ppf(0.995, 4) * values.std(ddof=1) * np.sqrt(1 + 1 / 5)
    for distance, agrees in ((0.99 * half_width, True), (1.01 * half_width, False)):
        row = row_with(values.mean() + distance)
        (verdict,) = compare(measured_of(row, values))
        assert verdict.agrees == agrees
        assert verdict.z == pytest.approx(distance / (values.std(ddof=1) * np.sqrt(1.2)))
        assert verdict.word == ("agrees" if agrees else "differs")


def test_a_number_agrees_within_0_005_whatever_the_spread():
    for distance, agrees in ((0.0049, True), (0.0051, False)):
        (verdict,) = compare(measured_of(row_with(0.2 + distance), [0.2, 0.2, 0.2]))
        assert verdict.agrees == agrees
    (single,) = compare(measured_of(row_with(0.21), [0.2]))
    assert not single.agrees
    assert np.isnan(single.z)


def test_prediction_intervals_hold_what_they_promise():
    """Of printed numbers that are draws like ours, 99 in 100 agree, and z has root mean square about 1."""
    rng = np.random.default_rng(0)
    verdicts = [
        verdict
        for _ in range(2000)
        for verdict in compare(measured_of(row_with(rng.normal(0.5, 0.1)), rng.normal(0.5, 0.1, size=10)))
    ]
    (summary,) = summarise(verdicts)
    assert summary.n_results == 2000
    assert 0.983 < summary.n_agree / 2000 < 0.996
    assert 1.0 < summary.rms_z < 1.3  # of Student's t with 9 degrees of freedom it is √(9/7)
