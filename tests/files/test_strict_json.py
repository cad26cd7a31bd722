"""JSON from strangers: what the standard allows and no more, of bounded depth and size."""

import math

import pytest

from hebbian_descent.storage.strict_json import strict_json


def test_ordinary_json_is_parsed():
    assert strict_json(b'{"a": [1, 2.5, null, "\xc3\xa9"], "b": {"c": true}}') == {
        "a": [1, 2.5, None, "é"],
        "b": {"c": True},
    }


def nested(depth):
    return "[" * depth + "]" * depth


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("{", {}, "Expecting"),
        (b"\xff", {}, "utf-8"),
        ('{"a": 1, "a": 2}', {}, "a key appears twice"),
        ('[{"b": {"a": 1, "a": 1}}]', {}, "a key appears twice"),
        ("NaN", {}, "NaN is not a JSON number"),
        ("[-Infinity]", {}, "-Infinity is not a JSON number"),
        ("[1e999]", {}, "a number is too large"),
        (nested(201), {}, "nested more than 200 levels"),
        (nested(100_000), {}, "nested more than 200 levels"),
        (nested(4), {"deepest": 3}, "nested more than 3 levels"),
        ("[1, 2, 3]", {"most_values": 2}, "more than 2 numbers"),
        ("[100]", {"integer_bound": 100}, "100 is too large"),
        ("[-100]", {"integer_bound": 100}, "-100 is too large"),
        ("9" * 10**6, {"integer_bound": 2**63}, "9 is too large"),
    ],
)
def test_anything_else_is_refused(text, options, message):
    with pytest.raises(ValueError, match=message):
        strict_json(text, **options)


def test_the_bounds_themselves_are_allowed():
    assert strict_json(nested(3), deepest=3) == [[[]]]
    assert strict_json('[1, "a", "b", 2]', most_values=2) == [1, "a", "b", 2]
    assert strict_json("[99, -99]", integer_bound=100) == [99, -99]


def test_numbers_that_are_none_are_allowed_where_they_have_a_meaning():
    found = strict_json("[NaN, Infinity, 1e999]", allow_nan=True)
    assert math.isnan(found[0])
    assert found[1:] == [math.inf, math.inf]
