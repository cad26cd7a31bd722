"""What a reproduction leaves behind to keep: a line for each printed result, and a document."""

from hebbian_descent.paper.evidence.document import write_document
from hebbian_descent.paper.evidence.summary import write_summary

__all__ = ["write_document", "write_summary"]
