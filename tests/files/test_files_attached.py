"""What a program attaches to a model file comes back, and leaves the model as it is."""

import numpy as np
import pytest

from hebbian_descent import Layer, load
from hebbian_descent.storage.models import ModelFileError, pack, read_model, save, unpack

LAYER = Layer.create(3, 2, rng=np.random.default_rng(0))
ATTACHED = {"note": {"rows": 7, "names": ["a", "ä"], "error": 0.25}}


def test_it_comes_back_and_the_model_loads_as_usual(tmp_path):
    save(LAYER, tmp_path / "file", ATTACHED)
    assert read_model(tmp_path / "file").attached == ATTACHED
    np.testing.assert_array_equal(load(tmp_path / "file").weights, LAYER.weights)


def test_without_it_a_file_is_as_it_was():
    parameters, arrays = LAYER._contents()
    content = pack("Layer", parameters, arrays)
    assert pack("Layer", parameters, arrays, {}) == content
    assert b"attached" not in content
    assert unpack(content).attached == {}


def test_the_checksum_covers_it():
    content = pack("Layer", *LAYER._contents(), ATTACHED)
    with pytest.raises(ModelFileError, match="checksum"):
        unpack(content.replace(b'\\"rows\\":7', b'\\"rows\\":8'))


def test_it_must_be_plain_values():
    with pytest.raises(ModelFileError, match=r"in attached\.note"):
        pack("Layer", *LAYER._contents(), {"note": object()})
