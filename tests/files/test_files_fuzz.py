"""Fifty thousand damaged and forged files: each is refused in one way, or holds a model in order."""

import json
import random

import numpy as np
import pytest

from hebbian_descent import AssociativeMemory, Autoencoder, Layer
from hebbian_descent.files import ModelFileError, container, pack, unpack
from hebbian_descent.files.arrays import DTYPES
from hebbian_descent.files.header import KEY
from hebbian_descent.files.registry import restored

N_DAMAGED, N_FORGED = 30_000, 24_000
RNG = np.random.default_rng(0)


def models():
    memory = AssociativeMemory(3, 2, connectivity=RNG.random((3, 2)) > 0.3)
    memory.store(RNG.random((4, 3)), RNG.random((4, 2)))
    return [
        Layer.create(3, 2, activation="leaky_rectifier", rng=RNG),
        Layer.create(2, 2, activation="softmax", rng=RNG, dtype=np.float32),
        Autoencoder.create(3, 2, rng=RNG),
        memory,
        AssociativeMemory(3, auto="autoencoder", n_hidden=2, error="saturating"),
    ]


FILES = [pack(type(model).__name__, *model._contents()) for model in models()]


def arrays_of(model):
    return model._contents()[1]


def damaged(content, chance):
    """Return bytes with a few of them changed, cut out, doubled or put in."""
    changed = bytearray(content)
    for _ in range(chance.choice([1, 1, 1, 2, 5, 20])):
        place = chance.randrange(len(changed)) if changed else 0
        kind = chance.randrange(6)
        if kind == 0 and changed:
            changed[place] ^= 1 << chance.randrange(8)
        elif kind == 1 and changed:
            changed[place] = chance.choice([0, 255, 34, 44, 48, 57, 91, 92, 93, 123, 125, 128])
        elif kind == 2:
            del changed[place : place + chance.randrange(1, 40)]
        elif kind == 3:
            changed[place:place] = chance.randbytes(chance.randrange(1, 12))
        elif kind == 4:
            del changed[place:]
        else:
            changed[place:place] = changed[place : place + chance.randrange(1, 60)]
    return bytes(changed)


def test_damaged_files_are_refused_or_hold_what_was_written():
    chance = random.Random(1)
    originals = [restored(unpack(content)) for content in FILES]
    for number in range(N_DAMAGED):
        which = number % len(FILES)
        try:
            found = restored(unpack(damaged(FILES[which], chance)))
        except ModelFileError:
            continue
        expected = arrays_of(originals[which])
        assert type(found) is type(originals[which])
        for name, array in arrays_of(found).items():
            np.testing.assert_array_equal(array, expected[name])


HOSTILE_VALUES = [
    *(None, True, False, 0, -1, 1, 2, 3, 2**31, 2**63, 2**64, -(2**70), 0.5, -0.5, 1e308),
    *(
        "",
        "layer",
        "autoencoder",
        "sigmoid",
        "../../etc/passwd",
        "os:system",
        "__class__",
        "\x1b[2J",
        "\ud800",
    ),
    *("x" * 500, [], [[]], {}, [0], [3, 2], [0, 2**63], [2**32, 2**32], {"$member": None}, {"$member": {}}),
    *({"$strings": {}}, {"$strings": {"object": False, "values": ["a"]}}),
    {"$member": {"list": "Activation", "name": "sigmoid", "parameters": {"slope": 1}}},
    {"$member": {"list": "Activation", "name": "leaky_rectifier", "parameters": {"slope": -1}}},
    {"$member": {"list": "Rule", "name": "covariance", "parameters": {}}},
    {"$member": {"list": "AutoRule", "name": "hebbian_descent", "parameters": {"target_activity": [[1]]}}},
    {"$member": {"list": "ErrorTerm", "name": "leaky_hinge", "parameters": {"leak": "1"}}},
    *("F64", "F32", "F16", "I64", "BOOL", "U8", "C64", "F8_E4M3"),
]
WORDS = ["weights", "bias", "offset", "connectivity", "../weights", "kind", "parameters", "format", ""]


def places(value, path=()):
    """Yield the way to every part of a nested value."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*path, key))
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from places(part, (*path, number))


def forged(value, chance):
    """Return a copy of a nested value with one part replaced, removed, renamed or added."""
    changed = json.loads(json.dumps(value))
    path = chance.choice([path for path in places(value) if path])
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    kind = chance.randrange(8)
    if kind == 0 and isinstance(holder, dict):
        del holder[path[-1]]
    elif kind == 1 and isinstance(holder, dict):
        holder[chance.choice(WORDS)] = holder.pop(path[-1])
    elif kind == 2 and isinstance(holder, dict):
        holder[chance.choice(WORDS)] = chance.choice(HOSTILE_VALUES)
    else:
        holder[path[-1]] = chance.choice(HOSTILE_VALUES)
    return changed


def reassembled(content, chance):
    """Forge the header of a file, or its numbers, and seal it again with the right checksum."""
    length = int.from_bytes(content[:8], "little")
    header, data = json.loads(content[8 : 8 + length]), bytearray(content[8 + length :])
    ours = json.loads(header["__metadata__"][KEY])
    tensors = {name: entry for name, entry in header.items() if name != "__metadata__"}
    kind = chance.randrange(4)
    if kind == 0:
        tensors = forged(tensors, chance)
    elif kind == 1 and data:
        special = chance.choice([np.nan, np.inf, -np.inf, 1e300, -0.0, 5e-324])
        place = 8 * chance.randrange(len(data) // 8)
        data[place : place + 8] = np.float64(special).tobytes()
    else:
        ours = forged(ours, chance)
    return sealed(ours, tensors, bytes(data), chance)


def sealed(ours, tensors, data, chance):
    if isinstance(ours, dict) and "checksum" in ours and chance.random() < 0.9:
        described = {name: value for name, value in ours.items() if name != "checksum"}
        arrays = {}
        for name, entry in tensors.items() if isinstance(tensors, dict) else ():
            try:
                start, end = entry["data_offsets"]
                values = np.frombuffer(data[start:end], DTYPES[entry["dtype"]])
                arrays[name] = values.reshape(entry["shape"])
            except (TypeError, KeyError, ValueError, OverflowError, IndexError):
                break
        ours["checksum"] = container._checksum(described, arrays)
    metadata = {"__metadata__": {KEY: json.dumps(ours)}}
    text = json.dumps({**metadata, **tensors} if isinstance(tensors, dict) else tensors).encode()
    return len(text).to_bytes(8, "little") + text + data


def test_forged_files_are_refused_or_hold_a_model_in_order():
    chance = random.Random(2)
    n_loaded = 0
    for number in range(N_FORGED):
        content = reassembled(FILES[number % len(FILES)], chance)
        try:
            found = restored(unpack(content))
        except ModelFileError:
            continue
        n_loaded += 1
        must_work(found)
    assert (
        0.01 * N_FORGED < n_loaded < 0.5 * N_FORGED
    )  # the forger gets past the checksum, and not past the rest


def must_work(model):
    """A model that was loaded computes: its arrays fit together, and it can be saved again."""
    arrays = arrays_of(model)
    assert all(np.isfinite(array).all() for array in arrays.values())
    x = np.zeros((1, len(arrays["weights"])))
    with np.errstate(all="ignore"):
        if isinstance(model, Layer):
            assert model.output(x).shape == (1, model.n_outputs)
        elif isinstance(model, Autoencoder):
            assert model.reconstruct(x).shape == x.shape
        else:
            assert model.recall(x).shape == (1, model.n_outputs)
    again = restored(unpack(pack(type(model).__name__, *model._contents())))
    for name, array in arrays_of(again).items():
        np.testing.assert_array_equal(array, arrays[name])


@pytest.mark.parametrize("content", FILES, ids=["leaky", "softmax32", "autoencoder", "memory", "auto"])
def test_every_file_that_is_cut_off_is_refused(content):
    for end in range(len(content)):
        with pytest.raises(ModelFileError):
            unpack(content[:end])
