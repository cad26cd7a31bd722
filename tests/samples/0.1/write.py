"""Write the samples of this folder: python write.py FOLDER, with version 0.1 of the package installed.

Later versions must read what this wrote. The samples in the repository were made with commit 2be8021, before
the compiled core; running the script with another version writes other files and proves nothing.
"""

import json
import pickle
import sys
import warnings
from pathlib import Path

import numpy as np
from own_members import BENT, OWN_RULE, half_difference

from hebbian_descent import (
    AssociativeMemory,
    Autoencoder,
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
    Layer,
    get_activation,
    train,
)
from hebbian_descent.sweep import sweep, sweep_autoencoders

N_PATTERNS, N_INPUTS, N_OUTPUTS = 12, 5, 3
rng = np.random.default_rng(1)
INPUTS = rng.integers(0, 2, (N_PATTERNS, N_INPUTS)).astype(float)
TARGETS = rng.integers(0, 2, (N_PATTERNS, N_OUTPUTS)).astype(float)
LABELS = np.arange(N_PATTERNS) % 3
NAMES = np.array(["ant", "bee", "cat"])[LABELS]
CONNECTIVITY = rng.integers(0, 2, (N_INPUTS, N_OUTPUTS)).astype(bool)


def layers():
    for dtype in (np.float64, np.float32):
        made = np.random.default_rng(2)
        layer = Layer.create(N_INPUTS, N_OUTPUTS, activation="sigmoid", offset=0.5, rng=made, dtype=dtype)
        train(layer, INPUTS, TARGETS, rule="hebbian_descent", learning_rate=0.3)
        yield f"layer_{np.dtype(dtype).name}", layer, layer.output(INPUTS.astype(dtype))
    weights = np.arange(N_INPUTS * N_OUTPUTS, dtype=float).reshape(N_INPUTS, N_OUTPUTS) / 10
    leaky = get_activation("leaky_rectifier", slope=0.1)
    layer = Layer.from_weights(weights, activation=leaky, offset=INPUTS.mean(axis=0), bias=[0.1, 0.2, 0.3])
    yield "layer_from_weights", layer, layer.output(INPUTS)
    for dtype in (np.float64, np.float32):
        made = np.random.default_rng(3)
        network = Autoencoder.create(
            N_INPUTS,
            4,
            hidden_activation="sigmoid",
            output_activation="linear",
            offset=0.5,
            rng=made,
            dtype=dtype,
        )
        train(network, INPUTS, rule="hebbian_descent", learning_rate=0.1, batch_size=4, hidden_shift=0.01)
        yield f"autoencoder_{np.dtype(dtype).name}", network, network.reconstruct(INPUTS.astype(dtype))


def memories():
    settings = {
        "automatic": {"n_outputs": N_OUTPUTS},
        "fixed_rate": {
            "n_outputs": N_OUTPUTS,
            "learning_rate": 0.2,
            "weight_decay": 0.01,
            "centering": None,
            "error": "saturating",
        },
        "sparse": {"n_outputs": N_OUTPUTS, "connectivity": CONNECTIVITY, "shift": 0.1, "offset_start": 0.5},
        "fixed_offset": {"n_outputs": N_OUTPUTS, "centering": INPUTS.mean(axis=0), "rule": "hebb"},
        "tied_layer": {"auto": "layer"},
        "tied_autoencoder": {"auto": "autoencoder", "n_hidden": 4, "seed": 7},
    }
    for name, options in settings.items():
        memory = AssociativeMemory(N_INPUTS, **options)
        if options.get("auto"):
            memory.store(INPUTS)
        else:
            memory.store(INPUTS, TARGETS)
        yield f"memory_{name}", memory, memory.recall(INPUTS)


def estimators():
    classifiers = {
        "auto": {},
        "half": {"centering": "half", "learning_rate": 0.1, "random_state": 3},
        "moving": {"centering": "moving", "shift": 0.02, "weight_decay": 0.001, "random_state": 0},
        "mean": {"centering": "mean", "activation": "sigmoid", "batch_size": 4, "random_state": 5},
        "uncentered": {"centering": None, "initial_weights": "random", "random_state": 11},
    }
    for name, options in classifiers.items():
        for dtype in (np.float64, np.float32):
            classifier = HebbianDescentClassifier(**options).fit(INPUTS.astype(dtype), NAMES)
            expected = classifier.predict_proba(INPUTS.astype(dtype))
            yield f"classifier_{name}_{np.dtype(dtype).name}", classifier, expected
    numbered = HebbianDescentClassifier(random_state=1).partial_fit(INPUTS, LABELS, classes=[0, 1, 2])
    yield "classifier_partial_fit", numbered, numbered.predict_proba(INPUTS)
    for name, options in classifiers.items():
        options = {key: value for key, value in options.items() if key != "activation"}
        regressor = HebbianDescentRegressor(**options).fit(INPUTS, TARGETS)
        yield f"regressor_{name}", regressor, regressor.predict(INPUTS)
    single = HebbianDescentRegressor(activation=get_activation("scaled_tanh"), random_state=2)
    single.fit(INPUTS.astype(np.float32), TARGETS[:, 0].astype(np.float32))
    yield "regressor_one_target_float32", single, single.predict(INPUTS.astype(np.float32))
    for name in ("auto", "half", "moving", "mean", None):
        for dtype in (np.float64, np.float32):
            encoder = HebbianDescentAutoencoder(n_hidden=4, centering=name, random_state=4, epochs=3)
            encoder.fit(INPUTS.astype(dtype))
            yield f"encoder_{name}_{np.dtype(dtype).name}", encoder, encoder.transform(INPUTS.astype(dtype))


SWEEPS = {
    "layers": {
        "rules": ["hebbian_descent", "gradient_descent", "hebb", "covariance"],
        "activations": ["sigmoid"],
        "learning_rates": [1.0, 0.1],
        "trials": 2,
    },
    "layers_in_batches": {
        "rules": ["hebbian_descent"],
        "activations": ["linear", "softmax"],
        "learning_rates": [0.1],
        "weight_decays": [0.0, 0.01],
        "trials": 2,
        "epochs": 2,
        "batch_size": 4,
        "dtype": "float32",
        "centering": None,
    },
    "layers_moving": {
        "rules": ["hebbian_descent"],
        "activations": ["sigmoid"],
        "learning_rates": [0.1],
        "trials": [1, 3],
        "centering": "moving",
        "error": "saturating",
        "engine": "reference",
    },
    "autoencoders": {
        "rules": ["hebbian_descent", "gradient_descent"],
        "hidden_activations": ["sigmoid"],
        "output_activations": ["linear"],
        "n_hidden": 4,
        "learning_rates": [0.1],
        "trials": 2,
        "batch_size": 4,
    },
}
"""What was swept; the sweep of a user's own members stands in `sweeps` below."""


def sweeps(store):
    for name, options in SWEEPS.items():
        if name == "autoencoders":
            yield name, sweep_autoencoders(INPUTS, **options, store=store)
        else:
            yield name, sweep(INPUTS, TARGETS, **options, store=store)
    yield (
        "own_members",
        sweep(
            INPUTS,
            TARGETS,
            rules=OWN_RULE,
            activations=BENT,
            error=half_difference,
            learning_rates=[0.1],
            trials=1,
            store=store,
        ),
    )


def main(folder):
    for part in ("models", "pickles"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    expected = {}
    for name, model, outputs in (*layers(), *memories(), *estimators()):
        model.save(folder / "models" / f"{name}.safetensors")
        expected[name] = outputs.tolist()
        if hasattr(model, "get_params") and (not name.endswith("float32") or "one_target" in name):
            (folder / "pickles" / f"{name}.pickle").write_bytes(pickle.dumps(model))
    swept = {name: result.values["mae"].tolist() for name, result in sweeps(str(folder / "store"))}
    content = {
        "inputs": INPUTS.tolist(),
        "targets": TARGETS.tolist(),
        "outputs": expected,
        "sweeps": SWEEPS,
        "mae": swept,
    }
    (folder / "expected.json").write_text(json.dumps(content) + "\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(Path(sys.argv[1]))
