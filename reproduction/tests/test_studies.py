"""Studies run, resume and answer by their rules; the committed rows give the golden numbers."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from hebbian_descent import Autoencoder, Training
from hebbian_descent.checks import MissingExtraError
from hebbian_descent.datasets import draw_pair
from reproduction.context import Context, Effort
from reproduction.evidence import interval
from reproduction.numbers import NUMBERS, numbered
from reproduction.running import run
from reproduction.studies import STUDIES
from reproduction.studies.base import as_setting, contrast, pairs
from reproduction.studies.covariance_autoencoder import COVARIANCE_RULE
from reproduction.studies.sampled_contrastive_divergence import sampled_rule
from reproduction.studies.spiking_neurons import Neurons, simulate
from reproduction.tests.made_up import CASES, made_up
from reproduction.tests.quick_form import assert_the_quick_form_runs_and_is_kept
from tests.golden import verdicts

MINI = STUDIES["mini_batches"]


@pytest.fixture(scope="module")
def answers():
    return {name: rest for name, *rest in verdicts.answered_studies()}


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
class TestEachStudy:
    def test_it_cites_the_paper_and_says_its_protocol_in_lines(self, study):
        assert STUDIES[study.label] is study
        assert study.section in NUMBERS
        assert study.question.endswith("?")
        assert set(study.quick) <= {*study.axes, *study.settings}
        assert max(len(text.split()) for text in (*study.steps, study.rule, study.says)) <= 80
        assert all(len(str(change).split()) <= 80 for change in study.changes)

    def test_the_quick_form_runs_and_resumes(self, study, tmp_path):
        for library in study.needs:
            pytest.importorskip(library)
        assert_the_quick_form_runs_and_is_kept(study, tmp_path)

    def test_the_committed_rows_are_those_of_its_axes(self, study, tmp_path):
        rows = study.rows(Context(tmp_path))
        for axis, values in study.axes.items():
            several = [value if isinstance(value, dict) else {axis: value} for value in values]
            for name in {name for value in several for name in value}:
                expected = {as_setting(name, value[name]) for value in several if name in value}
                assert set(rows[name]) - {""} == expected - {""}

    def test_its_numbers_are_the_golden_ones(self, study, answers):
        golden = json.loads(verdicts.FILE.read_text(encoding="utf-8"))["studies"].get(study.name)
        if golden is None:
            pytest.skip("a study that is newer than the golden numbers")
        verdict, text, tables = answers[study.name]
        assert verdict == golden["verdict"]
        assert not verdicts.missing_numbers(golden["answer"], text)
        assert [{"title": t, "headings": h, "rows": r} for t, h, r in tables] == golden["tables"]

    def test_its_rule_has_more_than_one_outcome(self, study):
        assert len({verdict for name, _, verdict in CASES if name == study.name}) >= 3


@pytest.mark.parametrize(("name", "records", "verdict"), CASES)
def test_a_rule_gives_each_of_its_outcomes(name, records, verdict):
    assert STUDIES[name].answer(made_up(name, records)).verdict == verdict


@pytest.mark.parametrize("name", sorted({*STUDIES} - {"value_networks"}))  # its rule counts units
def test_a_single_draw_decides_nothing(name):
    for records in (records for case, records, verdict in CASES if case == name and verdict != "undecided"):
        assert STUDIES[name].answer(made_up(name, records, draws=1)).verdict == "undecided"


class TestJobs:
    def study(self, measured, **changes):
        def measure(job, before):
            measured.append((job.input, job.draw, len(before)))
            yield {"rate": 0.5, "error": job.scale * job.draw}

        axes = {"pair": pairs("rand → rand", "rand → adult"), "draw": range(2)}
        settings = {"axes": axes, "settings": {"scale": 2}, "quick": {"draw": range(1)}}
        return replace(MINI, name="own", **{"measure": measure, **settings, **changes})

    def test_axes_multiply_and_a_job_sees_the_rows_before_it(self, tmp_path):
        measured = []
        rows = run(self.study(measured), Context(tmp_path)).rows
        assert measured == [("rand", 0, 0), ("rand", 1, 1), ("rand", 0, 2), ("rand", 1, 3)]
        assert list(rows["target"]) == ["rand", "rand", "adult", "adult"]
        assert set(rows["rate"]) == {"0.5"}
        assert list(rows["value"]) == [0, 2, 0, 2]

    def test_a_quick_look_is_kept_apart_and_settings_may_be_changed(self, tmp_path):
        study = self.study([])
        assert len(run(study, Context(tmp_path, Effort(quick=True))).rows) == 2
        assert list(run(study, Context(tmp_path, Effort(changes={"scale": 3}))).rows["value"]) == [0, 3, 0, 3]
        assert study.rows(Context(tmp_path)).empty

    def test_a_finished_run_replaces_the_committed_rows(self, tmp_path):
        quick = replace(
            MINI, axes={**MINI.axes, **MINI.quick, "draw": range(2)}, settings={**MINI.settings, **MINI.quick}
        )
        study = replace(quick, axes={name: quick.axes[name] for name in MINI.axes})
        assert len(study.rows(Context(tmp_path))) == 768
        run(study, Context(tmp_path))
        assert len(study.rows(Context(tmp_path))) == 64

    def test_a_missing_library_is_named(self, tmp_path):
        with pytest.raises(MissingExtraError, match="no_such_library"):
            run(self.study([], needs=("no_such_library",)), Context(tmp_path))


def test_the_command_shows_answers_and_measures_nothing(command):
    code, printed, _ = command("study")
    assert code == 0
    for name, study in STUDIES.items():
        assert name in printed
        assert study.question in printed
    code, printed, _ = command("study", "spiking", "mini_batches")
    assert all(numbered(step) in printed for step in MINI.steps)
    assert "rates around a baseline" in printed
    found = json.loads(command("study", "mini_batches", "--json")[1])
    assert found["mini_batches"]["verdict"] == "holds"
    code, printed, said = command("study", "mini_batches", "--quick")
    assert "run mini_batches --quick" in printed + said
    assert command("study", "mini_batch")[0] == 2


def test_contrasts_are_paired_by_draw():
    values = np.array([0.1, 0.3, 0.2, 0.5])

    def records(draw):
        yield {"dataset": "a", "rule": "this", "error": 10.0 * draw + values[draw]}
        yield {"dataset": "a", "rule": "that", "error": 10.0 * draw}

    (found,) = contrast(made_up("mini_batches", records), "error", "rule", "this", "that")
    low, high = stats.t.interval(0.99, 3, values.mean(), stats.sem(values))
    assert (found.mean - found.half, found.mean + found.half) == pytest.approx((low, high))


class TestMeasurements:
    """What the studies compute, against loops and expectations that use none of it."""

    def test_rescaled_weights_are_sums_of_outer_products_by_their_number(self, tmp_path):
        axes = {"pair": pairs("rand → digits"), "activation": ("linear",), "draw": (3,)}
        settings = {"patterns": (6,), "learning_rates": (0.1,)}
        rows = run(replace(STUDIES["rescaled_hebb"], axes=axes, settings=settings), Context(tmp_path)).rows
        found = rows[rows["measure"] == "best_error"].set_index("variant")["value"]
        inputs, targets = draw_pair("rand", "digits", 6, seed=3)
        mean = inputs.mean(axis=0)
        total = sum(np.outer(x - mean, t) for x, t in zip(inputs, targets, strict=True))
        error = np.abs((inputs - mean) @ (0.1 * total) - targets).mean()
        assert found["from zero"] == pytest.approx(error)
        assert found["rescaled"] != pytest.approx(error)

    def test_certain_units_make_sampling_the_mean_field(self):
        rng = np.random.default_rng(0)
        start = Autoencoder.from_weights(
            1e4 * rng.choice([-1.0, 1.0], (6, 3)), hidden_activation="sigmoid", output_activation="sigmoid"
        )
        inputs = rng.random((5, 6))
        found = []
        for rule in (sampled_rule(0), "contrastive"):
            network = start.copy()
            Training(rule, learning_rate=1.0, batch_size=5).run(network, inputs)
            found.append(network)
        for name in ("weights", "bias", "decoder_bias"):
            np.testing.assert_allclose(getattr(found[0], name), getattr(found[1], name), atol=1e-9)

    def test_the_covariance_rule_adds_covariances(self):
        rng = np.random.default_rng(0)
        inputs = rng.random((4, 5))
        start = Autoencoder.create(5, 2, offset=inputs.mean(axis=0), rng=rng)
        network = start.copy()
        Training(COVARIANCE_RULE, learning_rate=1.0, batch_size=4).run(network, inputs)
        expected = np.cov(inputs.T, start.encode(inputs).T, bias=True)[:5, 5:]
        np.testing.assert_allclose(network.weights - start.weights, expected, atol=1e-12)

    def remainders(self, tmp_path, cases, **settings):
        study = replace(STUDIES["spiking"], axes={"case": cases}, settings=settings)
        rows = run(study, Context(tmp_path)).rows
        return {level: of.set_index("measure")["value"] for level, of in rows.groupby("level", observed=True)}

    def test_output_spikes_that_no_input_causes_leave_the_rule(self, tmp_path):
        cases = [{"task": "remainder", "variant": "teacher", "level": t} for t in ("clamped", "independent")]
        sizes = {"inputs": 4, "outputs": 3, "repetitions": 2000, "seconds": 0.5, "draws": 2}
        found = self.remainders(tmp_path, cases, **sizes)
        caused, free = found["clamped"], found["independent"]
        assert np.abs(free["remainder"]).max() < 0.2 * caused["remainder"].min()
        assert list(free["predicted"]) == [0, 0]

    def test_estimates_of_the_remainder_have_no_bias(self, tmp_path):
        cases = [{"task": "remainder", "variant": "teacher", "level": "independent"}]
        sizes = {"inputs": 20, "outputs": 10, "repetitions": 20, "seconds": 0.2, "draws": 20}
        found = interval(self.remainders(tmp_path, cases, **sizes)["independent"]["remainder"])
        assert not found.is_certain, found

    @pytest.mark.parametrize("gain", [0.0, 1.0])
    def test_caused_spikes_change_weights_by_the_causal_term(self, gain):
        neurons, seconds = Neurons(rate=50.0, window=0.02), 0.4
        rates, weights = np.array([0.5, 1.5]), gain * np.array([[1.0], [-0.8]])
        runs, rng = np.tile(rates, (3000, 1)), np.random.default_rng(0)
        found = simulate(neurons, runs, weights, -weights.sum(axis=0), seconds=seconds, rng=rng)
        np.testing.assert_allclose(found.inputs.mean(axis=0), rates, rtol=0.05)
        independent = seconds * 0.02 * np.outer(rates * 50, found.outputs.mean(axis=0) * 100)
        # A spike of an input moves the rate of the output, 100 φ, by 100 φ′ w / 50 in all, and the share of
        # that which falls into the window is τ / (τ + τₛ).
        caused = seconds * (rates * 50)[:, None] * weights * 2 * found.slope * 0.02 / 0.03
        np.testing.assert_allclose(found.change - independent, caused, atol=0.05 * independent.max())
        if gain:
            assert np.abs(caused).min() > 0.1 * independent.min()
