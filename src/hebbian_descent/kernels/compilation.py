"""How kernels are compiled: without the interpreter lock, and kept on disk where a folder can be written."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
import numba.extending
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature

from hebbian_descent.kernels.disk_cache import disk_cache

Function = TypeVar("Function", bound=Callable[..., Any])

# Division by zero gives an infinity, as in NumPy; an exception in the loop would keep it from vectorising.
FLOATING_POINT: Any = {"error_model": "numpy"}

# Parts of kernels make no arrays, and need not count who holds a row that they look at: a kernel with small
# rows would spend much of its time on that.
PART: Any = {"_nrt": False, **FLOATING_POINT}


def inlined(function: Function) -> Function:
    """Compile a part of a kernel, which makes no arrays; every kernel that calls it compiles it anew."""
    compiled: Function = numba.njit(nogil=True, **PART)(function)
    return compiled


def reordered(function: Function) -> Function:
    """Compile a sum whose terms may be taken in any order; infinities and NaN keep their meaning."""
    compiled: Function = numba.njit(nogil=True, fastmath={"reassoc"}, **PART)(function)
    return compiled


def compiled_as(placeholder: Function) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function that, given the types of the arguments, returns the body of `placeholder`."""
    register: Any = numba.extending.overload
    registered: Callable[[Callable[..., Any]], Callable[..., Any]] = register(
        placeholder, jit_options=PART, strict=False
    )
    return registered


def emitted(function: Callable[..., Any]) -> Any:
    """Register a function that, given the types of the arguments, returns a signature and emits LLVM code."""
    register: Any = numba.extending.intrinsic
    return register(function)


def kept_on_disk(function: Function) -> Function:
    """Compile a whole kernel and keep it for later processes, or for this one if no folder can be written."""
    compiled: Any = numba.njit(nogil=True, **FLOATING_POINT)(_named_by_sources(function))
    compiled._cache = disk_cache(function)
    kernel: Function = compiled
    return kernel


def called_by_address(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a part of a kernel that the kernel is handed the address of, instead of being compiled anew."""

    def compile_it(function: Callable[..., Any]) -> Any:
        compiled: Any = CFunc(_named_by_sources(function), normalize_signature(signature), {}, FLOATING_POINT)
        compiled._cache = disk_cache(function)
        compiled.compile()
        _ADDRESSED.append(compiled)
        return compiled

    return compile_it


_ADDRESSED: list[Any] = []
"""What somebody may hold the address of, and nothing else of it: it must not be given up."""


def _named_by_sources(function: Function) -> Function:
    # Numba asks only whether the file of the function itself has changed, not the files of what it calls.
    function.__qualname__ += f"_{_digest_of_sources()}"
    return function


@cache
def _digest_of_sources() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:8]
