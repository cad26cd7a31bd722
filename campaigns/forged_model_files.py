"""Model files that were damaged, or forged with a correct checksum."""

from __future__ import annotations

import os
import time
import warnings
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from campaigns.audit import watched
from campaigns.campaign import Campaign
from campaigns.model_forgery import bomb, damaged, forged
from hebbian_descent import (
    AssociativeMemory,
    Autoencoder,
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
    Layer,
)
from hebbian_descent.learning.divergence import DivergenceError
from hebbian_descent.storage.models import ModelFileError, load, pack, restored, unpack

LONGEST_LOAD = 2.0
"""Processor time in seconds, for the longest header that is read at all."""
LONGEST_MESSAGE = 2000
LONGEST_FREE_PHASE = 100
"""Steps of contrastive learning that a trial waits for."""


def trial(number: int, folder: Path) -> str:
    """Load one damaged or forged file; one in fifty is a real one, or something else under its path."""
    chance = Random(number)
    content = chance.choice(_files())
    is_damaged = chance.random() < 0.4
    if number % 2500 == 1:
        attempt = bomb(content, chance)
    else:
        attempt = damaged(content, chance) if is_damaged else forged(content, chance)
    refusal = ""
    began = time.process_time()
    try:
        model = restored(unpack(attempt)) if number % 50 else _load_file(attempt, folder, chance)
    except ModelFileError as error:
        refusal = str(error)
    seconds = time.process_time() - began
    assert seconds < LONGEST_LOAD, f"loading took {seconds:.1f} s"
    if refusal:
        assert refusal.isprintable(), "a message must not steer a terminal"
        assert len(refusal) < LONGEST_MESSAGE, "a message must be short"
        assert number % 50 or str(folder) in refusal, "a message must name the file"
        return "refused"
    again = _content(model)
    if again == content:
        return "loaded unchanged"
    assert not is_damaged, "a damaged file was loaded as another model"
    assert _content(restored(unpack(again))) == again, "a loaded model must be saved and loaded again"
    _must_work(model)
    return "loaded in order"


def _load_file(content: bytes, folder: Path, chance: Random) -> Any:
    """Load from a path under audit; there may be no file at all."""
    path = folder / chance.choice(["model", "\x1b[2J", "mödel"])
    kind = chance.randrange(5)
    if kind == 0:
        os.mkfifo(path)
    elif kind == 1:
        path.mkdir()
    elif kind == 2:
        path.symlink_to(chance.choice(["/dev/zero", "/dev/null", "/dev/tty", "."]))
    else:
        path.write_bytes(content)
    with watched(folder):
        try:
            return load(path)
        except OSError as error:  # a missing terminal
            raise ModelFileError(str(error)) from None


@cache
def _files() -> list[bytes]:
    rng = np.random.default_rng(0)
    x, y = rng.random((8, 3)), np.arange(8) % 3
    memory = AssociativeMemory(3, 2, connectivity=rng.random((3, 2)) > 0.3)
    memory.store(x, x[:, :2])
    classifier, regressor = HebbianDescentClassifier, HebbianDescentRegressor
    plain: dict[str, Any] = {"epochs": 1, "batch_size": 4, "random_state": 0}
    named = classifier(**plain).fit(x, np.array(["a", "b", "é\n"])[y])
    named.feature_names_in_ = np.array(["one", "two", "\x1b[2J"], object)
    models = [
        Layer.create(3, 2, activation="leaky_rectifier", rng=rng),
        Layer.create(2, 2, activation="softmax", rng=rng, dtype=np.float32),
        Autoencoder.create(3, 2, rng=rng),
        memory,
        AssociativeMemory(3, auto="layer", learning_rate=0.5, offset_start=0.5),
        AssociativeMemory(3, auto="autoencoder", n_hidden=2, error="saturating"),
        classifier(**plain).fit(x, y),
        classifier(rule="covariance", **plain).fit(x.astype(np.float32), y.astype(np.uint8)),
        classifier(**plain).fit(x, y > 1),
        classifier(activation="sigmoid", **plain).fit(x, np.array(["a", "b", "c"], object)[y]),
        named,
        regressor(activation="sigmoid", **plain).fit(x, x[:, 0]),
        regressor(error="saturating", **plain).fit(x, x[:, :2]),
        HebbianDescentAutoencoder(n_hidden=2, **plain).fit(x),
        HebbianDescentAutoencoder(n_hidden=2, rule="contrastive", **plain).fit(x.astype(np.float32)),
    ]
    contents = [_content(model) for model in models]
    for content in contents:  # so that late imports happen before the audit
        _must_work(restored(unpack(content)))
    return contents


def _content(model: Any) -> bytes:
    return pack(type(model).__name__, *model._contents())


def _must_work(model: Any) -> None:
    """Use a model, and let it learn; it may diverge, since its numbers may be large."""
    assert repr(model)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        if isinstance(model, Layer):
            assert model.output(np.ones((1, model.n_inputs))).shape == (1, model.n_outputs)
        elif isinstance(model, Autoencoder):
            assert model.reconstruct(np.ones((1, model.n_inputs))).shape == (1, model.n_inputs)
        elif isinstance(model, AssociativeMemory):
            _memory_must_work(model)
        else:
            _estimator_must_work(model)


def _memory_must_work(memory: AssociativeMemory) -> None:
    x, n_stored = np.ones((1, memory.n_inputs)), memory.n_stored
    assert memory.recall(x).shape == (1, memory.n_outputs)
    if _is_quick(memory.learning.rule):
        try:
            memory.store(x, np.ones((1, memory.n_outputs)) if memory.auto is None else None)
            assert memory.n_stored == n_stored + 1
        except DivergenceError:
            pass


def _estimator_must_work(estimator: Any) -> None:
    from sklearn.base import clone

    x = np.ones((2, estimator.n_features_in_))
    assert clone(estimator).describe() == estimator.describe()
    if isinstance(estimator, HebbianDescentAutoencoder):
        y = None
        assert estimator.transform(x).shape == (2, len(estimator.components_))
    elif isinstance(estimator, HebbianDescentClassifier):
        y = estimator.classes_[[0, 0]]
        assert set(estimator.predict(x)) <= set(estimator.classes_)
    else:
        y = np.ones((2, len(estimator.weights_))[: estimator.target_ndim_])
        assert estimator.predict(x).shape == y.shape
    if not _is_quick(estimator.rule):
        return
    try:  # by mini-batches, which need no compilation
        estimator.set_params(warm_start=True, epochs=1, batch_size=2).fit(x, y)
        if y is None and estimator.centering != "mean":
            estimator.partial_fit(x)
    except DivergenceError:
        pass


def _is_quick(rule: Any) -> bool:
    return getattr(rule, "parameters", {}).get("steps", 1) <= LONGEST_FREE_PHASE


CAMPAIGN = Campaign(
    title="Forged and damaged model files",
    promise="each is refused in one sentence with its path, at once, or holds a model in order; nothing runs",
    trial=trial,
    goal=500_000,
    in_tests=3000,
    block=5000,
)
