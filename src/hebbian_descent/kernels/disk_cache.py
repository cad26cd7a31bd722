"""Compiled kernels on disk; those that cannot be read or written are compiled in memory, with a warning."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile, NullCache

SEAL_BYTES = 32
_warned = False


def disk_cache(function: Callable[..., Any]) -> Any:
    """Return the cache of a kernel on disk, or one that keeps nothing where no folder can be written."""
    try:
        return _KernelCache(function)
    except Exception as error:
        _warn_once(error)
        return NullCache()


class _KernelCache(FunctionCache):  # type: ignore[misc]  # Numba has no types
    """Numba's cache of one function; whatever goes wrong in it is the same as finding nothing."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _SealedFiles(
            self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp()
        )

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(signature, target_context)
        except Exception as error:
            _warn_once(error)
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        try:
            super().save_overload(signature, compiled)
        except Exception as error:
            _warn_once(error)


class _SealedFiles(IndexDataCacheFile):  # type: ignore[misc]
    """Numba's files, each with a digest at its end: damaged machine code would run, and compute anything."""

    def _load_index(self) -> Any:
        try:
            _check_seal(self._index_path)
            return super()._load_index()
        except FileNotFoundError:
            return {}
        except Exception as error:  # an index that is written anew replaces it
            _warn_once(error)
            return {}

    def _load_data(self, name: str) -> Any:
        _check_seal(self._data_path(name))
        return super()._load_data(name)

    @contextmanager
    def _open_for_write(self, path: str) -> Iterator[Any]:
        with super()._open_for_write(path) as file:
            yield file
            file.flush()
            file.write(hashlib.sha256(Path(file.name).read_bytes()).digest())


def _check_seal(path: str) -> None:
    content = Path(path).read_bytes()
    if hashlib.sha256(content[:-SEAL_BYTES]).digest() != content[-SEAL_BYTES:]:
        raise ValueError(f"The file {path} is damaged")


def _warn_once(error: Exception) -> None:
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            "Kernels are compiled in memory, which takes seconds in every process, as their files cannot be "
            f"read or written: {error}. Set NUMBA_CACHE_DIR to a folder where they can.",
            RuntimeWarning,
            stacklevel=2,
        )
