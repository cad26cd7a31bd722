"""The references of commands, generated from the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer


def command_reference(app: typer.Typer, program: str, introduction: str) -> str:
    """Return a page in Markdown with a section for each command of a program."""
    root = typer.main.get_command(app)
    context = root.make_context(program, [], resilient_parsing=True)
    return "\n\n".join([introduction, *_sections(root, context, "")]) + "\n"


def _sections(group: Any, context: Any, before: str) -> Iterator[str]:
    for word, command in group.commands.items():
        its = command.make_context(word, [], parent=context, resilient_parsing=True)
        if hasattr(command, "commands"):
            yield from _sections(command, its, f"{before}{word} ")
        else:
            yield _section(command, its, f"{before}{word}")


def _section(command: Any, context: Any, title: str) -> str:
    usage = command.get_usage(context).removeprefix("Usage: ")
    rows = [record for record in (one.get_help_record(context) for one in command.params) if record]
    table = ["| argument or option | meaning |", "| --- | --- |"]
    table += [f"| `{_cell(option)}` | {_cell(meaning)} |" for option, meaning in rows]
    return "\n\n".join([f"## {title}", f"```text\n{usage}\n```", command.help, "\n".join(table)])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;") if "`" in text else text.replace("|", "\\|")
