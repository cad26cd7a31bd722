"""What holds for all tests."""

import signal


def pytest_configure() -> None:
    """Let tests be interrupted: a shell that runs them in the background makes them ignore it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
