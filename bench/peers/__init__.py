"""Peers, one per file, each computing exactly what this package computes.

A peer has a `NAME`, the `CHUNKS` of runs that it may take at once, and a function `run_layers(problem, runs,
chunk)`; some also have `run_autoencoder`. To add a peer, write such a file and list it here.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

FILES = ("numpy_loop", "torch_in_place", "torch_batched", "jax_scan", "jax_vmap")


def installed_peers() -> tuple[list[ModuleType], list[str]]:
    """Return the peers that can be imported, and why the others cannot."""
    found, missing = [], []
    for file in FILES:
        try:
            found.append(import_module(f"peers.{file}"))
        except ModuleNotFoundError as error:
            missing.append(f"{file} needs {error.name}, which is not installed")
    return found, missing
