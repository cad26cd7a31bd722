"""Experiments behind the tables: hetero-association, classification and auto-association."""

from reproduction.experiments.association import Association
from reproduction.experiments.auto_association import AutoAssociation
from reproduction.experiments.base import Experiment, Job, Measured
from reproduction.experiments.classification import Classification

__all__ = ["Association", "AutoAssociation", "Classification", "Experiment", "Job", "Measured"]
