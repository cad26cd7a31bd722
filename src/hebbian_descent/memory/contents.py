"""A memory in a file: its network, its settings of learning, and its progress."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hebbian_descent.checks import Array, as_number
from hebbian_descent.learning.centering import HIDDEN_START, Offset, hidden_offset
from hebbian_descent.learning.constraints import Constraint, as_connectivity
from hebbian_descent.learning.noise import Noise, NoiseStream
from hebbian_descent.learning.rates import as_saved
from hebbian_descent.learning.step import Network
from hebbian_descent.memory.parts import Auto, Storing, storing
from hebbian_descent.network import Autoencoder, Layer
from hebbian_descent.rules import AutoRule, ErrorTerm, Rule
from hebbian_descent.rules.base import State
from hebbian_descent.storage.models import ModelFileError, is_count, require_names, require_plain, shortened

Arrays = Mapping[str, npt.NDArray[Any]]

FLAGS = ("centered", "moving", "running_mean")
PLAIN = ("rule", "error", "learning_rate", "weight_decay", "shift", "hidden_shift", *FLAGS)
SETTINGS = (*PLAIN, "constraints", "noise")
OPTIONAL_ARRAYS = ("connectivity", "target_offset")
STATE = "state_"
"""Prefix of the names of arrays that a rule remembers."""


class Parts(NamedTuple):
    """The parts of a memory."""

    network: Network
    auto: Auto
    learning: Storing
    n_stored: int
    target_offset: Array | None
    state: State


def taken_apart(parts: Parts) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Return the parameters and arrays of a memory."""
    network_parameters, arrays = parts.network._contents()
    learning = parts.learning
    update, offset = learning.update, learning.offset
    parameters = {
        "auto": parts.auto,
        "n_stored": parts.n_stored,
        "network": network_parameters,
        "learning": {
            "rule": update.rule,
            "error": update.error,
            "learning_rate": as_saved(update.rate),
            "weight_decay": update.weight_decay,
            "shift": offset.shift,
            "hidden_shift": learning.hidden.shift,
            "centered": learning.hidden.moves,
            "moving": offset.moves,
            "running_mean": offset.starts_as_mean,
            "constraints": list(update.constraints),
            "noise": None if update.noise is None else _noise_in_file(update.noise),
        },
    }
    optional: dict[str, npt.NDArray[Any] | None] = {
        "connectivity": update.connectivity,
        "target_offset": parts.target_offset,
        **{STATE + name: np.asarray(value) for name, value in parts.state.items()},
    }
    return parameters, {**arrays, **{name: array for name, array in optional.items() if array is not None}}


def put_together(parameters: Mapping[str, Any], arrays: Arrays) -> Parts:
    """Return the parts of the memory that a file describes, or raise where they do not fit together."""
    require_names(parameters, ("auto", "n_stored", "network", "learning"), "parameters")
    auto, n_stored = parameters["auto"], parameters["n_stored"]
    require_plain({"auto": auto, "n_stored": n_stored})
    if auto not in (None, "layer", "autoencoder") or not is_count(n_stored):
        raise ModelFileError(
            "The auto of a memory must be null, layer or autoencoder, and its n_stored a whole number. Got "
            f"{auto!r} and {n_stored!r}."
        )
    network_arrays = {
        name: array
        for name, array in arrays.items()
        if name not in OPTIONAL_ARRAYS and not name.startswith(STATE)
    }
    network_class = Autoencoder if auto == "autoencoder" else Layer
    network = network_class._from_contents(parameters["network"], network_arrays)
    if auto == "layer" and network.weights.shape[0] != network.weights.shape[1]:
        raise ModelFileError(
            f"An auto-associative layer must have as many outputs as inputs. Got {network.weights.shape}."
        )
    learning = _learning(parameters["learning"], network, arrays.get("connectivity"))
    target_offset = _target_offset(learning, network, arrays.get("target_offset"))
    state = _state(learning, network, arrays)
    return Parts(network, auto, learning, n_stored, target_offset, state)


def _learning(settings: Mapping[str, Any], network: Network, mask: npt.NDArray[Any] | None) -> Storing:
    require_names(settings, SETTINGS, "settings of learning")
    require_plain({name: settings[name] for name in PLAIN})
    rule, error = settings["rule"], settings["error"]
    if not isinstance(rule, Rule | AutoRule) or not isinstance(error, ErrorTerm):
        raise ModelFileError(
            f"A memory must state its rule and its error term. Got {shortened(rule)} and {shortened(error)}."
        )
    if not all(isinstance(settings[name], bool) for name in FLAGS):
        got = ", ".join(repr(settings[name]) for name in FLAGS)
        raise ModelFileError(f"The settings {', '.join(FLAGS)} must be true or false. Got {got}.")
    connectivity = None if mask is None else as_connectivity(mask, network.weights.shape)
    if connectivity is not None and (weights := network.weights[~connectivity]).any():
        raise ModelFileError(f"An absent synapse must have weight 0. Got {np.abs(weights).max():g}.")
    shift, moves, is_mean = settings["shift"], settings["moving"], settings["running_mean"]
    hidden = hidden_offset(
        "moving" if settings["centered"] else None,
        settings["hidden_shift"],
        HIDDEN_START if moves and not is_mean else None,
    )
    return storing(
        network,
        rule=rule,
        error=error,
        learning_rate=settings["learning_rate"],
        weight_decay=settings["weight_decay"],
        offset=Offset(shift=shift, starts_as_mean=is_mean) if moves else Offset(),
        hidden=hidden,
        connectivity=connectivity,
        constraints=_constraints(settings["constraints"]),
        noise=None if settings["noise"] is None else _noise_of_file(settings["noise"]),
    )


def _constraints(found: Any) -> tuple[Constraint, ...]:
    if not isinstance(found, list) or not all(isinstance(part, Constraint) for part in found):
        raise ModelFileError(f"The constraints of a memory must be a list. Got {shortened(found)}.")
    return tuple(found)


def _noise_in_file(stream: NoiseStream) -> dict[str, Any]:
    noise = stream.noise
    if not noise.is_plain:
        raise ModelFileError(
            "A memory can be saved only if its noise is given by numbers. Got your own function: save the "
            "arrays of its network, and rebuild the memory from them in your own code."
        )
    return {"weights": noise.weights, "activity": noise.activity, "seed": stream.seed}


def _noise_of_file(found: Any) -> NoiseStream:
    require_names(found, ("weights", "activity", "seed"), "noise")
    if not is_count(found["seed"]):
        raise ModelFileError(f"The seed of noise must be a number. Got {shortened(found['seed'])}.")
    weights, activity = (as_number(found[name], f"noise of {name}") for name in ("weights", "activity"))
    return NoiseStream(Noise(weights, activity), found["seed"])


def _state(learning: Storing, network: Network, arrays: Arrays) -> State:
    """Return what the rule remembers, which must look like what it starts with."""
    found = {name.removeprefix(STATE): array for name, array in arrays.items() if name.startswith(STATE)}
    rule = learning.rule
    fresh = rule.new_state(network) if isinstance(rule, Rule) and isinstance(network, Layer) else {}
    require_names(found, fresh, "state of the rule")
    for name, array in found.items():
        if array.shape != np.atleast_1d(fresh[name]).shape or array.dtype != fresh[name].dtype:
            raise ModelFileError(
                f"The state {name!r} of the rule {rule.name!r} must have the shape {fresh[name].shape} and "
                f"dtype {fresh[name].dtype}. Got {array.shape} and {array.dtype}."
            )
    return {name: array.reshape(fresh[name].shape) for name, array in found.items()}


def _target_offset(learning: Storing, network: Network, found: npt.NDArray[Any] | None) -> Array | None:
    """Return the running mean of the targets, of rules that learn it."""
    if (found is not None) != learning.centers_targets:
        raise ModelFileError("A mean target must come with a rule that learns it, and no other.")
    if found is None:
        return None
    bias = network.bias
    if found.shape != bias.shape or found.dtype != bias.dtype:
        raise ModelFileError(f"A mean target must have the shape and dtype of the bias. Got {found.shape}.")
    return found
