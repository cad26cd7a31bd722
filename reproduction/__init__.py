"""The paper's experiments, under the paper's labels."""

from importlib import resources

from reproduction.experiments import Association, AutoAssociation, Classification, Experiment

__all__ = ["Association", "AutoAssociation", "Classification", "Experiment", "labels"]


def labels() -> tuple[str, ...]:
    """Return every label of the paper's equations, sections, tables and figures."""
    text = resources.files(__name__).joinpath("labels.txt").read_text(encoding="utf-8")
    return tuple(text.split())
