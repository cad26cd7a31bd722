"""An estimator with the stream that it learns from, in one ordinary model file.

`hebbian_descent.load` returns the estimator. What is attached to it says how columns are encoded and how far
the stream was learned; one file holds both, so they cannot get out of step if the process is killed.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from typing import Any

from hebbian_descent.checks import unknown_name
from hebbian_descent.storage.models import KINDS, ModelFileError, model_of, read_model, require_names, save
from hebbian_descent.streams.encoding import Encoding
from hebbian_descent.streams.progressive import Position, RowChecksum, Tally

ESTIMATORS = {"classification": "HebbianDescentClassifier", "regression": "HebbianDescentRegressor"}
STREAM = "stream"


@dataclass
class Checkpoint:
    """What is needed to continue, or to predict."""

    estimator: Any
    encoding: Encoding
    position: Position
    tally: Tally
    seen: RowChecksum = field(default_factory=RowChecksum)
    """Checksum of the rows of this pass, skipped ones included."""

    @classmethod
    def new(cls, encoding: Encoding, parameters: dict[str, Any]) -> Checkpoint:
        """Return the start of a stream."""
        estimator: Any = KINDS[ESTIMATORS[encoding.task]]()()
        for name in parameters:
            if name not in estimator.get_params():
                raise unknown_name("parameter of the estimator", name, estimator.get_params())
        estimator.set_params(**parameters)
        if (reason := estimator._setting().why_no_stream) is not None:
            raise ValueError(reason)
        return cls(estimator, encoding, Position(), Tally(encoding.task))

    def end_pass(self) -> None:
        """Count the pass, and start again at the first row."""
        self.position = Position(self.position.passes + 1, 0, self.position.checksum)
        self.seen = RowChecksum()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write this to a file, whole or not at all."""
        stream = {
            "encoding": self.encoding.as_json(),
            "position": asdict(self.position),
            "tally": self.tally.as_json(),
        }
        save(self.estimator, path, {STREAM: stream})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Checkpoint:
        """Read what `save` wrote; anything else raises a `ModelFileError`."""
        found = read_model(path)
        estimator = model_of(found, path)
        if STREAM not in found.attached:
            raise ModelFileError(
                "The model must have been learned from a stream, with hebbian-descent learn, so that its "
                f"columns are known. Got a {found.kind} without them.",
                path,
            )
        stream = found.attached[STREAM]
        try:
            require_names(stream, ("encoding", "position", "tally"), "parts of a stream")
            encoding = Encoding.from_json(stream["encoding"])
            if found.kind != ESTIMATORS[encoding.task] or estimator.n_features_in_ != encoding.width:
                raise ModelFileError(
                    f"The encoding must be that of the model: {encoding.task} by {encoding.width} inputs. "
                    f"Got a {found.kind} of {getattr(estimator, 'n_features_in_', 0)}."
                )
            position = Position.from_json(stream["position"])
            return cls(estimator, encoding, position, Tally.from_json(stream["tally"], encoding.task))
        except ModelFileError as error:
            raise ModelFileError(str(error), path) from None
