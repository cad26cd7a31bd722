"""The study of losses and centering: runs at once equal runs one by one, and the page shows what is kept."""

import importlib
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from nn_cases import torch

ROOT = Path(__file__).parents[2]
MODULES = ("common", "networks", "stacked", "rate_search", "study_page", "losses_and_centering")


@pytest.fixture(scope="module")
def study():
    """The modules of the study by name, as a script imports them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "examples" / "nn")
        for name in MODULES:
            patch.delitem(sys.modules, name, raising=False)
        yield {name: importlib.import_module(name) for name in MODULES}
        for name in MODULES:
            sys.modules.pop(name, None)


@pytest.fixture
def in_double(study):
    split_of = study["networks"].split_of
    split_of.cache_clear()
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)
    split_of.cache_clear()


@pytest.mark.parametrize("centering", ["none", "input only", "fixed", "moving", "batch norm", "layer norm"])
@pytest.mark.parametrize(("optimizer", "rate"), [("SGD", 0.5), ("Adam", 0.01)])
def test_a_stack_learns_as_its_networks_do_one_by_one(study, in_double, centering, optimizer, rate):
    network = study["networks"].Network(
        "digits", hidden="tanh", depth=2, width=7, centering=centering, optimizer=optimizer
    )
    runs = [(rate, 0), (rate / 4, 0), (rate, 1)]
    stack, diverged = study["stacked"].learned(network, runs, 8)
    assert not diverged.any()
    for i, (its_rate, seed) in enumerate(runs):
        x = study["networks"].split_of("digits", "raw", seed).test_inputs[:20]
        expected = study["networks"].learned(network, its_rate, seed, 8)(x)
        torch.testing.assert_close(stack.one(i, x), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    "settings",
    [
        {"output": "sigmoid", "loss": "squared", "depth": 4, "width": 5},
        {"output": "step", "hebbian": True, "hidden": "sigmoid", "depth": 2, "centering": "moving"},
        {"output": "softsign", "inputs": "standardised", "hidden": "tanh"},
    ],
    ids=lambda settings: settings["output"],
)
def test_networks_of_any_depth_output_and_kind_of_layer_can_be_trained(study, settings):
    errors = study["networks"].train(study["networks"].Network("digits", **settings), 0.1, 0, n_updates=5)
    assert all(0 < error < 1 for error in errors)


def test_networks_that_there_are_not(study):
    make = study["networks"].Network
    with pytest.raises(ValueError, match=r"must be one of .*Got 'movng'\. Did you mean 'moving'"):
        make("digits", centering="movng")
    with pytest.raises(ValueError, match=r"must be one of moving, none\. Got 'fixed'"):
        make("digits", hebbian=True, centering="fixed")


def test_networks_that_diverge_are_wrong_about_everything(study):
    network = study["networks"].Network("digits", output="linear")
    assert study["networks"].train(network, 1e4, 0, n_updates=51) == (1, 1)
    assert study["stacked"].train_many(network, [(1e4, 0)], 51) == [(1, 1)]


@pytest.mark.parametrize("best", [0.0001, 0.07, 3.0, 100.0])  # also beyond the first grid
def test_a_search_ends_between_two_worse_rates_and_resumes(study, monkeypatch, tmp_path, best):
    calls = []

    def fake(network, runs):
        calls.extend(runs)
        return [(abs(np.log(rate / best)) / 100, seed / 10) for rate, seed in runs]

    monkeypatch.setattr(study["rate_search"], "train_many", fake)
    network = study["networks"].Network("digits")
    found = study["rate_search"].Study(tmp_path / "kept.json", n_seeds=3)
    found.search(network)
    rate, errors = found.best(network)
    assert abs(np.log(rate / best)) <= np.log(2) / 4 + 1e-3
    assert errors.tolist() == [0, 0.1, 0.2]
    tried = list(found.rates(network))
    assert tried[0] < rate < tried[-1]
    assert len(calls) == len(set(calls))
    again = study["rate_search"].Study(tmp_path / "kept.json", n_seeds=3)
    calls.clear()
    again.search(network)
    assert not calls
    assert again.best(network)[0] == rate


def test_the_page_shows_what_is_kept(study):
    page = (ROOT / "docs" / "nn" / "README.md").read_text(encoding="utf-8")
    kept = study["rate_search"].Study(study["losses_and_centering"].KEPT)
    for name, make in study["losses_and_centering"].TABLES.items():
        assert study["study_page"].with_table(page, name, make(kept)) == page, name


def test_no_grid_of_what_is_kept_ends_at_its_best_rate(study):
    module = study["losses_and_centering"]
    kept = study["rate_search"].Study(module.KEPT)
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
