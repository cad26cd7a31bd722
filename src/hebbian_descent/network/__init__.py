"""Networks that turn inputs into outputs: activations, offsets, the centered layer, the tied auto-encoder."""

from hebbian_descent.network.activations import ACTIVATIONS, Activation, get_activation
from hebbian_descent.network.autoencoder import Autoencoder
from hebbian_descent.network.layer import Layer, glorot_uniform

__all__ = ["ACTIVATIONS", "Activation", "Autoencoder", "Layer", "get_activation", "glorot_uniform"]
