"""Processors: the tests of numerical code, run as on other machines.

NumPy, OpenBLAS and the compiled core choose their instructions by the processor. Without some of them, they
compute here what another machine computes. `make test-processors` runs the tests in this way.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import typer
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

from campaigns.campaign import Campaign

ROOT = Path(__file__).parent.parent


class Processor(NamedTuple):
    """A kind of processor: its names, what a machine needs to emulate it, and what NumPy may use."""

    openblas: str
    native: str
    needs: tuple[str, ...]
    level: int
    """Level of x86-64: 3 has AVX2 and FMA, 4 has AVX-512."""


PROCESSORS = (
    Processor("Nehalem", "baseline", (), 2),
    Processor("Sandybridge", "baseline", ("AVX",), 2),  # wide vectors, but no fused multiply-add
    Processor("Haswell", "v3", ("AVX2", "FMA3"), 3),
    Processor("SkylakeX", "v4", ("AVX512_SKX",), 4),
)

PARTS = {
    "small": (
        "test_golden_trial.py",
        "engines/test_stacked_products.py",
        "test_oracle_agreement.py",
    ),
    "quick": ("test_*.py", "learning/test_*.py", "memory/test_*.py", "sweep/test_sweep_results.py"),
    "all": (
        "test_*.py",
        "engines/test_*.py",
        "estimators/test_*.py",
        "learning/test_*.py",
        "memory/test_*.py",
        "../reproduction/tests/test_claims.py",
        "sweep/test_*.py",
    ),
}
"""The tests, as patterns of file names. Those only of commands and executors compute nothing new."""
LEFT_OUT = (
    *("bad_input", "cache", "command", "compilation", "docs", "documentation"),
    *("executors", "gallery", "imports", "members", "store"),
)

PROBE = """
import json, numpy, scipy.linalg, threadpoolctl
from hebbian_descent import native
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
print(json.dumps({
    "openblas": sorted({pool.get("architecture") for pool in threadpoolctl.threadpool_info()}),
    "native": native.choice().level,
    "numpy": [name for name in __cpu_dispatch__ if __cpu_features__[name]],
}))
"""


def level_of(feature: str) -> int:
    """Return the level of x86-64 that has a feature of NumPy, by the names of older and newer versions."""
    if feature.startswith(("AVX512", "X86_V4")):
        return 4
    return 3 if feature in ("AVX", "F16C", "FMA3", "FMA4", "XOP", "AVX2", "X86_V3") else 2


def environment(processor: Processor) -> dict[str, str]:
    """Return the environment in which the libraries compute as on the processor; verify that they do."""
    here = [name for name in __cpu_dispatch__ if __cpu_features__[name]]
    allowed = [name for name in here if level_of(name) <= processor.level]
    settings = {
        "OPENBLAS_CORETYPE": processor.openblas,
        "NPY_DISABLE_CPU_FEATURES": " ".join(name for name in here if name not in allowed),
        "HEBBIAN_DESCENT_ISA": processor.native,
    }
    changed = os.environ | settings
    found = json.loads(subprocess.check_output([sys.executable, "-c", PROBE], env=changed, text=True))
    expected = {"openblas": [processor.openblas], "native": processor.native, "numpy": allowed}
    if found != expected:
        raise RuntimeError(f"The libraries must compute as requested, {expected}. Got {found}.")
    return changed


def is_possible(processor: Processor) -> bool:
    """Return whether this machine has what the processor has."""
    return "SSE42" in __cpu_features__ and all(__cpu_features__[name] for name in ("SSE42", *processor.needs))


def command(part: str, *options: str) -> list[str]:
    """Return the command that runs a part of the tests."""
    files = [path for pattern in PARTS[part] for path in sorted((ROOT / "tests").glob(pattern))]
    chosen = [str(path) for path in files if not any(word in path.name for word in LEFT_OUT)]
    return [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, *chosen]


def trial(number: int, folder: Path) -> str:
    """Run a small part of the tests as each processor, then all of them."""
    round_, which = divmod(number, len(PROCESSORS))
    processor, part = PROCESSORS[which], "all" if round_ else "small"
    if not is_possible(processor):
        return f"{processor.openblas} not possible here"
    done = subprocess.run(
        command(part, "-x", "--basetemp", str(folder / "tests")),
        cwd=ROOT,
        env=environment(processor),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"as {processor.openblas}: {done.stdout[-400:]}"
    return processor.openblas


CAMPAIGN = Campaign(
    title="Processors, each with a few of the tests and with all that compute",
    promise="the tests pass, whichever instructions NumPy, OpenBLAS and the compiled core use",
    trial=trial,
    goal=2 * len(PROCESSORS),
    in_tests=1,
    block=1,
    seconds=3600.0,
)


def main(part: str, *options: str) -> None:
    """Run a part of the tests as every processor that this machine can emulate; exit with 1 if any fails."""
    failed = []
    for processor in PROCESSORS:
        if not is_possible(processor):
            typer.echo(f"== {processor.openblas}: this machine cannot emulate it")
            continue
        typer.echo(f"== As {processor.openblas}")
        if subprocess.run(
            command(part, *options), cwd=ROOT, env=environment(processor), check=False
        ).returncode:
            failed.append(processor.openblas)
    sys.exit(f"Tests failed as {', '.join(failed)}." if failed else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
