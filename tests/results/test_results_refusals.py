"""What cannot be hashed by what it holds is refused, with its place, its kind and what to try."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from hebbian_descent.storage.results import FingerprintError, fingerprint

UNREADABLE = {
    "an open file": (
        "stream = open(__file__)\nvalue = lambda x: stream",
        r"Got rule\.stream: an object of _io",
    ),
    "a random generator": (
        "import numpy as np\nrng = np.random.default_rng(0)\ndef value(x):\n    return rng.normal()",
        r"Got rule\.rng: an object of numpy\.random.*seed",
    ),
    "a generator in a dataclass": (
        "from dataclasses import dataclass\nimport numpy as np\n@dataclass\nclass Rule:\n    rng: object\n"
        "value = Rule(np.random.default_rng(0))",
        r"Got rule\.rng: an object of numpy\.random",
    ),
    "an iterator": ("value = iter([1])", "Got rule: an object of builtins.list_iterator"),
    "a subclass of a container": ("class Own(list):\n    pass\nvalue = Own()", "whose state cannot be read"),
    "a function without source": ("value = eval('lambda x: x')", "source code is unavailable.*file"),
    "a method of a list": ("value = [].append", "an object of builtins.builtin_function_or_method"),
    "a ufunc of one's own": ("import numpy as np\nvalue = np.frompyfunc(lambda x: x, 1, 1)", "numpy.ufunc"),
    "a function that counts its calls": (
        "calls = 0\ndef value(x):\n    global calls\n    calls += 1",
        "changes 'calls' outside itself; let it return",
    ),
    "a closure that counts its calls": (
        "def make():\n    calls = 0\n    def count():\n        nonlocal calls\n        calls += 1\n"
        "    return count\nvalue = make()",
        "changes 'calls' outside itself",
    ),
    "an unknown name": ("def value(x):\n    return nowhere(x)", "uses 'nowhere', a name that is not defined"),
    "an unset variable": (
        "def make():\n    def value():\n        return later\n    yield value\n    later = 1\n"
        "value = next(make())",
        "closes over a variable without a value",
    ),
    "an import on call": (
        "def value(x):\n    import own_tools\n    return own_tools.f(x)",
        "imports 'own_tools'",
    ),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_refused_with_a_reason(load: Any, what: str) -> None:
    text, reason = UNREADABLE[what]
    with pytest.raises(FingerprintError, match=reason) as refusal:
        fingerprint({"rule": (own := load(text)).value})
    assert str(refusal.value).startswith(
        "A key must be made of values that can be hashed by their content. Got rule"
    )
    if what == "an open file":
        own.stream.close()


def test_a_lock_and_a_whole_own_module_are_refused(load: Any) -> None:
    with pytest.raises(FingerprintError, match=r"Got data\.0: an object of _thread\.lock"):
        fingerprint({"data": [threading.Lock()]})
    with pytest.raises(FingerprintError, match="the module 'whole' as a whole; in the function, name"):
        fingerprint({"data": load("a = 1", "whole")})


def test_a_masked_array_is_refused_because_its_mask_would_be_lost() -> None:
    with pytest.raises(FingerprintError, match="MaskedArray"):
        fingerprint(np.ma.array([1.0], mask=[True]))


def test_a_function_whose_file_was_edited_after_loading_is_refused(load: Any, tmp_path: Any) -> None:
    text = "def rule(x):\n    return x + 1\n"
    own = load(text, "edited")
    before = fingerprint(own.rule)
    (tmp_path / "edited.py").write_text("# a line above moves the function\n\n\n\n" + text)
    assert fingerprint(own.rule) == before
    (tmp_path / "edited.py").write_text(text.replace("+ 1", "+ 1.0"))
    with pytest.raises(FingerprintError, match="its file was edited after it was loaded"):
        fingerprint(own.rule)
    (tmp_path / "edited.py").write_text("def rule(x:\n")
    with pytest.raises(FingerprintError, match="no longer the Python code that runs"):
        fingerprint(own.rule)
