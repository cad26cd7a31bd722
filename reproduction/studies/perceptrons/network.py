"""What a perceptron is and how it learns, as data: nothing here needs PyTorch.

A `Network` says everything but the learning rate and the seed, so that studies are lists of networks: of any
output unit and loss, with one or more hidden layers, centered or normalised, with ordinary hidden layers or
`HebbianLayer`.
"""

from __future__ import annotations

from dataclasses import dataclass

from hebbian_descent.checks import unknown_name
from hebbian_descent.network import ACTIVATIONS

N_CLASSES = 10
BATCH = 50
UPDATES = {"digits": 600, "mnist": 1000}
SIZES = {"digits": (1000, 297), "mnist": (10_000, 5_000)}  # patterns for training and validation

CODES = dict.fromkeys(("scaled_tanh", "inverse_sqrt"), (-1.0, 1.0)) | {"softsign": (-0.9, 0.9)}
"""Targets of the other classes and of the right class, if they are not 0 and 1."""

CENTERINGS = ("input only", "fixed", "moving")
NORMALISATIONS = ("batch norm", "layer norm")
HIDDEN = ("sigmoid", "tanh", "rectifier")
STEP = "step"
"""Hidden units without a gradient, for one hidden layer: below a second one nothing would learn."""
USUAL_RATES = {"SGD": 0.1, "Adam": 0.001}
"""Optimizers, each with a learning rate to start a search from."""

SAME_AS_SQUARED, WITHOUT_GRADIENT = "linear", "step"
"""Output units whose matching loss is the squared error, and whose squared error has no gradient."""
OWN_CROSS_ENTROPY = ("softsign", "inverse_sqrt")
"""Bounded output units whose cross entropy, of outputs scaled to (0, 1), is a loss of its own.

That of sigmoid, softmax and scaled tanh units is their matching loss.
"""


@dataclass(frozen=True)
class Network:
    """A perceptron, its training method and its data.

    `centering` is "none", one of `CENTERINGS` or one of `NORMALISATIONS`. With `hebbian`, hidden layers are
    `HebbianLayer`, whose own offsets move if the centering is "moving".
    """

    dataset: str
    output: str = "softmax"
    loss: str = "matching"
    hidden: str = "rectifier"
    depth: int = 1
    width: int = 100
    centering: str = "none"
    inputs: str = "raw"
    optimizer: str = "SGD"
    hebbian: bool = False

    def __post_init__(self) -> None:
        methods = ("none", "moving") if self.hebbian else ("none", *CENTERINGS, *NORMALISATIONS)
        for name, value, known in (
            ("dataset", self.dataset, SIZES),
            (f"loss of {self.output} outputs", self.loss, losses_of(self.output)),
            ("kind of hidden units", self.hidden, (*HIDDEN, STEP)),
            ("centering of a network", self.centering, methods),
            ("form of the inputs", self.inputs, ("raw", "standardised")),
            ("optimizer", self.optimizer, USUAL_RATES),
        ):
            if value not in known:
                raise unknown_name(name, value, known)
        if self.hidden == STEP and self.depth > 1:
            raise ValueError(
                "The depth of a network with step hidden units must be 1, since below a second such layer "
                f"nothing learns. Got {self.depth}: try sigmoid units."
            )

    def __str__(self) -> str:
        hidden = f"{self.depth} x {self.width} {self.hidden}{' (Hebbian)' if self.hebbian else ''}"
        how = f"{self.loss} loss, {self.centering}, {self.inputs} inputs, {self.optimizer}"
        return f"{self.dataset}: {hidden}, {self.output}, {how}"


def losses_of(output: str) -> tuple[str, ...]:
    """Return the losses that an output unit can learn by, equal ones once, the matching loss first."""
    if output not in ACTIVATIONS:
        raise unknown_name("output unit", output, ACTIVATIONS)
    if output in (SAME_AS_SQUARED, WITHOUT_GRADIENT):
        return ("matching",)
    return ("matching", "squared", *(["cross entropy"] if output in OWN_CROSS_ENTROPY else []))


def code_of(output: str) -> tuple[float, float]:
    """Return the targets of the other classes and of the class."""
    return CODES.get(output, (0.0, 1.0))
