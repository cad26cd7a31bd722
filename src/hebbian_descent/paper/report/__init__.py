"""One page that shows everything: counts, claims, tables beside the print, figures, protocol, versions."""

from hebbian_descent.paper.report.page import render, write_report

__all__ = ["render", "write_report"]
