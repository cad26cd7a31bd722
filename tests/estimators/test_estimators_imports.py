"""Importing the package is cheap, and nothing is compiled or loaded when the first sample comes."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import hebbian_descent
from hebbian_descent.native import choice

PACKAGE = Path(hebbian_descent.__file__).parent

HEAVY = "{'torch', 'matplotlib', 'dask', 'distributed', 'numba', 'sklearn', 'pandas', 'river'}"


def in_new_process(code, **environment):
    completed = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 0, completed.stderr
    return completed.stdout.strip()


def test_the_package_imports_nothing_heavy():
    code = f"import sys, hebbian_descent; print(sorted({HEAVY} & set(sys.modules)))"
    assert in_new_process(code) == "[]"


def test_the_estimators_learn_without_numba():
    code = """
import sys
import warnings
import numpy as np
from hebbian_descent import HebbianDescentClassifier
from hebbian_descent.native import NativeWarning
warnings.simplefilter("ignore", NativeWarning)
HebbianDescentClassifier().partial_fit(np.eye(2), [0, 1])
HebbianDescentClassifier(epochs=2, batch_size=2).fit(np.eye(2), [0, 1]).predict(np.eye(2))
print(sorted({"numba", "torch", "matplotlib"} & set(sys.modules)))
"""
    assert in_new_process(code) == "[]"


def test_the_estimators_are_among_the_names_of_the_package():
    names = {"HebbianDescentAutoencoder", "HebbianDescentClassifier", "HebbianDescentRegressor"}
    assert names <= set(dir(hebbian_descent))
    assert names <= set(hebbian_descent.__all__)
    assert not hasattr(hebbian_descent, "HebbianDescentClassifiers")


TRAIN = """
import sys
import numpy as np
from hebbian_descent import HebbianDescentClassifier, HebbianDescentRegressor
from hebbian_descent.native import core

assert core().level == "x86-64-" + sys.argv[1]
rng = np.random.default_rng(0)
found = {}
SETTINGS = (
    {},
    {"scaling": None, "average": False},
    {"learning_rate": 0.01, "weight_decay": 0.01, "activation": "scaled_tanh", "average": 0.05},
)
for dtype in (np.float64, np.float32):
    X, y = rng.random((200, 37)).astype(dtype), rng.integers(0, 5, 200)
    T = rng.random((200, 3)).astype(dtype)
    for kind, aims in ((HebbianDescentClassifier, y), (HebbianDescentRegressor, T)):
        for number, settings in enumerate(SETTINGS):
            fitted = kind(epochs=2, random_state=0, **settings).fit(X, aims)
            streamed = kind(random_state=0, **settings).partial_fit(X, aims)
            streamed.partial_fit(X, aims, sample_weight=np.arange(200) % 30)
            for row in range(5):
                streamed.partial_fit(X[row : row + 1], aims[row : row + 1])
            for name, estimator in (("fit", fitted), ("partial_fit", streamed)):
                for attribute, value in estimator._state().items():
                    if getattr(value, "dtype", None) == dtype:
                        found[f"{kind.__name__} {dtype.__name__} {number} {name} {attribute}"] = value
np.savez(sys.argv[2], **found)
"""
OLDER = {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR", "OPENBLAS_CORETYPE": "Haswell"}


def test_machines_with_and_without_avx512_learn_the_same_bits(tmp_path):
    native = choice().core
    if native is None or native.level != "x86-64-v4":
        pytest.skip("this processor, or what was built, has no x86-64-v4 to compare with")
    files = []
    for level, environment in (("v3", OLDER), ("v4", {})):
        files.append(tmp_path / f"{level}.npz")
        code = f"import sys; sys.argv[1:] = [{level!r}, {str(files[-1])!r}]\n{TRAIN}"
        # NumPy warns of features to disable that this processor does not have.
        code = "import warnings; warnings.simplefilter('ignore', ImportWarning)\n" + code
        in_new_process(code, HEBBIAN_DESCENT_ISA=level, **environment)
    older, newer = (np.load(file) for file in files)
    assert len(older.files) == 136  # 7 arrays with scale and average, 3 without
    for key in older.files:
        assert np.isfinite(older[key]).all(), key
        np.testing.assert_array_equal(older[key], newer[key], err_msg=key)
