"""This package, as a user would call it."""

from __future__ import annotations

from problems import SEED, Array, AutoencoderProblem, LayerProblem

from hebbian_descent.sweep import sweep, sweep_autoencoders


def run_layers(problem: LayerProblem) -> Array:
    """Return the error of each pattern after each run, (n_runs, n_patterns); NaN for runs that diverged."""
    result = sweep(
        problem.inputs,
        problem.targets,
        rules="hebbian_descent",
        activations=problem.activation,
        learning_rates=problem.learning_rates,
        trials=problem.trials,
        centering="mean",
        epochs=problem.epochs,
        batch_size=problem.batch_size,
        seed=SEED,
        dtype=problem.dtype,
    )
    by_rate = result.errors("mae")[0, 0, :, 0]  # (n_learning_rates, n_trials, n_patterns)
    return by_rate.swapaxes(0, 1).reshape(problem.n_runs, -1)


def run_autoencoder(problem: AutoencoderProblem) -> Array:
    """Return the error of the reconstruction of each pattern, (1, n_patterns)."""
    result = sweep_autoencoders(
        problem.inputs,
        rules="hebbian_descent",
        hidden_activations="sigmoid",
        output_activations="linear",
        n_hidden=problem.n_hidden,
        learning_rates=problem.learning_rate,
        trials=1,
        centering="mean",
        hidden_shift=problem.hidden_shift,
        epochs=problem.epochs,
        batch_size=problem.batch_size,
        seed=SEED,
        dtype=problem.dtype,
    )
    return result.errors("mae").reshape(1, -1)
