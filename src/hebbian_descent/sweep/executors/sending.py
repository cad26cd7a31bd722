"""Cells as bytes for another process, and errors on their way back.

Custom functions are sent by value: as code, with the values they use. A worker thus runs exactly the
functions that this process holds, and needs neither the script nor the notebook nor the modules they are in.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from hebbian_descent.storage.results import Record
from hebbian_descent.storage.results.libraries import BY_NAME_ALONE, SITE_FOLDERS, STANDARD_FOLDER
from hebbian_descent.sweep.executors.base import Runnable

try:
    import cloudpickle
except ModuleNotFoundError:  # before version 1.6, joblib included its own copy
    from joblib.externals import cloudpickle

__all__ = ["cloudpickle", "packed", "portable", "run_packed"]


def packed(works: Sequence[Runnable]) -> list[bytes]:
    """Return cells as bytes that any process with this package and the same Python can unpickle."""
    with _own_modules_by_value():
        return [_packed(work) for work in works]


def run_packed(cell: bytes, patterns: Any) -> Record:
    """Run a packed cell on one thread."""
    work: Runnable = pickle.loads(cell)
    return work.run(patterns, threads=1)


def portable(error: BaseException) -> Exception:
    """Return the error itself if it survives pickling, or else one that says the same."""
    try:
        arrived = pickle.loads(cloudpickle.dumps(error))
        if isinstance(error, Exception) and str(arrived) == str(error):
            return error
    except Exception:  # a custom exception may do anything when it is pickled
        pass
    return RuntimeError(f"{type(error).__qualname__}: {error}")


def _packed(work: Runnable) -> bytes:
    try:
        data: bytes = cloudpickle.dumps(work)
    except Exception as error:  # pickling runs whatever methods the objects have
        raise TypeError(
            "Rules, activations, error terms and memories must be ones that can be sent to another "
            "process. "
            f"Got one among those of {work.cell} that cannot: {error}. Use only plain values, arrays and "
            "functions in it, or run in this process."
        ) from None
    return data


@contextmanager
def _own_modules_by_value() -> Iterator[None]:
    # By name, a worker would import them again, from a file that may have changed or be missing, and without
    # the values that were set in the meantime.
    registered = cloudpickle.list_registry_pickle_by_value()
    modules = [
        module for name, module in list(sys.modules.items()) if name not in registered and _is_own(module)
    ]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


def _is_own(module: object) -> bool:
    """Return whether a module is the user's, and not a library's."""
    # Through `vars`, since some libraries load or warn when an attribute is looked up.
    names = vars(module) if isinstance(module, ModuleType) else {}
    file, name = names.get("__file__"), str(names.get("__name__"))
    return (
        isinstance(file, str)
        and sys.modules.get(name) is module
        and name.partition(".")[0] not in BY_NAME_ALONE | {"__main__"}
        and SITE_FOLDERS.isdisjoint(Path(file).parts)
        and not Path(file).is_relative_to(STANDARD_FOLDER)
    )
