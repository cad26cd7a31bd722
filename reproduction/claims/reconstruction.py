"""Claims 18 and 19: what auto-encoders learn without an objective, and how evenly their units are used."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.datasets import load
from hebbian_descent.learning.divergence import DivergenceError
from hebbian_descent.learning.run import train
from hebbian_descent.network import Autoencoder
from hebbian_descent.rules import AUTO_RULES, AutoActivity, AutoRule, Change
from reproduction.claims.cells import Numbers
from reproduction.claims.contrast import ALL, Found
from reproduction.claims.examples import asymmetry, auto_change
from reproduction.claims.judge import Claim
from reproduction.claims.networks import Networks, Records, Setting, by_epoch, each_cell
from reproduction.context import Context
from reproduction.evidence import on_all

UNITS = (("linear", "linear"), ("rectifier", "sigmoid"), ("explin", "linear"), ("sigmoid", "linear"))
"""Hidden and output activations."""
NETWORKS = tuple(
    {"dataset": dataset, "hidden_activation": hidden, "output_activation": output}
    for dataset in ("digits", "adult")
    for hidden, output in UNITS
)
RATES = (4.0, 1.0, 0.4, 0.1, 0.04, 0.01)
FIXED_BIAS = "gradient_descent_with_fixed_bias"
SHOWN = (0, 1, 3, 10, 30, 80, 100)
"""Epochs in the findings."""


def best_run(rule: AutoRule | str, setting: Setting, epochs: int) -> tuple[Autoencoder, list[float]]:
    """Return network and errors at the rate that reconstructs best; those that diverge are left out."""
    runs = []
    for rate in RATES:
        with suppress(DivergenceError):
            runs.append(_run(rule, setting, epochs, rate))
    return min(runs, key=lambda run: run[1][-1])


def _run(rule: AutoRule | str, setting: Setting, epochs: int, rate: float) -> tuple[Autoencoder, list[float]]:
    x = patterns(setting["dataset"])
    network = Autoencoder.create(
        x.shape[1],
        int(x.shape[1] / 4 + 0.5),
        hidden_activation=setting["hidden_activation"],
        output_activation=setting["output_activation"],
        offset=x.mean(axis=0),
        rng=np.random.default_rng(0),
    )
    errors = [_error(network, x)]
    for epoch in range(epochs):
        train(network, x, rule=rule, learning_rate=rate, batch_size=100, shuffle=True, seed=epoch)
        errors.append(_error(network, x))
    return network, errors


def patterns(dataset: str) -> Array:
    """Return the training patterns of a dataset, at most 2000."""
    return load(dataset).train.inputs[:2000].astype(np.float64)


def _error(network: Autoencoder, x: Array) -> float:
    return float(np.abs(network.reconstruct(x) - x).mean())


def reconstruction(_: Context, setting: Setting) -> Records:
    """Second derivatives in the network of the proof; reconstruction errors by epoch, at the best rate."""
    for epoch, error in enumerate(best_run("hebbian_descent", setting, epochs=100)[1]):
        yield {"epoch": str(epoch), "measure": "mae_mean", "value": error}


def no_objective(numbers: Numbers) -> Found:
    """Show that second derivatives do not commute, and follow reconstruction errors over the epochs."""
    gap = asymmetry(_update_of_one_unit, np.array([0.7, -0.4]))
    networks = each_cell(numbers.rows("claim 18"), *NETWORKS[0])
    curves = {name: by_epoch(rows, "mae_mean") for name, rows in networks}
    words = "; ".join(
        f"{name} {' → '.join(f'{curve[epoch]:.4f}' for epoch in SHOWN)} (smallest {curve.min():.4f})"
        for name, curve in curves.items()
    )
    findings = (
        f"Second derivatives differ by {gap:.2f} (0 for a gradient). Reconstruction error after "
        f"{', '.join(map(str, SHOWN))} epochs: {words}."
    )
    if gap < 0.1:
        return Found("does not hold", findings)
    if against := [name for name, curve in curves.items() if not settles(curve)]:
        findings += f"\nNot converged: {', '.join(against)}."
    return Found(on_all(len(curves) - len(against), len(against)), findings)


def _update_of_one_unit(w: Array) -> Array:
    """Return the update of the appendix: two inputs, one linear hidden unit."""
    network = Autoencoder.from_weights(
        w[:, None], hidden_activation="linear", output_activation="linear", hidden_offset=0.0
    )
    return auto_change("hebbian_descent", network, np.array([[1.3, 0.8]])).weights[:, 0]


def settles(errors: Array) -> bool:
    """Return whether a curve falls, stays where it has fallen to, and is flat in its last fifth."""
    fall = errors[0] - errors.min()
    late = errors[-1 - len(errors) // 5 :]
    return bool(fall > 0 and errors[-1] - errors.min() <= 0.02 * fall and np.ptp(late) <= 0.02 * fall)


def hidden_activity(_: Context, setting: Setting) -> Records:
    """Spread of the units' mean activities over the spread of a unit; directions that carry variance."""
    rules = [AUTO_RULES[name]() for name in ("gradient_descent", "hebbian_descent")]
    for rule in (*rules, AutoRule(FIXED_BIAS, _gradient_without_bias)):
        activity = best_run(rule, setting, epochs=30)[0].encode(patterns(setting["dataset"]))
        yield {"rule": rule.name, "measure": "unevenness", "value": unevenness(activity)}
        yield {"rule": rule.name, "measure": "participation", "value": participation(activity)}


def _gradient_without_bias(activity: AutoActivity) -> Change:
    """Follow the gradient, but keep the encoder bias fixed, as Hebbian-descent does."""
    return AUTO_RULES["gradient_descent"]().change(activity)._replace(bias=None)


def unevenness(activity: Array) -> float:
    """Return how far the mean activities of the units lie apart, in units of the spread of a unit."""
    return float(activity.mean(axis=0).std() / activity.std(axis=0).mean())


def participation(activity: Array) -> float:
    """Return (Σ λ)² / Σ λ² over the variances λ of the principal directions, per unit."""
    variances = np.linalg.eigvalsh(np.cov(activity.T))
    return float(variances.sum() ** 2 / (variances**2).sum() / len(variances))


def even_activity(numbers: Numbers) -> Found:
    """Compare the mean activities of the hidden units under both rules."""
    rows = numbers.rows("claim 19")
    uneven, used = (
        rows[rows["measure"] == name].pivot(index=[*NETWORKS[0]], columns="rule", values="value")
        for name in ("unevenness", "participation")
    )
    gd, hd = "gradient_descent", "hebbian_descent"
    lines = "; ".join(
        f"{' '.join(network)} {' / '.join(f'{value:.3f}' for value in values)}"
        for network, values in zip(uneven.index, uneven[[gd, hd, FIXED_BIAS]].to_numpy(), strict=True)
    )
    uses_more, by_bias = used[hd] > used[gd], uneven[FIXED_BIAS] < 2 * uneven[hd]
    findings = (
        "Spread of the units' mean activities (gradient descent / Hebbian-descent / gradient descent with a "
        f"fixed encoder bias): {lines}. More hidden directions carry variance in {uses_more.sum()} of "
        f"{len(used)}. A fixed encoder bias alone brings gradient descent within a factor 2 in "
        f"{by_bias.sum()}: with centered inputs and no bias, linear units have mean 0 whatever is learned."
    )
    ratio = uneven[hd] / uneven[gd]
    return Found(on_all((ratio < 0.5).sum(), (ratio >= 1).sum(), (by_bias | ~uses_more).sum()), findings)


CLAIMS = (
    Claim(
        18,
        "It is not the gradient of any function, and its reconstruction error converges all the same.",
        "appendix:AA_HD_is_generally_not_the_gradient_of_any_objective_function",
        Networks(
            "claim 18",
            "Reconstruction by epoch",
            NETWORKS,
            reconstruction,
            no_objective,
            "If the second derivatives commute it does not hold. The networks are the cells: one is for it "
            "if its error falls, ends within 2 % of that fall from its smallest value, and moves by no more "
            f"than that in the last fifth of the epochs, else against it. {ALL}",
        ),
        ("tests/test_auto_associative_claims.py", "reproduction/tests/test_claims_trained.py"),
    ),
    Claim(
        19,
        "Each hidden unit comes to have almost the same mean activity, so that the code is more efficient.",
        "sec:HD_homo_hidden_experiments",
        Networks(
            "claim 19",
            "Evenness of hidden units",
            NETWORKS,
            hidden_activity,
            even_activity,
            "The networks are the cells: one is for it where that spread is less than half of that of "
            f"gradient descent, against it where it is not smaller. {ALL} Networks in which fewer directions "
            "carry the variance, or in which a fixed encoder bias alone makes gradient descent as even "
            "within a factor 2, limit it as well.",
        ),
        ("reproduction/tests/test_claims_trained.py",),
    ),
)
