"""Plain values, containers and arrays: the same content gives the same key, other content another."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hebbian_descent.storage.results import canonical, fingerprint
from hebbian_descent.storage.results.values import restore, to_json

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda parts: (
        st.lists(parts, max_size=4)
        | st.tuples(parts, parts)
        | st.dictionaries(st.text(max_size=5).filter(lambda name: "$" not in name), parts, max_size=4)
        | st.dictionaries(st.integers(), parts, max_size=3)
    ),
    max_leaves=12,
)

DIFFERENT: list[Any] = [
    None,
    False,
    0,
    0.0,
    -0.0,
    math.nan,
    math.inf,
    "",
    "0",
    b"",
    0j,
    [],
    (),
    {},
    set(),
    [0],
    (0,),
    {"a": 0},
    {0: "a"},
    {0},
    [[0], 1],
    [0, [1]],
    range(3),
    slice(3),
    np.float32(0),
    np.float64(0),
    np.int64(0),
    np.str_("0"),
    np.zeros(2),
    np.zeros(2, np.float32),
    np.zeros((2, 1)),
    np.zeros(2, np.int64),
    np.array(["a"]),
    np.dtype(np.float32),
    np.float32,
    np.exp,
    math.exp,
    len,
]


def test_values_that_differ_have_different_keys() -> None:
    for one, other in itertools.combinations(DIFFERENT, 2):
        assert fingerprint(one) != fingerprint(other), (one, other)


@given(plain)
def test_a_canonical_form_is_its_own_canonical_form(value: Any) -> None:
    assert to_json(canonical(canonical(value))) == to_json(canonical(value))


@given(plain)
def test_plain_values_can_be_had_back_from_their_form(value: Any) -> None:
    assert repr(restore(canonical(value))) == repr(_sorted(value))


def _sorted(value: Any) -> Any:
    """Return a value with its mappings in the order of their canonical form."""
    if isinstance(value, list | tuple):
        return type(value)(map(_sorted, value))
    if isinstance(value, dict):
        by_text = all(isinstance(key, str) for key in value)
        order = sorted(value, key=None if by_text else lambda key: to_json([key, canonical(value[key])]))
        return {key: _sorted(value[key]) for key in order}
    return value


def test_numpy_scalars_can_be_had_back_with_their_type() -> None:
    for scalar in (np.float32(0.1), np.int8(3), np.bool_(True), np.str_("hebb"), np.float64("nan")):
        assert repr(restore(canonical(scalar))) == repr(scalar)


def test_the_order_of_a_mapping_does_not_count() -> None:
    assert fingerprint({"a": 1, "b": 2}) == fingerprint({"b": 2, "a": 1})


def test_an_array_counts_by_its_values_and_not_by_its_place_in_memory(tmp_path: Any) -> None:
    array = np.arange(12, dtype=np.float64).reshape(3, 4)
    on_disk = np.lib.format.open_memmap(tmp_path / "a.npy", mode="w+", dtype=array.dtype, shape=array.shape)
    on_disk[:] = array
    alike = [array.copy(order="F"), np.repeat(array, 2, axis=0)[::2], array.astype(">f8"), on_disk]
    assert {fingerprint(other) for other in alike} == {fingerprint(array)}
    array[0, 0] = np.nextafter(0, 1)
    assert fingerprint(array) not in {fingerprint(other) for other in alike}


def test_a_form_may_stand_for_its_array() -> None:
    data = np.arange(5.0)
    assert fingerprint({"data": canonical(data), "seed": 1}) == fingerprint({"data": data, "seed": 1})


def test_a_list_that_holds_itself_has_a_form() -> None:
    endless: list[Any] = [1]
    endless.append(endless)
    assert canonical(endless) == [1, {"$cycle": 1}]


@pytest.mark.parametrize("value", [np.array([object()]), np.longdouble(1), np.zeros(1, [("a", "f8")])])
def test_arrays_without_bytes_of_their_own_are_refused(value: Any) -> None:
    with pytest.raises(TypeError, match=r"Got data: an array of .* convert it"):
        fingerprint({"data": value})
