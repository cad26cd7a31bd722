"""The digest of the package's code: the same for the same code anywhere, another for any other code."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import hebbian_descent
from hebbian_descent.source_digest import digest_of, source_digest

PACKAGE = Path(hebbian_descent.__file__).parent


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(PACKAGE, tmp_path / "hebbian_descent"))


def test_place_line_endings_and_other_files_do_not_count(copy: Path) -> None:
    for path in copy.rglob("*.py"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    (copy / "notes.txt").write_text("not code")
    (copy / "__pycache__").mkdir(exist_ok=True)
    (copy / "__pycache__" / "training.cpython-399.pyc").write_bytes(b"cached")
    assert digest_of(copy) == source_digest()
    assert len(source_digest()) == 64


def test_a_zip_archive_has_the_digest_of_its_content(copy: Path, tmp_path: Path) -> None:
    archive = shutil.make_archive(str(tmp_path / "archive"), "zip", copy)
    assert digest_of(zipfile.Path(archive)) == source_digest()


def _edit(copy: Path) -> None:
    with (copy / "rules" / "__init__.py").open("ab") as file:
        file.write(b"#\n")


CHANGES = {
    "edited": _edit,
    "renamed": lambda copy: (copy / "measures.py").rename(copy / "trained.py"),
    "moved": lambda copy: (copy / "measures.py").rename(copy / "rules" / "measures.py"),
    "removed": lambda copy: (copy / "measures.py").unlink(),
    "added": lambda copy: (copy / "empty.py").touch(),
    "extension": lambda copy: (copy / "loops.abi3.so").write_bytes(b"\x7fELF"),
    "extension for Windows": lambda copy: (copy / "loops.pyd").write_bytes(b"MZ"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_any_other_code_has_another_digest(copy: Path, change: str) -> None:
    CHANGES[change](copy)
    assert digest_of(copy) != source_digest()


def test_a_byte_that_looks_like_a_line_ending_counts_in_an_extension(copy: Path) -> None:
    extension = copy / "loops.so"
    extension.write_bytes(b"\r\n")
    before = digest_of(copy)
    extension.write_bytes(b"\n")
    assert digest_of(copy) != before


def test_an_installed_copy_digests_itself(copy: Path) -> None:
    _edit(copy)
    command = "from hebbian_descent.source_digest import source_digest; print(source_digest())"
    environment = {**os.environ, "PYTHONPATH": str(copy.parent)}
    process = subprocess.run(
        [sys.executable, "-c", command], env=environment, capture_output=True, text=True, check=True
    )
    assert process.stdout.split() == [digest_of(copy)]
