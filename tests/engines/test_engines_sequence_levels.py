"""Sweeps by the sequence engine have the same bits with AVX2 and with AVX-512, NumPy and BLAS included.

Without the compiled core they are the same up to rounding.
"""

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

from hebbian_descent import native

SWEEPS = """
import sys
import numpy as np
from hebbian_descent.sweep import sweep

rng = np.random.default_rng(0)
x, t = rng.random((45, 70)), rng.dirichlet(np.ones(60), size=45)
found = {}
for dtype in ("float64", "float32"):
    for centering, epochs, decays in (
        ("mean", 1, 0.0), ("mean", 2, 0.0), ("moving", 2, (0.0, 0.01)), (None, 1, 0.1)
    ):
        start = {"offset_start": 0.5} if centering == "moving" else {}
        result = sweep(
            x, t, rules=["hebbian_descent", "gradient_descent", "hebb", "covariance"],
            activations=["sigmoid", "softmax", "linear", "softplus"],
            learning_rates=(2.0, 0.1, 0.01), trials=2,
            weight_decays=decays, centering=centering, epochs=epochs, dtype=dtype, measures=("mae", "mse"),
            **start,
        )
        assert {choice.engine for choice in result.choices.values()} == {"sequence"}
        for name, values in result.values.items():
            found[f"{name} {centering} {epochs} {dtype}"] = values
        found[f"diverged {centering} {epochs} {dtype}"] = result.diverged_at
np.savez(sys.argv[1], **found)
"""


def sweeps(path, **environment):
    completed = subprocess.run(
        [sys.executable, "-c", SWEEPS, str(path)],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    with np.load(path) as found:
        return dict(found)


@pytest.fixture(scope="module")
def best(tmp_path_factory):
    """Return what this processor computes at its best."""
    if native.core() is None:
        pytest.skip("the compiled core is not used")
    return sweeps(tmp_path_factory.mktemp("best") / "sweeps.npz", HEBBIAN_DESCENT_ISA="")


def test_sweeps_with_avx2_and_avx512_have_the_same_bits(best, tmp_path):
    if native.core().level != "x86-64-v4":
        pytest.skip("this processor has no AVX-512")
    wide = [name for name in __cpu_dispatch__ if __cpu_features__[name] and ("512" in name or "V4" in name)]
    narrow = sweeps(
        tmp_path / "narrow.npz",
        HEBBIAN_DESCENT_ISA="v3",
        NPY_DISABLE_CPU_FEATURES=" ".join(wide),
        OPENBLAS_CORETYPE="Haswell",
    )
    assert best.keys() == narrow.keys()
    for name, values in best.items():
        np.testing.assert_array_equal(values, narrow[name], err_msg=name)


def test_the_plain_twin_serves_without_the_compiled_core(best, tmp_path):
    plain = sweeps(tmp_path / "plain.npz", HEBBIAN_DESCENT_NATIVE="0")
    for name, values in best.items():
        tame = ~(np.abs(values) > 1)  # beyond the error of a guess runs are chaotic
        tolerance = 1e-9 if "float64" in name else 1e-4
        if "diverged" in name:
            np.testing.assert_array_equal(values, plain[name], err_msg=name)
        else:
            np.testing.assert_allclose(
                values[tame], plain[name][tame], rtol=tolerance, atol=tolerance, err_msg=name
            )
