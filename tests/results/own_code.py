"""Functions and classes as a user may write them, which depend on each other in all kinds of ways."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

RATE = 0.1
TABLE = np.arange(3.0)


def helper(x):
    return RATE * x


def rule(x, scale=2.0, *, shift=0.0):
    return scale * helper(x) + shift + np.exp(-x) + TABLE[0]


def closing(rate):
    table = {"rate": rate}
    return lambda x: x * table["rate"]


closed = closing(0.5)


def nested(x):
    def inner(y):
        return RATE + y

    return inner(x)


def countdown(n):
    return 0 if n == 0 else countdown(n - 1)


def even(n):
    return n == 0 or odd(n - 1)


def odd(n):
    return n != 0 and even(n - 1)


def traced(function):
    @functools.wraps(function)
    def wrapper(x):
        return function(x)

    return wrapper


@traced
def decorated(x):
    return x - RATE


@dataclass(frozen=True)
class Rule:
    name: str
    factor: Callable
    kept: list = field(default_factory=list)

    def __call__(self, x):
        return self.factor(x) + RATE


class Pair(NamedTuple):
    pre: Callable
    post: Callable


class Plain:
    gain = RATE

    def __init__(self, level):
        self.level = level

    def apply(self, x):
        return self.level * x * self.gain

    @staticmethod
    def twice(x):
        return 2 * x

    @property
    def half(self):
        return helper(self.level)


class Child(Plain):
    __slots__ = ("extra",)

    def apply(self, x):
        return super().apply(x) + 1


def building(x):
    return Plain(x).apply(x)


instance = Rule("own", helper)
pair = Pair(helper, lambda x: x + 1)
plain = Plain(3.0)
child = Child(3.0)
bound = plain.apply
partial = functools.partial(rule, scale=3.0)
cached = functools.cache(helper)
everything = {
    "rule": rule,
    "closed": closed,
    "nested": nested,
    "countdown": countdown,
    "even": even,
    "odd": odd,
    "decorated": decorated,
    "instance": instance,
    "pair": pair,
    "plain": plain,
    "child": child,
    "bound": bound,
    "partial": partial,
    "cached": cached,
    "building": building,
}
