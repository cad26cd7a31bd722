"""The command `hebbian-descent`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from hebbian_descent.cli import (
    data,
    demo,
    doctor,
    explore,
    inspect,
    learn,
    predict,
    sweep,
)
from hebbian_descent.cli.console import echo, tolerate_poor_terminals
from hebbian_descent.cli.failures import failures_in_one_sentence
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import with_volume
from hebbian_descent.cli.options import Json
from hebbian_descent.versions import describe_libraries, describe_package, versions

app = typer.Typer(
    help="Hebbian-descent: networks that learn each example once and forget gracefully.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # lets lines of a paragraph flow
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS: dict[str, Callable[..., None]] = {
    "demo": demo.demo,
    "explore": explore.explore,
    "learn": learn.learn,
    "predict": predict.predict,
    "sweep": sweep.sweep,
    "inspect": inspect.inspect,
    "doctor": doctor.doctor,
}
for name, function in COMMANDS.items():
    app.command(name)(with_volume(function))
app.add_typer(data.app, name="data")


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the versions, and the compiled core in use.")
    ] = False,
    as_json: Json = False,
) -> None:
    if version and as_json:
        write_json(versions())
    elif version:
        echo(f"{describe_package()}\n{describe_libraries()}")
    elif as_json and context.invoked_subcommand is not None:
        command = context.invoked_subcommand
        raise ValueError(f"--json must come after the command: `hebbian-descent {command} --json`.")
    elif context.invoked_subcommand is None:
        raise ValueError(
            "There must be a command, such as `hebbian-descent demo`, with its options after it: "
            "`hebbian-descent -h` lists them."
        )
    if version:
        raise typer.Exit


def main() -> None:
    """Run the command line; a failure is one sentence and exit code 2, never a traceback."""
    tolerate_poor_terminals()
    with failures_in_one_sentence():
        app()
