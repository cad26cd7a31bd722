"""Memories for people who model memory: pairs, sequences and single patterns, stored once and recalled."""

from hebbian_descent.forgetting import ForgettingCurve
from hebbian_descent.memory.associative import AssociativeMemory
from hebbian_descent.memory.capacity import capacity
from hebbian_descent.memory.capacity_result import CapacityResult

__all__ = ["AssociativeMemory", "CapacityResult", "ForgettingCurve", "capacity"]
