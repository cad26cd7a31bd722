"""Make the goldens: `python -m tests.golden.make` writes what the present code computes to `numbers.npz`.

Run it again only where numbers are meant to change, and say in the changelog which. The file holds the arrays
of every case end to end, the step at which a case diverged in place of its arrays, and the processor and the
versions that computed them: there, and only there, the same bits are expected again.
"""

from __future__ import annotations

import json
import platform
import re
import warnings
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_info

from tests.golden import interfaces
from tests.golden.cases import all_cases

FILE = Path(__file__).with_name("numbers.npz")
LARGEST = 2_000_000


class Numbers(NamedTuple):
    """What cases computed."""

    arrays: dict[str, npt.NDArray[np.float64]]
    """By the key of the case and the name of the array, with a colon between; flattened."""
    diverged: dict[str, int]
    """The step at which a case diverged, by its key."""


def computed(cases: Mapping[str, Callable[[], Mapping[str, Any]]]) -> Numbers:
    """Run cases, without their warnings of overflows and of targets out of reach."""
    found = Numbers({}, {})
    for key, run in cases.items():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                arrays = run()
        except interfaces.diverged as error:
            found.diverged[key] = error.step
            continue
        for name, values in arrays.items():
            found.arrays[f"{key}:{name}"] = np.asarray(values, dtype=np.float64).ravel()
    return found


def provenance() -> dict[str, str]:
    """Return all that the last bit depends on: processor, its kernels in each library, and versions."""
    blas = {found.get("architecture", "") for found in threadpool_info() if found["user_api"] == "blas"}
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    return {
        "processor": processor(),
        "BLAS": ", ".join(sorted(blas)),
        "SIMD of NumPy": ", ".join(simd.get("found", ())),
        "compiled core": interfaces.compiled_core(),
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "scipy", "scikit-learn")},
    }


def processor() -> str:
    """Return the model of the processor, as the system describes it."""
    try:
        described = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return f"{platform.system()} {platform.machine()} {platform.processor()}"
    fields = dict(re.findall(r"^([^\t:]+)\t*: (.*)$", described, re.MULTILINE))
    model = " ".join(fields.get(name, "") for name in ("vendor_id", "cpu family", "model", "model name"))
    return f"{model}, AVX-512 {'avx512f' in fields.get('flags', '').split()}"


def write(found: Numbers) -> None:
    """Write the file."""
    np.savez_compressed(
        FILE,
        keys=np.array(list(found.arrays)),
        lengths=np.array([len(values) for values in found.arrays.values()], dtype=np.int32),
        values=np.concatenate(list(found.arrays.values())),
        diverged=np.array(list(found.diverged)),
        steps=np.array(list(found.diverged.values()), dtype=np.int32),
        provenance=np.array(json.dumps(provenance())),
    )


def read() -> tuple[Numbers, dict[str, str]]:
    """Return what the file holds, and where it was computed."""
    with np.load(FILE) as file:
        parts = np.split(file["values"], np.cumsum(file["lengths"])[:-1])
        arrays = dict(zip(file["keys"].tolist(), parts, strict=True))
        diverged = dict(zip(file["diverged"].tolist(), file["steps"].tolist(), strict=True))
        return Numbers(arrays, diverged), json.loads(str(file["provenance"]))


if __name__ == "__main__":
    write(computed(all_cases()))
    assert FILE.stat().st_size <= LARGEST, FILE.stat().st_size
