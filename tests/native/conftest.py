"""The compiled core, one module per instruction level, as far as this processor can run them."""

import pytest

LEVELS = ("baseline", "v3", "v4")


def level(name):
    baseline = pytest.importorskip("hebbian_descent.native._baseline", reason="`make native` builds the core")
    if not baseline.supports(name):
        pytest.skip(f"this processor has no {name}")
    return pytest.importorskip(f"hebbian_descent.native._{name}", reason=f"{name} was not built")


@pytest.fixture(scope="session")
def baseline():
    return level("baseline")


@pytest.fixture(params=LEVELS, scope="session")
def core(request):
    return level(request.param)


@pytest.fixture(scope="session")
def two_levels():
    return level("v3"), level("v4")
