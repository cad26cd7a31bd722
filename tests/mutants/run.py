"""Plant faults and see which tests find them: `python -m tests.mutants.run [NAME …]`, or `make mutants`.

`mutants.toml` lists the faults, each a sentence and a replacement of text that occurs once in its file. Each
is planted in a copy of the tracked files, and the tests that concern it run until one fails. That test must
pass without the fault, or it does not count. `results.csv` gets a row when a fault is done; a run that was
stopped continues there. Faults that were found are skipped: name them to try them again.
"""

from __future__ import annotations

import csv
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
LIST, RESULTS = HERE / "mutants.toml", HERE / "results.csv"
WORK = ROOT / "build" / "mutants"
COPY, BUILD = WORK / "copy", WORK / "cmake"
NATIVE = "src/hebbian_descent/native"
LIMIT = 900
"""Seconds for the tests of one fault; one that makes them hang is found as well."""
HUNG = f"none ended within {LIMIT} s"
FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
NO_TESTS_FAILED, SOME_TESTS_FAILED, INTERRUPTED_AT_IMPORT = 0, 1, 2


@dataclass(frozen=True)
class Mutant:
    """A fault: a sentence, the text that it replaces, and the tests that concern it."""

    name: str
    sentence: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    native: bool = False
    """Whether the compiled core must be built again."""

    @property
    def digest(self) -> str:
        """A short hash of the fault, by which an old row is recognised."""
        return hashlib.sha256("\0".join((self.file, self.old, self.new)).encode()).hexdigest()[:12]

    def planted_in(self, source: str) -> str:
        """Return the source with the fault."""
        if source.count(self.old) != 1 or self.old == self.new:
            raise ValueError(
                f"The text of the mutant {self.name!r} must occur once in {self.file}. "
                f"Got {source.count(self.old)} times: move it along with the code."
            )
        return source.replace(self.old, self.new)


class Row(NamedTuple):
    """What became of a fault."""

    name: str
    digest: str
    killed: str
    test: str
    seconds: str

    def is_settled(self, mutant: Mutant) -> bool:
        """Whether this fault, as it is now, was found."""
        return self.killed == "yes" and self.digest == mutant.digest


def mutants() -> list[Mutant]:
    """Return the faults of the list."""
    listed = tomllib.loads(LIST.read_text())
    return [Mutant(name, **{**fault, "tests": tuple(fault["tests"])}) for name, fault in listed.items()]


def results() -> dict[str, Row]:
    """Return the rows of the table, by name."""
    if not RESULTS.exists():
        return {}
    with RESULTS.open(newline="") as file:
        return {row["name"]: Row(**row) for row in csv.DictReader(file)}


def record(row: Row) -> None:
    """Put a row into the table, which has the order of the list."""
    known = {**results(), row.name: row}
    draft = RESULTS.with_suffix(".draft")
    with draft.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(Row._fields)
        table.writerows(known[mutant.name] for mutant in mutants() if mutant.name in known)
    draft.replace(RESULTS)


def copy_tree() -> None:
    """Copy the tracked files and the compiled core."""
    shutil.rmtree(COPY, ignore_errors=True)
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    compiled = [str(path.relative_to(ROOT)) for path in (ROOT / NATIVE).glob("*.so")]
    for name in [*filter(None, tracked.stdout.split("\0")), *compiled]:
        if (ROOT / name).is_file():
            (COPY / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, COPY / name)


def build() -> None:
    """Compile what changed, for the instruction level that is used here."""
    tools = ROOT / ".venv-build" / "bin"
    level = output_of("from hebbian_descent.native import choice; print(choice().level)")
    configure = [tools / "cmake", "-G", "Ninja", "-S", COPY, "-B", BUILD, "-DCMAKE_BUILD_TYPE=Release"]
    configure += [f"-DPython_EXECUTABLE={tools / 'python'}", f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}"]
    for command in ([*configure, f"-DHEBBIAN_DESCENT_LEVELS={level}"], [tools / "cmake", "--build", BUILD]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def output_of(script: str) -> str:
    """Return what a script prints with the copy of the package."""
    python = python_for(())
    found = subprocess.run(
        [python, "-c", script], env=environment(), capture_output=True, text=True, check=True
    )
    return found.stdout.strip()


def environment() -> dict[str, str]:
    """Return the environment of a process that uses the copy."""
    return {**os.environ, "PYTHONPATH": str(COPY / "src")}


def python_for(tests: tuple[str, ...]) -> Path:
    """Return the interpreter: tests of networks need PyTorch, all others run without it."""
    with_torch = any(test.startswith("tests/nn/") or "test_network_training" in test for test in tests)
    return ROOT / (".venv" if with_torch else ".venv-without-torch") / "bin" / "python"


def failure_of(tests: tuple[str, ...]) -> str:
    """Return the first test that fails in the copy, or nothing."""
    options = ["-x", "-q", "-p", "no:cacheprovider", "-m", "not long and not site"]
    command = [python_for(tests), "-m", "pytest", *options, *tests]
    try:
        found = subprocess.run(
            command, cwd=COPY, env=environment(), capture_output=True, text=True, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        return HUNG
    if found.returncode == NO_TESTS_FAILED:
        return ""
    failed = FAILED.search(found.stdout)
    if found.returncode not in (SOME_TESTS_FAILED, INTERRUPTED_AT_IMPORT) or failed is None:
        raise RuntimeError(f"pytest could not run {' '.join(tests)}:\n{found.stdout}{found.stderr}")
    return failed[1]


def tried(mutant: Mutant) -> Row:
    """Plant a fault in the copy, run its tests, and remove it."""
    start, path = time.perf_counter(), COPY / mutant.file
    sound = path.read_text()
    path.write_text(mutant.planted_in(sound))
    try:
        if mutant.native:
            build()
        test = failure_of(mutant.tests)
    finally:
        path.write_text(sound)
        for compiled in (ROOT / NATIVE).glob("*.so") if mutant.native else ():
            shutil.copy2(compiled, COPY / NATIVE)
    if test and test != HUNG and failure_of((test.split("[")[0],)):
        raise RuntimeError(f"{test} fails without {mutant.name!r}, too: repair it first.")
    seconds = time.perf_counter() - start
    return Row(mutant.name, mutant.digest, "yes" if test else "no", test, f"{seconds:.0f}")


def main(names: list[str]) -> None:
    """Try the named faults, or those that were not found yet."""
    listed, known = {mutant.name: mutant for mutant in mutants()}, results()
    wanted = names or [
        name for name, fault in listed.items() if name not in known or not known[name].is_settled(fault)
    ]
    if unknown := set(wanted) - set(listed):
        sys.exit(f"There is no mutant {', '.join(sorted(unknown))}. There are {', '.join(listed)}.")
    copy_tree()
    for name in wanted:
        row = tried(listed[name])
        record(row)
        sys.stdout.write(f"{name}: {row.test or 'SURVIVES'} ({row.seconds} s)\n")
        sys.stdout.flush()
    alive = [row.name for row in results().values() if row.killed == "no"]
    sys.stdout.write(f"{len(results()) - len(alive)} of {len(listed)} are found. {' '.join(alive)}\n")
    sys.exit(bool(alive))


if __name__ == "__main__":
    main(sys.argv[1:])
