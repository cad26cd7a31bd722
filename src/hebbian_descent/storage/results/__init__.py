"""What a run leaves behind: records of numbers in a store, each under a key made of its specification."""

from hebbian_descent.storage.results.canonical_types import FingerprintError
from hebbian_descent.storage.results.errors import (
    DamagedCell,
    DamagedCellError,
    DamagedCellWarning,
    LockedStoreWarning,
    MissingCellError,
    StoreError,
)
from hebbian_descent.storage.results.fingerprint import canonical, fingerprint
from hebbian_descent.storage.results.provenance import provenance
from hebbian_descent.storage.results.record import Record
from hebbian_descent.storage.results.store import Store

__all__ = [
    "DamagedCell",
    "DamagedCellError",
    "DamagedCellWarning",
    "FingerprintError",
    "LockedStoreWarning",
    "MissingCellError",
    "Record",
    "Store",
    "StoreError",
    "canonical",
    "fingerprint",
    "provenance",
]
