"""What the numbers were computed with: versions, the package's code, BLAS and its threads, the machine."""

from __future__ import annotations

import os
import platform
import sys
from importlib import import_module

import numpy as np

from hebbian_descent.source_digest import source_digest
from hebbian_descent.storage.results.canonical_types import Json


def provenance() -> dict[str, Json]:
    """Return what a result may depend on besides its specification, as it is in this process now."""
    return {
        "versions": _versions(),
        "source_digest": source_digest(),
        "thread_pools": _thread_pools(),
        "machine": platform.machine(),
        "system": platform.system(),
        "cpu_count": os.cpu_count(),
    }


def _versions() -> dict[str, Json]:
    versions: dict[str, Json] = {"python": platform.python_version(), "numpy": np.__version__}
    # Only what is loaded can have had a part in the numbers; nothing is imported to be asked.
    for name in (__name__.partition(".")[0], "scipy", "numba", "torch"):
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            versions[name] = str(version)
    return versions


def _thread_pools() -> list[Json]:
    asked = ("user_api", "internal_api", "version", "num_threads", "architecture")
    return [
        {name: pool.get(name) for name in asked} for pool in import_module("threadpoolctl").threadpool_info()
    ]
