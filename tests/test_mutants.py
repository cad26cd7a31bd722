"""Every listed fault can be planted in the present sources, and the table says that a test finds it."""

import ast

import pytest

from tests.mutants.run import ROOT, mutants, results

MUTANTS = {mutant.name: mutant for mutant in mutants()}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_fault_can_be_planted_and_its_tests_exist(name):
    mutant = MUTANTS[name]
    faulty = mutant.planted_in((ROOT / mutant.file).read_text())
    if mutant.native:
        assert mutant.file.endswith((".hpp", ".cpp"))
    else:
        ast.parse(faulty)
    assert mutant.sentence.endswith(".")
    assert all((ROOT / test).exists() for test in mutant.tests)


def test_the_table_has_a_row_for_each_fault_and_each_is_found():
    rows = results()
    assert list(rows) == list(MUTANTS)
    assert [row.name for row in rows.values() if row.killed != "yes"] == []
