"""Write the samples of this folder: python write.py FOLDER, with version 0.2.0 of the package installed.

Later versions must read what this wrote. Running the script with another version writes other files and
proves nothing. The samples of 0.1 have what that version could do; these have one model of every kind, and
what is new in it.
"""

import json
import pickle
import sys
from pathlib import Path

import numpy as np
from scipy import sparse

from hebbian_descent import (
    AssociativeMemory,
    Autoencoder,
    HebbianDescentAutoencoder,
    HebbianDescentClassifier,
    HebbianDescentRegressor,
    Layer,
    train,
)
from hebbian_descent.memory import MEMORIES, Area, Chain, random_projection
from hebbian_descent.sweep import sweep

N_PATTERNS, N_INPUTS, N_OUTPUTS = 12, 8, 3
rng = np.random.default_rng(1)
INPUTS = rng.integers(0, 2, (N_PATTERNS, N_INPUTS)).astype(float)
TARGETS = rng.integers(0, 2, (N_PATTERNS, N_OUTPUTS)).astype(float)
NAMES = np.array(["ant", "bee", "cat"])[np.arange(N_PATTERNS) % 3]


def networks():
    layer = Layer.create(N_INPUTS, N_OUTPUTS, activation="sigmoid", rng=np.random.default_rng(2))
    train(layer, INPUTS, TARGETS, learning_rate="auto")
    yield "layer", layer, layer.output(INPUTS)
    network = Autoencoder.create(N_INPUTS, 4, rng=np.random.default_rng(3))
    train(network, INPUTS, learning_rate="auto", batch_size=4)
    yield "autoencoder", network, network.reconstruct(INPUTS)


def memories():
    for name, kind in MEMORIES.items():
        memory = kind.for_patterns(N_INPUTS, activity=0.5)
        memory.store(INPUTS)
        yield f"memory_{name}", memory, memory.recall(INPUTS)
    traces = AssociativeMemory(
        N_INPUTS, N_OUTPUTS, rule="bcm", constraints="unit_columns", learning_rate=0.2, centering=None
    )
    traces.store(INPUTS, TARGETS, strength=np.linspace(0, 1, N_PATTERNS))
    yield "memory_of_a_rule_with_state", traces, traces.recall(INPUTS)
    chain = Chain(
        [Area("cortex", N_INPUTS), Area("code", 20, winners=4), Area("output", N_OUTPUTS)],
        [random_projection(N_INPUTS, 20, seed=1), AssociativeMemory(20, N_OUTPUTS)],
    )
    chain.store(INPUTS, TARGETS)
    yield "chain", chain, chain.recall(INPUTS)


def estimators():
    classifier = HebbianDescentClassifier().fit(INPUTS, NAMES)
    yield "classifier", classifier, classifier.predict_proba(INPUTS)
    several = HebbianDescentClassifier(activation="sigmoid").partial_fit(INPUTS, TARGETS.astype(int))
    yield "classifier_multilabel", several, several.predict_proba(INPUTS)
    by_words = HebbianDescentClassifier(average=0.01)
    by_words.partial_fit(sparse.csr_array(INPUTS), NAMES, classes=np.unique(NAMES))
    yield "classifier_sparse", by_words, by_words.predict_proba(INPUTS)
    regressor = HebbianDescentRegressor().fit(INPUTS, TARGETS)
    yield "regressor", regressor, regressor.predict(INPUTS)
    encoder = HebbianDescentAutoencoder(n_hidden=4, random_state=0).fit(INPUTS)
    yield "encoder", encoder, encoder.transform(INPUTS)


SWEEPS = {
    "automatic": {"rules": ["hebbian_descent"], "activations": ["sigmoid"], "learning_rates": "auto"},
    "local_rules": {
        "rules": ["oja", "bcm"],
        "activations": ["linear"],
        "learning_rates": [0.1],
        "constraints": "unit_columns",
        "centering": "moving",
    },
}


def main(folder):
    for part in ("models", "pickles"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    expected = {}
    for name, model, outputs in (*networks(), *memories(), *estimators()):
        model.save(folder / "models" / f"{name}.safetensors")
        expected[name] = outputs.tolist()
        if hasattr(model, "get_params"):
            (folder / "pickles" / f"{name}.pickle").write_bytes(pickle.dumps(model))
    swept = {
        name: sweep(INPUTS, TARGETS, **options, trials=2, store=str(folder / "store"))
        for name, options in SWEEPS.items()
    }
    content = {
        "inputs": INPUTS.tolist(),
        "targets": TARGETS.tolist(),
        "outputs": expected,
        "sweeps": SWEEPS,
        "mae": {name: result.values["mae"].tolist() for name, result in swept.items()},
    }
    (folder / "expected.json").write_text(json.dumps(content) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
