"""Compare the speed of the package with that of another commit: `make bench-against COMMIT=HEAD~10`.

The other commit is installed in its own environment, with the same libraries, since the installed ones decide
how long scikit-learn takes to import. Both take turns at every piece of work; the ratio is of the shortest
times.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from estimators import IMPORT, OUR_FIRST_CALLS, OURS
from report import Sheet
from rich.console import Console
from timed_works import TIMED

ROOT = Path(__file__).parent.parent
STARTS = {
    "import of the estimators": IMPORT.format(OURS),
    "first partial_fit of a process": OUR_FIRST_CALLS,
}
COLUMNS = ("task", "this, ms", "that, ms", "speed of this / speed of that")


class Commit:
    """An installed commit of the package, in a process that times work on request."""

    def __init__(self, python: str, environment: dict[str, str]) -> None:
        self.python, self.environment = python, environment
        self.process = subprocess.Popen(
            [self.python, str(ROOT / "bench" / "timed_works.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def __enter__(self) -> Commit:
        return self

    def __exit__(self, *exception: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()

    def seconds(self, work: str) -> float:
        """Return how long a piece of work took, in seconds."""
        if work in STARTS:
            return self.start(STARTS[work])
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(work + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def start(self, code: str) -> float:
        """Return the first number that some code prints in a new process."""
        done = subprocess.run(
            [self.python, "-c", code], env=self.environment, capture_output=True, text=True, check=True
        )
        return float(done.stdout.split()[0])


def installed(commit: str) -> Path:
    """Return the interpreter of an environment with that commit, creating it if necessary."""
    revision = run("git", "rev-parse", "--short=12", f"{commit}^{{commit}}", cwd=ROOT).strip()
    place = ROOT / "build" / "against" / revision
    python = place / "venv" / "bin" / "python"
    if (place / "installed").exists():
        return python
    sources = place / "sources"
    sources.mkdir(parents=True, exist_ok=True)
    archive = place / "sources.tar"
    run("git", "archive", "-o", str(archive), revision, cwd=ROOT)
    run("tar", "-xf", str(archive), "-C", str(sources))
    libraries = place / "libraries.txt"
    libraries.write_text(run(sys.executable, "-m", "pip", "freeze", "--exclude", "hebbian-descent"))
    run(sys.executable, "-m", "venv", str(place / "venv"))
    run(str(python), "-m", "pip", "install", "--quiet", "--upgrade", "pip>=25.1")
    run(str(python), "-m", "pip", "install", "--quiet", "-r", str(libraries), str(sources))
    (place / "installed").touch()
    return python


def run(*command: str, cwd: Path | None = None) -> str:
    """Return what a command prints."""
    return subprocess.run(command, cwd=cwd, stdout=subprocess.PIPE, text=True, check=True).stdout


def main() -> None:
    """Install the other commit, time everything in turns and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", help="the commit to compare with")
    parser.add_argument("--only", choices=(*TIMED, *STARTS), help="one piece of work instead of all")
    parser.add_argument("--rounds", type=int, default=7, help="how often everything is timed")
    parser.add_argument("--least", type=float, help="fail if a ratio is smaller")
    options = parser.parse_args()
    here = dict(os.environ)
    there = {name: value for name, value in here.items() if name != "PYTHONPATH"}  # it may name this tree
    installations = ((sys.executable, here), (str(installed(options.commit)), there))
    shortest: dict[str, list[float]] = {}
    with ExitStack() as stack:
        commits = [stack.enter_context(Commit(*each)) for each in installations]
        for work in (options.only,) if options.only else (*TIMED, *STARTS):
            seconds: list[list[float]] = [[] for _ in commits]
            for number in range(options.rounds):
                for which in (0, 1) if number % 2 else (1, 0):  # so that neither always comes first
                    seconds[which].append(commits[which].seconds(work))
            shortest[work] = [min(times) for times in seconds]
    ratios = {work: that / this for work, (this, that) in shortest.items()}
    rows = [
        (work, f"{1e3 * this:.1f}", f"{1e3 * that:.1f}", f"{ratios[work]:.2f}")
        for work, (this, that) in shortest.items()
    ]
    title = f"This tree and {options.commit}, shortest of {options.rounds} runs each"
    Console(width=110).print(Sheet(title, COLUMNS, rows).drawn())
    if slower := [work for work, ratio in ratios.items() if ratio < (options.least or 0)]:
        raise SystemExit(
            f"Slower than {options.least} times the speed of {options.commit}: {', '.join(slower)}."
        )


if __name__ == "__main__":
    main()
