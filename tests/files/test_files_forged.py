"""Forged files of every class: each part replaced by each hostile value, with the right checksum."""

import os
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from campaigns.forged_model_files import models, must_work
from campaigns.model_forgery import places
from hebbian_descent.storage.models import (
    KINDS,
    ModelFileError,
    pack,
    read_model,
    restored,
    unpack,
    write_model,
)
from hebbian_descent.storage.models.contents import from_json
from hebbian_descent.streams import Checkpoint, Encoding, Source, learn_block, predict_block
from hebbian_descent.streams.progressive import Position

MEMBER = {"$member": {"list": "Activation", "name": "sigmoid", "parameters": {}}}
OTHER_MEMBER = {"$member": {"list": "Rule", "name": "hebb", "parameters": {}}}
VALUES = [
    *(None, True, False, 0, 1, -1, 3, 2**53, 2**53 + 1, 2**62, 0.5, -0.5, 1.5, 1e308, 5e-324),
    *("", "0.5", "auto", "moving", "x" * 500, "\x1b[2J", float("nan"), float("inf")),
    *([], [0], [0.5, 0.5], ["a"], [[]], [[["a"]]], {}, {"a": 1}, {"$member": {}}, {"$strings": {}}),
    *(MEMBER, OTHER_MEMBER, [MEMBER], {"$strings": {"object": True, "values": ["a", "b", "c"]}}),
]
"""In place of any part of the parameters. (NaN and infinity never pass the parser.)"""


def forged_parameters(parameters) -> Iterator[dict]:
    """Yield parameters with each part replaced, removed, or joined by another."""
    for *way, last in places(parameters):
        for value in [*VALUES, "removed", "added"]:
            changed = deepcopy(parameters)
            holder = changed
            for key in way:
                holder = holder[key]
            if value == "removed":
                del holder[last]
            elif value != "added":
                holder[last] = value
            elif isinstance(holder, dict):
                holder["more"] = 1
            else:
                holder.append(holder[last])
            yield changed


def forged_arrays(arrays) -> Iterator[dict]:
    """Yield arrays with each of another shape or dtype, extreme, removed, doubled or renamed."""
    for name, array in arrays.items():
        others = {each: arrays[each] for each in arrays if each != name}
        yield others
        yield {**others, "more": array}
        yield {**arrays, "more": array}
        for shape in ((1,), (1, 1), (4,), (3, 2), (2, 3), (6, 6), (9, 9), (1, 2, 3)):
            yield {**arrays, name: np.ones(shape, array.dtype)}
        for dtype in (np.float64, np.float32, np.int64, np.int8, np.uint8, np.bool_):
            yield {**arrays, name: array.astype(dtype)}
        for value in (0, 1, -1, 0.3, 1e300, -1e300):
            with np.errstate(all="ignore"):
                changed = np.full(array.shape, value).astype(array.dtype)
            if np.isfinite(changed).all():
                yield {**arrays, name: changed}


MODELS = {f"{type(model).__name__}-{number}": model for number, model in enumerate(models())}


def test_every_class_is_forged():
    assert {type(model).__name__ for model in MODELS.values()} == set(KINDS)


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_forged_model_works_or_is_refused_by_the_one_exception(model):
    found = unpack(pack(type(model).__name__, *model._contents()))
    must_work(restored(found))
    forgeries = [replace(found, parameters=changed) for changed in forged_parameters(found.parameters)]
    forgeries += [replace(found, arrays=changed) for changed in forged_arrays(found.arrays)]
    forgeries += [replace(found, kind=kind) for kind in KINDS]
    wrong = {}
    for forged in forgeries:
        try:
            loaded = restored(replace(forged, arrays=deepcopy(forged.arrays)))
        except ModelFileError:
            continue
        except Exception as error:
            wrong[f"load: {error!r}"] = forged
            continue
        try:
            must_work(loaded)
        except Exception as error:
            wrong[f"use: {error!r}"] = forged
    assert not wrong, "\n".join(f"{what}: {forged.parameters}" for what, forged in wrong.items())


def test_a_forged_stream_goes_on_or_is_refused_by_the_one_exception(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)  # a thousand files
    (tmp_path / "rows.csv").write_text("a,b,y\n1,red,0\n2,blue,1\n" * 3)
    source = Source.of(str(tmp_path / "rows.csv"))
    block = next(source.blocks())
    stream = Checkpoint.new(Encoding.of(block, source, target="y"), {"random_state": 0})
    all(learn_block(stream, block))
    stream.save(tmp_path / "model")
    found = read_model(tmp_path / "model")
    for attached in forged_parameters(found.attached):
        with suppress(ValueError):  # infinity, which is never written
            write_model(tmp_path / "forged", found.kind, from_json(found.parameters), found.arrays, attached)
        try:
            loaded = Checkpoint.load(tmp_path / "forged")
            loaded.encoding.check_columns(block, source, with_target=True)
        except ValueError:  # a ModelFileError, or another file than the encoding's
            continue
        assert len(predict_block(loaded, block)) == len(block)
        loaded.position = Position()
        all(learn_block(loaded, block))
        loaded.save(tmp_path / "again")
