"""When does it help? Progressive accuracy on streams: every example is predicted, then learned, once.

River's models take examples one at a time; scikit-learn's and ours in blocks of a few, which are predicted
before any of them is learned. `python bench/streams.py --help`
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.progress import track
from river import datasets, linear_model
from sklearn.linear_model import SGDClassifier

from hebbian_descent import HebbianDescentClassifier
from hebbian_descent.datasets import load
from hebbian_descent.datasets.errors import DatasetError

PAGE = Path(__file__).parent.parent / "docs" / "estimators" / "when_does_it_help.md"
MARK = "<!-- made by bench/streams.py -->"
BUNDLED = ("Phishing", "Bananas", "ImageSegments", "Shuttle")
MOST_EXAMPLES = 5_000
BLOCK = 10


class Stream(NamedTuple):
    """Examples in the order in which they come."""

    name: str
    inputs: Any  # (n_examples, n_features)
    labels: Any  # (n_examples,)


def main() -> None:
    """Measure all models on all streams and write the table to the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", type=Path, default=PAGE, help="the page whose table is replaced")
    options = parser.parse_args()
    rows = [("stream", "inputs", *MODELS), tuple("---" for _ in range(len(MODELS) + 2))]
    for stream in track(list(streams()), "streams"):
        for form, inputs in (("raw", stream.inputs), ("standardised", standardised(stream.inputs))):
            found = [progressive_accuracy(make, inputs, stream.labels) for make in MODELS.values()]
            best = max(found)
            cells = [f"**{value:.3f}**" if value > best - 0.0005 else f"{value:.3f}" for value in found]
            rows.append((stream.name, form, *cells))
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    before, _, after = options.page.read_text(encoding="utf-8").split(MARK)
    options.page.write_text(MARK.join([before, f"\n\n{table}\n\n", after]), encoding="utf-8")


def streams() -> Iterator[Stream]:
    """Yield the streams that come with River, and MNIST where it is present."""
    for name in BUNDLED:
        pairs = [pair for _, pair in zip(range(MOST_EXAMPLES), getattr(datasets, name)(), strict=False)]
        inputs = np.array([list(x.values()) for x, _ in pairs], dtype=float)
        labels = np.array([y for _, y in pairs])
        yield Stream(
            f"{name}, {len(pairs):,} x {inputs.shape[1]}, {len(np.unique(labels))} classes", inputs, labels
        )
    try:
        digits = load("mnist").train
    except DatasetError as error:
        print(f"Left out: {error}")  # noqa: T201
        return
    assert digits.labels is not None
    inputs, labels = digits.inputs[:MOST_EXAMPLES].astype(float), digits.labels[:MOST_EXAMPLES]
    yield Stream(f"MNIST, {len(inputs):,} x 784, 10 classes", inputs, labels)


def standardised(inputs: Any) -> Any:
    """Return each input less the mean, divided by the deviation, of those so far with itself."""
    counts = np.arange(1, len(inputs) + 1)[:, np.newaxis]
    mean = np.cumsum(inputs, axis=0) / counts
    variance = np.maximum(np.cumsum(inputs**2, axis=0) / counts - mean**2, 0)
    deviation = np.sqrt(variance)
    return np.divide(inputs - mean, deviation, out=np.zeros_like(inputs), where=deviation > 1e-9)


def progressive_accuracy(make: Callable[[Any], Any], inputs: Any, labels: Any) -> float:
    """Return the share of examples whose label was predicted before it was learned."""
    model = make(np.unique(labels))
    right = 0
    if hasattr(model, "learn_one"):
        for x, label in zip(inputs, labels, strict=True):
            example = dict(enumerate(x.tolist()))
            right += model.predict_one(example) == label
            model.learn_one(example, label.item())
        return right / len(labels)
    for start in range(0, len(labels), BLOCK):
        X, y = inputs[start : start + BLOCK], labels[start : start + BLOCK]
        if start:
            right += int((model.predict(X) == y).sum())
        model.partial_fit(X, y, classes=np.unique(labels))
    return right / len(labels)


def river_model(classes: Any) -> Any:
    """Return River's logistic regression for two classes, softmax regression for more."""
    return linear_model.LogisticRegression() if len(classes) == 2 else linear_model.SoftmaxRegression()


MODELS: dict[str, Callable[[Any], Any]] = {
    "ours": lambda classes: HebbianDescentClassifier(),
    "ours, not centered": lambda classes: HebbianDescentClassifier(centering=None),
    "ours, η = 0.01": lambda classes: HebbianDescentClassifier(learning_rate=0.01),
    "SGDClassifier": lambda classes: SGDClassifier(loss="log_loss", random_state=0),
    "River": river_model,
}

if __name__ == "__main__":
    main()
