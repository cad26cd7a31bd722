"""Description of the machine, and the speed of its matrix products."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

PACKAGES = ("numpy", "hebbian-descent", "torch", "jax")

SIDE = 2000
"""Rows and columns of the matrices; larger ones are no faster."""

PRODUCT_OPERATIONS = 2.0 * SIDE**3


def matrix_product(dtype: str) -> Callable[[], None]:
    """Return a function that multiplies two large matrices by NumPy's BLAS."""
    rng = np.random.default_rng(0)
    left, right = (rng.random((SIDE, SIDE)).astype(dtype) for _ in range(2))
    out = np.empty_like(left)

    def multiply() -> None:
        np.matmul(left, right, out=out)

    return multiply


def description(n_cores: int) -> dict[str, Any]:
    """Return the processor, the cores in use, the load from other processes and the versions."""
    return {
        "processor": processor_name(),
        "cores_used": n_cores,
        "cores": os.cpu_count(),
        "load_at_start": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "system": platform.system(),
        "python": platform.python_version(),
        **{name: version_of(name) for name in PACKAGES},
    }


def processor_name() -> str:
    """Return the name of the processor, if the system reports it."""
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def version_of(package: str) -> str:
    """Return the version of a package, or that there is none."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
