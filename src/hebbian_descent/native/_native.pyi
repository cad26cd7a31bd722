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
        error: str = "difference",
        error_parameters: Mapping[str, float] = {},
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
        weights: object,
        bias: object,
        offset: object,
        inputs: object,
        targets: object,
        scales: object,
        order: object,
        seen: object,
    ) -> int: ...

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

class _SparsePatterns:
    def __init__(
        self,
        patterns: Array,
        first: int,
        last: int,
    ) -> None: ...
    def fill(
        self,
        rows: Array,
        x: Array,
    ) -> None: ...
    def multiply(
        self,
        rows: Array,
        weights: Array,
        start: Array,
        out: Array,
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

class _SpinBarrier:
    def __init__(
        self,
        n_threads: int,
    ) -> None: ...
    def wait(
        self,
    ) -> bool: ...
    def abort(
        self,
    ) -> None: ...

class Core(Protocol):
    level: str
    StepSettings: type[_StepSettings]
    OnlineLoop64: type[_OnlineLoop]
    OnlineLoop32: type[_OnlineLoop]
    SequenceSettings: type[_SequenceSettings]
    SparsePatterns64: type[_SparsePatterns]
    SparsePatterns32: type[_SparsePatterns]
    StackedRule: type[_StackedRule]
    Batches64: type[_Batches]
    Batches32: type[_Batches]
    SpinBarrier: type[_SpinBarrier]
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
    def center_inputs(
        self,
        patterns: Array,
        rows: Array,
        first: int,
        offset: Array,
        x: Array,
        centered: Array,
    ) -> None: ...
    def activate_hidden(
        self,
        unit: str,
        parameters: Mapping[str, float],
        limit: float,
        one: Array,
        other: Array,
        bias: Array,
        offset: Array,
        a: Array,
        h: Array,
        centered: Array,
        sums: Array,
    ) -> bool: ...
    def find_errors(
        self,
        unit: str,
        parameters: Mapping[str, float],
        limit: float,
        term: str,
        term_parameters: Mapping[str, float],
        pulls_back: bool,
        errors: Array,
        bias: Array,
        x: Array,
        scratch: Array,
        sums: Array,
    ) -> bool: ...
    def pull_back_hidden(
        self,
        unit: str,
        parameters: Mapping[str, float],
        one: Array,
        other: Array,
        a: Array,
        h: Array,
        errors: Array,
        sums: Array,
    ) -> None: ...
    def update_tied(
        self,
        weights: Array,
        change: Array,
        decay: float,
        eta: float,
        decoder_bias: Array,
        sums_of_errors: Array,
        hidden_offset: Array,
        move: Array,
        sums_of_h: Array,
        shift: float,
        n_patterns: int,
    ) -> None: ...
