"""The present code computes what the code did before it was moved: see `make` and `cases`."""

import numpy as np
import pytest

from tests.golden import make
from tests.golden.cases import all_cases

TOLERANCE = {"float32/": 2e-5, "forgetting/": 1e-6, "train/pseudo_inverse/": 1e-11}
"""By the start of the key, elsewhere than where the file was made; 1e-12 for the rest.

float32 has seven digits, a search for a minimum finds half of the digits, and inverses amplify rounding.
"""
MOST_SHOWN = 20


def group_of(key):
    return key.split("/")[0]


CASES = all_cases()
GROUPS = sorted(set(map(group_of, CASES)))


@pytest.fixture(scope="module")
def golden():
    return make.read()


def test_the_file_has_every_case_and_is_small(golden):
    numbers, _ = golden
    cases = {key.split(":")[0] for key in numbers.arrays} | set(numbers.diverged)
    assert cases == set(CASES)
    assert make.FILE.stat().st_size <= make.LARGEST


@pytest.mark.parametrize("group", GROUPS)
def test_numbers_are_the_golden_ones(group, golden):
    numbers, provenance = golden
    present = make.computed({key: run for key, run in CASES.items() if group_of(key) == group})
    expected = {key: values for key, values in numbers.arrays.items() if group_of(key) == group}
    assert present.diverged == {k: step for k, step in numbers.diverged.items() if group_of(k) == group}
    assert set(present.arrays) == set(expected)
    same_place = make.provenance() == provenance
    changed = [
        f"{key}: {difference(present.arrays[key], values)}"
        for key, values in expected.items()
        if not agree(present.arrays[key], values, 0.0 if same_place else tolerance_of(key))
    ]
    how = "bit for bit" if same_place else f"by tolerances, since they were computed with {provenance}"
    shown = "\n".join(changed[:MOST_SHOWN])
    assert not changed, f"{len(changed)} of {len(expected)} arrays changed, compared {how}:\n{shown}"


def tolerance_of(key):
    return next((found for start, found in TOLERANCE.items() if key.startswith(start)), 1e-12)


def agree(found, expected, tolerance):
    """Whether arrays are equal, or as close as the tolerance times their largest number or 1."""
    if found.shape != expected.shape:
        return False
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=1.0)
    return np.allclose(found, expected, rtol=0, atol=tolerance * largest, equal_nan=True)


def difference(found, expected):
    if found.shape != expected.shape:
        return f"{found.size} numbers instead of {expected.size}"
    place = int(np.nanargmax(np.abs(found - expected))) if np.isfinite(found - expected).any() else 0
    n = int((found != expected).sum())
    return f"{n} of {found.size} numbers, such as {found[place]!r} instead of {expected[place]!r}"


def test_a_changed_bit_is_seen():
    expected = np.array([1.0, np.nan, -2.0])
    assert agree(expected.copy(), expected, 0.0)
    assert not agree(np.array([np.nextafter(1, 2), np.nan, -2.0]), expected, 0.0)
    assert not agree(np.array([1.0, 0.0, -2.0]), expected, 0.0)
    assert not agree(expected[:2], expected, 0.0)
