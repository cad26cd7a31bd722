"""PyTorch is optional: the core never imports it, and without it the layers say how to get it."""

import subprocess
import sys
from pathlib import Path

import hebbian_descent

OF_STUDIES = {
    f"reproduction.studies.{name}"
    for name in (
        "deep_autoencoder_training",
        *(f"value_networks.{name}" for name in ("learning", "replay", "stack")),
    )
}
"""Modules that are imported when a study of networks in PyTorch is run."""


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


def test_the_rest_of_the_package_does_not_import_pytorch():
    root = Path(hebbian_descent.__file__).parent
    paths = (path.relative_to(root.parent).with_suffix("") for path in root.rglob("*.py"))
    names = [
        ".".join(path.parts).removesuffix(".__init__")
        for path in paths
        if not {"nn", "perceptrons"} & set(path.parts)  # a study that needs them imports them when it is run
    ]
    assert {"hebbian_descent.memory", "reproduction", "hebbian_descent.learning.run"} <= set(names)
    assert set(names) >= OF_STUDIES
    names = set(names) - OF_STUDIES
    program = f"import importlib, sys\nfor name in {sorted(names)}: importlib.import_module(name)\n"
    program += "assert not {'torch', 'gymnasium', 'minatar'} & set(sys.modules)\n"
    result = run(program)
    assert result.returncode == 0, result.stderr


def test_without_pytorch_one_sentence_says_which_extra_brings_it():
    result = run("import sys\nsys.modules['torch'] = None\nimport hebbian_descent.nn")
    assert result.returncode == 1
    assert (
        result.stderr.strip()
        .splitlines()[-1]
        .endswith(
            "hebbian_descent.nn needs torch, which is not installed: pip install 'hebbian-descent[torch]'"
        )
    )
