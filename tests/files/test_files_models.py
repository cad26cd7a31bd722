"""Models come back from files as they were, bit for bit, and nothing else comes out of files."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import safetensors.numpy

from hebbian_descent import (
    ACTIVATIONS,
    Activation,
    AssociativeMemory,
    Autoencoder,
    Layer,
    get_activation,
)
from hebbian_descent.rules import get_auto_rule
from hebbian_descent.storage import models
from hebbian_descent.storage.models import ModelFileError, pack, read_model, unpack, write_model
from hebbian_descent.storage.models.container import KEY, LARGEST_HEADER

RNG = np.random.default_rng(0)
X = RNG.random((5, 4))


def new_layer(**settings):
    return Layer.create(4, 3, rng=np.random.default_rng(1), offset=RNG.random(4), **settings)


def assert_same(found, model):
    assert type(found) is type(model)
    expected_parameters, expected = model._contents()
    parameters, arrays = found._contents()
    assert parameters == expected_parameters
    assert arrays.keys() == expected.keys()
    for name, array in arrays.items():
        assert array.dtype == expected[name].dtype
        np.testing.assert_array_equal(array, expected[name])


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_layer_comes_back_with_every_activation(name, dtype, tmp_path):
    layer = new_layer(activation=name, dtype=dtype)
    layer.save(tmp_path / "layer.safetensors")
    found = Layer.load(tmp_path / "layer.safetensors")
    assert_same(found, layer)
    assert found.activation is layer.activation
    np.testing.assert_array_equal(found.output(X.astype(dtype)), layer.output(X.astype(dtype)))


def test_parameters_of_an_activation_come_back(tmp_path):
    layer = new_layer(activation=get_activation("leaky_rectifier", slope=0.125))
    layer.save(tmp_path / "file")
    assert Layer.load(tmp_path / "file").activation.parameters["slope"] == 0.125


def test_an_autoencoder_comes_back(tmp_path):
    network = Autoencoder.create(
        4, 2, hidden_activation="rectifier", offset=0.5, rng=np.random.default_rng(0)
    )
    network.save(tmp_path / "file")
    assert_same(Autoencoder.load(tmp_path / "file"), network)


DECODER_PART = get_auto_rule("gradient_descent", part="decoder")
MEMORIES = {
    "pairs": {"n_outputs": 4, "weight_decay": 0.1},
    "fixed rate and offset": {"n_outputs": 4, "learning_rate": 0.3, "centering": [0.1, 0.2, 0.3, 0.4]},
    "paper's offset": {"n_outputs": 4, "offset_start": 0.5, "rule": "gradient_descent"},
    "mask": {"auto": "layer", "connectivity": ~np.eye(4, dtype=bool)},
    "autoencoder": {
        "auto": "autoencoder",
        "n_hidden": 3,
        "rule": get_auto_rule("gradient_descent", part="decoder"),
    },
}


@pytest.mark.parametrize("settings", MEMORIES.values(), ids=MEMORIES)
def test_a_memory_comes_back_and_goes_on_learning_as_if_nothing_had_been(settings, tmp_path):
    memory = AssociativeMemory(4, **settings)
    pairs = (X, X[::-1]) if settings.get("auto") is None else (X,)
    memory.store(*pairs)
    memory.save(tmp_path / "file")
    found = AssociativeMemory.load(tmp_path / "file")
    assert_same(found, memory)
    memory.store(*pairs)
    found.store(*pairs)
    assert found.n_stored == 10
    np.testing.assert_array_equal(found.recall(X), memory.recall(X))


def test_the_same_model_has_the_same_bytes_and_other_programs_can_read_them():
    layer = new_layer()
    contents = [pack("Layer", *layer._contents()) for _ in range(3)]
    assert len(set(contents)) == 1
    np.testing.assert_array_equal(safetensors.numpy.load(contents[0])["weights"], layer.weights)


def test_arrays_that_are_views_are_saved_as_they_look(tmp_path):
    layer = Layer(RNG.random((3, 4)).T, RNG.random(6)[::2], RNG.random(8)[::-2], get_activation("sigmoid"))
    layer.save(tmp_path / "file")
    assert_same(Layer.load(tmp_path / "file"), layer)


def test_load_reads_any_class_and_a_class_only_its_own(tmp_path):
    layer = new_layer()
    layer.save(tmp_path / "file")
    assert_same(models.load(tmp_path / "file"), layer)
    with pytest.raises(ModelFileError, match=r"must hold a model of Autoencoder. Got one of Layer"):
        Autoencoder.load(tmp_path / "file")


def test_a_class_that_registers_itself_can_be_saved(tmp_path, monkeypatch):
    monkeypatch.setattr(models, "KINDS", dict(models.KINDS))

    @models.saveable
    class Scale(models.Saved):
        def __init__(self, factors):
            self.factors = factors

        def _contents(self):
            return {"unit": "mV"}, {"factors": self.factors}

        @classmethod
        def _from_contents(cls, parameters, arrays):
            models.require_names(parameters, ("unit",), "parameters")
            models.require_floats(arrays, {"factors": "N"})
            return cls(arrays["factors"])

    Scale(np.arange(3.0)).save(tmp_path / "file")
    np.testing.assert_array_equal(Scale.load(tmp_path / "file").factors, np.arange(3.0))
    assert type(models.load(tmp_path / "file")) is Scale


# What cannot be saved


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"activation": Activation("mine", np.tanh)}, r"Got a custom 'mine' in parameters.activation"),
        ({"bias": np.array([np.nan, 0, 0])}, r"numbers of 'bias' must be finite"),
        ({"bias": np.zeros(3, np.float16)}, r"must be of .*Got 'bias' of float16"),
        ({"bias": np.zeros((0, 3))}, r"none of them empty. Got 'bias' of shape \(0, 3\)"),
    ],
)
def test_what_cannot_be_saved_leaves_the_old_file_alone(change, message, tmp_path):
    layer = new_layer()
    layer.save(tmp_path / "file")
    before = (tmp_path / "file").read_bytes()
    for name, value in change.items():
        setattr(layer, name, value)
    with pytest.raises(ModelFileError, match=message):
        layer.save(tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == before
    assert os.listdir(tmp_path) == ["file"]


def test_a_subclass_is_not_saved_under_the_name_of_another(tmp_path):
    class Mine(Layer):
        pass

    Mine.__name__ = "Layer"
    with pytest.raises(ValueError, match=r"class of a model to save must be one of"):
        Mine(*new_layer()._contents()[1].values(), get_activation("sigmoid")).save(tmp_path / "file")
    with pytest.raises(ValueError, match=r"must be one of .*Got 'dict'"):
        models.save({}, tmp_path / "file")


def test_a_disk_that_fails_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    layer = new_layer()
    layer.save(tmp_path / "file")
    before = layer.weights.copy()
    layer.weights += 1

    def fail(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        layer.save(tmp_path / "file")
    monkeypatch.undo()
    assert os.listdir(tmp_path) == ["file"]
    np.testing.assert_array_equal(Layer.load(tmp_path / "file").weights, before)


# What is no model


def header_of(content):
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length]), content[8 + length :]


def with_header(header, data):
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def changed(**changes):
    """Return the file of a layer whose own header says something else."""
    header, data = header_of(pack("Layer", *new_layer()._contents()))
    header["__metadata__"][KEY] = json.dumps({**json.loads(header["__metadata__"][KEY]), **changes})
    return with_header(header, data)


def with_array(**changes):
    """Return the file of a layer whose header says something else of its bias."""
    header, data = header_of(pack("Layer", *new_layer()._contents()))
    header["bias"].update(changes)
    return with_header(header, data)


def with_text(text):
    return len(text).to_bytes(8, "little") + text


GOOD = pack("Layer", *new_layer()._contents())
NO_MODELS = {
    "empty": (b"", r"at least 8 bytes. Got 0"),
    "text": (b"just a few words\n", r"not a model file, or it is damaged"),
    "huge header": ((2**63).to_bytes(8, "little") + b"{}", r"must have at most 2097152 bytes"),
    "header beyond the end": ((1000).to_bytes(8, "little") + b"{}", r"it was cut off"),
    "not json": ((2).to_bytes(8, "little") + b"{[", r"header of a model file must be JSON"),
    "deep json": (with_text(b"[" * 100_000), r"header of a model file must be JSON"),
    "deep words": (changed(parameters=json.loads("[" * 400 + "]" * 400)), r"nested more than 20 levels"),
    "many numbers": (with_text(b"[" + b"0," * 10**6 + b"0]"), r"more than 10000 numbers and lists"),
    "many keys": (changed(parameters=dict.fromkeys(map(str, range(10**5)), 0)), r"more than 10000 numbers"),
    "number alone": (with_text(b"99"), r"must be a JSON object"),
    "long number": (with_text(b"9" * 10**6), r"9 is too large"),
    "long fraction": (with_text(b"9" * 10**6 + b".5"), r"a number is too large"),
    "infinite number": (changed(parameters={"a": float("inf")}), r"Infinity is not a JSON number"),
    "doubled key": (with_text(b'{"a":{},"a":{}}'), r"a key appears twice"),
    "other letters": (with_text('{"a":{}}'.encode("utf-16")), r"must be JSON"),
    "no bytes": (with_array(shape=[0, 2**62]), r"none of them empty. Got shape \[0, 4611686018427387904\]"),
    "too many axes": (with_array(shape=[1] * 64 + [3]), r"must have at most 8 axes"),
    "negative axis": (with_array(shape=[-3, -1]), r"must have at most 8 axes"),
    "too many numbers": (with_array(shape=[2**62, 2**62]), r"must take \d+ bytes. Got data_offsets \["),
    "place": (
        with_array(data_offsets=[8, 32]),
        r"must lie side by side. Got one at byte \d+ where byte \d+ is free",
    ),
    "place without end": (with_array(data_offsets=[0]), r"must take 24 bytes. Got data_offsets \[0\]"),
    "numbers": (with_array(dtype="F16"), r"numbers of 'bias' must be of F64, .*Got 'F16'"),
    "no entry": (with_header({**header_of(GOOD)[0], "more": 1}, b""), r"must have dtype, shape and data_off"),
    "array's name": (with_header({**header_of(GOOD)[0], "../a": 1}, b""), r"name of an array .*Got '../a'"),
    "cut off": (GOOD[:-1], r"must be whole"),
    "with more behind": (GOOD + b"\0", r"or something was added"),
    "one bit": (GOOD[:-1] + bytes([GOOD[-1] ^ 1]), r"another checksum: it is damaged"),
    "foreign": (safetensors.numpy.save({"weights": X}), r"of another program"),
    "foreign words": (
        safetensors.numpy.save({"weights": X}, {"format": "pt"}),
        r"of another program",
    ),
    "newer": (changed(format=2), r"Got format 2: try pip install --upgrade hebbian-descent"),
    "no format": (changed(format="1"), r"must state its format"),
    "version": (changed(version="\x1b[2J"), r"must hold checksum, format, kind, parameters, version"),
    "one field more": (changed(code="import os"), r"must hold checksum, format, kind, parameters, version"),
}


@pytest.mark.parametrize(("content", "message"), NO_MODELS.values(), ids=NO_MODELS)
def test_what_is_no_model_is_refused_in_one_sentence(content, message, tmp_path):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(ModelFileError, match=message) as caught:
        Layer.load(tmp_path / "file")
    assert str(caught.value).startswith(str(tmp_path / "file"))
    assert "\n" not in str(caught.value)


MEMORY = AssociativeMemory(3, 2, connectivity=np.eye(3, 2))


@pytest.mark.parametrize(
    "content", [GOOD, pack("AssociativeMemory", *MEMORY._contents())], ids=["layer", "memory"]
)
def test_every_file_that_is_cut_off_is_refused(content):
    for end in range(len(content)):
        with pytest.raises(ModelFileError):
            unpack(content[:end])


ARRAYS = new_layer()._contents()[1]
PARAMETERS = {"activation": get_activation("sigmoid")}
FORGED = {
    "class": ("Pickle", PARAMETERS, ARRAYS, r"class in a model file must be one of .*Got 'Pickle'"),
    "shape": (
        "Layer",
        PARAMETERS,
        {**ARRAYS, "bias": np.ones(4)},
        r"fit together. Got \(4,\) for 'bias'",
    ),
    "parameters": ("AssociativeMemory", {"network": 1}, ARRAYS, r"The parameters must be auto, learning"),
    "lists": ("Layer", {"activation": [1]}, ARRAYS, r"activation must be one of the package's. Got \[1\]"),
    "dtype": ("Layer", PARAMETERS, {**ARRAYS, "bias": np.ones(3, np.int64)}, r"one floating dtype"),
    "mixed": ("Layer", PARAMETERS, {**ARRAYS, "bias": np.ones(3, np.float32)}, r"one floating dtype"),
    "array more": (
        "Layer",
        PARAMETERS,
        {**ARRAYS, "more": np.ones(3)},
        r"arrays must be bias, offset",
    ),
    "array less": (
        "Layer",
        PARAMETERS,
        {"weights": ARRAYS["weights"]},
        r"arrays must be bias, offset",
    ),
    "parameter more": ("Layer", {**PARAMETERS, "run": "rm"}, ARRAYS, r"parameters must be activation"),
    "activation": ("Layer", {"activation": "sigmoid"}, ARRAYS, r"activation must be one of the package"),
}


@pytest.mark.parametrize(("kind", "parameters", "arrays", "message"), FORGED.values(), ids=FORGED)
def test_a_forged_model_with_the_right_checksum_is_refused(kind, parameters, arrays, message, tmp_path):
    write_model(tmp_path / "file", kind, parameters, arrays)
    with pytest.raises(ModelFileError, match=message):
        models.load(tmp_path / "file")


def test_weights_that_are_no_numbers_are_refused_even_with_the_right_checksum(tmp_path, monkeypatch):
    monkeypatch.setattr("hebbian_descent.storage.models.arrays.must_be_finite", lambda name, array: None)
    content = pack("Layer", PARAMETERS, {**ARRAYS, "bias": np.array([0, np.nan, 0])})
    monkeypatch.undo()
    with pytest.raises(ModelFileError, match=r"numbers of 'bias' must be finite"):
        unpack(content)


def test_a_mask_must_agree_with_the_weights(tmp_path):
    memory = AssociativeMemory(2, 2, connectivity=np.eye(2))
    parameters, arrays = memory._contents()
    write_model(tmp_path / "file", "AssociativeMemory", parameters, {**arrays, "weights": np.ones((2, 2))})
    with pytest.raises(ModelFileError, match=r"absent synapse must have weight 0"):
        AssociativeMemory.load(tmp_path / "file")


def test_a_large_file_of_holes_is_not_read(tmp_path):
    path = tmp_path / "holes"
    with path.open("wb") as file:
        file.write(GOOD)
        file.truncate(2**40)  # a terabyte that takes no room
    with pytest.raises(ModelFileError, match=r"something was added"):
        read_model(path)


@pytest.mark.skipif(os.name != "posix", reason="a process cannot be kept from memory")
def test_arrays_that_do_not_fit_into_memory_are_refused(tmp_path):
    n_bytes = 2**33
    header, _ = header_of(GOOD)
    entry = {"dtype": "U8", "shape": [n_bytes], "data_offsets": [0, n_bytes]}
    with (tmp_path / "file").open("wb") as file:
        file.write(with_header({"__metadata__": header["__metadata__"], "bias": entry}, b""))
        file.truncate(file.tell() + n_bytes)  # holes that take no room
    code = (
        "import resource, sys\n"
        "import hebbian_descent\n"
        f"resource.setrlimit(resource.RLIMIT_AS, ({n_bytes}, {n_bytes}))\n"
        "try:\n"
        "    hebbian_descent.load(sys.argv[1])\n"
        "except hebbian_descent.storage.models.ModelFileError as error:\n"
        "    print(error)\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "file")]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.strip().endswith("file: The model does not fit into memory.")


def test_a_large_header_is_not_read(tmp_path):
    path = tmp_path / "header"
    with path.open("wb") as file:
        file.write((LARGEST_HEADER + 1).to_bytes(8, "little"))
        file.truncate(2**40)
    with pytest.raises(ModelFileError, match=r"must have at most"):
        read_model(path)


def test_folders_pipes_and_missing_files(tmp_path):
    with pytest.raises(ModelFileError, match="must be read from a file"):
        read_model(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_model(tmp_path / "missing")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")  # opening it would wait for ever
        for path in (tmp_path / "pipe", "/dev/zero"):
            with pytest.raises(ModelFileError, match="must be read from a file"):
                read_model(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no such pipes")
def test_a_pipe_that_takes_the_place_of_a_file_is_not_waited_for(tmp_path, monkeypatch):
    """Whatever was found under a path before, something else may be there when it is opened."""
    new_layer().save(tmp_path / "file")
    os.mkfifo(tmp_path / "pipe")
    open_now = os.open

    def swap_and_open(*args):
        os.replace(tmp_path / "pipe", tmp_path / "file")
        return open_now(*args)

    monkeypatch.setattr(os, "open", swap_and_open)
    with pytest.raises(ModelFileError, match=r"file: A model must be read from a file"):
        Layer.load(tmp_path / "file")


def test_saving_and_loading_needs_neither_pickle_nor_the_classes_of_others(tmp_path):
    new_layer().save(tmp_path / "file")
    code = (
        "import sys\n"
        "from hebbian_descent import Layer\n"
        f"Layer.load({str(tmp_path / 'file')!r})\n"
        "print([name for name in ('sklearn', 'numba', 'hebbian_descent.sweep') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
