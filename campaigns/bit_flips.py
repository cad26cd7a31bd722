"""Bits that flip on a disk, in the cells of stores and in model files."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random

import numpy as np

from campaigns.campaign import Campaign
from hebbian_descent import Autoencoder, Layer
from hebbian_descent.storage.models import ModelFileError, load, pack
from hebbian_descent.storage.results import DamagedCellError, Record, Store
from hebbian_descent.storage.results.folder import FORMAT, MARKER_NAME
from hebbian_descent.storage.results.parquet import to_parquet, with_checksum


def trial(number: int, folder: Path) -> str:
    """Flip one bit or several in a cell or a model file; the damage must be detected."""
    random = Random(number)
    return _trial_of_cell(random, folder) if number % 2 else _trial_of_model(random, folder / "model")


def _trial_of_cell(random: Random, folder: Path) -> str:
    key, content = _cell()
    (folder / f"{key}.parquet").write_bytes(_flipped(random, content))
    (folder / MARKER_NAME).write_text(json.dumps({"format": FORMAT}))
    store = Store(folder)
    [damaged] = store.damaged()
    try:
        store.read(key)
    except DamagedCellError as error:
        assert str(error) == str(damaged)  # noqa: PT017
        return "cell refused"
    raise AssertionError("a damaged cell was read")


def _trial_of_model(random: Random, path: Path) -> str:
    content = random.choice(_models())
    path.write_bytes(_flipped(random, content))
    try:
        found = load(path)
    except ModelFileError:
        return "model refused"
    found.save(path)
    assert path.read_bytes() == content, "a damaged model was read as another one"
    return "model with the same content"


def _flipped(random: Random, content: bytes) -> bytes:
    flipped = bytearray(content)
    places = random.sample(range(8 * len(content)), random.choice((1, 1, 1, 2, 3)))
    for place in places:
        flipped[place // 8] ^= 1 << place % 8
    return bytes(flipped)


@cache
def _cell() -> tuple[str, bytes]:
    error = np.random.default_rng(0).random(20)
    key, content = to_parquet(Record({"cell": 1}, {"trial": np.arange(20)}, {"error": error}))
    return key, with_checksum(content, key)


@cache
def _models() -> list[bytes]:
    weights = np.random.default_rng(0).random((4, 3))
    models = {"Layer": Layer.from_weights(weights), "Autoencoder": Autoencoder.from_weights(weights)}
    return [pack(kind, *model._contents()) for kind, model in models.items()]


CAMPAIGN = Campaign(
    title="Flipped bits in cells and model files",
    promise="the file is refused, or what it holds is unchanged",
    trial=trial,
    goal=1000,
    in_tests=200,
)
