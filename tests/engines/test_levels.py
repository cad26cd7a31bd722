"""Stacked sweeps and auto-encoders have the same bits at v3 and v4, and work without the compiled core."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from hebbian_descent.native import core

SCRIPT = """
import hashlib, json, sys
import numpy as np
from hebbian_descent.native import core
from hebbian_descent.sweep import sweep, sweep_autoencoders
from hebbian_descent.sweep.executors import base

base.usable_processors = lambda: 1  # threads change no bit, and take longer to start than these cells to run
rng = np.random.default_rng(0)
dense, targets = rng.random((90, 21)), rng.dirichlet(np.ones(7), size=90)
sparse = np.where(rng.random(dense.shape) < 0.3, dense, 0)
found = {}
for dtype in ("float64", "float32"):
    for kind, inputs in (("dense", dense), ("sparse", sparse)):
        for options in (
            {"batch_size": 20, "epochs": 2},
            {"batch_size": 20, "centering": "moving", "weight_decays": (0.0, 0.01)},
            {"batch_size": 1},
            {"batch_size": 3, "error": "saturating", "rules": "gradient_descent"},
            {"batch_size": 20, "rules": ["hebb", "covariance"], "epochs": 2},
        ):
            grid = {"rules": ["hebbian_descent", "gradient_descent"], **options}
            result = sweep(
                inputs, targets, activations=ACTIVATIONS, learning_rates=(0.5, 0.05), trials=3, dtype=dtype,
                engine="stacked", **grid,
            )
            values = result.errors("mae")
            digest = hashlib.sha256(values.tobytes()).hexdigest()
            found[f"{kind} {dtype} {options}"] = [digest, np.nanmean(values).item()]
        for options in (
            {"batch_size": 20, "epochs": 2, "weight_decays": (0.0, 0.01)},
            {"batch_size": 1, "measures": ("mae", "mse")},
            {"batch_size": 20, "error": "saturating", "evaluate_on": dense[:30] + 0.1},
        ):
            units = [name for name in ACTIVATIONS if name not in ("softmax", "exponential")]
            result = sweep_autoencoders(
                inputs, rules=["hebbian_descent", "gradient_descent", "hebb"], hidden_activations=units,
                output_activations=["linear", "sigmoid"], n_hidden=11, learning_rates=0.01, trials=2,
                dtype=dtype, engine="tied", **options,
            )
            values = result.errors("mae")
            digest = hashlib.sha256(values.tobytes()).hexdigest()
            found[f"autoencoder {kind} {dtype} {sorted(options)}"] = [digest, np.nanmean(values).item()]
level = getattr(core(), "level", None)
print(json.dumps({"numba": "numba" in sys.modules, "level": level, "found": found}))
"""
EVERY_UNIT = "from hebbian_descent import ACTIVATIONS; ACTIVATIONS = list(ACTIVATIONS)\n"
SOME_UNITS = "ACTIVATIONS = ['sigmoid', 'softmax', 'rectifier']\n"
WITHOUT_AVX512 = {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR", "OPENBLAS_CORETYPE": "Haswell"}


def run(units, level=None, **environment):
    command = [sys.executable, "-W", "ignore", "-c", units + SCRIPT]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert not answer["numba"]
    assert level in (None, answer["level"])
    return answer["found"]


def test_v3_and_v4_give_the_same_bits():
    baseline = pytest.importorskip("hebbian_descent.native._baseline", reason="`make native` builds the core")
    if not baseline.supports("v4"):
        pytest.skip("this processor has no x86-64-v4")
    v3 = run(EVERY_UNIT, "x86-64-v3", HEBBIAN_DESCENT_ISA="v3", **WITHOUT_AVX512)
    v4 = run(EVERY_UNIT, "x86-64-v4", HEBBIAN_DESCENT_ISA="v4")
    assert v3 == v4


@pytest.mark.skipif(core() is None, reason="the compiled core is not there")
def test_without_the_core_results_are_the_same_but_for_rounding():
    plain, compiled = run(SOME_UNITS, HEBBIAN_DESCENT_NATIVE="0"), run(SOME_UNITS)
    for name, (_, mean) in compiled.items():
        np.testing.assert_allclose(
            plain[name][1], mean, rtol=1e-4 if "float32" in name else 1e-9, err_msg=name
        )
