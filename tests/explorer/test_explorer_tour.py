"""What the tour says about its six steps is what happens in them."""

import numpy as np
import pytest

from tests.explorer.test_explorer_agrees_with_the_core import learned_in_python, pairs_of
from tests.javascript import javascript, needs_node

pytestmark = needs_node
RULES = ("hebbian_descent", "gradient_descent", "hebb", "covariance")
SEEDS = (1, 2, 3)


@pytest.fixture(scope="module")
def steps():
    """Return for each step its words, and its settings before and after what it asks for."""
    return javascript(
        """
        const { STEPS } = await load("tour");
        const { defaultSettings } = await load("settings");
        return STEPS.map((step) => {
          const app = { settings: { ...defaultSettings(facts), ...step.start } };
          const before = { ...app.settings };
          app.change = (name, value) => (app.settings[name] = value);
          app.play = app.damageSome = () => {};
          step.act(app);
          const { title, sentence, task, learned } = step;
          return { title, sentence, task, learned, before, after: app.settings };
        });
        """
    )


def errors(settings, seed, rule):
    """Return the errors of all pairs, oldest first."""
    settings = {**settings, "seed": seed}
    cues, targets = pairs_of(settings)
    return np.abs(learned_in_python(rule, settings).output(cues) - targets).mean(axis=1)


def recent(settings, seed):
    return {rule: errors(settings, seed, rule)[-20:].mean() for rule in RULES}


def test_there_are_six_steps_of_one_sentence_each(steps):
    assert len(steps) == 6
    for step in steps:
        assert step["sentence"].endswith(".")
        assert ". " not in step["sentence"]
        assert tuple(step["before"]["rules"]) == RULES


@pytest.mark.parametrize("seed", SEEDS)
def test_correlation_harms_hebbs_rule_more_than_hebbian_descent(steps, seed):
    before, after = recent(steps[1]["before"], seed), recent(steps[1]["after"], seed)
    assert after["hebb"] > 2 * before["hebb"]
    assert after["hebbian_descent"] < 0.5 * after["hebb"]
    assert steps[1]["after"]["correlation"] == 0.3


@pytest.mark.parametrize("seed", SEEDS)
def test_centering_helps_every_rule_and_least_the_one_that_centers_by_itself(steps, seed):
    before, after = recent(steps[2]["before"], seed), recent(steps[2]["after"], seed)
    left = {rule: after[rule] / before[rule] for rule in RULES}
    assert max(left, key=left.get) == "covariance"
    assert left.pop("covariance") < 0.9
    assert max(left.values()) < 0.6


@pytest.mark.parametrize("seed", SEEDS)
def test_without_a_slope_gradient_descent_learns_nothing(steps, seed):
    before, after = recent(steps[3]["before"], seed), recent(steps[3]["after"], seed)
    assert before["hebbian_descent"] < 0.5 * before["gradient_descent"]
    assert abs(after["gradient_descent"] - 0.5) < 0.05
    assert after["hebbian_descent"] < 0.1


@pytest.mark.parametrize("seed", SEEDS)
def test_hebbian_descent_forgets_the_oldest_first_and_hebbs_rule_only_with_decay(steps, seed):
    def age_matters(settings, rule):
        found = errors(settings, seed, rule)
        return found[:20].mean() / found[-20:].mean()

    before, after = steps[4]["before"], steps[4]["after"]
    assert age_matters(before, "hebbian_descent") > 3
    assert 0.7 < age_matters(before, "hebb") < 1.4
    assert age_matters(after, "hebb") > 2


@pytest.mark.parametrize("seed", SEEDS)
def test_a_cue_with_a_tenth_inverted_still_brings_back_its_picture(steps, seed):
    """For most of the recent cues, the stored picture nearest to what is recalled is the right one."""
    settings = {**steps[5]["before"], "seed": seed}
    cues, targets = pairs_of(settings)
    layer = learned_in_python("hebbian_descent", settings)
    rng = np.random.default_rng(0)
    damaged = cues.copy()
    for row in damaged:
        units = rng.permutation(row.size)[: row.size // 10]
        row[units] = 1 - row[units]
    outputs = layer.output(damaged[-20:])
    nearest = [np.abs(targets - output).mean(axis=1).argmin() for output in outputs]
    assert (np.array(nearest) == np.arange(80, 100)).mean() > 0.8
