"""What a study must be in its quick form, asked of those that need a library where it is installed.

`python -m reproduction.tests.quick_form NAME …` writes the numbers of a quick run: a change of code must not
move them.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from reproduction.context import Context, Effort
from reproduction.running import part_of, run
from reproduction.studies import STUDIES

QUICK = Effort(quick=True)
NUMBERS = Path(__file__).with_name("quick_studies.json")


def assert_the_quick_form_runs_and_is_kept(study, folder):
    context = Context(folder, QUICK)
    outcome = run(study, context)
    assert not outcome.missing
    expected = json.loads(NUMBERS.read_text(encoding="utf-8")).get(study.name)
    if expected is not None:
        np.testing.assert_allclose(outcome.rows["value"], expected, rtol=1e-4, atol=1e-8)
    for table in study.tables(outcome.rows).values():
        assert len(table)
        assert not table.isna().any(axis=None)
    assert study.answer(outcome.rows).text.endswith(".")
    assert study.figure(outcome.rows).axes
    last = list(study.jobs(QUICK))[-1]
    part_of(study.name, last.name, context).unlink()
    assert study.rows(context).empty, "an unfinished run gives no answer"
    seconds = {}
    again = run(study, context, ended=lambda job, took: seconds.update({job.name: took}))
    assert len(seconds) == len(list(study.jobs(QUICK)))
    assert study.rows(context).equals(again.rows)
    assert again.rows.equals(outcome.rows), "the same seeds give the same rows"


def write_numbers(names):
    found = json.loads(NUMBERS.read_text(encoding="utf-8")) if NUMBERS.exists() else {}
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            rows = run(STUDIES[name], Context(Path(folder), QUICK)).rows
        found[name] = [float(f"{value:.6g}") for value in rows["value"]]
    NUMBERS.write_text(
        "{\n" + ",\n".join(f'"{name}": {numbers}' for name, numbers in found.items()) + "\n}\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    write_numbers(sys.argv[1:])
