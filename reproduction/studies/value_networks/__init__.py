"""Value networks: whether rectifiers as outputs of a DQN die by gradient descent and live by Hebbian-descent.

A rectifier with a ≤ 0 in all states gets no gradient by the squared error. Hidden layers that learn by other
outputs may still bring it back; if all outputs are dead, nothing changes any more. By the matching loss the
error h − t = −t raises every output whose target is positive.

Its modules `stack`, `replay` and `learning` import PyTorch; nothing imports them before a part is computed.

Paper: sec:HD_results
"""

from reproduction.studies.value_networks.study import STUDY

__all__ = ["STUDY"]
