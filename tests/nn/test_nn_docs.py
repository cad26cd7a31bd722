"""The guide runs, and the scripts behind the pictures do what the page says about them."""

import re
import runpy
import sys
from pathlib import Path

import pytest
from nn_cases import torch

import hebbian_descent.nn
from reproduction.numbers import NUMBERS

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs" / "nn").glob("*.md"))
PICTURES = [("dying_rectifiers", "digits"), ("dying_rectifiers", "mnist"), ("deep_autoencoder", "digits")]


@pytest.fixture
def run_script(monkeypatch, capsys, tmp_path):
    """Run a script here, as new processes would mostly import PyTorch; return the cells of its table."""

    def run(name, *, updates):
        script = ROOT / "examples" / "nn" / f"{name}.py"
        options = ["--updates", str(updates), "--seeds", "1", "--output", str(tmp_path)]
        monkeypatch.setattr(sys, "argv", [str(script), *options])
        monkeypatch.syspath_prepend(script.parent)
        monkeypatch.delitem(sys.modules, "common", raising=False)
        runpy.run_path(str(script), run_name="__main__")
        if (name, "digits") in PICTURES:
            assert (tmp_path / f"{name}_digits.png").stat().st_size > 5000
        rows = re.findall(r"^\| (.+) \|$", capsys.readouterr().out, flags=re.MULTILINE)[2:]
        return [[cell.split(" ±")[0] for cell in row.split(" | ")] for row in rows]

    return run


def test_the_examples_of_the_guide_run():
    guide = (ROOT / "docs" / "nn" / "guide.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", guide, flags=re.DOTALL)
    names = {}
    errors = []
    for block in blocks:
        exec(compile(block, "guide.md", "exec"), names)
        if 'a, t, "step"' in block:
            errors.append(names["a"].grad.tolist())
    assert errors == [[[-1.0, 1.0, 0.0]]]
    assert names["accuracy"] > 0.9
    assert torch.get_num_threads() == 1  # the guide leaves PyTorch's settings alone


def test_the_examples_of_the_memory_page_run():
    page = (ROOT / "docs" / "nn" / "memory_layer.md").read_text(encoding="utf-8")
    names = {}
    for block in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL):
        exec(compile(block, "memory_layer.md", "exec"), names)
    assert names["outputs"].shape == (8, 2, 100, 10)


def test_the_guide_leaves_out_none_of_the_parts():
    guide = (ROOT / "docs" / "nn" / "guide.md").read_text(encoding="utf-8")
    helpers = {"HebbianActivation", "LocalRuleCheck", "MemoryState", "TiedLayer", "get_torch_activation"}
    for name in set(hebbian_descent.nn.__all__) - helpers:
        assert name in guide, name


def test_matching_losses_and_centering_do_what_the_page_says(run_script):
    rows = run_script("losses_and_centering", updates=300)
    errors = {network: (float(before), float(after)) for network, _, before, after in rows}
    assert len(errors) == 6
    for network in ("rectifier outputs", "sigmoid hidden units"):
        before, after = errors[network]
        assert after < before


def test_dead_rectifiers_recover_only_with_the_matching_loss(run_script):
    squared, matching = run_script("dying_rectifiers", updates=200)
    assert float(squared[1]) == float(matching[1]) > 0
    assert float(squared[2]) >= float(squared[1])
    assert float(matching[2]) == 0


def test_the_deep_autoencoder_learns_either_way(run_script):
    rows = run_script("deep_autoencoder", updates=150)
    for method in (1, 2):
        assert float(rows[2][method]) < float(rows[0][method])


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_pictures_and_labels_on_the_pages_exist(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([\w./]+)\)", text):
        assert (page.parent / target).exists(), target
    assert set(re.findall(r"\b(?:eqn|fig|tab|sec):[A-Za-z0-9_]+", text)) <= set(NUMBERS)


@pytest.mark.parametrize(("name", "dataset"), PICTURES)
def test_the_page_shows_every_script(name, dataset):
    text = (ROOT / "docs" / "nn" / "README.md").read_text(encoding="utf-8")
    assert f"({name}_{dataset}.png)" in text
    assert f"examples/nn/{name}.py" in text
