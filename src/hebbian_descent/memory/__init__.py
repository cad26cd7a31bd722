"""Associative memories: pairs, sequences and single patterns, stored once and recalled.

`AssociativeMemory` learns by Hebbian-descent or another rule of the package. The others are the classical
memories to compare it with; all have the same interface.
"""

from hebbian_descent.forgetting import ForgettingCurve
from hebbian_descent.memory.associative import AssociativeMemory
from hebbian_descent.memory.base import Memory
from hebbian_descent.memory.between import BETWEEN, sign, threshold, winners
from hebbian_descent.memory.capacity import capacity
from hebbian_descent.memory.capacity_result import CapacityResult
from hebbian_descent.memory.chain import Area, Chain, random_projection
from hebbian_descent.memory.dense import DenseAssociativeMemory
from hebbian_descent.memory.hopfield import HopfieldMemory
from hebbian_descent.memory.pseudo_inverse import PseudoInverseMemory
from hebbian_descent.memory.sparse_distributed import SparseDistributedMemory
from hebbian_descent.memory.willshaw import WillshawMemory

__all__ = [
    "BETWEEN",
    "MEMORIES",
    "Area",
    "AssociativeMemory",
    "CapacityResult",
    "Chain",
    "DenseAssociativeMemory",
    "ForgettingCurve",
    "HopfieldMemory",
    "Memory",
    "PseudoInverseMemory",
    "SparseDistributedMemory",
    "WillshawMemory",
    "capacity",
    "random_projection",
    "sign",
    "threshold",
    "winners",
]

MEMORIES: dict[str, type[Memory]] = {
    "associative": AssociativeMemory,
    "hopfield": HopfieldMemory,
    "pseudo_inverse": PseudoInverseMemory,
    "willshaw": WillshawMemory,
    "dense": DenseAssociativeMemory,
    "sparse_distributed": SparseDistributedMemory,
}
