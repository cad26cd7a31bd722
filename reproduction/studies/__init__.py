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
from reproduction.studies.base import Answer, Results, Study

__all__ = ["STUDIES", "Answer", "Results", "Study"]

STUDIES: dict[str, Study] = {
    "mini_batches": mini_batches.STUDY,
    "rescaled_hebb": rescaled_hebb.STUDY,
    "sampled_contrastive_divergence": sampled_contrastive_divergence.STUDY,
    "covariance_autoencoder": covariance_autoencoder.STUDY,
    "spiking": spiking.STUDY,
    "deep_losses": deep_losses.STUDY,
    "adaptive_rates": adaptive_rates.STUDY,
    "deep_autoencoders": deep_autoencoders.STUDY,
    "value_networks": value_networks.STUDY,
}
