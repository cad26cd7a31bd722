"""Count the files that take part in the three main flows: a table of the paper, `partial_fit`, a sweep.

    python tools/count_files.py            # how many
    python tools/count_files.py --names    # and which, in the order in which they are entered

A file counts if one of its functions is called. What runs while modules are imported does not count, and
compiled code cannot be seen. Each flow has its own process, in which nothing is cached yet. The package is
the one that Python imports, so `PYTHONPATH` selects another copy. The table needs the dataset ADULT:
`hebbian-descent data fetch adult`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import hebbian_descent

PACKAGE = Path(hebbian_descent.__file__).parent
TABLE = "run tab:Hetero_online_centered_1 --quick --draws 1 --only rand-adult"


def table() -> None:
    """Run one row of a table from the command line."""
    from hebbian_descent.cli import main

    arguments = sys.argv
    with tempfile.TemporaryDirectory() as folder:
        sys.argv = ["hebbian-descent", *TABLE.split(), "--output", folder]
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise
        finally:
            sys.argv = arguments


def partial_fit() -> None:
    """Let a classifier learn a hundred examples, one call each."""
    rng = np.random.default_rng(0)
    classifier = hebbian_descent.HebbianDescentClassifier()
    for x, label in zip(rng.random((100, 20)), rng.integers(0, 3, 100), strict=True):
        classifier.partial_fit(x[np.newaxis], [label], classes=[0, 1, 2])


def sweep() -> None:
    """Run an online sweep as in the README."""
    from hebbian_descent.sweep import sweep as run

    rng = np.random.default_rng(0)
    inputs, targets = rng.integers(0, 2, (2, 30, 20))
    run(inputs, targets, rules="hebbian_descent", activations="sigmoid", learning_rates=[1, 0.1], trials=2)


FLOWS: dict[str, Callable[[], None]] = {"table": table, "partial_fit": partial_fit, "sweep": sweep}


def files_of(flow: Callable[[], None]) -> list[str]:
    """Return the files of the package whose functions a flow calls, in the order of their first call."""
    entered: dict[str, None] = {}

    def note(frame: FrameType, event: str, argument: Any) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(str(PACKAGE)) and not _is_import(frame):
            entered.setdefault(str(Path(name).relative_to(PACKAGE)))

    with _profiled(note):
        flow()
    return list(entered)


@contextmanager
def _profiled(note: Callable[[FrameType, str, Any], None]) -> Iterator[None]:
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def _is_import(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") != "__main__":
            return True
        frame = frame.f_back
    return False


def main() -> None:
    """Print the counts of all flows, or of one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--flow", choices=FLOWS, help="only this one")
    parser.add_argument("--names", action="store_true", help="print the files, too")
    options = parser.parse_args()
    if options.flow is None:
        for name in FLOWS:
            subprocess.run([sys.executable, __file__, "--flow", name, *sys.argv[1:]], check=True)
        return
    files = files_of(FLOWS[options.flow])
    lines = [f"{options.flow}: {len(files)} files", *(files if options.names else [])]
    sys.stderr.write("\n    ".join(lines) + "\n")


if __name__ == "__main__":
    main()
