"""Types of the compiled core, the same for the modules of all levels. Written by `make stubs`."""

import enum
from collections.abc import Mapping
from typing import Any, Protocol

import numpy
from numpy.typing import NDArray

Floats = NDArray[Any]

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
        a: Floats,
        h: Floats,
        unit: str,
        parameters: Mapping[str, float],
    ) -> None: ...
    def learn_online(
        self,
        weights: Floats,
        bias: Floats,
        offset: Floats,
        inputs: Floats,
        targets: Floats,
        scales: Floats,
        order: NDArray[numpy.int64],
        *,
        n_seen: int,
        unit: str,
        parameters: Mapping[str, float],
        step: _StepSettings,
        per_pass: int,
    ) -> int: ...
    def add_product(
        self,
        out: Floats,
        start: Floats,
        keep: float,
        coefficients: Floats,
        terms: Floats,
    ) -> None: ...
    def learn_sequences(
        self,
        learning_rates: Floats,
        couplings: Floats,
        start: Floats,
        targets: Floats,
        evaluated_couplings: Floats,
        evaluated_start: Floats,
        evaluated_targets: Floats,
        errors: Floats,
        diverged_at: NDArray[numpy.int64],
        *,
        n_units: int,
        n_epochs: int,
        continues: bool,
        pulls_back: bool,
        unit: str,
        parameters: Mapping[str, float],
    ) -> None: ...
