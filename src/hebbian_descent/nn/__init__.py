"""Hebbian-descent in PyTorch: layers, activations and losses for any network.

Needs PyTorch: `pip install "hebbian-descent[torch]"`. Nothing else in the package imports this.
"""

from hebbian_descent.checks import require_extra

require_extra("torch", extra="torch", purpose="hebbian_descent.nn")

from hebbian_descent.nn import functional  # noqa: E402
from hebbian_descent.nn.activations import TorchActivation, get_torch_activation  # noqa: E402
from hebbian_descent.nn.affine import register_affine  # noqa: E402
from hebbian_descent.nn.autoencoder import TiedAutoencoder, TiedLayer  # noqa: E402
from hebbian_descent.nn.centered import CenteredLinear  # noqa: E402
from hebbian_descent.nn.centering import Centering  # noqa: E402
from hebbian_descent.nn.conversion import center_, uncenter_  # noqa: E402
from hebbian_descent.nn.error_terms import TorchErrorTerm  # noqa: E402
from hebbian_descent.nn.fast_weights import MemoryState  # noqa: E402
from hebbian_descent.nn.hebbian import (  # noqa: E402
    HebbianActivation,
    HebbianLayer,
    hebbian,
)
from hebbian_descent.nn.hebbian_memory import HebbianMemory  # noqa: E402
from hebbian_descent.nn.layer_choice import add_biases_  # noqa: E402
from hebbian_descent.nn.local_rule import LocalRuleCheck, check_local_rule  # noqa: E402
from hebbian_descent.nn.losses import LeakyHingeLoss, MatchingLoss, SmoothHuberLoss  # noqa: E402
from hebbian_descent.nn.offsets import update_offsets_  # noqa: E402

__all__ = [
    "CenteredLinear",
    "Centering",
    "HebbianActivation",
    "HebbianLayer",
    "HebbianMemory",
    "LeakyHingeLoss",
    "LocalRuleCheck",
    "MatchingLoss",
    "MemoryState",
    "SmoothHuberLoss",
    "TiedAutoencoder",
    "TiedLayer",
    "TorchActivation",
    "TorchErrorTerm",
    "add_biases_",
    "center_",
    "check_local_rule",
    "functional",
    "get_torch_activation",
    "hebbian",
    "register_affine",
    "uncenter_",
    "update_offsets_",
]
