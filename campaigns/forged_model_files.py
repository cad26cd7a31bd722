"""Model files that were damaged, or forged with a correct checksum."""

from __future__ import annotations

import os
import time
import warnings
from contextlib import suppress
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
from hebbian_descent.learning.noise import Noise
from hebbian_descent.memory import (
    Area,
    Chain,
    DenseAssociativeMemory,
    HopfieldMemory,
    PseudoInverseMemory,
    SparseDistributedMemory,
    WillshawMemory,
    random_projection,
)
from hebbian_descent.memory.base import Memory
from hebbian_descent.storage.models import ModelFileError, load, pack, restored, unpack

LONGEST_LOAD = 2.0
"""Processor time in seconds, for the longest header that is read at all."""
LONGEST_MESSAGE = 2000
LARGEST = 10**6
"""Units of a model that a trial uses."""
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
    must_work(model)
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
    contents = [_content(model) for model in models()]
    for content in contents:  # so that late imports happen before the audit
        must_work(restored(unpack(content)))
    return contents


def models() -> list[Any]:
    """Return models of every class that can be saved, in their variants."""
    rng = np.random.default_rng(0)
    x, y = rng.random((8, 3)), np.arange(8) % 3
    bits = np.eye(3)[y]
    classifier, regressor = HebbianDescentClassifier, HebbianDescentRegressor
    plain: dict[str, Any] = {"epochs": 1, "batch_size": 4, "random_state": 0}
    named = classifier(**plain).fit(x, np.array(["a", "b", "é\n"])[y])
    named.feature_names_in_ = np.array(["one", "two", "\x1b[2J"], object)
    stream = regressor(**plain, average=True)
    stream.partial_fit(x, x[:, 0])
    return [
        Layer.create(3, 2, activation="leaky_rectifier", rng=rng),
        Layer.create(2, 2, activation="softmax", rng=rng, dtype=np.float32),
        Autoencoder.create(3, 2, rng=rng),
        _stored(AssociativeMemory(3, 2, connectivity=rng.random((3, 2)) > 0.3), x, x[:, :2]),
        _stored(AssociativeMemory(3, 2, constraints="bounds", noise=Noise(weights=0.1)), x, x[:, :2]),
        _stored(AssociativeMemory(3, 2, rule="bcm"), x, x[:, :2]),
        _stored(AssociativeMemory(3, 2, rule="covariance"), x, x[:, :2]),
        AssociativeMemory(3, auto="layer", learning_rate=0.5, offset_start=0.5),
        _stored(AssociativeMemory(3, auto="autoencoder", n_hidden=2, error="saturating"), x),
        _stored(HopfieldMemory(3), 2 * bits - 1),
        _stored(HopfieldMemory(3, activity=0.3), bits),
        _stored(WillshawMemory(3, 2, n_winners=1), bits, bits[:, :2]),
        _stored(PseudoInverseMemory(3, 2), x, x[:, :2]),
        _stored(PseudoInverseMemory(3), x),
        _stored(SparseDistributedMemory(3, n_locations=9, radius=1), bits),
        DenseAssociativeMemory(3),
        _stored(DenseAssociativeMemory(3, beta=2.0), x),
        _stored(DenseAssociativeMemory(3, power=2), 2 * bits - 1),
        _stored(
            Chain(
                [Area("in", 3), Area("code", 6, winners=2), Area("out", 2)],
                [random_projection(3, 6, seed=0), AssociativeMemory(6, 2)],
                recurrent={"code": AssociativeMemory(6, 6)},
            ),
            x,
            x[:, :2],
        ),
        classifier(**plain).fit(x, y),
        classifier(rule="covariance", **plain).fit(x.astype(np.float32), y.astype(np.uint8)),
        classifier(**plain).fit(x, y > 1),
        classifier(activation="sigmoid", error="difference", **plain).fit(x, bits.astype(int)),
        classifier(activation="sigmoid", **plain).fit(x, np.array(["a", "b", "c"], object)[y]),
        named,
        stream,
        regressor(activation="sigmoid", **plain).fit(x, x[:, 0]),
        regressor(error="saturating", **plain).fit(x, x[:, :2]),
        HebbianDescentAutoencoder(n_hidden=2, **plain).fit(x),
        HebbianDescentAutoencoder(n_hidden=2, rule="contrastive", **plain).fit(x.astype(np.float32)),
    ]


def _stored(memory: Any, *patterns: Any) -> Any:
    memory.store(*patterns)
    return memory


def _content(model: Any) -> bytes:
    return pack(type(model).__name__, *model._contents())


def must_work(model: Any) -> None:
    """Use a model, and let it learn; it may diverge, since its numbers may be large."""
    assert repr(model)
    if getattr(model, "n_inputs", 0) > LARGEST:  # a memory without patterns may have any number of units
        return
    with warnings.catch_warnings(), np.errstate(all="ignore"), suppress(DivergenceError):
        warnings.simplefilter("ignore")
        if isinstance(model, Layer):
            assert model.output(np.ones((1, model.n_inputs))).shape == (1, model.n_outputs)
        elif isinstance(model, Autoencoder):
            assert model.reconstruct(np.ones((1, model.n_inputs))).shape == (1, model.n_inputs)
        elif isinstance(model, Memory):
            _memory_must_work(model)
        else:
            _estimator_must_work(model)


def _memory_must_work(memory: Any) -> None:
    x, n_stored = np.ones((1, memory.n_inputs)), memory.n_stored
    assert memory.recall(x).shape == (1, memory.n_outputs)
    rules = [part.learning.rule for part in (memory, *getattr(memory, "projections", ())) if _learns(part)]
    if all(map(_is_quick, rules)):
        given = {area.name: np.ones((1, area.n_units)) for area in getattr(memory, "areas", ())[1:-1]}
        targets = () if memory.is_auto else (np.ones((1, memory.n_outputs)),)
        memory.store(x, *targets, **({"given": given} if given else {}))
        assert memory.n_stored == n_stored + 1


def _learns(part: Any) -> bool:
    return isinstance(part, AssociativeMemory)


def _estimator_must_work(estimator: Any) -> None:
    from sklearn.base import clone

    x = np.ones((2, estimator.n_features_in_))
    assert clone(estimator).describe() == estimator.describe()
    if isinstance(estimator, HebbianDescentAutoencoder):
        y = None
        assert estimator.transform(x).shape == (2, len(estimator.components_))
    elif isinstance(estimator, HebbianDescentClassifier):
        y = estimator.predict(x)
        if y.ndim == 1:
            y = estimator.classes_[[0, 0]]
            assert set(estimator.predict(x)) <= set(estimator.classes_)
    else:
        y = np.ones((2, len(estimator.weights_))[: estimator.target_ndim_])
        assert estimator.predict(x).shape == y.shape
    if _is_quick(estimator.rule):
        if hasattr(estimator, "partial_fit"):
            estimator.partial_fit(x, y)
        # by mini-batches, which need no compilation
        estimator.set_params(warm_start=True, epochs=1, batch_size=2).fit(x, y)


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
