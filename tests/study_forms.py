"""What a study must be in its quick form, asked of those that need a library where it is installed."""

import re

from reproduction.studies.page import drawn
from reproduction.studies.running import kept_results, run_study


def assert_the_quick_form_runs_and_is_kept(study, folder):
    results = run_study(study, folder, quick=True)
    for table in study.tables(results):
        assert {len(row) for row in table.rows} == {len(table.headings)}
    assert drawn(study, results).startswith(b"<?xml")
    assert sentences(study.answer(results).text) == 2
    assert kept_results(study, folder, quick=True) == results
    assert kept_results(study, folder) is None, "a quick look is no evidence"


def sentences(text):
    assert text.endswith(".")
    return len(re.findall(r"\.(?: [A-Z]|$)", text))
