"""A memory in a file: its network, how it learns, and how far it has come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from hebbian_descent.memory.building import Auto
from hebbian_descent.memory.online import OnlineLearning, as_connectivity, training_without_shifts
from hebbian_descent.network import Autoencoder, Layer
from hebbian_descent.rules import AutoRule, ErrorTerm, Rule, get_error_term
from hebbian_descent.storage.models import ModelFileError, is_count, require_names, require_plain

Arrays = Mapping[str, npt.NDArray[Any]]
Parts = tuple[Layer | Autoencoder, Auto, OnlineLearning, int]

FLAGS = ("centered", "moving", "running_mean")
SETTINGS = ("rule", "error", "learning_rate", "weight_decay", "shift", *FLAGS)


def taken_apart(
    network: Layer | Autoencoder, auto: Auto, learning: OnlineLearning, n_stored: int
) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the parameters and arrays of a memory."""
    network_parameters, arrays = network._contents()
    training = learning.training
    parameters = {
        "auto": auto,
        "n_stored": n_stored,
        "network": network_parameters,
        "learning": {
            "rule": training.rule,
            "error": get_error_term(training.error),
            "learning_rate": "auto" if learning.automatic else training.learning_rate,
            "weight_decay": training.weight_decay,
            "shift": learning.shift,
            **{name: getattr(learning, name) for name in FLAGS},
        },
    }
    if learning.connectivity is None:
        return parameters, arrays
    return parameters, {**arrays, "connectivity": learning.connectivity}


def put_together(parameters: Mapping[str, Any], arrays: Arrays) -> Parts:
    """Return the parts of the memory that a file describes, or raise where they do not fit together."""
    require_names(parameters, ("auto", "n_stored", "network", "learning"), "parameters")
    auto, n_stored = parameters["auto"], parameters["n_stored"]
    require_plain({"auto": auto, "n_stored": n_stored})
    if auto not in (None, "layer", "autoencoder") or not is_count(n_stored):
        raise ModelFileError(
            "A memory must be of auto null, layer or autoencoder, with a number of patterns stored. Got "
            f"{auto!r} and {n_stored!r}."
        )
    network_arrays = {name: array for name, array in arrays.items() if name != "connectivity"}
    network_class = Autoencoder if auto == "autoencoder" else Layer
    network = network_class._from_contents(parameters["network"], network_arrays)
    if auto == "layer" and network.weights.shape[0] != network.weights.shape[1]:
        raise ModelFileError("An auto-associative layer must have as many outputs as inputs. Got otherwise.")
    return network, auto, _learning(parameters["learning"], network, arrays.get("connectivity")), n_stored


def _learning(
    settings: Mapping[str, Any], network: Layer | Autoencoder, mask: npt.NDArray[Any] | None
) -> OnlineLearning:
    require_names(settings, SETTINGS, "settings of learning")
    require_plain(settings)
    rule, error = settings["rule"], settings["error"]
    if not isinstance(rule, Rule | AutoRule) or not isinstance(error, ErrorTerm):
        raise ModelFileError("A memory must state its rule and its error term. Got otherwise.")
    if not all(isinstance(settings[name], bool) for name in FLAGS):
        raise ModelFileError(f"The settings {', '.join(FLAGS)} must be true or false. Got otherwise.")
    connectivity = None if mask is None else as_connectivity(mask, network)
    if connectivity is not None and network.weights[~connectivity].any():
        raise ModelFileError("A synapse that is not there must have weight 0. Got another.")
    return OnlineLearning(
        training=training_without_shifts(
            network, rule, error, settings["learning_rate"], settings["weight_decay"]
        ),
        automatic=settings["learning_rate"] == "auto",
        connectivity=connectivity,
        shift=settings["shift"],
        **{name: settings[name] for name in FLAGS},
    )
