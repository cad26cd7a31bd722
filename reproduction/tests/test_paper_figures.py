"""Every figure of the paper under its label: drawn, quickly, with the content that its caption states."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from reproduction.index import INDEX
from reproduction.run_context import Effort, RunContext

from hebbian_descent import plotting
from hebbian_descent.datasets import DatasetUnavailableError, names
from reproduction import labels
from reproduction.__main__ import main
from reproduction.experiments import Measured
from reproduction.figures import (
    FIGURES,
    NotMeasuredError,
    hidden_activity,
    moving_mnist,
    online_classification_mnist,
    scatter,
    update_rule_compare,
)
from reproduction.figures import hebb_disadvantage_example as hebb_example
from reproduction.figures import update_rule_2d_example as example_2d
from reproduction.figures.scatter import PANELS
from reproduction.tables import TABLES

SUB_FIGURES = {
    "fig:auto_association_compare_activity",
    "fig:auto_association_compare_performance",
    "fig:heteroassociative_online_centered",
    "fig:heteroassociative_online_hebbian_centered_vs_uncentered",
    "fig:heteroassociative_online_multi_epoch_centered",
    "fig:heteroassociative_online_multi_epoch_uncentered",
    "fig:heteroassociative_updated_offsets_gradient_descent",
    "fig:heteroassociative_updated_offsets_hebbian_descent",
    "fig:label_learning_centered",
    "fig:label_learning_uncentered",
    "fig:moving_MNIST_a",
    "fig:moving_MNIST_b",
    "fig:moving_MNIST_c",
    "fig:weight_decay_cov_rule",
    "fig:weight_decay_gradient_descent",
    "fig:weight_decay_hebb_rule",
    "fig:weight_decay_hebbian_descent",
}
"""Labels of panels within a figure."""


@pytest.fixture(scope="module")
def context(tmp_path_factory) -> RunContext:
    """A quick look whose results all figures share."""
    return RunContext(tmp_path_factory.mktemp("figures"), Effort(quick=True))


def drawn(label: str, context: RunContext) -> Figure:
    try:
        return FIGURES[label].draw(context)
    except DatasetUnavailableError as error:
        pytest.skip(str(error))


def test_figures_are_those_of_the_paper():
    in_paper = {label for label in labels() if label.startswith("fig:")} - SUB_FIGURES
    assert set(FIGURES) == in_paper
    assert len(FIGURES) == 21
    assert set(FIGURES) < set(INDEX)
    for label, figure in FIGURES.items():
        assert figure.label == label
        assert set(figure.tables) <= set(TABLES)


@pytest.mark.parametrize("label", FIGURES)
def test_every_figure_is_drawn_and_written(label, context, tmp_path):
    figure = drawn(label, context)
    assert figure.axes
    assert all(axes.has_data() for axes in figure.axes)
    svg, png = plotting.save_figure(figure, tmp_path, "figure")
    assert svg.read_text(encoding="utf-8").lstrip().startswith("<?xml")
    assert png.stat().st_size > 10_000
    assert svg.stat().st_size < 700_000


def test_figures_of_tables_need_the_data_of_those_tables():
    for figure in FIGURES.values():
        assert figure.datasets <= set(names())
        if figure.tables:
            assert figure.datasets == frozenset().union(*(TABLES[label].datasets for label in figure.tables))


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
        np.testing.assert_allclose(lengths, example_2d.LENGTH_OF_NORMALISED_UPDATE)


def test_the_gradient_of_the_drawn_loss_is_gradient_descent():
    start, step = np.array(example_2d.START), 1e-5
    moved = start + step * np.eye(2)
    slope = (example_2d.loss(moved) - example_2d.loss(start)) / step
    first = example_2d.path("gradient_descent", normalised=False)[1] - start
    np.testing.assert_allclose(first, -example_2d.LEARNING_RATES["gradient_descent"] * slope, rtol=1e-3)


def test_outputs_of_the_four_patterns_are_those_printed():
    for rule in ("hebb", "covariance"):
        weights, outputs = hebb_example.learn(rule)
        np.testing.assert_array_equal(outputs.round(2), [[0, 0], [0, 0], [1, 1], [1, 1]])
        assert np.linalg.norm(weights) == pytest.approx(100)
    _, outputs = hebb_example.learn("hebbian_descent")
    np.testing.assert_array_equal(outputs.round(2), hebb_example.TARGETS)


def test_hebbs_rule_learns_only_the_third_pattern_of_the_text():
    inputs = np.array([[0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], dtype=float)
    targets = np.array([[0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 0, 1]], dtype=float)
    _, outputs = hebb_example.learn("hebb", inputs, targets)
    right = (outputs.round(2) == targets).all(axis=1)
    np.testing.assert_array_equal(right, [False, False, True, False])
    _, outputs = hebb_example.learn("hebbian_descent", inputs, targets)
    np.testing.assert_array_equal(outputs.round(2), targets)


def test_hebbian_descent_stays_in_its_corner():
    updates = update_rule_compare.updates()
    np.testing.assert_allclose(updates.smallest, 4 * updates.gradient_descent)
    assert (updates.hebbian_descent >= updates.smallest).all()
    assert updates.gradient_descent @ updates.hebbian_descent > 0


def test_curves_show_each_pattern_once(context):
    first, second = FIGURES["fig:rand_rand_sigmoid_true_online"].draw(context).axes
    for axes in (first, second):
        lines = {line.get_label().split(",")[0]: line.get_ydata() for line in axes.lines}
        np.testing.assert_allclose(lines["Hebb's rule"], lines["Covariance rule"], rtol=1e-10)
        hebbian = lines["Hebbian-descent"]
        assert len(hebbian) == 100
        assert hebbian[-20:].mean() < 0.5 * hebbian[:20].mean()
        assert axes.get_ylim() == (0, 1)


def test_points_pair_experiments_and_average_draws():
    def row(rule: str, value: float, draw: int) -> Measured:
        cell = {"input": "rand", "target": "adult", "activation": "step", "rule": rule}
        return Measured(cell, {"mae_last20": value}, {}, 1.0, 0.0, 2, draw)

    panel = PANELS["fig:heteroassociative_online_hebbian_scatter"][0]
    rows = [row("gradient_descent", 0.4, 0), row("gradient_descent", 0.6, 1), row("hebbian_descent", 0.1, 0)]
    assert scatter.pair_up(panel, rows, rows) == [("step", pytest.approx(0.5), 0.1)]
    assert scatter.pair_up(panel, rows[:2], rows[:2]) == []


def test_printed_points_are_all_there():
    online, centering = PANELS["fig:heteroassociative_online_hebbian_scatter"]
    assert len(scatter.as_printed(online)) == len(scatter.as_printed(centering)) == 372 // 4
    below = [point.y < point.x for point in scatter.as_printed(centering)]
    assert np.mean(below) > 0.95  # the paper: "all points lie clearly below the diagonal"
    for panel in PANELS["fig:heteroassociative_online_weight_decay_scatter"]:
        assert len(scatter.as_printed(panel)) == 92 // 4
    for panel in PANELS["fig:label_learning_scatter"]:
        assert len(scatter.as_printed(panel)) == 192 // 8
    for panel in PANELS["fig:auto_association_compare"]:
        assert len(scatter.as_printed(panel)) == 60 // 2


def test_a_figure_of_tables_names_what_is_to_be_run(tmp_path, monkeypatch, capsys):
    label, table = "fig:heteroassociative_online_updated_offsets_scatter", "tab:Hetero_online_centered_shift"
    monkeypatch.chdir(tmp_path.parent)
    with pytest.raises(NotMeasuredError, match=f"`hebbian-descent run {table} --output {tmp_path}`"):
        FIGURES[label].draw(RunContext(tmp_path))
    monkeypatch.setattr("sys.argv", ["hebbian-descent", "run", label, "--output", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert f"hebbian-descent run {table}" in capsys.readouterr().err


def test_moving_offsets_follow_the_class(context):
    try:
        found = moving_mnist.compute(context)
    except DatasetUnavailableError as error:
        pytest.skip(str(error))
    tens = found.inputs.reshape(10, 10, -1).mean(axis=1)
    nearest = [int(np.linalg.norm(tens - offset, axis=1).argmin()) for offset in found.offsets]
    assert sum(near == step for step, near in enumerate(nearest)) >= 8
    last, everything = found.means("moving")
    fixed_last, fixed_all = found.means("mean")
    assert last < fixed_last
    assert everything < fixed_all


def test_baselines_of_labels():
    targets = np.eye(3)[[0, 0, 1, 2]]
    found = online_classification_mnist.baselines(targets)
    assert found == {"mae": pytest.approx(5 / 12), "misclassification": 0.5}


def test_hidden_units_are_alike_after_hebbian_descent(context):
    network = hidden_activity.NETWORKS["ADULT, sigmoid to linear units"]
    assert network.learning_rate("hebbian_descent") == 0.8
    try:
        spread = {
            rule: hidden_activity.hidden_activity(context, network, rule).mean.std()
            for rule in hidden_activity.RULES
        }
    except DatasetUnavailableError as error:
        pytest.skip(str(error))
    assert spread["hebbian_descent"] < spread["gradient_descent"]
