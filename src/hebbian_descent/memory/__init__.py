"""Memories for people who model memory: pairs, sequences and single patterns, stored once and recalled."""

from hebbian_descent.forgetting import ForgettingCurve
from hebbian_descent.memory.associative import AssociativeMemory

__all__ = ["AssociativeMemory", "ForgettingCurve"]
