"""A user's own functions: what changes their key, and what does not."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hebbian_descent.storage.results import canonical, fingerprint
from hebbian_descent.storage.results.fingerprint import described

OWN = Path(__file__).with_name("own_code.py").read_text()

EDITS = {
    "RATE = 0.1": (
        "RATE = 0.2",
        "rule nested decorated instance pair plain child bound partial cached building",
    ),
    "return RATE * x": (
        "return RATE * x * 1",
        "rule instance pair plain child bound partial cached building",
    ),
    "np.arange(3.0)": ("np.arange(4.0)", "rule partial"),
    "scale=2.0": ("scale=2.5", "rule partial"),
    "shift=0.0": ("shift=1.0", "rule partial"),
    "np.exp(-x)": ("np.exp(x)", "rule partial"),
    "np.exp(-x) ": ("np.tanh(-x) ", "rule partial"),
    "closing(0.5)": ("closing(0.6)", "closed"),
    "RATE + y": ("RATE - y", "nested"),
    "0 if n == 0": ("1 if n == 0", "countdown"),
    "return n != 0 and": ("return n > 0 and", "even odd"),
    "return function(x)": ("return function(x + 0)", "decorated"),
    "x - RATE": ("RATE - x", "decorated"),
    "self.factor(x) + RATE": ("self.factor(x) - RATE", "instance"),
    'Rule("own", helper)': ('Rule("other", helper)', "instance"),
    "default_factory=list": ("default_factory=tuple", "instance"),
    "lambda x: x + 1": ("lambda x: x + 2", "pair"),
    "self.level * x": ("x * self.level", "plain child bound building"),
    "gain = RATE": ("gain = 1 + RATE", "plain child bound building"),
    "return 2 * x": ("return x * 2", "plain child bound building"),
    "plain = Plain(3.0)": ("plain = Plain(4.0)", "plain bound"),
    ".apply(x) + 1": (".apply(x) + 2", "child"),
    "scale=3.0": ("scale=4.0", "partial"),
}


@pytest.mark.parametrize("before", EDITS)
def test_an_edit_changes_the_keys_of_what_depends_on_it_and_of_nothing_else(load: Any, before: str) -> None:
    after, touched = EDITS[before]
    assert OWN.count(before) >= 1
    old, new = load(OWN).everything, load(OWN.replace(before, after)).everything
    assert {name for name in old if fingerprint(old[name]) != fingerprint(new[name])} == set(touched.split())


def test_neither_the_file_nor_the_place_in_it_counts(load: Any) -> None:
    moved = "# a comment\n\n\nunused = 1\n" + OWN.replace(
        "def helper", "def unused_too():\n    return 3\n\n\ndef helper"
    )
    assert fingerprint(load(OWN).everything) == fingerprint(load(moved, "renamed").everything)


def test_comments_and_empty_lines_do_not_count_and_text_constants_and_other_formatting_do(load: Any) -> None:
    text = 'def rule(x):\n    y = """a\n\n# b"""\n    return x + len(y)\n'

    def key(before: str, after: str) -> str:
        assert before in text
        return fingerprint(load(text.replace(before, after)).rule)

    commented = {
        key("return x", "# why\n\n    return x"),
        key("len(y)", "len(y)  # the length"),
        key("def rule(x):", "def rule(x):  # the rule"),
        key("\n    return", "  # text\n    return"),
        key("def rule", "# above\ndef rule"),
        key("x + len(y)", "x + len(y)"),
    }
    others = {key("\n\n#", "\n#"), key("# b", "# c"), key("x + len", "x +  len")}
    assert len(commented) == 1
    assert len(others | commented) == 4


def test_a_lambda_may_stand_in_brackets_over_several_lines(load: Any) -> None:
    own = load("rules = [\n    lambda x: x\n    # plus\n    + 1,\n    lambda x: x\n    + 1,\n]\n")
    assert len({fingerprint(function) for function in own.rules}) == 1


def test_a_changed_value_changes_the_key_of_the_running_function(load: Any) -> None:
    own = load(OWN)
    before = fingerprint(own.everything)
    own.TABLE[0] = 1
    changed = fingerprint(own.everything)
    own.TABLE[0] = 0
    assert before != changed
    assert before == fingerprint(own.everything)


def test_lambdas_on_one_line_are_told_apart(load: Any) -> None:
    own = load(
        "made = [lambda x: x + 1, lambda x: x + 2, (lambda y: lambda x: x + y)(1), lambda x: lambda y: x]\n"
    )
    assert len({fingerprint(function) for function in own.made}) == 4
    sources = [
        definition["source"] for function in own.made for definition in described(function)[1].values()
    ]
    assert sources == ["lambda x: x + 1", "lambda x: x + 2", "lambda x: x + y", "lambda x: lambda y: x"]


def test_what_is_used_of_an_own_module_counts_and_the_rest_does_not(load: Any, monkeypatch: Any) -> None:
    def key(tools: str) -> str:
        monkeypatch.setitem(sys.modules, "own_tools", load(tools))
        return fingerprint(load("import own_tools\n\ndef rule(x):\n    return own_tools.scale(x)\n").rule)

    tools = "import numpy as np\nFACTOR = 2\nOTHER = 1\ndef scale(x):\n    return np.clip(FACTOR * x, 0, 1)\n"
    assert key(tools) == key(tools.replace("OTHER = 1", "OTHER = 2"))
    assert key(tools) != key(tools.replace("FACTOR = 2", "FACTOR = 3"))


def test_private_attributes_count_wherever_an_instance_keeps_them(load: Any) -> None:
    text = """
from abc import ABC, abstractmethod
from functools import cached_property

class Base(ABC):
    @abstractmethod
    def apply(self, x): ...

class Own(Base):
    __slots__ = ("__hidden",)
    def __init__(self):
        self.__hidden = 1
        self.__shown = 2
    def __getstate__(self):
        return {}
    def apply(self, x):
        return x
    @cached_property
    def twice(self):
        return 3

value = Own()
"""
    edits = [("= 1", "= 4"), ("= 2", "= 4"), ("return 3", "return 4"), ("return x", "return x, x")]
    keys = {fingerprint(load(text.replace(*edit)).value) for edit in edits}
    assert len(keys | {fingerprint(load(text).value)}) == len(edits) + 1


def test_compiled_functions_count_with_their_options(load: Any) -> None:
    text = "import numba\n\n@numba.njit(fastmath=False)\ndef rule(x):\n    return x + 1\n"
    keys = {
        fingerprint(load(edited).rule)
        for edited in (
            text,
            text,
            text.replace("fastmath=False", "fastmath=True"),
            text.replace("+ 1", "+ 2"),
        )
    }
    assert len(keys) == 3


def test_library_functions_count_by_name() -> None:
    from scipy.special import expit, softmax

    assert canonical(math.exp) == {"$library": {"name": "math.exp"}}
    assert canonical(np.exp) == {"$library": {"name": "numpy.exp"}}
    assert canonical(expit) == {"$library": {"name": "scipy.special.expit"}}
    assert "scipy.special" in str(canonical(softmax))


def test_other_installed_libraries_count_by_name_and_version() -> None:
    form: Any = canonical(pytest.importorskip)
    assert form["$library"]["version"] == pytest.__version__


def test_a_file_of_ones_own_may_have_a_name_of_the_standard_library(load: Any, monkeypatch: Any) -> None:
    def key(text: str) -> str:
        own = load(text, "statistics")
        monkeypatch.setitem(sys.modules, "statistics", own)
        return fingerprint(own.mean)

    assert key("def mean(x):\n    return x\n") != key("def mean(x):\n    return x + 1\n")


def test_the_definitions_hold_the_source_of_all_that_was_followed(load: Any) -> None:
    definitions: Any = described(load(OWN).partial)[1]
    sources = {definition["name"]: definition["source"] for definition in definitions.values()}
    assert sources["helper"] == "def helper(x):\n    return RATE * x"
    assert set(sources) == {"rule", "helper"}


def test_keys_are_the_same_in_every_process(load: Any) -> None:
    text = OWN + "\nstored = {'sets': [{'a', 'b', 'c'}, frozenset('xyz')], 'all': everything}\n"
    own = load(text, "own_module")
    program = (
        "import own_module; from hebbian_descent.storage.results import fingerprint; "
        "print(fingerprint(own_module.stored))"
    )
    keys = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={
                **os.environ,
                "PYTHONHASHSEED": seed,
                "PYTHONPATH": os.pathsep.join([*_paths(own), *sys.path]),
            },
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for seed in ("0", "1", "31337")
    }
    assert keys == {fingerprint(own.stored)}


def _paths(module: Any) -> list[str]:
    return [str(Path(module.__file__).parent)]
