"""What all trials and learning rates share: the braces, the effective inputs and the targets."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hebbian_descent.kernels.activations import Activation
from hebbian_descent.kernels.braces import Array, Braces, braces_of_sequence, without_subnormals
from hebbian_descent.kernels.specification import RULES, OnlineLearning, Rule


class Prepared(NamedTuple):
    """A problem as the compiled loops want it: contiguous and of one precision."""

    kind: Activation
    rule: Rule
    n_epochs: int
    continues: bool  # evaluated activities take up the learned ones; their brace is upper triangular
    learning_rates: Array
    training_brace: Array
    training_inputs: Array
    evaluation_brace: Array
    evaluation_inputs: Array | None  # None where they are the training inputs
    imprinted: Array  # what a rule that ignores the output learns: t or t − ⟨t⟩
    targets: Array
    evaluated_targets: Array


def prepare(
    learning: OnlineLearning,
    inputs: Array,
    targets: Array,
    evaluated: tuple[Array, Array] | None,
    learning_rates: Array,
    memory_budget: int,
) -> Prepared:
    """Compute what the patterns alone decide, in double precision, and convert it."""
    dtype = np.dtype(learning.dtype)
    rule = RULES[learning.rule]
    evaluated_inputs, evaluated_targets = (inputs, targets) if evaluated is None else evaluated
    mean_input, mean_target = inputs.mean(axis=0), targets.mean(axis=0)
    imprinted = targets - mean_target if rule.subtracts_means else targets
    n_epochs = learning.n_epochs
    if not learning.repeats_itself:
        # Each epoch is unlike the one before: one long sequence.
        inputs, targets, imprinted = (np.tile(a, (n_epochs, 1)) for a in (inputs, targets, imprinted))
        n_epochs = 1
    _check_memory(len(inputs), len(evaluated_inputs), memory_budget)

    def braces(of: Array) -> Braces:
        return braces_of_sequence(
            inputs,
            of,
            offset=learning.offset,
            shift=learning.shift,
            weight_decay=learning.weight_decay,
            presynaptic_offset=mean_input if rule.subtracts_means else None,
            learns_bias=rule.learns_bias,
        )

    evaluation = braces(evaluated_inputs)
    # In a later epoch every pattern has a brace with every other, as after the last step.
    training_brace = evaluation.training if n_epochs == 1 else braces(inputs).evaluation
    # Without decay, what earlier steps have added to the activity of a pattern is there to stay.
    stays = evaluated is None and learning.n_epochs == 1 and learning.weight_decay == 0
    continues = stays and rule.learns_from_output
    evaluation_brace = np.triu(evaluation.evaluation) if continues else evaluation.evaluation
    return Prepared(
        kind=learning.kind,
        rule=rule,
        n_epochs=n_epochs,
        continues=continues,
        learning_rates=np.asarray(learning_rates, dtype=dtype),
        training_brace=_converted(training_brace, dtype),
        training_inputs=_converted(evaluation.training_inputs, dtype),
        evaluation_brace=_converted(evaluation_brace, dtype),
        evaluation_inputs=None if stays else _converted(evaluation.evaluation_inputs, dtype),
        imprinted=_converted(imprinted, dtype),
        targets=_converted(targets, dtype),
        evaluated_targets=_converted(evaluated_targets, dtype),
    )


def _converted(values: Array, dtype: Any) -> Array:
    return without_subnormals(np.array(values, dtype=dtype, order="C"))


def _check_memory(n_steps: int, n_evaluated: int, memory_budget: int) -> None:
    needed = 8 * n_steps * (4 * n_steps + 2 * n_evaluated)
    if needed > memory_budget:
        raise ValueError(
            f"The braces of {n_steps} steps must fit into the memory budget of {memory_budget} bytes. "
            f"They need about {needed}: use fewer steps, a fixed offset without decay, or more memory."
        )
