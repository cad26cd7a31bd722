"""The sequence kernel as an engine: online learning without ever forming the weights of a run."""

from __future__ import annotations

import numpy as np

from hebbian_descent.checks import Array
from hebbian_descent.engines.base import MEMORY_BUDGET, CellResult, empty_result, measure_into
from hebbian_descent.engines.patterns import Patterns
from hebbian_descent.engines.seeding import initial_weights
from hebbian_descent.engines.setting import Cell, Setting

RULE_OF_KERNEL = {
    "error": "hebbian_descent",
    "pulled_back_error": "gradient_descent",
    "target": "hebb",
    "deviation": "covariance",
}


def kernel(
    cell: Cell, setting: Setting, patterns: Patterns, *, threads: int = 1, memory_budget: int = MEMORY_BUDGET
) -> CellResult:
    """Run all learning rates and trials over one sequence of patterns at once."""
    from hebbian_descent.kernels.sequence import run_sequence  # Numba is imported when it is first needed
    from hebbian_descent.kernels.specification import OnlineLearning

    learning = OnlineLearning(
        rule=RULE_OF_KERNEL[cell.rule.compiled_form or ""],
        activation=cell.activation.name,
        activation_parameters=cell.activation.parameters,
        offset=setting.offset(patterns),
        shift=setting.shift,
        weight_decay=cell.weight_decay,
        n_epochs=setting.epochs,
        dtype=setting.dtype,
    )
    n_inputs, n_outputs = patterns.inputs.shape[1], patterns.targets.shape[1]

    def weights_of(trial: int) -> Array:
        return initial_weights(setting.seed, trial, n_inputs, n_outputs, dtype=setting.dtype)

    result = empty_result(setting, patterns)
    needs_outputs = setting.measures != ("mae",)
    # Where outputs are needed they are taken trial by trial, so that no more than one trial's are held.
    groups = [[j] for j in range(len(setting.trials))] if needs_outputs else [range(len(setting.trials))]
    for group in groups:
        found = run_sequence(
            learning,
            patterns.inputs,
            patterns.targets,
            initial_weights=weights_of,
            learning_rates=setting.learning_rates,
            trials=[setting.trials[j] for j in group],
            evaluated=patterns.evaluated,
            outputs_of=[(i, 0) for i in range(len(setting.learning_rates))] if needs_outputs else (),
            threads=threads,
            memory_budget=memory_budget,
        )
        result.diverged_at[:, group] = found.diverged_at
        for (i, _), output in found.outputs.items():
            if found.diverged_at[i, 0] < 0:
                measure_into(result, i, group[0], patterns.evaluated_targets.astype(output.dtype), output)
        if "mae" in result.values:
            result.values["mae"][:, group] = np.where(found.diverged[..., None], np.nan, found.errors)
    return result
