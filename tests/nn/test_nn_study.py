"""Studies of perceptrons: runs at once equal runs one by one, and the page shows what is kept."""

import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from nn_cases import torch

from reproduction.studies.perceptrons import rate_search, stacked, training
from reproduction.studies.perceptrons.data import split_of
from reproduction.studies.perceptrons.network import Network
from reproduction.studies.perceptrons.rate_search import RateSearch

ROOT = Path(__file__).parents[2]
MODULES = ("common", "study_page", "losses_and_centering")


@pytest.fixture(scope="module")
def study():
    """The modules of the page by name, as a script imports them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "examples" / "nn")
        for name in MODULES:
            patch.delitem(sys.modules, name, raising=False)
        yield {name: importlib.import_module(name) for name in MODULES}
        for name in MODULES:
            sys.modules.pop(name, None)


@pytest.fixture
def in_double():
    split_of.cache_clear()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)
    split_of.cache_clear()


def assert_a_stack_learns_as_its_networks_do(network, rate):
    runs = [(rate, 0), (rate / 4, 0), (rate, 1)]
    stack, diverged = stacked.learned(network, runs, 8)
    assert not diverged.any()
    for i, (its_rate, seed) in enumerate(runs):
        x = split_of("digits", "raw", seed).test_inputs[:20]
        expected = training.learned(network, its_rate, seed, 8)(x)
        torch.testing.assert_close(stack.one(i, x), expected, rtol=0, atol=1e-9)


OPTIMIZERS = pytest.mark.parametrize(("optimizer", "rate"), [("SGD", 0.5), ("Adam", 0.01)])


@pytest.mark.parametrize("centering", ["none", "input only", "fixed", "moving", "batch norm", "layer norm"])
@OPTIMIZERS
def test_a_stack_learns_as_its_networks_do_one_by_one(in_double, centering, optimizer, rate):
    assert_a_stack_learns_as_its_networks_do(
        Network("digits", hidden="tanh", depth=2, width=7, centering=centering, optimizer=optimizer), rate
    )


@pytest.mark.parametrize(
    ("hidden", "depth"), [("sigmoid", 1), ("sigmoid", 3), ("tanh", 2), ("rectifier", 4), ("step", 1)]
)
@pytest.mark.parametrize("centering", ["none", "moving"])
@OPTIMIZERS
def test_a_stack_of_hebbian_layers_learns_as_they_do_one_by_one(
    in_double, hidden, depth, centering, optimizer, rate
):
    how = {"centering": centering, "optimizer": optimizer, "hebbian": True}
    network = Network("digits", hidden=hidden, depth=depth, width=7, **how)
    assert_a_stack_learns_as_its_networks_do(network, rate)


def test_hidden_layers_of_step_units_learn_only_if_they_are_hebbian(in_double):
    for hebbian in (False, True):
        network = Network("digits", hidden="step", hebbian=hebbian)
        assert_a_stack_learns_as_its_networks_do(network, 0.5)
        start, end = training.make_model(network, 64, 0), training.learned(network, 0.5, 0, 8)
        assert torch.equal(start[0].weight, end[0].weight) != hebbian
        assert not torch.equal(start[-1].weight, end[-1].weight)


@pytest.mark.parametrize("output", ["softsign", "inverse_sqrt"])
def test_a_cross_entropy_is_that_of_outputs_scaled_to_the_unit_interval(in_double, output):
    network = Network("digits", output, "cross entropy", width=7)
    assert_a_stack_learns_as_its_networks_do(network, 0.5)
    a, t = torch.randn(4, 10), torch.rand(4, 10) * 2 - 1
    phi = training.get_torch_activation(output)
    expected = torch.nn.BCELoss(reduction="none")((1 + phi(a)) / 2, (1 + t) / 2).sum(dim=-1).mean()
    assert training.make_loss(network)(a, t).item() == pytest.approx(expected.item())


def test_the_cross_entropy_of_other_bounded_units_is_their_matching_loss(in_double):
    a, t = torch.randn(4, 10), torch.rand(4, 10) * 2 - 1
    expected = training.cross_entropy(torch.tanh(a), t).sum(dim=-1).mean()
    t_at_best = training.cross_entropy(t, t).sum(dim=-1).mean()  # matching losses are 0 at their best
    matching = training.make_loss(Network("digits", "scaled_tanh"))(a, t)
    assert matching.item() == pytest.approx((expected - t_at_best).item())


def test_a_run_leaves_the_global_seed_alone():
    before = torch.get_rng_state()
    stacked.train_many(Network("digits"), [(0.1, 0)], 2)
    training.train(Network("digits"), 0.1, 0, 2)
    assert torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(
    "settings",
    [
        {"output": "sigmoid", "loss": "squared", "depth": 4, "width": 5},
        {"output": "step", "hebbian": True, "hidden": "sigmoid", "depth": 2, "centering": "moving"},
        {"output": "softsign", "inputs": "standardised", "hidden": "tanh"},
    ],
    ids=lambda settings: settings["output"],
)
def test_networks_of_any_depth_output_and_kind_of_layer_can_be_trained(settings):
    errors = training.train(Network("digits", **settings), 0.1, 0, n_updates=5)
    assert all(0 < error < 1 for error in errors)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"centering": "movng"}, r"must be one of .*Got 'movng'\. Did you mean 'moving'"),
        ({"hebbian": True, "centering": "fixed"}, r"must be one of moving, none\. Got 'fixed'"),
        ({"output": "sigmoid", "loss": "cross entropy"}, r"loss of sigmoid outputs must be one of"),
        ({"output": "sigmiod"}, r"Did you mean 'sigmoid'"),
        ({"hidden": "step", "depth": 2}, r"depth .* must be 1.*Got 2: try sigmoid"),
    ],
)
def test_networks_that_there_are_not(settings, reason):
    with pytest.raises(ValueError, match=reason):
        Network("digits", **settings)


def test_networks_that_diverge_are_wrong_about_everything():
    network = Network("digits", output="linear")
    assert training.train(network, 1e4, 0, n_updates=51) == (1, 1)
    assert stacked.train_many(network, [(1e4, 0)], 51) == [(1, 1)]


@pytest.mark.parametrize("best", [0.0001, 0.07, 3.0, 100.0])  # also beyond the first grid
def test_a_search_ends_between_two_worse_rates_and_resumes(monkeypatch, tmp_path, best):
    calls = []

    def fake(network, runs, n_updates):
        calls.extend(runs)
        return [(abs(np.log(rate / best)) / 100, seed / 10) for rate, seed in runs]

    monkeypatch.setattr(rate_search, "train_many", fake)
    network = Network("digits")
    found = RateSearch(tmp_path / "kept.json", n_seeds=3)
    found.search(network)
    rate, errors = found.best(network)
    assert abs(np.log(rate / best)) <= np.log(2) / 4 + 1e-3
    assert errors.tolist() == [0, 0.1, 0.2]
    tried = list(found.rates(network))
    assert tried[0] < rate < tried[-1]
    assert len(calls) == len(set(calls))
    again = RateSearch(tmp_path / "kept.json", n_seeds=3)
    calls.clear()
    again.search(network)
    assert not calls
    assert again.best(network)[0] == rate
    calls.clear()
    near = RateSearch(n_seeds=3)
    near.search_from(network, 2 * rate)
    assert abs(np.log(near.best(network)[0] / best)) <= np.log(2) / 2 + 1e-3
    assert len(calls) == 3 * 4, "the rates around the start and one more"


def test_the_page_shows_what_is_kept(study):
    page = (ROOT / "docs" / "nn" / "README.md").read_text(encoding="utf-8")
    kept = RateSearch(study["losses_and_centering"].KEPT)
    for name, make in study["losses_and_centering"].TABLES.items():
        assert study["study_page"].with_table(page, name, make(kept)) == page, name


def test_no_grid_of_what_is_kept_ends_at_its_best_rate(study):
    module = study["losses_and_centering"]
    kept = RateSearch(module.KEPT)
    cells = {network: study["study_page"].found(kept, network) for network in module.all_networks()}
    assert sum(cell is not None for cell in cells.values()) > 100
    for network, cell in cells.items():
        if cell is not None:
            rates = list(kept.rates(network))
            assert rates[0] < cell[0] < rates[-1], str(network)


def test_what_is_kept_is_small_and_whole(study):
    file = study["losses_and_centering"].KEPT
    assert file.stat().st_size < 400_000
    assert all(len(each) <= 5 for runs in json.loads(file.read_text()).values() for each in runs.values())
