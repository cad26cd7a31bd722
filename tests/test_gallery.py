"""The scripts of the gallery draw, and show what the page says they show."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

from hebbian_descent import datasets

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted((ROOT / "examples" / "gallery").glob("*.py"))
PAGE = ROOT / "docs" / "gallery" / "README.md"


def script(name):
    specification = importlib.util.spec_from_file_location(name, ROOT / "examples" / "gallery" / f"{name}.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def assert_draws(figure, folder):
    path = folder / "picture.png"
    figure.savefig(path, dpi=50)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_the_newest_images_are_recalled_best_by_hebbian_descent(tmp_path):
    module = script("one_shot_memory")
    cues, images = datasets.draw_pair("rand", "digits", 100, seed=0)
    outputs = module.recalled(cues, images)
    error = {rule: np.abs(output - images).mean(axis=1) for rule, output in outputs.items()}
    newest = {rule: values[-20:].mean() for rule, values in error.items()}
    oldest = {rule: values[:20].mean() for rule, values in error.items()}
    baseline = np.abs(images - images.mean(axis=0)).mean()
    assert min(newest, key=newest.get) == "hebbian_descent"
    assert oldest["hebbian_descent"] > oldest["gradient_descent"]
    assert oldest["hebbian_descent"] > 1.5 * newest["hebbian_descent"]
    assert min(newest["hebb"], newest["covariance"]) > baseline
    assert_draws(module.draw(images, outputs), tmp_path)


def test_an_offset_that_follows_does_not_notice_the_light(tmp_path):
    module = script("drifting_stream")
    best = {module.FOLLOWS: 0.5, module.STAYS: 0.05, module.NONE: 0.02}  # as the picture says
    images, labels = module.stream()
    results = {way: (rate, module.hits(way, images, labels, rate)) for way, rate in best.items()}
    share = {way: right.mean() for way, (_, right) in results.items()}
    late = {way: right[-500:].mean() for way, (_, right) in results.items()}
    assert share[module.FOLLOWS] > 0.94 > 0.85 > share[module.STAYS] > share[module.NONE]
    assert late[module.FOLLOWS] > 0.95 > 0.8 > max(late[module.STAYS], late[module.NONE])
    assert_draws(module.draw(images, results), tmp_path)


def test_hebbian_descent_is_useful_over_a_wider_range_of_rates(tmp_path):
    module = script("learning_rate_robustness")
    found = module.results()
    for result in found.values():
        costs = dict(zip(result.axes["rule"], result.costs(by="all")[:, 0, :, 0], strict=True))
        useful = {rule: result.axes["learning_rate"][cost < result.baseline] for rule, cost in costs.items()}
        ours, theirs = useful["hebbian_descent"], useful["gradient_descent"]
        assert ours.max() / ours.min() > 30 * theirs.max() / theirs.min()
        assert len(useful["hebb"]) == len(useful["covariance"]) == 0
    assert_draws(module.draw(found), tmp_path)


def test_both_autoencoders_rebuild_unseen_images_equally_well(tmp_path):
    module = script("autoencoder_filters")
    digits = datasets.load("digits")
    networks = {rule: module.trained(rule, digits.train.inputs) for rule in module.LEARNING_RATES}
    for network in networks.values():
        error = np.abs(network.reconstruct(digits.test.inputs) - digits.test.inputs).mean()
        assert error == pytest.approx(0.0765, abs=0.003)
    assert_draws(module.draw(networks, digits.test.inputs), tmp_path)


def test_every_script_is_on_the_page_with_its_picture():
    page = PAGE.read_text(encoding="utf-8")
    assert len(SCRIPTS) == 4
    for path in SCRIPTS:
        assert f"(../../examples/gallery/{path.name})" in page
        assert f"({path.stem}.png)" in page
        assert (PAGE.parent / f"{path.stem}.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("page", [PAGE, ROOT / "docs" / "memory.md", ROOT / "docs" / "files.md"])
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\((?!http|#)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists(), link
