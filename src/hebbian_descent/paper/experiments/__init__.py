"""Experiments: what is run for a table, by pairs of datasets, by classes, or through an auto-encoder."""

from hebbian_descent.paper.experiments.association import Association
from hebbian_descent.paper.experiments.auto_association import AutoAssociation
from hebbian_descent.paper.experiments.base import Experiment, Job, Measured
from hebbian_descent.paper.experiments.classification import Classification

__all__ = ["Association", "AutoAssociation", "Classification", "Experiment", "Job", "Measured"]
