"""`hebbian-descent report` and `evidence`: everything that was run, as a page and as files to keep."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say, say_detail, say_where_from, say_written, waiting_for
from hebbian_descent.cli.options import OUTPUT, Json, Output, refuse_overwriting
from reproduction.document import write_document
from reproduction.kept_evidence import DOCUMENT, KEPT_FILES, document_on
from reproduction.old_evidence import add_to_evidence
from reproduction.report import write_report
from reproduction.results import Results
from reproduction.run_context import DEFAULT_FOLDER, Effort
from reproduction.tables import TABLES


def report(
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Show what `run --quick` computed.")] = False,
    output: Output = OUTPUT,
    as_json: Json = False,
) -> None:
    """Write a page on everything that was run: counts, claims, tables, figures, protocol.

    Tables that were not run show the evidence kept in OUTPUT, such as that in a clone of the repository. The
    page is one file, report.html in OUTPUT, and needs no network. Results of `run --quick` get no
    verdicts; without --quick they appear in a separate section at the end.

    **Example**

        hebbian-descent report --open
    """
    with waiting_for("Reading the measurements") as say_what:
        path = write_report(output, Effort(quick=quick), say_what)
    say_written(path)
    say_where_from(Results(output, Effort(quick=quick)), TABLES)
    say_detail(f"It has {path.stat().st_size / 1e6:.1f} MB.")
    if as_json:
        write_json({"wrote": [path]})
    if show:
        webbrowser.open(path.resolve().as_uri())


def evidence(
    output: Output = OUTPUT,
    kept: Annotated[
        Path, typer.Option(help="Folder of the files under version control.", file_okay=False)
    ] = DEFAULT_FOLDER,
    document: Annotated[
        Path | None,
        typer.Option(
            help="Document with counts, differences and tables, next to copied figures. By default "
            f"{DOCUMENT} on the folder {DEFAULT_FOLDER}, and {DOCUMENT.name} in any other KEPT."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Add what was run to the evidence under version control, and write the document on it.

    KEPT holds summary.csv (every printed number with ours), draws.parquet (every draw and trial), claims.json
    and origin.json (date, commit, versions, processor, seeds). Only what was run by the paper's protocol is
    added. A cell that was not run, or run with fewer draws or without single trials, keeps the numbers it
    has, and a claim its verdict unless it was judged later.

    **Example**

        hebbian-descent evidence --output results --kept reproduction
    """
    document = document or document_on(kept)
    paths = [*(kept / name for name in KEPT_FILES), document]
    refuse_overwriting(document, *paths[:-1])
    before = list(map(_content, paths))
    with waiting_for("Comparing the tables"):
        added = add_to_evidence(output, kept)
        write_document(kept, document, output / "figures" / Effort().name)
    wrote = [path for path, content in zip(paths, before, strict=True) if _content(path) != content]
    fewer = f", {added.n_fewer} of them because the run has fewer draws" if added.n_fewer else ""
    say(f"{added.n_taken} cells are from the run in {output}; {added.n_kept} stay as they were{fewer}.")
    if added.n_bare:
        say(f"{added.n_bare} cells of the run have no single trials: `run` again fills them in.")
    if added.n_older:
        verdicts = "verdict was" if added.n_older == 1 else "verdicts were"
        say(f"{added.n_older} {verdicts} not judged later than those kept: `claims` judges again.")
    say_written(*wrote)
    if not wrote:
        say(f"Nothing changed in {kept} and {document}.")
    if as_json:
        write_json({"wrote": wrote, **added._asdict()})


def _content(path: Path) -> bytes | None:
    """Return what a file holds; None if there is no such file."""
    return path.read_bytes() if path.is_file() else None
