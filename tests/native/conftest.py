"""The compiled core, one module per instruction level, as far as this processor can run them."""

import importlib.util
from functools import cache
from pathlib import Path

import pytest
from numpy._core._multiarray_umath import __cpu_features__ as features

FOLDER = Path(__file__).parents[2] / "build" / "native"
NEEDED = {"baseline": (), "v3": ("AVX2", "FMA3"), "v4": ("AVX512_SKX",)}


@cache  # a module of nanobind can be loaded once per process
def level(name):
    found = list(FOLDER.glob(f"_{name}.*"))
    if not found:
        pytest.skip("the compiled core is not built: `make native` builds it")
    if not all(features[feature] for feature in NEEDED[name]):
        pytest.skip(f"this processor has no {name}")
    spec = importlib.util.spec_from_file_location(f"_{name}", found[0])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=list(NEEDED), scope="session")
def core(request):
    return level(request.param)


@pytest.fixture(scope="session")
def two_levels():
    return level("v3"), level("v4")
