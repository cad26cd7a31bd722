"""The work that is compared: sizes, and how much faster than the best peer it is meant to be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from problems import Array, AutoencoderProblem, LayerProblem

from hebbian_descent.sweep.grids import LEARNING_RATES

TRIALS = 10


@dataclass(frozen=True, eq=False)
class Work:
    """A problem, the least arithmetic it needs, and what is expected of this package.

    Ratios are the time of the best peer divided by ours; the shares are of the rate of the machine's matrix
    product in the same precision on the same cores.
    """

    name: str
    problem: LayerProblem | AutoencoderProblem
    operations: float
    """Additions and multiplications, each counted as one."""
    minimum: float
    goal: float
    minimum_share: float | None = None
    goal_share: float | None = None
    sufficient_share: float | None = None
    """A share that suffices on its own: on some machines peers multiply faster than on others."""

    @property
    def description(self) -> str:
        """What is learned, in words."""
        p = self.problem
        sizes = f"{p.n_patterns:,} patterns, " + (
            f"{p.n_inputs} → {p.n_outputs} {p.activation}"
            if isinstance(p, LayerProblem)
            else f"{p.n_inputs} → {p.n_hidden} → {p.n_inputs} tied auto-encoder"
        )
        how = "one at a time" if p.batch_size == 1 else f"batches of {p.batch_size}"
        epochs = f", {p.epochs} epochs" if p.epochs > 1 else ""
        return f"{sizes}, {how}{epochs}, {p.n_runs} run{'s' if p.n_runs > 1 else ''}, {p.dtype}"


def online(name: str, n_inputs: int, n_outputs: int, *, epochs: int, **expected: float) -> Work:
    """Associate random binary patterns, one at a time.

    Without ever forming weights, a pass over D patterns with M outputs, scan and evaluation together, takes
    D²·M multiplications and as many additions, and a trial starts with D·N·M.
    """
    rng = np.random.default_rng((n_inputs, n_outputs))
    n_patterns = 100
    problem = LayerProblem(
        inputs=rng.integers(0, 2, size=(n_patterns, n_inputs)).astype(float),
        targets=rng.integers(0, 2, size=(n_patterns, n_outputs)).astype(float),
        activation="sigmoid",
        learning_rates=LEARNING_RATES,
        trials=TRIALS,
        epochs=epochs,
        batch_size=1,
        dtype="float64",
    )
    scans = problem.n_runs * epochs * n_patterns**2 * n_outputs
    starts = TRIALS * n_patterns * n_inputs * n_outputs
    return Work(name, problem, operations=2.0 * (scans + starts), **expected)


def classification(name: str, *, minimum: float, goal: float) -> Work:
    """Classify images in mini-batches: a product forward and one back per epoch, one more to evaluate."""
    images, labels = drawn_digits(n_patterns=10_000)
    problem = LayerProblem(
        inputs=images,
        targets=np.eye(10)[labels],
        activation="softmax",
        learning_rates=LEARNING_RATES,
        trials=TRIALS,
        epochs=2,
        batch_size=100,
        dtype="float32",
    )
    per_pass = 2.0 * problem.n_runs * images.size * problem.n_outputs
    return Work(
        name,
        problem,
        operations=per_pass * (2 * problem.epochs + 1),
        minimum=minimum,
        goal=goal,
        minimum_share=0.5,
        goal_share=0.65,
    )


def autoencoder(name: str, *, minimum: float, goal: float) -> Work:
    """Reconstruct images: three products per epoch (encode, decode, learn), two to evaluate."""
    images, _ = drawn_digits(n_patterns=10_000)
    problem = AutoencoderProblem(
        inputs=images, n_hidden=196, learning_rate=0.05, epochs=4, batch_size=100, dtype="float32"
    )
    per_product = 2.0 * images.size * problem.n_hidden
    return Work(name, problem, operations=per_product * (3 * problem.epochs + 2), minimum=minimum, goal=goal)


def drawn_digits(n_patterns: int) -> tuple[Array, Array]:
    """Draw images like handwritten digits: ten shapes of 28 x 28 with a fifth of the pixels on, and noise."""
    rng = np.random.default_rng(28)
    shapes = rng.random((10, 784)) < 0.2
    labels = rng.integers(0, 10, size=n_patterns)
    images = np.where(shapes[labels], rng.random((n_patterns, 784)), 0.0)
    return np.where(rng.random(images.shape) < 0.05, rng.random(images.shape), images), labels


WORKS = {
    "online_200": lambda name: online(name, 200, 200, epochs=1, minimum=8, goal=15, goal_share=0.6),
    "online_1024": lambda name: online(name, 1024, 784, epochs=1, minimum=25, goal=50, goal_share=0.6),
    "epochs_200": lambda name: online(name, 200, 200, epochs=100, minimum=9, goal=12, sufficient_share=0.8),
    "classification": lambda name: classification(name, minimum=1.5, goal=2.5),
    "autoencoder": lambda name: autoencoder(name, minimum=1, goal=1.3),
}
"""Each is made on demand: the patterns of all of them need not be in memory at once."""
