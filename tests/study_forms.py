"""What a study must be in its quick form, asked of those that need a library where it is installed."""

from reproduction.context import Context, Effort
from reproduction.running import part_of, run

QUICK = Effort(quick=True)


def assert_the_quick_form_runs_and_is_kept(study, folder):
    context = Context(folder, QUICK)
    outcome = run(study, context)
    assert not outcome.missing
    for table in study.tables(outcome.rows).values():
        assert len(table)
        assert not table.isna().any(axis=None)
    verdict, text = study.answer(outcome.rows)
    assert verdict
    assert text.endswith(".")
    assert study.figure(outcome.rows).axes
    last = list(study.jobs(QUICK))[-1]
    part_of(study.name, last.name, context).unlink()
    assert study.rows(context).empty, "an unfinished run gives no answer"
    measured = []
    again = run(study, context, ended=lambda job, seconds: measured.append(job.name))
    assert measured[-1] == last.name
    assert study.rows(context).equals(again.rows)
    assert again.rows.equals(outcome.rows), "the same seeds give the same rows"
