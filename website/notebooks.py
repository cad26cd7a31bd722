"""Tutorials: notebooks stored without outputs and executed when the site is built."""

from __future__ import annotations

import base64
import os
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).parent.parent
SECONDS = 120
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def run(path: Path) -> Any:
    """Run a notebook and return it with outputs; an exception in a cell ends the build with its traceback."""
    notebook = nbformat.read(path, as_version=4)
    with TemporaryDirectory() as folder:  # for the files that a tutorial writes
        resources = {"metadata": {"path": folder}}
        client = NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources=resources)
        client.extra_arguments = ["--log-level=ERROR"]
        commands = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # for `!hebbian-descent`
        sources = os.pathsep.join(
            filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])
        )  # of the reproduction
        client.execute(env={**os.environ, "PATH": commands, "PYTHONPATH": sources})
    return notebook


def page(notebook: Any, name: str, folder: Path) -> str:
    """Return a notebook as Markdown; its pictures become files `NAME_1.png`, … in the folder."""
    parts, n_pictures = [], 0
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        text = "".join(_text(output) for output in cell.outputs)
        if text:
            parts.append(f"```{{ .text .output }}\n{ESCAPES.sub('', text).rstrip()}\n```")
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                n_pictures += 1
                picture = folder / f"{name}_{n_pictures}.png"
                folder.mkdir(parents=True, exist_ok=True)
                picture.write_bytes(base64.b64decode(output["data"]["image/png"]))
                size = output["metadata"].get("image/png", {}).get("width", "100%")
                parts.append(f"![Output of the code above]({picture.name}){{ width={size} }}")
    return "\n\n".join(parts) + "\n"


def _text(output: Any) -> str:
    """Return what a cell printed, or the value of its last line unless that is a figure."""
    data = output.get("data", {})
    value = "" if "image/png" in data else data.get("text/plain", "")
    return str(output.get("text", value))
