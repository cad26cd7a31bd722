"""Studies of what the paper leaves open: remarks without numbers, and questions for future work."""

from reproduction.studies import (
    adaptive_rates,
    covariance_autoencoder,
    deep_autoencoders,
    deep_losses,
    mini_batches,
    rescaled_hebb,
    sampled_contrastive_divergence,
    spiking,
    value_networks,
)
from reproduction.studies.base import Answer, Study

__all__ = ["STUDIES", "Answer", "Study"]

STUDIES: dict[str, Study] = {
    module.STUDY.name: module.STUDY
    for module in (
        mini_batches,
        rescaled_hebb,
        sampled_contrastive_divergence,
        covariance_autoencoder,
        spiking,
        deep_losses,
        adaptive_rates,
        deep_autoencoders,
        value_networks,
    )
}
"""By name, in the order of the page."""
