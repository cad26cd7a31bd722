"""The report: one page with counts, claims, tables, figures, protocol and versions."""

from hebbian_descent.paper.report.page import render, write_report

__all__ = ["render", "write_report"]
