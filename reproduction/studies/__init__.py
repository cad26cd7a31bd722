"""Studies of what the paper leaves open: remarks without numbers, and questions for future work."""

from importlib import import_module

from reproduction.studies.base import Answer, Study

__all__ = ["STUDIES", "Answer", "Study"]

STUDIES: dict[str, Study] = {
    name: import_module(f"reproduction.studies.{name}").STUDY
    for name in (
        "mini_batches",
        "rescaled_hebb",
        "sampled_contrastive_divergence",
        "covariance_autoencoder",
        "spiking",
        "deep_losses",
        "adaptive_rates",
        "deep_autoencoders",
        "value_networks",
    )
}
"""By name, in the order of the page; a study is the `STUDY` of the module of its name."""
