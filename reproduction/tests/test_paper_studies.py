"""Studies run, resume and answer; the committed page is what the committed results give."""

import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from reproduction.saved_json import DamagedFileWarning
from scipy import stats

from hebbian_descent import Autoencoder, Training
from reproduction import labels
from reproduction.origin import Origin
from reproduction.studies import STUDIES
from reproduction.studies.base import Later, interval
from reproduction.studies.covariance_autoencoder import COVARIANCE_RULE
from reproduction.studies.page import _section, drawn, figure_name, page_text
from reproduction.studies.rescaled_hebb import _of_one
from reproduction.studies.running import kept_results, results_file, run_study
from reproduction.studies.sampled_contrastive_divergence import sampled_rule
from reproduction.studies.spiking_neurons import Neurons, simulate
from reproduction.studies.spiking_remainder import BASE, CLAMPED, INDEPENDENT, remainders
from tests.study_forms import assert_the_quick_form_runs_and_is_kept, sentences

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "reproduction" / "data"
MINI = STUDIES["mini_batches"]
TEACHERS = (CLAMPED, INDEPENDENT)


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_is_listed_under_its_name_and_cites_the_paper(name):
    study = STUDIES[name]
    assert study.name == name
    assert study.section in labels()
    assert set(study.quick) <= set(study.settings)
    assert study.question.endswith("?")


@pytest.mark.parametrize("name", STUDIES)
def test_the_quick_form_runs_and_is_kept(name, tmp_path):
    study = STUDIES[name]
    for library in study.needs:
        pytest.importorskip(library)
    assert_the_quick_form_runs_and_is_kept(study, tmp_path)


@pytest.mark.parametrize("name", STUDIES)
def test_the_evidence_is_committed_with_its_settings_and_answers_in_two_sentences(name):
    study = STUDIES[name]
    results = kept_results(study, KEPT)
    assert results is not None
    settings = json.loads(json.dumps(study.settings_of(quick=False)))
    assert results.settings == settings, "what is kept was measured with other settings"
    assert set(results.parts) == set(study.parts(settings))
    assert results.origin.commit
    assert sentences(study.answer(results).text) == 2
    assert results_file(study, KEPT).stat().st_size < 200_000


def test_the_committed_page_is_what_the_committed_results_give():
    committed = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")
    # `hebbian-descent study --page docs/studies.md` writes it again.
    assert page_text(STUDIES.values(), KEPT) == committed
    assert all((ROOT / "docs" / "figures" / figure_name(study)).is_file() for study in STUDIES.values())


def test_results_without_a_setting_that_the_protocol_names_count_as_missing(tmp_path):
    content = json.loads(results_file(MINI, KEPT).read_text(encoding="utf-8"))
    path = results_file(MINI, tmp_path)
    path.parent.mkdir(parents=True)
    for name in [name for name in content["settings"] if f"{{{name}}}" in MINI.protocol]:
        settings = {other: value for other, value in content["settings"].items() if other != name}
        path.write_text(json.dumps({**content, "settings": settings}), encoding="utf-8")
        with pytest.warns(DamagedFileWarning, match=MINI.name):
            assert kept_results(MINI, tmp_path) is None


def test_the_same_numbers_give_the_same_drawing():
    results = kept_results(MINI, KEPT)
    assert drawn(MINI, results) == drawn(MINI, results)


class TestRunning:
    def counting(self, stop_after=None):
        """Return a study with three parts, and the list of the parts that were computed."""
        computed = []

        def part(name):
            def compute():
                if len(computed) == stop_after:
                    raise KeyboardInterrupt
                computed.append(name)
                return {"value": np.float64(1 / 3), "draws": (1, 2)}

            return compute

        study = replace(
            MINI,
            parts=lambda settings: {name: part(name) for name in "abc"},
            table=lambda results: None,
            answer=lambda results: None,
        )
        return study, computed

    def test_a_stopped_study_resumes_after_its_last_finished_part(self, tmp_path):
        stopped, computed = self.counting(stop_after=2)
        with pytest.raises(KeyboardInterrupt):
            run_study(stopped, tmp_path)
        assert computed == ["a", "b"]
        study, computed = self.counting()
        seen = []
        results = run_study(study, tmp_path, progress=lambda name, seconds: seen.append(name))
        assert (computed, seen) == (["c"], ["a", "b", "c"])
        assert results.parts["a"] == {"value": 0.333333, "draws": [1, 2]}
        assert results == kept_results(study, tmp_path)

    def test_a_later_part_is_computed_from_those_before_it_also_when_resumed(self, tmp_path):
        study, computed = self.counting()
        seen = []

        def later(found):
            seen.append(found["a"]["value"])
            return {"twice": 2 * found["a"]["value"]}

        both = replace(study, parts=lambda settings: {**study.parts(settings), "d": Later(later)})
        assert run_study(both, tmp_path).parts["d"] == {"twice": 0.666666}
        (tmp_path / "studies" / "parts" / study.name / "d.json").unlink()
        assert run_study(both, tmp_path).parts["d"] == {"twice": 0.666666}
        assert (computed, seen) == ([*"abc"], [0.333333] * 2)

    def test_parts_with_other_settings_are_computed_again(self, tmp_path):
        study, computed = self.counting()
        run_study(study, tmp_path)
        run_study(replace(study, settings={**study.settings, "draws": 7}), tmp_path)
        assert computed == [*"abc", *"abc"]

    def test_what_is_kept_is_the_time_on_a_processor(self, tmp_path):
        study = replace(self.counting()[0], parts=lambda settings: {"a": lambda: time.sleep(0.3) or {}})
        assert run_study(study, tmp_path).seconds < 0.2

    def test_the_seeds_are_recorded_and_follow_from_the_settings_where_they_were_not(self, tmp_path):
        study, _ = self.counting()
        results = run_study(replace(study, settings={**study.settings, "draws": 3}), tmp_path)
        assert results.origin.seeds == "0 to 2"
        unrecorded = kept_results(MINI, KEPT)._replace(origin=Origin(date="2025-01-31"))
        section = _section(replace(MINI, needs=("torch",)), unrecorded)
        assert "with versions not recorded, torch (not recorded)" in section
        assert "processor: not recorded; seeds: 0 to 5." in section

    @pytest.mark.parametrize("name", STUDIES)
    def test_every_study_says_its_seeds(self, name):
        study = STUDIES[name]
        assert study.seeds(study.settings).startswith("0 to ")

    def test_kept_parts_are_computed_again_if_asked_for(self, tmp_path):
        study, computed = self.counting()
        run_study(study, tmp_path)
        other = tmp_path / "studies" / "parts" / "other" / "a.json"
        other.parent.mkdir()
        other.write_text("{}")
        run_study(study, tmp_path, again=True)
        assert computed == [*"abc", *"abc"]
        assert other.exists(), "parts of another study are left alone"

    @pytest.mark.parametrize("content", ["", "[]", '{"numbers": {}}'])
    def test_damaged_files_count_as_missing(self, content, tmp_path):
        study, computed = self.counting()
        run_study(study, tmp_path)
        (tmp_path / "studies" / "parts" / study.name / "b.json").write_text(content)
        with pytest.warns(DamagedFileWarning, match="computed again"):
            run_study(study, tmp_path)
        assert computed == [*"abc", "b"]
        results_file(study, tmp_path).write_text(content)
        with pytest.warns(DamagedFileWarning, match="measures again"):
            assert kept_results(study, tmp_path) is None

    def test_numbers_of_another_version_count_as_missing(self, tmp_path):
        run_study(MINI, tmp_path, quick=True)
        path = results_file(MINI, tmp_path, quick=True)
        content = json.loads(path.read_text())
        del content["parts"]["rand-rand-draw0"]["10"]
        path.write_text(json.dumps(content))
        with pytest.warns(DamagedFileWarning, match="those of this version"):
            assert kept_results(MINI, tmp_path, quick=True) is None


class TestCommand:
    def test_without_a_name_it_lists_questions_and_answers(self, command):
        code, printed, _ = command("study", "--output", str(KEPT))
        assert code == 0
        for study in STUDIES.values():
            assert study.name in printed
            assert study.answer(kept_results(study, KEPT)).text[:40] in " ".join(printed.split())
        code, printed, _ = command("study")
        assert "not run: hebbian-descent study mini_batches" in printed

    def test_a_quick_look_shows_a_table_and_no_answer(self, command):
        code, printed, said = command("study", "mini_batches", "--quick")
        assert code == 0
        assert "batches" in printed  # a narrow terminal breaks headings
        assert "answers nothing" in said
        assert Path("reproduction/studies/quick/mini_batches.json").is_file()
        assert (
            json.loads(command("study", "mini_batches", "--quick", "--json")[1])["mini_batches"]["answer"]
            is None
        )

    def test_a_study_is_measured_again_if_asked_for(self, command):
        part = Path("reproduction/studies/quick/parts/mini_batches/rand-rand-draw0.json")
        assert command("study", "mini_batches", "--quick")[0] == 0
        before = part.stat().st_mtime_ns
        assert command("study", "mini_batches", "--quick")[0] == 0
        assert part.stat().st_mtime_ns == before
        assert command("study", "mini_batches", "--quick", "--again")[0] == 0
        assert part.stat().st_mtime_ns > before

    def test_the_page_is_written_with_its_figures(self, command, tmp_path):
        code, printed, _ = command("study", "--page", "page.md", "--output", str(KEPT), "--json")
        assert code == 0
        assert list(json.loads(printed)) == list(STUDIES)
        assert (tmp_path / "page.md").read_text() == page_text(STUDIES.values(), KEPT)
        assert len(list((tmp_path / "figures").glob("study_*.svg"))) == len(STUDIES)

    @pytest.mark.parametrize(
        ("words", "reason"),
        [
            (["mini_batch"], "Did you mean 'mini_batches'?"),
            (["--quick"], "--quick must come with the name"),
            (["all", "--quick", "--page", "x.md"], "--quick must come with the name"),
            (["--again"], "--again must come with the name"),
            (["--page", "x.md"], "which has none; nothing was written"),
        ],
    )
    def test_what_cannot_be_is_refused(self, words, reason, command):
        code, printed, said = command("study", *words)
        assert (code, printed) == (2, "")
        assert reason in said

    def test_what_lacks_a_library_is_skipped_among_others_and_refused_alone(self, command, monkeypatch):
        needy = replace(MINI, name="needy", needs=("no_such_library",))
        monkeypatch.setattr("reproduction.commands.study.STUDIES", {"mini_batches": MINI, "needy": needy})
        code, _, said = command("study", "all", "--quick")
        assert code == 1
        assert "Skipped needy" in said
        assert command("study", "needy", "--quick")[0] == 2


class TestMeasurements:
    """What the studies compute, against loops and expectations that use none of it."""

    def test_an_interval_is_that_of_students_t(self):
        values = np.array([0.1, 0.3, 0.2, 0.5])
        low, high = stats.t.interval(0.99, 3, values.mean(), stats.sem(values))
        found = interval(values)
        assert (found.mean - found.half, found.mean + found.half) == pytest.approx((low, high))
        assert not interval([0.5]).is_certain

    def test_rescaled_weights_are_sums_of_outer_products_by_their_number(self):
        settings = {"learning_rates": [0.1, 1.0]}
        found = _of_one(settings, "rand", "digits", 3, "linear", 6)
        from hebbian_descent.datasets import draw_pair

        inputs, targets = draw_pair("rand", "digits", 6, seed=3)
        mean = inputs.mean(axis=0)
        total = sum(np.outer(x - mean, t) for x, t in zip(inputs, targets, strict=True))
        for place, rate in enumerate([0.1, 1.0]):
            output = (inputs - mean) @ (rate * total)
            assert found["from zero"]["errors"][place] == pytest.approx(np.abs(output - targets).mean())

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
        hidden = start.encode(inputs)
        for i in range(5):
            for j in range(2):
                expected = np.cov(inputs[:, i], hidden[:, j], bias=True)[0, 1]
                assert network.weights[i, j] - start.weights[i, j] == pytest.approx(expected)

    def test_output_spikes_that_no_input_causes_leave_the_rule(self):
        settings = {"inputs": 4, "outputs": 3, "repetitions": 2000, "seconds": 0.5, "draws": 2}
        found = {teacher: remainders(settings, {**BASE, "teacher": teacher}) for teacher in TEACHERS}
        assert np.abs(found[INDEPENDENT]["remainder"]).max() < 0.2 * min(found[CLAMPED]["remainder"])
        assert found[INDEPENDENT]["predicted"] == [0, 0]

    def test_estimates_of_the_remainder_have_no_bias(self):
        settings = {"inputs": 20, "outputs": 10, "repetitions": 20, "seconds": 0.2, "draws": 20}
        found = interval(remainders(settings, {**BASE, "teacher": INDEPENDENT})["remainder"])
        assert not found.is_certain, found

    @pytest.mark.parametrize("gain", [0.0, 1.0])
    def test_caused_spikes_change_weights_by_the_causal_term(self, gain):
        neurons, seconds = Neurons(rate=50.0, window=0.02), 0.4
        rates, weights = np.array([0.5, 1.5]), gain * np.array([[1.0], [-0.8]])
        runs = np.tile(rates, (3000, 1))
        found = simulate(
            neurons, runs, weights, -weights.sum(axis=0), seconds=seconds, rng=np.random.default_rng(0)
        )
        np.testing.assert_allclose(found.inputs.mean(axis=0), rates, rtol=0.05)
        independent = seconds * 0.02 * np.outer(rates * 50, found.outputs.mean(axis=0) * 100)
        # A spike of an input moves the rate of the output, 100 φ, by 100 φ′ w / 50 in all, and the share of
        # that which falls into the window is τ / (τ + τₛ).
        caused = seconds * (rates * 50)[:, None] * weights * 2 * found.slope * 0.02 / 0.03
        np.testing.assert_allclose(found.change - independent, caused, atol=0.05 * independent.max())
        if gain:
            assert np.abs(caused).min() > 0.1 * independent.min()
