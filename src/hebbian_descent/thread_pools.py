"""Thread pools of the libraries in this process, such as a BLAS: how large they are, and how to limit them.

To find them takes milliseconds, so they are looked for again only after something was imported: a library
comes with the module that needs it.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any

_found: tuple[int, Any] = (0, None)


def _controller() -> Any:
    global _found
    n_modules = len(sys.modules)
    if _found[0] != n_modules:
        _found = n_modules, import_module("threadpoolctl").ThreadpoolController()
    return _found[1]


def one_thread(user_api: str | None = None) -> AbstractContextManager[Any]:
    """Keep all pools to one thread each, or those of an API such as "blas", until the context is left.

    A product that a BLAS splits over threads may round differently.
    """
    limit: AbstractContextManager[Any] = _controller().limit(limits=1, user_api=user_api)
    return limit


def thread_pools() -> list[dict[str, Any]]:
    """Return the libraries with a pool, and how many threads each uses now."""
    found: list[dict[str, Any]] = _controller().info()
    return found
