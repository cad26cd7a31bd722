"""Value networks: whether rectifiers as outputs of a DQN die by gradient descent and live by Hebbian-descent.

Its modules `stack`, `replay` and `learning` import PyTorch; nothing imports them before a part is computed.

Paper: sec:HD_results
"""

from hebbian_descent.paper.studies.value_networks.study import STUDY

__all__ = ["STUDY"]
