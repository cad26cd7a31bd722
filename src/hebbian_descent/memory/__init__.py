"""Memories for people who model memory: pairs, sequences and single patterns, stored once and recalled."""

from hebbian_descent.memory.associative import AssociativeMemory
from hebbian_descent.memory.curve import ForgettingCurve

__all__ = ["AssociativeMemory", "ForgettingCurve"]
