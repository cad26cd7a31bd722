"""What an estimator has learned, in a form that a file can hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hebbian_descent.storage.models import Saved


class HasState(Saved):
    """A base for estimators whose state is a few arrays and whole numbers, with `save` and `load`."""

    _state_names: tuple[str, ...]

    def _state(self) -> dict[str, Any]:
        """Return what was learned, as arrays, whole numbers and lists of strings."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        state = {name: getattr(self, name) for name in self._state_names}
        return state if names is None else state | {"feature_names_in_": [str(name) for name in names]}

    def _restore(self, state: dict[str, Any]) -> None:
        """Take over what `_state` returned."""
        for name, value in state.items():
            setattr(self, name, np.array(value, object) if name == "feature_names_in_" else value)
