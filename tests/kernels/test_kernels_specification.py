"""What cannot be run is refused in a sentence that helps."""

import numpy as np
import pytest

from hebbian_descent.kernels.sequence import run_sequence
from hebbian_descent.kernels.specification import OnlineLearning

INPUTS, TARGETS = np.ones((3, 2)), np.ones((3, 4))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rule": "sanger"}, "rule must be one of hebbian_descent"),
        ({"activation": "sigmiod"}, "activation must be one of linear.*'sigmiod'"),
        ({"weight_decay": 2.5}, "weight decay must be between 0 and 2"),
        ({"shift": -0.1}, "shift of the offset must be between 0 and 1"),
        ({"n_epochs": 0}, "epochs must be at least 1"),
        ({"dtype": np.int64}, "dtype must be float64 or float32"),
    ],
)
def test_settings_are_checked(settings, message):
    with pytest.raises(ValueError, match=message):
        OnlineLearning(**settings)


def test_shapes_of_weights_are_checked():
    with pytest.raises(ValueError, match=r"shape \(2, 4\). Got \(4, 2\)"):
        run_sequence(OnlineLearning(), INPUTS, TARGETS, initial_weights=[np.ones((4, 2))], learning_rates=0.1)


def test_a_function_of_weights_needs_trials():
    with pytest.raises(ValueError, match="must say which to run"):
        run_sequence(
            OnlineLearning(), INPUTS, TARGETS, initial_weights=lambda trial: None, learning_rates=0.1
        )


def test_a_sequence_too_long_for_the_memory_is_refused():
    with pytest.raises(ValueError, match="fewer steps"):
        run_sequence(
            OnlineLearning(shift=0.01, n_epochs=1000),
            INPUTS,
            TARGETS,
            initial_weights=[np.ones((2, 4))],
            learning_rates=0.1,
            memory_budget=10_000_000,
        )


def test_inputs_and_targets_come_in_pairs():
    with pytest.raises(ValueError, match=r"Got shapes \(3, 2\) and \(2, 4\)"):
        run_sequence(
            OnlineLearning(), INPUTS, TARGETS[:2], initial_weights=[np.ones((2, 4))], learning_rates=0.1
        )
