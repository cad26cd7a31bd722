"""The committed types of the compiled core are those of the modules that are built."""

import pytest

pytest.importorskip("nanobind", reason="nanobind describes the modules")
from tools.make_native_stub import STUB, stub_of


def test_the_stub_is_current_at_every_level(core):
    assert STUB.read_text() == stub_of(core), "make stubs writes it anew"
