"""The API reference: public modules and their order; names and docstrings come from the sources."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import griffe

PACKAGE = "hebbian_descent"
PAGES = {
    "memories": ("Memories", ["memory", "patterns", "measures", "forgetting"]),
    "networks": (
        "Networks and training",
        [
            "network",
            "learning.run",
            "learning.rates",
            "learning.constraints",
            "learning.noise",
            "learning.recorders",
            "learning.states",
            "learning.divergence",
        ],
    ),
    "rules": ("Rules and losses", ["rules"]),
    "theory": ("Theory", ["theory.generalized_linear", "theory.bounds", "theory.forgetting"]),
    "estimators": ("Estimators", ["estimators"]),
    "river": ("River", ["river"]),
    "nn": ("PyTorch", ["nn", "nn.functional"]),
    "sweeps": ("Sweeps", ["sweep", "sweep.grids", "sweep.executors"]),
    "stores": ("Stores", ["storage.results"]),
    "datasets": ("Datasets", ["datasets"]),
    "explorer": ("Explorer and plots", ["explorer", "plotting"]),
    "package": ("Files and versions", [""]),
}
"""File, title and modules of each page. Later pages omit what an earlier page shows."""


def api_pages(sources: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the Markdown of each page."""
    package = griffe.load(PACKAGE, search_paths=[sources], resolve_aliases=True)
    top = {_place(package[str(name)]) for name in package.exports or ()}
    shown: set[str] = set()
    for file, (title, modules) in PAGES.items():
        parts = [f"# {title}"]
        for name in modules:
            module = package[name] if name else package
            entries = [one for one in _public(module) if _place(one) not in shown]
            shown.update(_place(one) for one in entries)
            parts += [f"## {module.path}", _first_paragraph(module)]
            parts += [_entry(one, PACKAGE if _place(one) in top else module.path) for one in entries]
        yield file, "\n\n".join(parts) + "\n"


def _public(module: griffe.Object | griffe.Alias) -> list[griffe.Object | griffe.Alias]:
    """Return the names in a module's `__all__`, or else the functions and classes defined in it."""
    if module.exports is not None:
        listed = [module[str(name)] for name in module.exports]
        # A function may have the name of its module, which it then hides in the package.
        found = [one[one.name] if one.is_module and one.name in one.members else one for one in listed]
        return [one for one in found if not one.is_module]
    defined = [*module.classes.values(), *module.functions.values()]
    return [one for one in defined if not one.is_alias and not one.name.startswith("_")]


def _place(one: griffe.Object | griffe.Alias) -> str:
    return one.final_target.path if isinstance(one, griffe.Alias) else one.path


def _first_paragraph(one: griffe.Object | griffe.Alias) -> str:
    return one.docstring.value.split("\n\n")[0] if one.docstring else ""


def _entry(one: griffe.Object | griffe.Alias, module: str) -> str:
    """Return the directive that includes a docstring, and for a dictionary also its keys."""
    is_in_namesake = one.parent is not None and one.parent.name == one.name
    lines = [f"::: {one.path if is_in_namesake else f'{module}.{one.name}'}"]
    if one.is_attribute:
        value = getattr(importlib.import_module(module), one.name)
        if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
            lines.append(f"Keys: {', '.join(f'`{key}`' for key in value)}")
    return "\n\n".join(lines)
