"""Types of the compiled core, the same for the modules of all levels. Written by `make stubs`."""

from collections.abc import Mapping
from typing import Any, Protocol

from numpy.typing import NDArray

Array = NDArray[Any]

class _StepSettings:
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
        scale_moves: bool = False,
        scale_shift: float = 0.0,
        average_every: int = 1,
        average_rate: float = 0.0,
        error: str = "difference",
        error_parameters: Mapping[str, float] = {},
        off: float = 0.0,
        on: float = 1.0,
        is_linear: bool = False,
        units_apart: bool = True,
    ) -> None: ...

class _OnlineLoop:
    def __init__(
        self,
        unit: str,
        parameters: Mapping[str, float],
        step: _StepSettings,
        *,
        per_pass: int,
    ) -> None: ...
    def learn(
        self,
        arrays: tuple[object, ...],
        inputs: object,
        targets: object,
        scales: object,
        order: object,
        progress: object,
    ) -> int: ...
    def learn_labels(
        self,
        arrays: tuple[object, ...],
        inputs: object,
        labels: object,
        scales: object,
        order: object,
        progress: object,
    ) -> int: ...
    def respond(
        self,
        weights: object,
        bias: object,
        offset: object | None,
        inputs: object,
        out: object,
    ) -> None: ...
    def learn_sparse(
        self,
        arrays: tuple[object, ...],
        inputs: tuple[object, ...],
        targets: object,
        scales: object,
        order: object,
        progress: object,
    ) -> int: ...
    def learn_sparse_labels(
        self,
        arrays: tuple[object, ...],
        inputs: tuple[object, ...],
        labels: object,
        scales: object,
        order: object,
        progress: object,
    ) -> int: ...
    @staticmethod
    def respond_sparse(
        arrays: tuple[object, ...],
        inputs: tuple[object, ...],
        by_average: bool,
        out: object,
    ) -> None: ...
    @staticmethod
    def copy_rows(
        arrays: tuple[object, ...],
        out: object,
    ) -> None: ...

class _SparsePatterns:
    def __init__(
        self,
        patterns: Array,
        first: int,
        last: int,
    ) -> None: ...

class _SequenceSettings:
    def __init__(
        self,
        *,
        first_epoch: int,
        n_epochs: int,
        evaluates: bool,
        continues: bool,
        pulls_back: bool,
        error: str,
        error_parameters: Mapping[str, float],
    ) -> None: ...

class _StackedRule:
    def __init__(
        self,
        *,
        looks_at_output: bool,
        pulls_back: bool,
        learns_bias: bool,
        error: str,
        error_parameters: Mapping[str, float],
        keep: float,
        steps_per_flush: int,
        largest_preactivation: float,
    ) -> None: ...

class _Batches:
    def multiply(
        self,
        batch: int,
        weights: Array,
        start: Array,
        out: Array,
    ) -> None: ...
    def learn(
        self,
        batch: int,
        keep: float,
        p: Array,
        weights: Array,
    ) -> None: ...

class _TiedRule:
    def __init__(
        self,
        hidden: str,
        hidden_parameters: Mapping[str, float],
        output: str,
        output_parameters: Mapping[str, float],
        term: str,
        term_parameters: Mapping[str, float],
        form: str,
        pulls_back: bool,
        learning_rate: float,
        weight_decay: float,
        hidden_shift: float,
        limit: float,
    ) -> None: ...

class _TiedRun:
    @staticmethod
    def of_sparse(
        rule: _TiedRule,
        one: _SparsePatterns,
        other: _SparsePatterns,
        weights: Array,
        offset: Array,
        decoder_bias: Array,
        bias: Array,
        hidden_offset: Array,
        longest: int,
    ) -> _TiedRun: ...
    @staticmethod
    def of_whole(
        rule: _TiedRule,
        patterns: Array,
        half: int,
        weights: Array,
        offset: Array,
        decoder_bias: Array,
        bias: Array,
        hidden_offset: Array,
        longest: int,
    ) -> _TiedRun: ...
    def learn(
        self,
        first_part: int,
        last_part: int,
        rows: Array,
        bounds: Array,
        number: int,
    ) -> int: ...
    def respond(
        self,
        x: Array,
        h: Array,
        z: Array,
    ) -> None: ...
    def write(
        self,
        weights: Array,
        decoder_bias: Array,
        bias: Array,
        hidden_offset: Array,
    ) -> None: ...
    def stop(
        self,
    ) -> None: ...
    def is_stopped(
        self,
    ) -> bool: ...
    def output_is_beyond(
        self,
    ) -> bool: ...

class Core(Protocol):
    level: str
    StepSettings: type[_StepSettings]
    OnlineLoop64: type[_OnlineLoop]
    OnlineLoop32: type[_OnlineLoop]
    SparsePatterns64: type[_SparsePatterns]
    SparsePatterns32: type[_SparsePatterns]
    SequenceSettings: type[_SequenceSettings]
    StackedRule: type[_StackedRule]
    Batches64: type[_Batches]
    Batches32: type[_Batches]
    TiedRule64: type[_TiedRule]
    TiedRun64: type[_TiedRun]
    TiedRule32: type[_TiedRule]
    TiedRun32: type[_TiedRun]
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
    def pull_back(
        self,
        a: Array,
        h: Array,
        error: Array,
        unit: str,
        parameters: Mapping[str, float],
    ) -> None: ...
    def add_product(
        self,
        out: Array,
        start: Array,
        keep: float,
        coefficients: Array,
        terms: Array,
    ) -> None: ...
    def add_squares(
        self,
        values: Array,
        weights: Array,
        mean: Array,
        total: Array,
    ) -> None: ...
    def sequence_room(
        self,
        n_steps: int,
    ) -> int: ...
    def learn_sequences(
        self,
        learning_rates: Array,
        couplings: Array,
        start: Array,
        targets: Array,
        evaluated_couplings: Array,
        evaluated_start: Array,
        evaluated_targets: Array,
        room: Array,
        errors: Array,
        diverged_at: Array,
        outputs: Array,
        *,
        n_units: int,
        settings: _SequenceSettings,
        unit: str,
        parameters: Mapping[str, float],
    ) -> None: ...
    def dense_batches(
        self,
        patterns: Array,
        rows: Array,
        bounds: Array,
        offsets: Array,
        pre: Array | None,
        learns: bool,
    ) -> _Batches: ...
    def sparse_batches(
        self,
        patterns: _SparsePatterns,
        rows: Array,
        bounds: Array,
        offsets: Array,
        learns: bool,
    ) -> _Batches: ...
    def learn_stacked(
        self,
        batches: _Batches,
        first: int,
        last: int,
        first_number: int,
        targets: Array,
        moves: Array | None,
        weights: Array,
        bias: Array,
        rates: Array,
        diverged_at: Array,
        *,
        unit: str,
        parameters: Mapping[str, float],
        rule: _StackedRule,
    ) -> None: ...
    def evaluate_stacked(
        self,
        batches: _Batches,
        batch: int,
        targets: Array,
        weights: Array,
        bias: Array,
        rates: Array,
        diverged_at: Array,
        *,
        unit: str,
        parameters: Mapping[str, float],
        errors: Array,
    ) -> None: ...
