"""Compare the speed of the estimators with their peers, in one run: `python bench/estimators.py --help`.

Ratios are of medians; candidates take turns, so that other load on the machine slows all alike.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import machine
import numpy as np
import online_peers
from report import Sheet, in_markdown
from rich.console import Console
from river import datasets, linear_model
from scipy.sparse import csr_array
from sklearn.linear_model import SGDClassifier
from timing import interleaved, library_threads, use_cores
from works import drawn_digits

from hebbian_descent import HebbianDescentClassifier, HebbianDescentRegressor
from hebbian_descent import river as river_models

N_EXAMPLES = 60_000
N_OF_SLOW_PEERS = 3_000
ETA = 0.01
PLAIN = {"scaling": None, "average": False}
GOALS = {  # at least, goal; for the plain rule, and for scaled and averaged learning
    "scikit-learn SGDClassifier": ("8, 5", "14, 10"),
    "JAX scan": (2, 4),
    "PyTorch eager": (10, 20),
}
STREAMS = (  # ours, theirs, at least, goal
    (datasets.Phishing(), river_models.HebbianDescentClassifier, linear_model.LogisticRegression, "1", "2"),
    (datasets.TrumpApproval(), river_models.HebbianDescentRegressor, linear_model.LinearRegression, "", ""),
)
N_IN_A_STREAM = 1_200
"""Approximate length of a stream, which is repeated to show all examples."""
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
    """Measure what was requested, print tables and write files."""
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
    """One online epoch, 784 → 10: the plain rule with fixed and moving offsets, then scaled and averaged."""
    X, y = drawn_digits(n_examples)
    short = min(N_OF_SLOW_PEERS, n_examples)

    def classifier(**setting: Any) -> HebbianDescentClassifier:
        return HebbianDescentClassifier(learning_rate=ETA, epochs=1, shuffle=False, **setting)

    candidates = {
        "ours, fixed": partial(classifier(**PLAIN, centering="mean").fit, X, y),
        "ours, moving": partial(classifier(**PLAIN, centering="moving").fit, X, y),
        "ours, scaled and averaged": partial(classifier().fit, X, y),
        "ours, the same by partial_fit": partial(classifier().partial_fit, X, y),
    }
    ours = list(candidates)[:3]
    lengths = dict.fromkeys(candidates, n_examples)
    for name, make in online_peers.installed().items():
        lengths[name] = short if name == "PyTorch eager" else n_examples
        candidates[name] = make(X[: lengths[name]], y[: lengths[name]], ETA)
    for run in candidates.values():
        run()
    seconds = interleaved(candidates, repeats)
    per_example = {name: seconds[name] / lengths[name] * 1e6 for name in candidates}
    rows = []
    for name, spent in per_example.items():
        ratios = [f"{spent / per_example[our]:.1f}" for our in ours]
        goals = [str(goal) for goal in GOALS.get(name, ("", ""))]
        rows.append((name, f"{spent:.2f}", *ratios, *goals))
    columns = ("contender", "µs per example", *(f"times {our}" for our in ours), "at least", "goal")
    return Sheet(f"One online epoch, {n_examples:,} x 784 → 10, float64, one core", columns, rows)


def single(repeats: int, n_examples: int) -> Sheet:
    """`partial_fit` and `predict` of one example, 784 → 10."""
    X, y = drawn_digits(200)
    ours = HebbianDescentClassifier().partial_fit(X, y)
    theirs = SGDClassifier(loss="log_loss").partial_fit(X, y, classes=online_peers.CLASSES)

    def learn(classifier: Any) -> None:
        for row in range(len(X)):
            classifier.partial_fit(X[row : row + 1], y[row : row + 1])

    def predict(classifier: Any) -> None:
        for row in range(len(X)):
            classifier.predict(X[row : row + 1])

    rows = []
    for call, (run, *goals) in {"partial_fit": (learn, "8", "14"), "predict": (predict, "10", "30")}.items():
        seconds = interleaved({"ours": partial(run, ours), "theirs": partial(run, theirs)}, repeats)
        our_time, their_time = (seconds[name] / len(X) * 1e6 for name in ("ours", "theirs"))
        rows.append((call, "ours", f"{our_time:.1f}", "1", "", ""))
        ratio = f"{their_time / our_time:.1f}"
        rows.append((call, "scikit-learn SGDClassifier", f"{their_time:.1f}", ratio, *goals))
    columns = ("call", "contender", "µs", "times ours", "at least", "goal")
    return Sheet("One example, 784 → 10, float64", columns, rows)


def texts(repeats: int, n_examples: int) -> Sheet:
    """One online epoch of hashed texts of 20 topics, 100 words each, in 2^18 columns."""
    X, y = hashed_texts(n_examples * 5 // 3, n_words=100, n_columns=2**18, n_topics=20)
    topics = np.arange(20)
    makers = {
        "ours": HebbianDescentClassifier,
        "ours, not averaged": partial(HebbianDescentClassifier, average=False),
        "scikit-learn SGDClassifier": partial(SGDClassifier, loss="log_loss"),
    }
    candidates = {
        name: lambda make=make: make().partial_fit(X, y, classes=topics) for name, make in makers.items()
    }
    seconds = interleaved(candidates, max(1, repeats // 2))
    if (vowpal := vowpal_wabbit_pass(X, y)) is not None:
        seconds["Vowpal Wabbit, its pass over a cache"] = vowpal
    goals = {"scikit-learn SGDClassifier": ("3", "8"), "Vowpal Wabbit, its pass over a cache": ("1", "2")}
    rows = [
        (
            name,
            f"{spent / X.shape[0] * 1e6:.2f}",
            f"{spent / seconds['ours']:.2f}",
            f"{spent / seconds['ours, not averaged']:.2f}",
            *goals.get(name, ("", "")),
        )
        for name, spent in seconds.items()
    ]
    shape = f"{X.shape[0]:,} texts, {X.nnz / X.shape[0]:.0f} values in 2^18 columns, 20 topics"
    columns = ("contender", "µs per text", "times ours", "times ours, not averaged", "at least", "goal")
    return Sheet(f"One online epoch of {shape}", columns, rows)


def hashed_texts(n_texts: int, *, n_words: int, n_columns: int, n_topics: int) -> tuple[Any, Any]:
    """Return hashed counts of words by Zipf's law, a tenth of them from 300 words of the topic."""
    rng, n_vocabulary = np.random.default_rng(0), 100_000
    frequency = 1 / np.arange(1, n_vocabulary + 1)
    words = np.searchsorted(np.cumsum(frequency / frequency.sum()), rng.random((n_texts, n_words)))
    words = np.minimum(words, n_vocabulary - 1)
    labels, of_topic = rng.integers(0, n_topics, n_texts), rng.integers(0, n_vocabulary, (n_topics, 300))
    topical = rng.random(words.shape) < 0.1
    words[topical] = of_topic[labels[np.nonzero(topical)[0]], rng.integers(0, 300, topical.sum())]
    columns = rng.integers(0, n_columns, n_vocabulary, dtype=np.int32)[words].ravel()
    starts = np.arange(0, words.size + 1, n_words, dtype=np.int32)
    X = csr_array((np.ones(words.size), columns, starts), shape=(n_texts, n_columns))
    X.sum_duplicates()
    return X, labels


def vowpal_wabbit_pass(X: Any, y: Any) -> float | None:
    """Return the seconds of one pass of Vowpal Wabbit over its own cache, or None if it is not installed.

    Two passes over the cached examples minus one: reading the text, which it does once, does not count.
    """
    try:
        from vowpalwabbit import Workspace
    except ImportError:
        return None
    with TemporaryDirectory() as folder:
        path = Path(folder) / "texts"
        with path.open("w") as file:
            for row in range(X.shape[0]):
                part = slice(X.indptr[row], X.indptr[row + 1])
                words = " ".join(f"{i}:{v:g}" for i, v in zip(X.indices[part], X.data[part], strict=True))
                file.write(f"{y[row] + 1} | {words}\n")
        times = []
        for n_passes in (2, 3):
            start = time.perf_counter()
            Workspace(
                f"--oaa 20 --loss_function logistic -b 18 -d {path} -c -k --cache_file {folder}/cache "
                f"--passes {n_passes} --holdout_off --quiet"
            ).finish()
            times.append(time.perf_counter() - start)
    return times[1] - times[0]


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
    """The time of importing, and of the first call of a process in comparison with later ones."""
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
    "texts": texts,
    "streams": streams,
    "bandwidth": bandwidth,
    "starting": starting,
}

if __name__ == "__main__":
    main()
