"""The page on the studies, written from the results that are kept."""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path

from hebbian_descent.checks import require_extra
from hebbian_descent.safe_files import write_atomically
from hebbian_descent.table_formats import TextTable, heading_anchor, markdown_text
from reproduction.origin import Origin
from reproduction.studies.base import Results, Study
from reproduction.studies.running import kept_results

NOT_RECORDED = "not recorded"
OPENING = """# What the paper leaves open

The paper makes remarks without showing numbers, and names questions for future work. Each study here measures
one of them. `hebbian-descent study NAME` runs it (with `--again` also the parts that an earlier run left);
`hebbian-descent study --page docs/studies.md` writes this page from the results in `reproduction/studies/`.
Intervals are 99 % intervals (Student's t) of
differences paired by draw. In some studies settings or rules of verdicts were chosen after first results,
which their protocols say; so read the tables, not the verdicts alone."""


def write_page(studies: Iterable[Study], folder: Path, page: Path) -> list[Path]:
    """Write the page on the results in a folder, and its figures beside it; return the files."""
    kept = with_results(studies, folder)
    if not kept:
        raise ValueError(
            f"--output must be a folder in which `hebbian-descent study` left results. Got {folder}, "
            "which has none; nothing was written."
        )
    figures = page.parent / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    wrote = [figures / figure_name(study) for study, _ in kept]
    for path, (study, results) in zip(wrote, kept, strict=True):
        write_atomically(path, drawn(study, results))
    write_atomically(page, page_text(studies, folder).encode())
    return [page, *wrote]


def page_text(studies: Iterable[Study], folder: Path) -> str:
    """Return the page in Markdown."""
    kept = with_results(studies, folder)
    rows = []
    for study, results in kept:
        rows.append(
            (
                f"[{study.title}](#{heading_anchor(study.title)})",
                study.question,
                study.answer(results).verdict,
            )
        )
    overview = markdown_text(TextTable(("study", "question", "verdict on what the paper says"), rows))
    sections = [_section(study, results) for study, results in kept]
    return "\n\n".join([OPENING, overview, *sections]) + "\n"


def with_results(studies: Iterable[Study], folder: Path) -> list[tuple[Study, Results]]:
    """Return the studies that have results in a folder, with these."""
    found = ((study, kept_results(study, folder)) for study in studies)
    return [(study, results) for study, results in found if results is not None]


def _section(study: Study, results: Results) -> str:
    verdict, text = study.answer(results)
    origin = results.origin
    extra = " (after `pip install 'hebbian-descent[studies]'`)" if study.needs else ""
    command = f"`hebbian-descent study {study.name}`{extra}"
    return "\n\n".join(
        [
            f"## {study.title}",
            f"**{study.question}** The paper says (`{study.section}`): {study.says}",
            f"*Protocol.* {study.protocol_of(results.settings)}",
            *map(_titled, study.tables(results)),
            f"![{study.caption}](figures/{figure_name(study)})",
            study.caption,
            f"*Answer: {verdict}.* {text}",
            f"{command} takes about {_duration(results.seconds)} on one core. "
            f"Measured {origin.date}, commit {origin.commit or 'unknown'}, with {_versions(study, origin)}; "
            f"processor: {origin.processor or NOT_RECORDED}; "
            f"seeds: {origin.seeds or study.seeds(results.settings)}.",
        ]
    )


def _versions(study: Study, origin: Origin) -> str:
    """Return the versions that were recorded, and the libraries of the study whose version was not."""
    recorded = {version.split()[0] for version in origin.versions.split(", ") if version}
    missing = [f"{library} ({NOT_RECORDED})" for library in study.needs if library not in recorded]
    return ", ".join([origin.versions or f"versions {NOT_RECORDED}", *missing])


def _titled(table: TextTable) -> str:
    return (f"*{table.title}*\n\n" if table.title else "") + markdown_text(table)


def _duration(seconds: float) -> str:
    return f"{max(round(seconds), 1)} s" if seconds < 90 else f"{round(seconds / 60)} minutes"


def figure_name(study: Study) -> str:
    """Return the file name of a study's figure."""
    return f"study_{study.name}.svg"


def drawn(study: Study, results: Results) -> bytes:
    """Return the figure of a study as SVG, the same bytes for the same numbers and the same matplotlib."""
    matplotlib = require_extra("matplotlib", extra="paper", purpose="Drawing a figure")
    content = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": study.name, "svg.fonttype": "none"}):
        study.figure(results).savefig(content, format="svg", metadata={"Date": None, "Creator": None})
    return content.getvalue()
