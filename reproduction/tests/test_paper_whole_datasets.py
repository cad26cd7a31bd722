"""Classification and auto-encoders: every printed row is measured, and verdicts follow the stated bounds."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from hebbian_descent import Autoencoder
from hebbian_descent.datasets import DatasetUnavailableError, load
from reproduction.comparison import cell_key, compare_rows
from reproduction.experiments import AutoAssociation, Classification, Measured
from reproduction.experiments.auto_association import n_hidden
from reproduction.kept_evidence import kept_rate
from reproduction.notes import notes
from reproduction.printed import PrintedRow, printed_rows
from reproduction.run_context import Effort, RunContext
from reproduction.tables import TABLES

SMALL = {"learning_rates": (0.1, 0.01), "trials": 2, "epochs": 1, "patterns": 200}


@pytest.mark.parametrize("label", [label for label, t in TABLES.items() if isinstance(t, Classification)])
def test_every_printed_row_of_classification_belongs_to_one_job(label):
    rules = {row.cell["rule"] for row in printed_rows(label)}
    made = [
        cell_key(
            {
                "dataset": job.dataset,
                "activation": job.activation,
                "rule": rule,
                "centering": TABLES[label].centering,
            }
        )
        for job in TABLES[label].jobs(Effort())
        for rule in rules
    ]
    assert sorted(made) == sorted(cell_key(row.cell) for row in printed_rows(label))


@pytest.mark.parametrize("search", ["grid", "halving"])
def test_digits_are_classified(tmp_path, search):
    """Shipped with scikit-learn, so this runs anywhere; softmax regression gets most of them right."""
    table = Classification("tab:digits", "digits", ("digits",), ("softmax",), "centered")
    effort = Effort(
        overrides={**SMALL, "learning_rates": (4.0, 1.0, 0.1), "patterns": None, "epochs": 5}, search=search
    )
    (job,) = table.jobs(effort)
    rows = {row.cell["rule"]: row for row in job.run(RunContext(tmp_path, effort))}
    assert set(rows) == {"gradient_descent", "hebbian_descent", "hebb", "covariance"}
    assert rows["hebbian_descent"].results["error_mean"] < 0.12
    assert rows["hebbian_descent"].n_trials == 2


@pytest.mark.parametrize("search", ["grid", "halving"])
def test_digits_are_reconstructed(tmp_path, search):
    table = AutoAssociation("tab:digits", "digits", (("digits", "sigmoid"),), ("linear",))
    effort = Effort(overrides=SMALL, search=search)
    (job,) = table.jobs(effort)
    rows = {row.cell["rule"]: row for row in job.run(RunContext(tmp_path, effort))}
    assert set(rows) == {"gradient_descent", "hebbian_descent"}
    for row in rows.values():
        assert set(row.results) == {"mae_mean", "mean_hidden_activity"}
        assert 0 < row.results["mae_mean"] < 0.4


def small(experiment, settings):
    """Return an experiment whose protocol has other settings, which `--set` must not change here."""
    return type("Small", (type(experiment),), {"protocol": {**experiment.protocol, **settings}})(
        **{field.name: getattr(experiment, field.name) for field in fields(experiment)}
    )


@pytest.mark.parametrize(
    "table",
    [
        Classification("tab:digits", "digits", ("digits",), ("sigmoid",), "centered"),
        AutoAssociation("tab:digits", "digits", (("digits", "sigmoid"),), ("linear",)),
    ],
    ids=["classification", "auto-association"],
)
@pytest.mark.parametrize("search", ["grid", "halving"])
def test_kept_learning_rates_give_the_trials_of_the_search_that_found_them(tmp_path, table, search):
    table = small(table, {**SMALL, "learning_rates": (4.0, 1.0, 0.1)})

    def rows(search, **context):
        effort = Effort(search=search)
        (job,) = table.jobs(effort)
        return job.run(RunContext(tmp_path / search, effort, **context))

    searched = rows(search)
    rates = {cell_key(row.cell): row.learning_rate for row in searched}
    assert rows("kept", kept_rate=lambda cell: rates[cell_key(cell)]) == searched


def test_means_can_be_computed_again_from_the_kept_trials(tmp_path):
    table = Classification("tab:digits", "digits", ("digits",), ("sigmoid",), "centered")
    effort = Effort(overrides={**SMALL, "trials": 3})
    (job,) = table.jobs(effort)
    for row in job.run(RunContext(tmp_path, effort)):
        (trials,), (mean,) = row.trials.values(), row.results.values()
        assert mean == np.mean(trials)


def test_a_search_by_kept_rates_is_the_papers_protocol_and_nothing_else():
    assert Effort(search="kept").name == Effort().name
    for changes in ({"quick": True}, {"overrides": {"trials": 2}}):
        with pytest.raises(ValueError, match=r"'kept' must come without .* Got (quick|trials)"):
            Effort(search="kept", **changes)


def test_without_kept_rates_nothing_is_searched_instead(tmp_path):
    effort = Effort(search="kept")
    (job,) = Classification("tab:digits", "digits", ("digits",), ("sigmoid",), "centered").jobs(effort)
    with pytest.raises(ValueError, match="Got none: pass kept_rate= to RunContext"):
        job.run(RunContext(tmp_path, effort))


def test_the_committed_evidence_has_a_rate_for_every_cell_of_whole_datasets():
    kept = Path(__file__).parents[2] / "reproduction" / "data"
    for label in ("tab:label_learning_centered", "tab:label_learning_uncentered", "tab:auto_associative"):
        assert all(0 < kept_rate(kept, label, row.cell) <= 100 for row in printed_rows(label))


def test_a_cell_without_a_kept_rate_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"Got none for tab:x, digits, hebb: leave --search out"):
        kept_rate(tmp_path, "tab:x", {"dataset": "digits", "rule": "hebb"})


def test_hidden_units_are_a_quarter_of_the_inputs():
    assert [n_hidden(n) for n in (123, 126, 784, 1024)] == [31, 32, 196, 256]


def verdict_of(printed, ours, *, printed_std=0.0, std=0.0, n=10):
    cell = {"dataset": "adult", "rule": "hebb"}
    row = PrintedRow("file", "tab:x", cell, {"error_mean": printed}, {"error_std": printed_std}, bold=False)
    measured = Measured(cell, {"error_mean": ours}, {"error_mean": std}, 0.1, 0.0, n)
    return compare_rows([row], [measured])[0]


def test_whole_datasets_agree_within_0_005_or_5_percent():
    assert verdict_of(0.05, 0.0549).rests_on == "absolute"
    assert verdict_of(0.05, 0.0551).word == "differs"
    assert verdict_of(0.80, 0.8399).rests_on == "relative"
    assert verdict_of(0.80, 0.8401).word == "differs"


def test_three_trials_decide_and_two_do_not():
    assert [verdict_of(0.8, 0.8, n=n).word for n in (1, 2, 3)] == ["undecided", "undecided", "agrees"]


def test_whole_datasets_agree_where_the_means_of_the_trials_differ_by_chance():
    """Welch's test of two means, as SciPy does it from the same numbers."""
    for distance in (0.02, 0.04, 0.06, 0.08, 0.1):
        verdict = verdict_of(0.9, 0.9 + distance, printed_std=0.04, std=0.05, n=5)
        p = stats.ttest_ind_from_stats(
            0.9, 0.04, 10, 0.9 + distance, 0.05 * np.sqrt(5 / 4), 5, equal_var=False
        ).pvalue
        assert (verdict.rests_on == "interval") == (p >= 0.01)
        assert verdict.word == ("agrees" if p >= 0.01 else "differs")


def test_a_spread_that_is_not_printed_counts_as_large_as_ours():
    cell = {"dataset": "adult", "rule": "hebb"}
    row = PrintedRow("file", "tab:x", cell, {"mean_hidden_activity": 2.0}, {}, bold=False)
    for distance, agrees in ((0.3, True), (0.5, False)):
        ours = Measured(
            cell, {"mean_hidden_activity": 2 + distance}, {"mean_hidden_activity": 0.3}, 1.0, 0.0, 10
        )
        assert compare_rows([row], [ours])[0].word == ("agrees" if agrees else "differs")


def test_it_is_the_spread_of_a_mean_of_ten_trials_however_many_ours_are():
    cell = {"dataset": "adult", "rule": "hebb"}
    row = PrintedRow("file", "tab:x", cell, {"mean_hidden_activity": 2.0}, {}, bold=False)
    sd = 0.2 * np.sqrt(20 / 19)
    for distance in np.arange(0.11, 0.4, 0.01):
        ours = Measured(
            cell, {"mean_hidden_activity": 2 + distance}, {"mean_hidden_activity": 0.2}, 1.0, 0.0, 20
        )
        p = stats.ttest_ind_from_stats(2.0, sd, 10, 2 + distance, sd, 20, equal_var=False).pvalue
        assert compare_rows([row], [ours])[0].word == ("agrees" if p >= 0.01 else "differs")


@pytest.mark.parametrize("scale", [0.01, 0.0])
def test_weights_near_zero_give_the_errors_that_the_notes_name(scale):
    known = next(note["reason"] for note in notes("reasons") if note["table"] == "text:auto_associative_hebb")
    errors = []
    for name in ("adult", "connect", "mnist", "cifar"):
        try:
            data = load(name, dtype=np.float32)
        except DatasetUnavailableError as error:
            pytest.skip(str(error))
        offset = data.train.inputs.mean(axis=0)
        shape = data.n_features, n_hidden(data.n_features)
        weights = np.random.default_rng(0).normal(0, scale, shape).astype(np.float32)
        network = Autoencoder.from_weights(weights, offset=offset)
        errors.append(np.abs(data.test.inputs - network.reconstruct(data.test.inputs)).mean())
    assert " ".join(f"{error:.4f}" for error in errors) in known
