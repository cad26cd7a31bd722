"""The paper's own experiments, with its labels as names."""

from importlib import resources


def labels() -> tuple[str, ...]:
    """Return every label of the paper's equations, sections, tables and figures."""
    text = resources.files(__name__).joinpath("labels.txt").read_text(encoding="utf-8")
    return tuple(text.split())
