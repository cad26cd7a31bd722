"""Results of sweeps: records of numbers in a store, each under a key made from its specification."""

from hebbian_descent.storage.results.fingerprint import FingerprintError, canonical, fingerprint
from hebbian_descent.storage.results.folder import StoreError
from hebbian_descent.storage.results.record import Record, provenance
from hebbian_descent.storage.results.store import (
    DamagedCell,
    DamagedCellError,
    DamagedCellWarning,
    MissingCellError,
    Store,
)

__all__ = [
    "DamagedCell",
    "DamagedCellError",
    "DamagedCellWarning",
    "FingerprintError",
    "MissingCellError",
    "Record",
    "Store",
    "StoreError",
    "canonical",
    "fingerprint",
    "provenance",
]
