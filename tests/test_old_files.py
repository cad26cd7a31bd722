"""What earlier versions wrote can still be read: models, pickled estimators, stores that sweeps resume from.

`tests/samples` has a folder per version, with the files, the outputs that their models gave, and the script
that wrote both. Most tests are about 0.1, which had fewer kinds of models and other defaults.
"""

import json
import pickle
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.special

from hebbian_descent import KINDS, AssociativeMemory, Autoencoder, Layer, load
from hebbian_descent.memory import Memory
from hebbian_descent.storage.results import Store
from hebbian_descent.sweep import executors, sweep, sweep_autoencoders


class Samples:
    """What a version wrote: files, inputs, and the outputs of the models for them."""

    def __init__(self, version):
        self.version = version
        self.folder = Path(__file__).parent / "samples" / version
        self.expected = json.loads((self.folder / "expected.json").read_text())
        self.inputs, self.targets = (np.array(self.expected[name]) for name in ("inputs", "targets"))

    def outputs(self, model, name):
        inputs = self.inputs.astype(np.float32) if name.endswith("float32") else self.inputs
        if isinstance(model, Layer):
            return model.output(inputs)
        if isinstance(model, Autoencoder):
            return model.reconstruct(inputs)
        if isinstance(model, Memory):
            return model.recall(inputs)
        for method in ("predict_proba", "transform", "predict"):
            if hasattr(model, method):
                return getattr(model, method)(inputs)
        raise AssertionError(type(model))

    def require_same(self, model, name):
        found, expected = self.outputs(model, name), np.array(self.expected["outputs"][name])
        assert found.dtype == (np.float32 if name.endswith("float32") else np.float64)
        # exp and products round differently by processor
        tolerance = 1e-5 if found.dtype == np.float32 else 1e-12
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


OLDEST, NEWEST = VERSIONS = [Samples("0.1"), Samples("0.2")]
SAMPLES, EXPECTED, INPUTS, TARGETS = OLDEST.folder, OLDEST.expected, OLDEST.inputs, OLDEST.targets


def each_file(folder):
    """Parametrize by the files in a folder of every version."""
    files = [(samples, path) for samples in VERSIONS for path in sorted((samples.folder / folder).iterdir())]
    names = [f"{samples.version}-{path.stem}" for samples, path in files]
    return pytest.mark.parametrize(("samples", "path"), files, ids=names)


@each_file("models")
def test_a_model_file_gives_the_outputs_it_gave(samples, path, tmp_path):
    model = load(path)
    samples.require_same(model, path.stem)
    model.save(tmp_path / "again.safetensors")
    samples.require_same(load(tmp_path / "again.safetensors"), path.stem)


@each_file("pickles")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
def test_a_pickled_estimator_gives_the_outputs_it_gave(samples, path):
    samples.require_same(pickle.loads(path.read_bytes()), path.stem)


def test_every_kind_of_model_has_a_sample():
    assert {type(load(path)).__name__ for path in (NEWEST.folder / "models").iterdir()} == set(KINDS)
    assert {path.stem for path in (NEWEST.folder / "models").iterdir()} == set(NEWEST.expected["outputs"])


@pytest.mark.parametrize("name", [name for name in EXPECTED["outputs"] if not name.endswith("float32")])
def test_a_loaded_model_learns_again(name):
    model, again = (load(SAMPLES / "models" / f"{name}.safetensors") for _ in range(2))
    if isinstance(model, AssociativeMemory):
        again.store(INPUTS) if model.auto else again.store(INPUTS, TARGETS)
        assert again.n_stored == model.n_stored + len(INPUTS)
    elif getattr(model, "centering", None) == "mean":
        pass  # the mean of the inputs needs all of them, so `partial_fit` refuses it
    elif name.startswith("classifier"):
        again.partial_fit(INPUTS, np.resize(model.classes_, len(INPUTS)))
    elif name.startswith("regressor"):
        again.partial_fit(INPUTS, TARGETS if model.target_ndim_ == 2 else TARGETS[:, 0])
    elif name.startswith("encoder"):
        again.partial_fit(INPUTS)
    assert np.isfinite(OLDEST.outputs(again, name)).all()


AUTOMATIC = {"HebbianDescentClassifier": 1.0, "HebbianDescentRegressor": 0.5}
"""κ/L."""


def plain_stream(W, b, mu, targets, *, model, units):
    """Learn the inputs by the rule of the paper, one by one, with the centering of 0.1.

    The automatic rate is that of today, κ = ½: of a regressor it was 1 then.
    """
    for n, (x, t) in enumerate(zip(INPUTS, targets, strict=True), model.n_samples_seen_ + 1):
        c = x - mu
        post = units(W @ c + b) - t
        eta = (
            AUTOMATIC[type(model).__name__] / (c @ c + 1)
            if model.learning_rate == "auto"
            else model.learning_rate
        )
        nu = {None: 0.0, "half": model.shift}.get(model.centering, max(model.shift, 1 / n))
        W = (1 - model.weight_decay) * W - eta * np.outer(post, c)
        b, mu = b - eta * post + nu * W @ c, mu + nu * c
    return W, b, mu


STREAMS = [
    f"{kind}_{centering}"
    for kind in ("classifier", "regressor")
    for centering in ("auto", "half", "moving", "uncentered")
]


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("folder", ["models", "pickles"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
def test_an_estimator_goes_on_learning_as_it_did(name, folder):
    (path,) = {*(SAMPLES / folder).glob(f"{name}_float64.*"), *(SAMPLES / folder).glob(f"{name}.*")}
    model = load(path) if folder == "models" else pickle.loads(path.read_bytes())
    assert (model.scaling, model.average) == (None, False)
    assert model.weight_seen_ == model.n_samples_seen_
    if name.startswith("classifier"):
        places = np.arange(len(INPUTS)) % 3
        y, targets, units = model.classes_[places], np.eye(3)[places], scipy.special.softmax
    else:
        y, targets, units = TARGETS, TARGETS, lambda a: a
    start = model.weights_.copy(), model.bias_.copy(), model.offset_.copy()
    expected = plain_stream(*start, targets, model=model, units=units)
    model.partial_fit(INPUTS, y)
    for found, other in zip((model.weights_, model.bias_, model.offset_), expected, strict=True):
        np.testing.assert_allclose(found, other, rtol=1e-11, atol=1e-13)


@pytest.fixture
def store(tmp_path):
    """A copy of the store, since finished sweeps still tidy up the folder they read."""
    return shutil.copytree(SAMPLES / "store", tmp_path / "store")


@pytest.fixture
def nothing_is_computed(monkeypatch):
    """Let every cell that would be computed fail."""

    def fail(self, works, patterns):
        assert not works, [str(work.cell) for work in works]
        yield from ()

    monkeypatch.setattr(executors.InProcess, "run", fail)


@pytest.mark.parametrize("name", EXPECTED["sweeps"])
def test_a_finished_sweep_is_read_from_an_old_store(name, store, nothing_is_computed):
    options = EXPECTED["sweeps"][name]
    if options.get("centering") == "moving":
        options = {"shift": 0.05, "offset_start": 0.5, **options}  # the defaults of 0.1
    if name == "autoencoders":
        result = sweep_autoencoders(INPUTS, **options, store=str(store))
    else:
        result = sweep(INPUTS, TARGETS, **options, store=str(store))
    np.testing.assert_array_equal(result.values["mae"], np.array(EXPECTED["mae"][name]))


@pytest.mark.parametrize("name", NEWEST.expected["sweeps"])
def test_a_finished_sweep_is_read_from_a_store_of_0_2(name, tmp_path, nothing_is_computed):
    store = shutil.copytree(NEWEST.folder / "store", tmp_path / "store")
    options = NEWEST.expected["sweeps"][name]
    result = sweep(NEWEST.inputs, NEWEST.targets, **options, trials=2, store=str(store))
    np.testing.assert_array_equal(result.values["mae"], np.array(NEWEST.expected["mae"][name]))


def test_a_sweep_of_own_members_is_read_from_an_old_store(store, nothing_is_computed, monkeypatch):
    monkeypatch.syspath_prepend(SAMPLES)
    own = pytest.importorskip("own_members")
    try:
        result = sweep(
            INPUTS,
            TARGETS,
            rules=own.OWN_RULE,
            activations=own.BENT,
            error=own.half_difference,
            learning_rates=[0.1],
            trials=1,
            store=str(store),
        )
    finally:
        del sys.modules["own_members"]
    np.testing.assert_array_equal(result.values["mae"], np.array(EXPECTED["mae"]["own_members"]))


def test_an_unfinished_sweep_resumes_from_an_old_store(store):
    lost = sorted(store.glob("*.parquet"))
    cells = Store(store).keys()
    options = EXPECTED["sweeps"]["layers"]
    for path in lost:
        if "gradient_descent" in json.dumps(Store(store).read(path.stem).specification["rule"]):
            path.unlink()
    done = []
    result = sweep(
        INPUTS,
        TARGETS,
        **options,
        store=str(store),
        progress=lambda n_done, total: done.append((n_done, total)),
    )
    assert done == [(3, 4), (4, 4)]
    np.testing.assert_allclose(
        result.values["mae"], np.array(EXPECTED["mae"]["layers"]), rtol=1e-10, atol=1e-12
    )
    assert set(Store(store).keys()) < set(cells)  # that of the auto-encoders is still missing


def test_every_cell_of_an_old_store_is_whole(store):
    assert Store(store).damaged() == []
    assert len(Store(store).to_pandas()["cell_key"].unique()) == len(list(store.glob("*.parquet"))) == 12
