"""The three kinds of experiments behind the paper's tables."""

from reproduction.experiments.association import Association
from reproduction.experiments.auto_association import AutoAssociation
from reproduction.experiments.classification import Classification

Experiment = Association | Classification | AutoAssociation

__all__ = ["Association", "AutoAssociation", "Classification", "Experiment"]
