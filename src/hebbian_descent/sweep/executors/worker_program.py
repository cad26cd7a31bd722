"""The program of a process of the local pool: take over modules and search path, then serve.

`python -P` runs this file by its path, so that nothing is imported from the current folder. The process then
has the package that this file belongs to, even where the search path leads to another, and everything else
from where the process that started it finds it.
"""

import pickle
import signal
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path


def import_own_package() -> None:
    """Import the package that this file belongs to."""
    folder = Path(__file__).parents[2]
    spec = spec_from_file_location(folder.name, folder / "__init__.py")
    assert spec is not None
    assert spec.loader is not None
    sys.modules[folder.name] = package = module_from_spec(spec)
    spec.loader.exec_module(package)


if __name__ == "__main__":
    # An interrupt from the keyboard reaches all processes; the one that started them ends the rest.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.path[:] = pickle.load(sys.stdin.buffer)
    import_own_package()
    from hebbian_descent.sweep.executors.serving import serve

    serve()
