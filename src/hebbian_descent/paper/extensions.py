"""Experiments in a user's own Python file, which get progress, store, table and report like the paper's."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from hebbian_descent.paper.experiments import Experiment
from hebbian_descent.paper.index import INDEX


class ExtensionError(ValueError):
    """A user's own file does not do what it should; the message names its line."""


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
    sys.path.insert(0, str(path.parent.resolve()))  # so that it finds the files beside it, as a script does
    with errors_in(path):
        specification.loader.exec_module(module)
    found = list(dict.fromkeys(value for value in vars(module).values() if isinstance(value, Experiment)))
    if not found:
        raise ValueError(
            f"{path} must define an experiment, as TABLE = Association(label, title, pairs). Got none."
        )
    _check_labels(path, found)
    fingerprint = hashlib.sha256(path.read_bytes()).hexdigest()
    return [replace(experiment, source=fingerprint) for experiment in found]


def _check_labels(path: Path, experiments: list[Experiment]) -> None:
    counts = Counter(experiment.label for experiment in experiments)
    for label, n in counts.items():
        if label in INDEX:
            raise ValueError(f"{path} must give its table a label that is not the paper's. Got {label!r}.")
        if n > 1:
            raise ValueError(f"{path} must give each table a label of its own. Got {label!r} {n} times.")


@contextmanager
def errors_in(path: Path) -> Iterator[None]:
    """Say of an error in a file which line it comes from."""
    try:
        yield
    except SyntaxError as error:
        raise ExtensionError(f"{error.filename}, line {error.lineno}: {error.msg}.") from error
    except Exception as error:
        lines = [frame for frame in traceback.extract_tb(error.__traceback__) if _is(frame.filename, path)]
        if not lines:
            raise
        what = f"{type(error).__name__}: {error}"
        raise ExtensionError(f"{path}, line {lines[-1].lineno}, in {lines[-1].name}: {what}") from error


def _is(filename: str, path: Path) -> bool:
    return Path(filename).resolve() == path.resolve()
