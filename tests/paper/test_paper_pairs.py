"""Pairs of datasets that deviate as a whole are told from cells that scatter."""

import numpy as np
import pytest

from hebbian_descent.paper.comparison import Verdict
from hebbian_descent.paper.printed import PrintedRow
from hebbian_descent.paper.summaries import pair_deviations


def verdict(data, z, column="mae_mean"):
    cell = dict(zip(("input", "target"), data.split("→"), strict=True)) if "→" in data else {"dataset": data}
    return Verdict(PrintedRow("file", "tab:x", cell, {column: 0.1}, {}, bold=False), column, 0.1, z=z)


def test_the_furthest_pair_is_named_and_left_out():
    z_of_pairs = {"rand→rand": (0.6, -0.8), "adult→rand": (-3.0, -1.0), "rand→adult": (1.0, 1.0)}
    (found,) = pair_deviations(verdict(name, z) for name, both in z_of_pairs.items() for z in both)
    assert (found.label, found.column, found.n_pairs) == ("tab:x", "mae_mean", 3)
    assert found.rms_of_means == pytest.approx(np.sqrt((0.1**2 + 2**2 + 1) / 3))
    assert (found.furthest, found.z_of_furthest) == ("adult→rand", pytest.approx(-2))
    assert found.rms_of_others == pytest.approx(np.sqrt((0.6**2 + 0.8**2 + 1 + 1) / 4))


def test_columns_are_told_apart_and_what_was_not_run_or_not_drawn_does_not_count():
    drawn = [verdict(name, 1.0, column) for name in ("a→b", "b→a") for column in ("mae_last20", "mae_all")]
    others = [
        verdict("c→a", np.nan, "mae_all"),
        verdict("mnist", 9.0, "mae_all"),
        verdict("a→b", 1.0, "alone"),
    ]
    assert [
        (found.column, found.n_pairs, found.rms_of_means) for found in pair_deviations(drawn + others)
    ] == [
        ("mae_last20", 2, 1.0),
        ("mae_all", 2, 1.0),
    ]
