"""Experiments in a user's own Python file, which get progress, store, table and report like the paper's."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from hebbian_descent.paper.experiments import Experiment


def load_experiments(path: Path) -> list[Experiment]:
    """Import a file and return the experiments that it defines, in their order."""
    if not path.is_file():
        raise ValueError(f"The experiment must be a Python file. Got {path}, which does not exist.")
    name = f"hebbian_descent_extension_{path.stem}"
    specification = importlib.util.spec_from_file_location(name, path)
    if specification is None or specification.loader is None:
        raise ValueError(f"The experiment must be a Python file. Got {path}.")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # so that workers and the hashes of rules find the source
    specification.loader.exec_module(module)
    found = [value for value in vars(module).values() if isinstance(value, Experiment)]
    if not found:
        raise ValueError(
            f"{path} must define an experiment, as TABLE = Association(label, title, pairs). Got none."
        )
    return found
