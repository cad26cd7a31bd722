"""Cases in float32; running means and averages of estimators are about to gain digits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np

from tests.golden import interfaces as call
from tests.golden.material import GRADED, GRID, INPUTS, LABELS, NUMBERS, TIED, WEIGHTS, Case, T, X, key_of


def cases() -> Iterator[Case]:
    x, t, start, tied = (array.astype(np.float32) for array in (X, T, WEIGHTS, TIED))
    for rule in ("hebbian_descent", "contrastive"):
        how = {
            "rule": rule,
            "centering": "moving",
            "batch_size": 3,
            "learning_rate": 0.2,
            "weight_decay": 0.01,
        }
        yield key_of("float32", "train", rule), partial(call.trained, x, t, start, how)
        yield key_of("float32", "autoencoder", rule), partial(call.trained_autoencoder, x, tied, how)
        for engine in ("sequence", "stacked"):
            grid = {**GRID, "rule": rule, "activation": "sigmoid", "engine": engine, "dtype": "float32"}
            yield key_of("float32", "sweep", engine, rule), partial(call.swept, x, t, grid)
    for way, kind in product(("fit", "stream"), ("dense", "sparse")):
        inputs = INPUTS[kind].astype(np.float32)
        how = {"epochs": 2}
        yield key_of("float32", "classifier", way, kind), partial(call.classified, inputs, LABELS, way, how)
        yield key_of("float32", "regressor", way, kind), partial(call.regressed, inputs, NUMBERS, way, how)
    for way in ("fit", "stream"):
        yield (
            key_of("float32", "autoencoder estimator", way),
            partial(call.encoded, GRADED.astype(np.float32), way, {"n_hidden": 3}),
        )
