"""Where functions of other libraries are in memory, for those who call them without the interpreter lock."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any

from scipy.linalg import cython_blas


@cache
def address_of_blas(name: str) -> int:
    """Return where SciPy's BLAS has a routine."""
    capsules: Any = cython_blas.__pyx_capi__
    capsule = capsules[name]
    get_name, get_pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    get_name.restype, get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    address: int = get_pointer(capsule, get_name(capsule))
    return address


@cache
def address_of_yield() -> int:
    """Return where the system has its function that lets another thread use the processor."""
    library: Any
    if sys.platform == "win32":
        library = ctypes.windll.kernel32
        function = library.SwitchToThread
    else:
        library = ctypes.CDLL(None)
        function = library.sched_yield
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address
