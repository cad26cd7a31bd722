"""Compare the speed of the estimators with their peers, in one run: `python bench/estimators.py --help`.

Ratios are of medians; candidates take turns, so that whatever else the machine does slows all alike.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import machine
import numpy as np
import online_peers
from report import Sheet, in_markdown
from rich.console import Console
from river import datasets, linear_model
from sklearn.linear_model import SGDClassifier
from timing import interleaved, library_threads, use_cores
from works import drawn_digits

from hebbian_descent import HebbianDescentClassifier, HebbianDescentRegressor
from hebbian_descent import river as river_models

N_EXAMPLES = 60_000
N_OF_SLOW_PEERS = 3_000
ETA = 0.01
GOALS = {  # at least, goal
    "scikit-learn SGDClassifier": (8, 14),
    "JAX scan": (2, 4),
    "PyTorch eager": (10, 20),
}
STREAMS = (  # ours, theirs, at least, goal
    (datasets.Phishing(), river_models.HebbianDescentClassifier, linear_model.LogisticRegression, "1", "2"),
    (datasets.TrumpApproval(), river_models.HebbianDescentRegressor, linear_model.LinearRegression, "", ""),
)
N_IN_A_STREAM = 1_200
"""About so many: streams are repeated until all examples are shown."""
FIRST_CALLS = """
import time
import numpy as np
{}
def call():
    start = time.perf_counter()
    {}
    return time.perf_counter() - start
rng = np.random.default_rng(0)
X, y = rng.random((1000, 784)), np.arange(1000) % 10
print(call(), min(call() for _ in range(5)))
"""
OURS = "from hebbian_descent import HebbianDescentClassifier"
OUR_FIRST_CALLS = FIRST_CALLS.format(OURS, "HebbianDescentClassifier().partial_fit(X, y)")
THEIR_FIRST_CALLS = FIRST_CALLS.format(
    "from sklearn.linear_model import SGDClassifier", "SGDClassifier().partial_fit(X, y, classes=range(10))"
)
IMPORT = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"
IMPORTS = {
    "import of the estimators": OURS,
    "import of sklearn.linear_model": "import sklearn.linear_model",
}


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


def streams(repeats: int, n_examples: int) -> Sheet:
    """`predict_one`, then `learn_one`, of dictionaries: two classes, and numbers."""
    rows = []
    for stream, our_kind, their_kind, *goals in STREAMS:
        samples = list(stream) * (n_examples // N_IN_A_STREAM)

        def pass_over(model: Any, samples: Any = samples) -> None:
            for x, y in samples:
                model.predict_one(x)
                model.learn_one(x, y)

        models = {"ours": our_kind(), "theirs": their_kind()}
        seconds = interleaved({name: partial(pass_over, model) for name, model in models.items()}, repeats)
        ours, theirs = (seconds[name] / len(samples) * 1e6 for name in models)
        about, ratio = f"{type(stream).__name__}, {len(samples[0][0])} features", f"{theirs / ours:.2f}"
        rows.append((about, f"ours, {our_kind.__name__}", f"{ours:.2f}", "1", "", ""))
        rows.append((about, f"River's {their_kind.__name__}", f"{theirs:.2f}", ratio, *goals))
    columns = ("stream", "contender", "µs per example", "times ours", "at least", "goal")
    return Sheet("predict_one and learn_one of River", columns, rows)


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
    """What importing takes, and the first call of a process beside later ones."""
    imports = {
        name: min(in_new_process(IMPORT.format(code))[0] for _ in range(repeats))
        for name, code in IMPORTS.items()
    }
    ours, theirs = imports.values()
    first, later = fastest_calls(OUR_FIRST_CALLS, repeats)
    their_first, their_later = fastest_calls(THEIR_FIRST_CALLS, repeats)
    ours_to_theirs = f"{ours / theirs:.2f} times sklearn.linear_model"
    first_to_later = f"{first / later:.2f} times a later one"
    rows = [
        ("import of the estimators", f"{ours * 1e3:.1f}", ours_to_theirs, "1.2"),
        ("import of sklearn.linear_model", f"{theirs * 1e3:.1f}", "", ""),
        ("first partial_fit, 1,000 x 784", f"{first * 1e3:.2f}", first_to_later, "1.2"),
        ("a later partial_fit", f"{later * 1e3:.2f}", "", ""),
        ("what the first one takes longer", f"{(first - later) * 1e3:.2f}", "", ""),
        ("the same for SGDClassifier", f"{(their_first - their_later) * 1e3:.2f}", "", ""),
    ]
    return Sheet("Starting", ("what", "ms", "ratio", "at most"), rows)


def fastest_calls(code: str, repeats: int) -> tuple[float, float]:
    """Return the shortest first and the shortest later call of some processes."""
    first, later = zip(*(in_new_process(code) for _ in range(repeats)), strict=True)
    return min(first), min(later)


def in_new_process(code: str) -> list[float]:
    """Return the numbers that some code prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return [float(number) for number in done.stdout.split()]


MEASUREMENTS = {
    "epoch": epoch,
    "single": single,
    "streams": streams,
    "bandwidth": bandwidth,
    "starting": starting,
}

if __name__ == "__main__":
    main()
