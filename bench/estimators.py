"""Compare the speed of the estimators with their peers, in one run: `python bench/estimators.py --help`.

Ratios are of medians; candidates take turns, so that whatever else the machine does slows all alike.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import machine
import numpy as np
import online_peers
from report import Sheet, in_markdown
from rich.console import Console
from sklearn.linear_model import SGDClassifier
from timing import interleaved, library_threads, use_cores
from works import drawn_digits

from hebbian_descent import HebbianDescentClassifier, HebbianDescentRegressor

N_EXAMPLES = 60_000
N_OF_SLOW_PEERS = 3_000
ETA = 0.01
GOALS = {  # at least, goal
    "scikit-learn SGDClassifier": (8, 14),
    "JAX scan": (2, 4),
    "PyTorch eager": (10, 20),
}
FIRST_CALL = """
import time
import numpy as np
from hebbian_descent import HebbianDescentClassifier
start = time.perf_counter()
HebbianDescentClassifier().partial_fit(np.eye(10), np.arange(10))
print(time.perf_counter() - start)
"""
IMPORT = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"


def main() -> None:
    """Measure what was asked for, print tables and write files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer examples and repeats")
    parser.add_argument("--only", choices=tuple(MEASUREMENTS), help="one piece of work instead of all")
    parser.add_argument("--json", type=Path, help="a file for everything that was measured")
    parser.add_argument("--markdown", type=Path, help="a file for the tables")
    options = parser.parse_args()
    console = Console(width=130)
    about = machine.description(use_cores(1))
    repeats, n_examples = (3, N_EXAMPLES // 10) if options.quick else (7, N_EXAMPLES)
    sheets = []
    with library_threads(1):
        for name, measure in MEASUREMENTS.items():
            if options.only in (None, name):
                sheets.append(measure(repeats, n_examples))
                console.print(sheets[-1].drawn())
    if options.json:
        content = {"machine": about, "tables": [sheet._asdict() for sheet in sheets]}
        options.json.write_text(json.dumps(content, indent=2) + "\n")
    if options.markdown:
        options.markdown.write_text(in_markdown(sheets, about))


def epoch(repeats: int, n_examples: int) -> Sheet:
    """One online epoch, 784 → 10, with fixed and with moving offsets."""
    X, y = drawn_digits(n_examples)
    short = min(N_OF_SLOW_PEERS, n_examples)
    fixed, moving = (
        HebbianDescentClassifier(learning_rate=ETA, epochs=1, shuffle=False, centering=centering)
        for centering in ("mean", "moving")
    )
    candidates = {
        "ours, fixed offset": lambda: fixed.fit(X, y),
        "ours, moving offset": lambda: moving.fit(X, y),
        "ours, partial_fit": lambda: moving.partial_fit(X, y),
    }
    lengths = dict.fromkeys(candidates, n_examples)
    for name, make in online_peers.installed().items():
        lengths[name] = short if name == "PyTorch eager" else n_examples
        candidates[name] = make(X[: lengths[name]], y[: lengths[name]], ETA)
    for run in candidates.values():
        run()
    seconds = interleaved(candidates, repeats)
    per_example = {name: seconds[name] / lengths[name] * 1e6 for name in candidates}
    rows = []
    for name, time in per_example.items():
        ratios = [f"{time / per_example[f'ours, {kind} offset']:.1f}" for kind in ("fixed", "moving")]
        goals = [str(goal) for goal in GOALS.get(name, ("", ""))]
        rows.append((name, f"{time:.2f}", *ratios, *goals))
    columns = ("contender", "µs per example", "times ours, fixed", "times ours, moving", "at least", "goal")
    return Sheet(f"One online epoch, {n_examples:,} x 784 → 10, float64, one core", columns, rows)


def single(repeats: int, n_examples: int) -> Sheet:
    """`partial_fit` of one example, 784 → 10."""
    X, y = drawn_digits(200)
    ours = HebbianDescentClassifier().partial_fit(X, y)
    theirs = SGDClassifier(loss="log_loss").partial_fit(X, y, classes=online_peers.CLASSES)

    def one_by_one(classifier: Any) -> None:
        for row in range(len(X)):
            classifier.partial_fit(X[row : row + 1], y[row : row + 1])

    seconds = interleaved({"ours": lambda: one_by_one(ours), "theirs": lambda: one_by_one(theirs)}, repeats)
    rows = [
        ("ours", f"{seconds['ours'] / len(X) * 1e6:.1f}", "1", "", ""),
        (
            "scikit-learn SGDClassifier",
            f"{seconds['theirs'] / len(X) * 1e6:.1f}",
            f"{seconds['theirs'] / seconds['ours']:.1f}",
            "8",
            "14",
        ),
    ]
    columns = ("contender", "µs per call", "times ours", "at least", "goal")
    return Sheet("partial_fit of one example, 784 → 10, float64", columns, rows)


def bandwidth(repeats: int, n_examples: int) -> Sheet:
    """784 → 784: the share of the machine's bandwidth for one read and one write of the weights per step."""
    rows = []
    for dtype in ("float64", "float32"):
        rng = np.random.default_rng(0)
        X = rng.random((n_examples // 100, 784)).astype(dtype)
        regressor = HebbianDescentRegressor().partial_fit(X[:2], X[:2])
        W = np.ones((784, 784), dtype)
        keep = np.asarray(1, dtype)

        def rewrite(W: Any = W, keep: Any = keep, n_steps: int = len(X)) -> None:
            for _ in range(n_steps):
                np.multiply(W, keep, out=W)

        learn = {"learn": lambda X=X, regressor=regressor: regressor.partial_fit(X, X), "rewrite": rewrite}
        for run in learn.values():
            run()
        seconds = interleaved(learn, repeats)
        rate = 2 * W.nbytes * len(X) / seconds["rewrite"] / 1e9
        share = seconds["rewrite"] / seconds["learn"]
        rows.append(
            (dtype, f"{seconds['learn'] / len(X) * 1e6:.0f}", f"{rate:.0f}", f"{share:.0%}", "50 %", "80 %")
        )
    columns = ("dtype", "µs per example", "GB/s of rewriting", "share", "at least", "goal")
    return Sheet("Online 784 → 784 regression and rewriting weights in place", columns, rows)


def starting(repeats: int, n_examples: int) -> Sheet:
    """What importing takes, and the first call, which compiles."""
    imports = {
        name: sorted(in_new_process(IMPORT.format(name)) for _ in range(repeats))[repeats // 2]
        for name in ("hebbian_descent", "sklearn.linear_model")
    }
    ratio = imports["hebbian_descent"] / imports["sklearn.linear_model"]
    with tempfile.TemporaryDirectory() as folder:
        compiling, cached = (in_new_process(FIRST_CALL, NUMBA_CACHE_DIR=folder) for _ in range(2))
    rows = [
        ("import hebbian_descent", f"{imports['hebbian_descent']:.2f}", f"{ratio:.2f} (goal below 1.5)"),
        ("import sklearn.linear_model", f"{imports['sklearn.linear_model']:.2f}", "1"),
        ("first partial_fit, compiling", f"{compiling:.1f}", ""),
        ("first partial_fit, compiled by an earlier process", f"{cached:.1f}", ""),
    ]
    return Sheet("Starting", ("what", "seconds", "times sklearn.linear_model"), rows)


def in_new_process(code: str, **environment: str) -> float:
    """Return the number that some code prints."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=os.environ | environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


MEASUREMENTS = {"epoch": epoch, "single": single, "bandwidth": bandwidth, "starting": starting}

if __name__ == "__main__":
    main()
