"""Settings of all tests."""

import signal

import pytest
from hypothesis import settings

settings.register_profile("untimed", deadline=None)  # a busy machine is no fault
settings.load_profile("untimed")


def pytest_configure() -> None:
    """Let tests be interrupted: a shell that runs them in the background makes them ignore it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with tests that wait for other processes, so that none of them is left to wait for at the end."""
    items.sort(key=lambda item: not any(word in item.path.name for word in ("executors", "nn_docs")))
