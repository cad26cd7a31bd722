"""Features by name, as columns of a matrix: a feature that is absent counts as 0."""

from __future__ import annotations

import struct
from collections.abc import Hashable, Iterable, Mapping
from decimal import Decimal
from math import isfinite, nan
from numbers import Real
from typing import Any

import numpy as np

from hebbian_descent.checks import Array

Sample = Mapping[Hashable, Any]
Frame = Any
"""A pandas DataFrame; pandas is not imported for its name."""
Series = Any
"""A pandas Series."""


class Columns:
    """The columns of features, in order of first appearance, and a row for one sample.

    Attributes:
        names: The features.
        row: The sample that was read last, (n_features,).
    """

    def __init__(self, places: Mapping[Hashable, int] | None = None) -> None:
        self._places = dict(places or {})
        self.names = tuple(self._places)
        self.row = np.zeros(len(self.names))
        self._cells: Any = self.row.data  # takes only numbers; an array would parse strings
        self._write = struct.Struct(f"{len(self.names)}d").pack_into

    def __reduce__(self) -> tuple[type[Columns], tuple[dict[Hashable, int]]]:
        return Columns, (self._places,)

    def including(self, names: Iterable[Hashable]) -> Columns:
        """Return the columns with those of new features at the end, or these if there are none."""
        new = [name for name in names if name not in self._places]
        if not new and self.names:
            return self
        # There is at least one column, whatever it is called: a sample without features is learned, too.
        return Columns(self._places | {name: len(self.names) + k for k, name in enumerate(new or [""])})

    def read(self, x: Sample) -> bool:
        """Write a sample into the row, and return whether all of its features have a column.

        Numbers may be infinite or NaN; whatever uses the row must check.
        """
        try:
            if tuple(x) == self.names:  # the common case, and twice as fast
                self._write(self._cells, 0, *x.values())
                return True
            self.row.fill(0)
            places = self._places
            for name in x.keys() & places.keys():
                self._cells[places[name]] = x[name]
        except (TypeError, struct.error):
            check_numbers(x.items())
            raise
        return places.keys() >= x.keys()

    def spread(self, names: tuple[Hashable, ...], values: Array) -> Array:
        """Return the values of some features, one sample per row, in these columns."""
        if names == self.names:
            return np.ascontiguousarray(values)
        known = [k for k, name in enumerate(names) if name in self._places]
        matrix = np.zeros((len(values), len(self.names)))
        matrix[:, [self._places[names[k]] for k in known]] = values[:, known]
        return matrix


def read_frame(X: Frame) -> tuple[tuple[Hashable, ...], Array]:
    """Return the features of a DataFrame and their values, all of them finite numbers."""
    if not hasattr(X, "iloc"):
        raise TypeError(f"Mini-batches must be a pandas DataFrame. Got {type(X).__name__}.")
    names = tuple(X.columns)
    if len(set(names)) < len(names):
        raise ValueError(f"The columns must have different names. Got {list(names)}.")
    for place, dtype in enumerate(X.dtypes):
        if dtype.kind not in "fiub":
            check_numbers((names[place], value) for value in X.iloc[:, place])
    values: Array = X.to_numpy(np.float64, na_value=nan)
    if not np.isfinite(values).all():
        row, column = np.argwhere(~np.isfinite(values))[0]
        check_numbers([(names[column], values[row, column])])
    return names, values


def check_numbers(named_values: Iterable[tuple[Hashable, Any]]) -> None:
    """Raise if the value of a feature is not a finite number."""
    for name, value in named_values:
        if not isinstance(value, Real | Decimal | np.bool_):
            raise TypeError(
                f"The value of a feature must be a number. Got {value!r} for {name!r}. "
                "Encode words first, for instance by river.preprocessing.OneHotEncoder."
            )
        if not isfinite(value):
            raise ValueError(
                f"The value of a feature must be finite. Got {value} for {name!r}. "
                "Leave the feature out, or impute it, for instance by river.preprocessing.StatImputer."
            )
