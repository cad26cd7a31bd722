"""The command line under audit: what it prints, and how it ends."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from campaigns.audit import watched
from hebbian_descent.cli.failures import failures_in_one_sentence


def code_of(command: Callable[[], object], folder: Path) -> int:
    """Run the function of a command; return its exit code, or raise if it prints what a command must not."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    try:
        with watched(folder), redirect_stdout(out), redirect_stderr(err), failures_in_one_sentence():
            command()
    except SystemExit as ended:
        code = ended.code or 0
    printed, said = out.getvalue(), err.getvalue()
    assert code in (0, 2), code
    assert "bug in hebbian-descent" not in said, said
    for text in (printed, said):
        assert text.replace("\n", "").isprintable(), text
    if code == 2:
        assert said.endswith("\n"), "nothing was said"
    return 2 if code else 0
