"""The page on the store runs as written."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "store.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("reader", ["pandas", "polars", "duckdb"])
def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: str) -> None:
    pytest.importorskip(reader)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    with warnings.catch_warnings():
        for block in BLOCKS:
            if reader in block or not re.search("import (pandas|polars|duckdb)", block):
                exec(block, names)
    assert len(names["mean_error"]) == 35
