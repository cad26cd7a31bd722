"""Experiments defined in a user's Python file, with the same progress, store, table and report."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

from hebbian_descent.storage.results.libraries import is_library
from reproduction.experiments import Experiment
from reproduction.index import INDEX

FRAME = re.compile(r'File "(.+?)", line (\d+), in (\S+)')


class ExtensionError(ValueError):
    """A user's file failed; the message names the line."""


def load_experiments(path: Path) -> list[Experiment]:
    """Import a file and return the experiments that it defines, in order."""
    if not path.is_file():
        raise ValueError(f"The experiment must be a Python file. Got {path}, which does not exist.")
    name = f"hebbian_descent_extension_{path.stem}"
    specification = importlib.util.spec_from_file_location(name, path)
    if specification is None or specification.loader is None:
        raise ValueError(f"The experiment must be a Python file. Got {path}.")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # so that workers and the hashes of rules find the source
    sys.path.insert(0, str(path.parent.resolve()))  # so that it finds the files next to it, as a script does
    try:
        with errors_in(path):
            specification.loader.exec_module(module)
    except (MemoryError, RecursionError) as error:  # from Python's parser, since no line of the file ran
        raise ExtensionError(f"{path} must be a Python file. Got one that is nested too deeply.") from error
    found = list(dict.fromkeys(value for value in vars(module).values() if isinstance(value, Experiment)))
    if not found:
        raise ValueError(
            f"{path} must define an experiment, such as TABLE = Association(label, title, pairs). Got none."
        )
    _check_labels(path, found)
    source = _fingerprint(path)
    return [replace(experiment, source=source) for experiment in found]


def _check_labels(path: Path, experiments: list[Experiment]) -> None:
    # Labels become names of folders, and some file systems do not distinguish upper and lower case.
    counts = Counter(experiment.label.lower() for experiment in experiments)
    papers = {label.lower() for label in INDEX}
    for label in (experiment.label for experiment in experiments):
        if label.lower() in papers:
            raise ValueError(f"{path} must give its table a label that is not the paper's. Got {label!r}.")
        if (n := counts[label.lower()]) > 1:
            raise ValueError(f"{path} must give each table a unique label. Got {label!r} {n} times.")


@contextmanager
def errors_in(path: Path) -> Iterator[None]:
    """Turn an error raised in a file, or in one next to it, into one that names the line."""
    try:
        yield
    except SyntaxError as error:
        raise ExtensionError(f"{error.filename}, line {error.lineno}: {error.msg}.") from error
    except Exception as error:
        libraries = {file for file, name in _modules_beside(path).items() if is_library(name)}
        places = FRAME.findall("".join(traceback.format_exception(error)))
        folder = path.parent.resolve()
        own = [
            place
            for place in places
            for file in [Path(place[0]).resolve()]
            if file.is_relative_to(folder) and file not in libraries
        ]
        if not own:
            raise
        file, line, function = own[-1]
        what = f"{type(error).__name__}: {error}"
        raise ExtensionError(f"{file}, line {line}, in {function}: {what}") from error


def _fingerprint(path: Path) -> str:
    """Return a fingerprint of the file and of the files next to it that it imports."""
    own = sorted(file for file, name in _modules_beside(path).items() if not is_library(name))
    return hashlib.sha256(b"".join(file.read_bytes() for file in own)).hexdigest()


def _modules_beside(path: Path) -> dict[Path, str]:
    """Return the imported modules in the folder of a file, including libraries installed there."""
    folder = path.parent.resolve()
    resolved_folder = cache(os.path.realpath)  # thousands of modules are in some hundred folders
    found = {}
    for name, module in list(sys.modules.items()):
        if written := getattr(module, "__file__", None):
            file = os.path.join(resolved_folder(os.path.dirname(written)), os.path.basename(written))
            if os.path.islink(file):
                file = os.path.realpath(file)
            if file.startswith(str(folder)):
                found[Path(file)] = name
    return {file: name for file, name in found.items() if file.is_relative_to(folder)}
