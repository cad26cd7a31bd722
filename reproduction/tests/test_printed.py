"""The printed numbers are all there, under the paper's labels and in the package's words."""

from collections import Counter

import pytest

from hebbian_descent import ACTIVATIONS, RULES
from hebbian_descent.datasets import DATASETS
from reproduction.numbers import NUMBERS
from reproduction.printed import FILES, RESULTS, notes, printed_numbers, printed_rows

N_ROWS = {
    "hetero_online_centered": 372,
    "hetero_online_uncentered": 372,
    "hetero_online_adaptive_offsets": 116,
    "hetero_online_weight_decay": 92,
    "hetero_multi_epoch": 372,
    "classification": 192,
    "auto_associative": 60,
    "text_moving_offsets": 2,
    "text_auto_associative_hebb": 4,
}


def test_all_rows_and_results_are_there():
    assert Counter(row.file for row in printed_rows()) == N_ROWS
    assert tuple(N_ROWS) == tuple(FILES)
    assert printed_numbers()["measure"].isin(RESULTS).sum() == 2596


def test_fixed_offsets_are_those_of_the_centered_table():
    def numbers(label, **words):
        rows = [row for row in printed_rows(label) if words.items() <= row.cell.items()]
        return {
            frozenset((name, word) for name, word in row.cell.items() if name != "offsets"): row.results
            for row in rows
        }

    fixed = numbers("tab:Hetero_online_centered_shift", offsets="fixed")
    centered, uncentered = (numbers(f"tab:Hetero_online_{word}_1") for word in ("centered", "uncentered"))
    assert fixed == {cell: centered[cell] for cell in fixed}
    assert not any(uncentered[cell] == fixed[cell] for cell in fixed)


def test_rows_stand_under_labels_of_the_paper():
    labels = {row.label for row in printed_rows()}
    assert {label for label in labels if label.startswith("tab:")} < set(NUMBERS)
    assert len(labels) == 16
    assert len(printed_rows("tab:Hetero_online_centered_1")) == 116


def test_cells_speak_the_words_of_the_package():
    for row in printed_rows():
        assert row.cell["rule"] in RULES
        for name in ("activation", "hidden_activation", "output_activation"):
            assert row.cell.get(name, "linear") in ACTIVATIONS
        for name in ("input", "target", "dataset"):
            assert row.cell.get(name, "rand") in DATASETS


def test_one_number_as_printed():
    row = next(
        row for row in printed_rows("tab:centered_weight_decay") if row.name == "rand→rand sigmoid covariance"
    )
    assert row.results == {"mae_last20": 0.0090, "mae_all": 0.2572}
    assert row.bold


def test_unknown_labels_get_a_suggestion():
    with pytest.raises(ValueError, match="tab:auto_associative"):
        printed_rows("tab:autoassociative")


def test_every_reason_is_of_a_result_that_differs():
    from reproduction.compare import verdicts
    from reproduction.context import COMMITTED
    from reproduction.layout import reason

    found = verdicts(COMMITTED)
    different = found[found["word"] == "differs"]
    rows = [printed_rows()[row] for row in different["row"]]
    used = {reason(row.label, row.name, m) for row, m in zip(rows, different["measure"], strict=True)}
    assert {note["reason"] for note in notes("reasons")} <= used
