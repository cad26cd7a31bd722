"""PyTorch is optional: the core never imports it, and without it the face says how to get it."""

import subprocess
import sys


def run(program):
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


def test_the_rest_of_the_package_does_not_import_pytorch():
    program = (
        "import sys, hebbian_descent, hebbian_descent.sweep, hebbian_descent.datasets, hebbian_descent.cli\n"
        "assert 'torch' not in sys.modules\n"
    )
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
