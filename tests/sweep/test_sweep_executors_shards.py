"""Parts of a sweep, computed by processes that know nothing of each other but a folder.

python test_sweep_executors_shards.py FOLDER PART PARTS     compute one part
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from hebbian_descent.storage.results import Store
from hebbian_descent.sweep import LayerGrid, Patterns, Sweep
from hebbian_descent.sweep.cell import Work
from hebbian_descent.sweep.executors.base import Finished


def prepared() -> Sweep:
    rng = np.random.default_rng(0)
    setting = LayerGrid.of(
        rules=["hebbian_descent", "gradient_descent", "hebb"],
        activations=["sigmoid", "linear"],
        weight_decays=(0.0, 0.1),
        learning_rates=(1.0, 0.1),
        trials=2,
    )
    patterns = Patterns.of(rng.random((20, 6)), rng.random((20, 3)))
    return Sweep(setting, patterns, engine="reference")


class Nobody:
    """An executor for a sweep that has nothing left to do."""

    def run(self, works: Sequence[Work], patterns: Patterns) -> Finished:
        assert not works
        yield from ()


def test_three_shards_at_once_make_the_whole(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    shards = [
        subprocess.Popen([sys.executable, __file__, tmp_path, str(part), "3"], env=environment)
        for part in (1, 2, 3)
    ]
    assert [shard.wait(60) for shard in shards] == [0, 0, 0]
    store = Store(tmp_path)
    assert len(store) == 12
    whole = prepared().run(store=store, executor=Nobody())
    alone = prepared().run()
    assert whole.values["mae"].tobytes() == alone.values["mae"].tobytes()
    assert whole.diverged_at.tobytes() == alone.diverged_at.tobytes()


def test_a_shard_tells_what_it_did_and_what_is_missing(tmp_path: Path) -> None:
    sweep, store = prepared(), Store(tmp_path)
    assert sweep.run_shard(1, 5, store=store) == (3, 9)
    assert sweep.run_shard(1, 5, store=store) == (0, 9)
    assert sweep.run_shard(5, 5, store=store) == (2, 7)


@pytest.mark.parametrize("part", [0, 4, -1])
def test_a_shard_must_be_one_of_them(part: int, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"[Ss]hard must be .*Got"):
        prepared().run_shard(part, 3, store=Store(tmp_path))


if __name__ == "__main__":
    folder, part, parts = sys.argv[1:]
    prepared().run_shard(int(part), int(parts), store=Store(folder))
