"""Every figure of the paper under its label: drawn, quickly, with the content that its caption states."""

import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from hebbian_descent.datasets import DatasetUnavailableError, names
from reproduction.context import Context, Effort
from reproduction.figures import (
    FIGURES,
    draw,
    hidden_activity,
    moving_mnist,
    online_classification_mnist,
    path_of,
    scatter,
    update_rule_compare,
)
from reproduction.figures import hebb_disadvantage_example as hebb_example
from reproduction.figures import update_rule_2d_example as example_2d
from reproduction.numbers import NUMBERS
from reproduction.printed import printed_rows
from reproduction.rows import committed, only, write
from reproduction.running import part_of
from reproduction.tables import TABLES

ONLINE_SCATTER = "fig:heteroassociative_online_hebbian_scatter"


@pytest.fixture(scope="module")
def context(tmp_path_factory) -> Context:
    """A quick look whose results all figures share."""
    return Context(tmp_path_factory.mktemp("figures"), Effort(quick=True))


def or_skip(compute, *arguments):
    try:
        return compute(*arguments)
    except DatasetUnavailableError as error:
        pytest.skip(str(error))


def test_figures_are_those_of_the_paper_in_its_order():
    assert [NUMBERS[label] for label in FIGURES] == [f"Figure {i}" for i in range(1, 22)]


@pytest.mark.parametrize("label", FIGURES)
def test_every_figure_has_texts(label):
    figure = FIGURES[label]
    assert all(len(text) > 15 for text in (figure.title, figure.see, figure.alt))
    assert figure.datasets <= set(names())
    assert set(figure.tables) <= set(TABLES)


@pytest.mark.parametrize("label", FIGURES)
def test_every_figure_is_drawn_and_written(label, context):
    figure = or_skip(FIGURES[label].draw, context)
    assert figure.axes
    assert all(axes.has_data() for axes in figure.axes)
    path = draw(label, context)
    assert path == context.folder / "figures" / "quick" / f"{FIGURES[label].name}.svg"
    assert path.read_text(encoding="utf-8").lstrip().startswith("<?xml")
    assert path.stat().st_size < 700_000


def test_a_drawing_has_the_same_bytes_each_time(context, tmp_path):
    label = "fig:rand_rand_sigmoid_true_online"
    elsewhere = replace(context, folder=tmp_path)
    assert draw(label, context).read_bytes() == draw(label, elsewhere).read_bytes()
    papers = path_of("fig:hebb_disadvantage_example", Context(tmp_path))
    assert papers == tmp_path / "figures" / "hebb_disadvantage_example.svg"


def test_the_list_of_figures_is_made_without_drawing():
    code = "import sys, reproduction.figures; sys.exit(bool({'matplotlib', 'torch'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("normalised", [False, True])
def test_hebbian_descent_is_nearer_to_the_optimum(normalised):
    descent = example_2d.path("gradient_descent", normalised=normalised)
    hebbian = example_2d.path("hebbian_descent", normalised=normalised)
    assert descent.shape == hebbian.shape == (51, 2)
    for step in (25, 50):
        assert example_2d.loss(hebbian[step]) < example_2d.loss(descent[step])
    assert example_2d.loss(descent[50]) < 0.1 * example_2d.loss(descent[0])
    if normalised:
        lengths = np.linalg.norm(np.diff(hebbian, axis=0), axis=1)
        np.testing.assert_allclose(lengths, example_2d.LENGTH)


def test_the_gradient_of_the_drawn_loss_is_gradient_descent():
    start, step = np.array(example_2d.START), 1e-5
    slope = (example_2d.loss(start + step * np.eye(2)) - example_2d.loss(start)) / step
    first = example_2d.path("gradient_descent", normalised=False)[1] - start
    np.testing.assert_allclose(first, -example_2d.LEARNING_RATES["gradient_descent"] * slope, rtol=1e-3)


def test_outputs_of_the_four_patterns_are_those_printed():
    for rule in ("hebb", "covariance"):
        weights, outputs = hebb_example.learn(rule)
        np.testing.assert_array_equal(outputs.round(2), [[0, 0], [0, 0], [1, 1], [1, 1]])
        assert np.linalg.norm(weights) == pytest.approx(100)
    _, outputs = hebb_example.learn("hebbian_descent")
    np.testing.assert_array_equal(outputs.round(2), hebb_example.TARGETS)


def test_wrong_outputs_are_highlighted(context):
    hebb, descent = FIGURES["fig:hebb_disadvantage_example"].draw(context).axes
    marked = [[text.get_text() for text in axes.texts if text.get_bbox_patch()] for axes in (hebb, descent)]
    assert [text for text in marked[0] if text.startswith("(")] == ["(0, 0)", "(0, 0)"]
    assert not [text for text in marked[1] if text.startswith("(")]


def test_hebbs_rule_learns_only_the_third_pattern_of_the_text():
    inputs = np.array([[0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], dtype=float)
    targets = np.array([[0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 0, 1]], dtype=float)
    _, outputs = hebb_example.learn("hebb", inputs, targets)
    np.testing.assert_array_equal((outputs.round(2) == targets).all(axis=1), [False, False, True, False])
    _, outputs = hebb_example.learn("hebbian_descent", inputs, targets)
    np.testing.assert_array_equal(outputs.round(2), targets)


def test_hebbian_descent_stays_in_its_corner():
    updates = update_rule_compare.updates()
    np.testing.assert_allclose(updates.smallest, 4 * updates.gradient_descent)
    assert (updates.hebbian_descent >= updates.smallest).all()
    assert updates.gradient_descent @ updates.hebbian_descent > 0


def test_curves_show_each_pattern_once(context):
    for axes in FIGURES["fig:rand_rand_sigmoid_true_online"].draw(context).axes:
        lines = {line.get_label().split(",")[0]: line.get_ydata() for line in axes.lines}
        np.testing.assert_allclose(lines["Hebb's rule"], lines["Covariance rule"], rtol=1e-10)
        hebbian = lines["Hebbian-descent"]
        assert len(hebbian) == 100
        assert hebbian[-20:].mean() < 0.5 * hebbian[:20].mean()
        assert axes.get_ylim() == (0, 1)


def test_crosses_are_means_over_the_committed_rows_and_dots_the_printed_numbers(context):
    label, cell = "tab:Hetero_online_centered_2", {"input": "rand", "target": "rand", "activation": "step"}
    rules = ("gradient_descent", "hebbian_descent")
    rows = only(committed(), label)
    rows = rows[(rows["measure"] == "mae_last20") & (rows[list(cell)] == list(cell.values())).all(axis=1)]
    cross = [rows[rows["rule"] == rule].groupby("draw")["value"].mean().mean() for rule in rules]
    results = {
        row.cell["rule"]: row.results for row in printed_rows(label) if cell.items() <= row.cell.items()
    }
    dot = [results[rule]["mae_last20"] for rule in rules]
    lines = FIGURES[ONLINE_SCATTER].draw(context).axes[0].lines
    for marker, expected in (("x", cross), ("o", dot)):
        shown = np.concatenate([line.get_xydata() for line in lines if line.get_marker() == marker])
        assert np.isclose(shown, expected, rtol=1e-12).all(axis=1).any()


@pytest.mark.parametrize(
    ("label", "n"),
    [
        (ONLINE_SCATTER, 372 // 4),
        ("fig:heteroassociative_online_weight_decay_scatter", 92 // 4),
        ("fig:label_learning_scatter", 192 // 8),
        ("fig:auto_association_compare", 60 // 2),
    ],
)
def test_every_printed_experiment_is_a_point(context, label, n):
    for panel in scatter.PANELS[label]:
        points = scatter.points_of(context, panel)
        assert len(points) == n
        assert points.notna().all(axis=None)
    if label == ONLINE_SCATTER:  # the last panel: "all points lie clearly below the diagonal"
        assert (points["printed_y"] < points["printed_x"]).mean() > 0.95


def test_your_own_run_replaces_the_committed_rows(tmp_path):
    context, label = Context(tmp_path), "tab:Hetero_online_centered_shift"
    rows = only(committed(), label)
    write(part_of(label, "job", context), rows[rows["draw"] == 0].assign(value=0.125), {"seconds": 1.0})
    panel = scatter.PANELS["fig:heteroassociative_online_updated_offsets_scatter"][0]
    points = scatter.points_of(context, panel)
    assert (points[["ours_x", "ours_y"]] == 0.125).all(axis=None)
    assert len(draw("fig:heteroassociative_online_updated_offsets_scatter", context).read_bytes())


def test_moving_offsets_follow_the_class(context):
    found = or_skip(moving_mnist.compute, context)
    tens = found.inputs.reshape(10, 10, -1).mean(axis=1)
    nearest = [int(np.linalg.norm(tens - offset, axis=1).argmin()) for offset in found.offsets]
    assert sum(near == step for step, near in enumerate(nearest)) >= 8
    assert np.less(moving_mnist.means(found.best["adaptive"]), moving_mnist.means(found.best["fixed"])).all()


def test_baselines_of_labels():
    found = online_classification_mnist.baselines(np.eye(3)[[0, 0, 1, 2]])
    assert found == {"mae": pytest.approx(5 / 12), "misclassification": 0.5}


def test_hidden_units_are_alike_after_hebbian_descent(context):
    adult = hidden_activity.NETWORKS["ADULT, sigmoid to linear units"]
    assert adult.learning_rate("hebbian_descent") == 0.8
    first, _ = or_skip(FIGURES["fig:hidden_activity_GD_HD"].draw, context).axes
    descent, hebbian = (line.get_ydata() for line in first.lines)
    assert hebbian.std() < descent.std()


def test_hidden_units_are_trained_once(tmp_path, monkeypatch):
    inputs = np.random.default_rng(0).random((20, 16), dtype=np.float32)
    data = SimpleNamespace(train=SimpleNamespace(inputs=inputs), test=None)
    trained, calls = hidden_activity.trained, []
    monkeypatch.setattr(hidden_activity, "load", lambda *names, **options: data)
    monkeypatch.setattr(hidden_activity, "trained", lambda *words: calls.append(words) or trained(*words))
    label, context = "fig:hidden_activity_GD_HD", Context(tmp_path, Effort(quick=True))
    first = draw(label, context).read_bytes()
    next(context.parts.rglob("mnist-*gradient_descent.parquet")).unlink()
    assert draw(label, context).read_bytes() == first
    assert [(network.dataset, rule) for network, rule, *_ in calls[4:]] == [("mnist", "gradient_descent")]
    autoencoder = trained(*calls[0])
    line = FIGURES[label].draw(context).axes[0].lines[0]
    np.testing.assert_array_equal(line.get_ydata(), autoencoder.encode(inputs).mean(axis=0, dtype=float))
