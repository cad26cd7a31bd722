"""The command reference, generated from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from hebbian_descent.cli import app

PROGRAM = "hebbian-descent"
INTRODUCTION = f"""# Commands

Every command and option of `{PROGRAM}`, as described by the program itself. For output, exit codes and
results as JSON, see [the command line](command_line.md).
"""


def command_reference() -> str:
    """Return a page in Markdown with a section for each command."""
    root = typer.main.get_command(app)
    context = root.make_context(PROGRAM, [], resilient_parsing=True)
    return "\n\n".join([INTRODUCTION, *_sections(root, context, PROGRAM)]) + "\n"


def _sections(group: Any, context: Any, name: str) -> Iterator[str]:
    for word, command in group.commands.items():
        its = command.make_context(word, [], parent=context, resilient_parsing=True)
        if hasattr(command, "commands"):
            yield from _sections(command, its, f"{name} {word}")
        else:
            yield _section(command, its, f"{name} {word}")


def _section(command: Any, context: Any, name: str) -> str:
    usage = command.get_usage(context).removeprefix("Usage: ")
    rows = [record for record in (one.get_help_record(context) for one in command.params) if record]
    table = ["| argument or option | meaning |", "| --- | --- |"]
    table += [f"| `{_cell(option)}` | {_cell(meaning)} |" for option, meaning in rows]
    title = name.removeprefix(f"{PROGRAM} ")
    return "\n\n".join([f"## {title}", f"```text\n{usage}\n```", command.help, "\n".join(table)])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;") if "`" in text else text.replace("|", "\\|")
