"""Studies of what the paper leaves open: remarks without numbers, and questions for future work."""

from reproduction.studies.base import Answer, Study

__all__ = ["STUDIES", "Answer", "Study"]

STUDIES: dict[str, Study] = {study.name: study for study in ()}
"""All studies by name; one of your own needs a line here and the import above it."""
