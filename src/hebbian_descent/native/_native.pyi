"""Types of the compiled core, the same for the modules of all levels. Written by `make stubs`."""

import enum
from collections.abc import Mapping
from typing import Any, Protocol

from numpy.typing import NDArray

Array = NDArray[Any]

class ErrorKind(enum.Enum):
    difference = 0
    saturating = 1
    leaky_hinge = 2

class StepSettings:
    def __init__(
        self,
        *,
        learns_from_output: bool = True,
        pulls_back: bool = False,
        learning_rate: float = 0.1,
        largest_slope: float = 0.0,
        slope_is_output: bool = False,
        weight_decay: float = 0.0,
        shift: float = 0.0,
        starts_as_mean: bool = False,
        error: ErrorKind = ErrorKind.difference,
        saturation: float = 1.0,
        steepness: float = 1.0,
        leak: float = 0.0,
    ) -> None: ...

_ErrorKind = ErrorKind
_StepSettings = StepSettings

class Core(Protocol):
    level: str
    ErrorKind: type[_ErrorKind]
    StepSettings: type[_StepSettings]
    def supports(
        self,
        level: str,
    ) -> bool: ...
    def activate(
        self,
        a: Array,
        h: Array,
        unit: str,
        parameters: Mapping[str, float],
    ) -> None: ...
    def learn_online(
        self,
        weights: Array,
        bias: Array,
        offset: Array,
        inputs: Array,
        targets: Array,
        scales: Array,
        order: Array,
        *,
        n_seen: int,
        unit: str,
        parameters: Mapping[str, float],
        step: _StepSettings,
        per_pass: int,
    ) -> int: ...
    def add_product(
        self,
        out: Array,
        start: Array,
        keep: float,
        coefficients: Array,
        terms: Array,
    ) -> None: ...
    def learn_sequences(
        self,
        learning_rates: Array,
        couplings: Array,
        start: Array,
        targets: Array,
        evaluated_couplings: Array,
        evaluated_start: Array,
        evaluated_targets: Array,
        errors: Array,
        diverged_at: Array,
        *,
        n_units: int,
        n_epochs: int,
        continues: bool,
        pulls_back: bool,
        unit: str,
        parameters: Mapping[str, float],
    ) -> None: ...
