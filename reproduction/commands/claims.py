"""`claims`: the paper's conclusions, judged by our numbers."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, get_args

import typer

from hebbian_descent.cli.console import PlainConsole, print_as_blocks, print_fitting
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say
from hebbian_descent.cli.options import Json
from hebbian_descent.table_formats import Cell, Marked, TextTable
from reproduction.claims import CLAIMS, Judged, Numbers, judge
from reproduction.commands.options import Output
from reproduction.context import OUTPUT, Context
from reproduction.evidence import Word
from reproduction.numbers import NUMBERS

STYLES: dict[Word, str] = {
    "holds": "green",
    "holds with limits": "yellow",
    "misprint (corrected it holds)": "yellow",
    "does not hold": "red",
    "undecided": "cyan",
    "not run": "dim",
}
Claims = Annotated[
    list[int] | None,
    typer.Argument(metavar="NUMBER", help="Numbers of claims, to see all about them.", show_default=False),
]


def claims(numbers: Claims = None, output: Output = OUTPUT, as_json: Json = False) -> None:
    """Judge the paper's twenty conclusions, and some statements of its text, by stated rules.

    A claim holds, holds with limits, is a misprint (corrected it holds), does not hold, or is undecided.
    Verdicts follow from the rows of your own runs in OUTPUT by the paper's protocol, or else from those under
    version control. With numbers, each of these claims is shown with its check, its rule, what was found, and
    its evidence. `run "claim 14"` measures again what a claim measures itself.

    **Examples**

        python -m reproduction claims
        python -m reproduction claims 12 14
    """
    by_number = {claim.number: claim for claim in CLAIMS}
    if unknown := [number for number in numbers or () if number not in by_number]:
        raise ValueError(f"The number of a claim must be 1 to {len(CLAIMS)}. Got {unknown[0]}.")
    seen = Numbers(Context(output))
    found = [judge(by_number[number], seen) for number in numbers or by_number]
    if as_json:
        write_json(found)
    elif numbers:
        for judged in found:
            _show(judged)
    else:
        _show_all(found)


def _show(judged: Judged) -> None:
    """Print everything about a claim."""
    fields = {
        **judged._asdict(),
        "section": _named(judged.section),
        "evidence": "\n".join(map(_named, judged.evidence)),
    }
    shown = {name: text for name, text in fields.items() if text and name != "number"}
    print_as_blocks(TextTable(list(shown), [list(shown.values())], f"Claim {judged.number}"))
    PlainConsole().print()


def _named(label: str) -> str:
    """Return a label with its number in the printed paper; anything else as it is."""
    return f"{NUMBERS[label]} ({label})" if label in NUMBERS else label


def _show_all(found: list[Judged]) -> None:
    """Print number, verdict and sentence of each claim, and count the verdicts."""
    rows: list[list[Cell]] = [
        [str(judged.number), Marked(judged.verdict, style=STYLES[judged.verdict]), judged.statement]
        for judged in found
    ]
    print_fitting(TextTable(["Claim", "Verdict", "Sentence"], rows, "Claims of the paper"), wrap=[2])
    counts = Counter(judged.verdict for judged in found)
    words = ", ".join(f"{counts[word]} {word}" for word in reversed(get_args(Word)) if counts[word])
    PlainConsole().print(f"\n{words}.")
    say("`python -m reproduction claims 12` shows how claim 12 was judged, and what was found.")
