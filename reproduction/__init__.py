"""The paper's experiments, under the paper's labels."""

from reproduction.experiments import Association, AutoAssociation, Classification, Experiment
from reproduction.numbers import NUMBERS

__all__ = ["Association", "AutoAssociation", "Classification", "Experiment", "labels"]


def labels() -> tuple[str, ...]:
    """Return every label of the paper's equations, sections, tables and figures."""
    return tuple(NUMBERS)
