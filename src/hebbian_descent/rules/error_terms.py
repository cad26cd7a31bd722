"""Error terms E(t, h): what an output unit tells its synapses about its target and its output.

In Hebbian-descent the error term is chosen freely, and the loss follows from it and the activation.

Paper: sec:HD_the_error_term_perspective
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from hebbian_descent.checks import Array, as_number, as_returned, unknown_name
from hebbian_descent.registry import Member, finder_of, made_once
from hebbian_descent.rules.base import ErrorFunction


@dataclass(frozen=True)
class ErrorTerm(Member):
    """An error term by name, with the values that targets may take (any, if empty)."""

    name: str
    function: ErrorFunction
    target_values: tuple[float, ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)
    compiled: str | None = None

    def __call__(self, targets: Array, output: Array) -> Array:
        """Return E(t, h)."""
        errors = self.function(targets, output)
        if self.is_built_in:
            return errors
        return as_returned(errors, targets, output, by=f"error term {self.name!r}")

    @property
    def codes(self) -> tuple[float, float]:
        """The targets of the units of the wrong classes and of the right class."""
        return (-1.0, 1.0) if -1.0 in self.target_values else (0.0, 1.0)

    def check_targets(self, targets: Array) -> None:
        """Raise if a target is not among the values that this error term requires."""
        if not self.target_values:
            return
        strangers = targets[~np.isin(targets, self.target_values)]
        if strangers.size:
            values = " or ".join(f"{value:g}" for value in self.target_values)
            raise ValueError(
                f"The targets of the error term {self.name!r} must be {values}. Got {strangers[0]:g}: "
                "recode targets of 0 and 1 as 2t − 1."
            )


@made_once
def difference() -> ErrorTerm:
    """E = h − t, the error term of the squared error."""
    return ErrorTerm("difference", lambda t, h: h - t, compiled="difference")


@made_once
def saturating(saturation: float = 1.0, steepness: float = 1.0) -> ErrorTerm:
    """E = saturation·tanh(steepness·(h − t)): no error counts for more than `saturation`.

    It keeps unbounded activations stable at large learning rates. The paper's α is `saturation`, its β is
    `steepness`.

    Paper: fig:reg_loss_HD
    """
    alpha = as_number(saturation, "saturation of the error term", above=0)
    beta = as_number(steepness, "steepness of the error term", above=0)
    return ErrorTerm(
        "saturating",
        lambda t, h: alpha * np.tanh(beta * (h - t)),
        parameters={"saturation": alpha, "steepness": beta},
        compiled="saturating",
    )


@made_once
def leaky_hinge(leak: float = 0.01) -> ErrorTerm:
    """E = −t while t·h < 1, else `leak`, for targets of −1 and 1.

    Beyond the margin the paper prints the leak without the sign of the target, so it drives outputs down
    whatever the target is. The paper's α is `leak`.

    Paper: tab:list_HD_loss_functions
    """
    alpha = as_number(leak, "leak of the hinge", at_least=0)
    return ErrorTerm(
        "leaky_hinge",
        lambda t, h: np.where(t * h < 1, -t, alpha),
        target_values=(-1.0, 1.0),
        parameters={"leak": alpha},
        compiled="leaky_hinge",
    )


ERROR_TERMS: dict[str, Callable[..., ErrorTerm]] = {
    "difference": difference,
    "saturating": saturating,
    "leaky_hinge": leaky_hinge,
}


@finder_of(ErrorTerm)
def get_error_term(error: str | ErrorTerm | ErrorFunction, **parameters: float) -> ErrorTerm:
    """Return an error term by name; any function of targets and output is also one."""
    if isinstance(error, ErrorTerm):
        return error
    if isinstance(error, Member):
        raise TypeError(
            f"The error term must be an ErrorTerm, or a function of targets and output. Got {error!r}."
        )
    if callable(error):
        return ErrorTerm(getattr(error, "__name__", type(error).__name__), error)
    if error not in ERROR_TERMS:
        raise unknown_name("error term", error, ERROR_TERMS)
    return ERROR_TERMS[error](**parameters)
