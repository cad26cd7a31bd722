"""Run with the interpreter of an environment that holds the wheel and none of the extras.

`compiled` or `plain` as its argument says whether that wheel must have the compiled core.
"""

import importlib.util
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

import hebbian_descent
from hebbian_descent import AssociativeMemory, HebbianDescentClassifier, Layer, native, train
from hebbian_descent.sweep import sweep

assert "site-packages" in hebbian_descent.__file__, "this must be the installed wheel"
assert (Path(hebbian_descent.__file__).parent / "py.typed").is_file()
assert importlib.util.find_spec("matplotlib") is None, "this environment must not have the extras"
assert importlib.util.find_spec("reproduction") is None, "the wheel must hold the library alone"
assert (Path(hebbian_descent.__file__).parent / "demonstration" / "page.html").is_file()

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    core = native.core()
if sys.argv[1] == "compiled":
    assert core is not None
    assert "baseline" in native.runnable_levels()
    assert not caught, caught
else:
    assert core is None
    assert [warning.category for warning in caught] == [native.NativeWarning], caught
assert not any(path.suffix in (".cpp", ".hpp") for path in Path(native.__file__).parent.rglob("*"))
warnings.simplefilter("error")  # once was enough

layer = Layer.create(5, 3, rng=np.random.default_rng(0))
train(layer, np.eye(5), np.ones((5, 3)), learning_rate=0.5)
assert layer.output(np.eye(5)).mean() > 0.6

command = Path(sys.executable).parent / "hebbian-descent"
with tempfile.TemporaryDirectory() as folder:
    result = subprocess.run(
        [command, "demo", "--output", folder], capture_output=True, text=True, check=False
    )
assert result.returncode == 2, result
assert "which is not installed: pip install 'hebbian-descent[paper]'" in result.stderr, result
assert len(result.stderr.strip().splitlines()) == 1, result

with tempfile.TemporaryDirectory() as folder:
    np.savez(Path(folder) / "pairs.npz", inputs=np.eye(30), targets=np.eye(30))
    result = subprocess.run(
        [command, "sweep", "pairs.npz", "--rates", "1"],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
assert result.returncode == 2, result
assert "pip install 'hebbian-descent[paper]'" in result.stderr, result
assert len(result.stderr.strip().splitlines()) == 1, result

result = subprocess.run(
    [sys.executable, "-c", "import hebbian_descent.nn"], capture_output=True, text=True, check=False
)
assert "pip install 'hebbian-descent[torch]'" in result.stderr, result

found = sweep(
    np.eye(6), np.eye(6), rules="hebbian_descent", activations="sigmoid", learning_rates=(10.0, 0.1), trials=2
)
assert found.best(by="all")[0].learning_rate == 10.0

assert HebbianDescentClassifier().fit(np.eye(6), np.arange(6)).score(np.eye(6), np.arange(6)) == 1.0
memory = AssociativeMemory(6, 6)
memory.store(np.eye(6), np.eye(6))
assert memory.recall(np.eye(6)).shape == (6, 6)

with tempfile.TemporaryDirectory() as folder:
    subprocess.run([command, "explore", "--no-open", "--output", "page.html"], check=True, cwd=folder)
    assert "Copy as Python" in (Path(folder) / "page.html").read_text(encoding="utf-8")

help_text = subprocess.run([command, "--help"], capture_output=True, text=True, check=True).stdout
assert "demo" in help_text
sys.stdout.write(f"the {sys.argv[1]} wheel works without the extras\n")
