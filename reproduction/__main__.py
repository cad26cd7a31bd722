"""The command `python -m reproduction`: the paper's tables, figures, claims and studies."""

from __future__ import annotations

from collections.abc import Callable

import typer

from hebbian_descent.cli.console import tolerate_poor_terminals
from hebbian_descent.cli.failures import failures_in_one_sentence
from hebbian_descent.cli.messages import with_volume

try:
    from reproduction.commands import claims, compare, listing, report, run, study, table
except ModuleNotFoundError as error:
    raise SystemExit(f"The reproduction needs {error.name}: pip install -e '.[results]'") from None

app = typer.Typer(
    name="reproduction",
    help="The paper on Hebbian-descent, computed anew and compared with its printed numbers.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # lets lines of a paragraph flow
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS: dict[str, Callable[..., None]] = {
    "list": listing.list_entries,
    "run": run.run,
    "status": listing.status,
    "compare": compare.compare,
    "table": table.table,
    "claims": claims.claims,
    "study": study.study,
    "report": report.report,
}
for name, function in COMMANDS.items():
    app.command(name)(with_volume(function))


def main() -> None:
    """Run the command line; a failure is one sentence and exit code 2, never a traceback."""
    tolerate_poor_terminals()
    with failures_in_one_sentence():
        app(prog_name="python -m reproduction")


if __name__ == "__main__":
    main()
