"""Experiments behind the tables: hetero-association, classification and auto-association."""

from hebbian_descent.paper.experiments.association import Association
from hebbian_descent.paper.experiments.auto_association import AutoAssociation
from hebbian_descent.paper.experiments.base import Experiment, Job, Measured
from hebbian_descent.paper.experiments.classification import Classification

__all__ = ["Association", "AutoAssociation", "Classification", "Experiment", "Job", "Measured"]
