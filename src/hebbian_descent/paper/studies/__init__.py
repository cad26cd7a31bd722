"""Studies of what the paper leaves open: remarks without numbers, and questions for future work."""

from hebbian_descent.paper.studies import mini_batches
from hebbian_descent.paper.studies.base import Answer, Results, Study

__all__ = ["STUDIES", "Answer", "Results", "Study"]

STUDIES: dict[str, Study] = {
    "mini_batches": mini_batches.STUDY,
}
