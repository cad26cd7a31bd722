"""One thread for PyTorch: these models are too small to gain from more."""

import contextlib

import pytest

with contextlib.suppress(ModuleNotFoundError):
    import torch

    torch.set_num_threads(1)


@pytest.fixture
def two_threads():
    """Two threads, so that code that takes one must give the other back."""
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(1)
