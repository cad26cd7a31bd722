"""The page on processors and machines runs as written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "cluster.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    results = []
    for block in BLOCKS:
        exec(block, names)
        results.append(names["result"].values["mae"])
    local, shards = results
    assert np.array_equal(local[:2, :2], shards), "the second grid is a part of the first"
