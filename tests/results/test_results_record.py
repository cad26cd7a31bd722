"""What a record holds, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hebbian_descent.storage.results import Record


def record(**arrays: Any) -> Record:
    return Record(specification={}, axes={"rate": [0.1, 0.2], "trial": [0, 1, 2]}, values=arrays)


def test_arrays_run_over_the_first_axes() -> None:
    made = record(total=3.0, by_rate=[1, 2], by_run=np.zeros((2, 3)))
    assert made.shape == (2, 3)
    assert [array.ndim for array in made.values.values()] == [0, 1, 2]


@pytest.mark.parametrize("shape", [(3,), (3, 2), (2, 2), (2, 3, 1)])
def test_an_array_of_another_shape_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(
        ValueError, match=r"'error' must run over the first of the axes rate, trial.*Got shape"
    ):
        record(error=np.zeros(shape))


@pytest.mark.parametrize("values", [[], [[1.0]], [1.0, 1.0], [np.nan], [0.0, -0.0]])
def test_an_axis_must_be_a_list_of_labels_that_differ(values: Any) -> None:
    with pytest.raises(ValueError, match="axis 'rate' must"):
        Record(specification={}, axes={"rate": np.array(values)}, values={})


@pytest.mark.parametrize("dtype", ["float16", "longdouble", "complex128", "object", "datetime64[s]"])
def test_numbers_that_parquet_would_not_keep_exactly_are_refused(dtype: str) -> None:
    with pytest.raises(TypeError, match=r"'error' must hold booleans.*Got .*convert it with astype"):
        record(error=np.zeros(2, dtype))


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_seconds_must_be_a_duration(seconds: float) -> None:
    with pytest.raises(ValueError, match="The seconds must be at least 0"):
        Record(specification={}, axes={}, values={}, seconds=seconds)
