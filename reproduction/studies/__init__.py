"""Studies of what the paper leaves open: remarks without numbers, and questions for future work."""

from reproduction.studies import (
    covariance_autoencoder,
    mini_batches,
    rescaled_hebb,
    sampled_contrastive_divergence,
    spiking,
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
    )
}
"""By name, in the order of the page."""
