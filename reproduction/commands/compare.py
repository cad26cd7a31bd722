"""`compare`: how the printed numbers compare with ours."""

from __future__ import annotations

import math

import pandas as pd

from hebbian_descent.cli.console import PlainConsole, print_fitting, stacked
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.options import Json
from hebbian_descent.table_formats import TextTable
from reproduction.catalogue import find
from reproduction.commands.options import Names, Output
from reproduction.compare import BEST_RATE, deviations_and_rates, verdicts
from reproduction.context import OUTPUT, Context
from reproduction.layout import reason
from reproduction.numbers import NUMBERS
from reproduction.pairs import pairs, summary, winners
from reproduction.printed import printed_rows
from reproduction.tables import TABLES

REASON_UNKNOWN = "Why these differ is not known."


def compare(names: Names = None, output: Output = OUTPUT, as_json: Json = False) -> None:
    """Count how many printed numbers agree with ours, by table and measure, and list those that differ.

    The numbers are those of your own runs in OUTPUT by the paper's protocol, or else those under version
    control. Where patterns were drawn, a number agrees if it lies in the 99 % prediction interval of one more
    draw, or within 0.005 of our mean. With fewer than five draws (three trials where whole datasets are
    learned), or if the interval is too wide, it is undecided.
    Blind is the share of agreements that would survive if the print had exchanged gradient descent and
    Hebbian-descent, or fixed and adaptive offsets: the larger one.

    **Example**

        python -m reproduction compare "Table 3"
    """
    labels = [find(name, "table").label for name in names or TABLES]
    context = Context(output)
    found, spreads = verdicts(context, labels), deviations_and_rates(context, labels)
    differences, best = pairs(context, found), winners(found)
    if as_json:
        parts = {
            "summary": summary(found),
            "results": in_words(found),
            "deviations_and_rates": in_words(spreads),
        }
        tables = {**parts, "pairs": _named(differences), "winners": best}
        write_json({name: table.to_dict("records") for name, table in tables.items()})
        return
    print_fitting(_counts(found), wrap=[0, 1])
    console = PlainConsole()
    rests_on = found["rests_on"].value_counts()
    console.print(
        f"Agreements by the interval: {rests_on.get('interval', 0)}; by 0.005 alone: "
        f"{rests_on.get('absolute', 0)}; by 5 % alone: {rests_on.get('relative', 0)}."
    )
    for kind, judged in differences.groupby("kind", sort=False):
        directions = judged["direction"].value_counts()
        console.print(
            f"Paired, {kind}: {_words(judged)}; direction {directions.get('same', 0)} the same, "
            f"{directions.get('opposite', 0)} opposite.",
            soft_wrap=True,
        )
    is_rate = spreads["measure"] == BEST_RATE
    for title, lines in {"deviations": spreads[~is_rate], "learning rates": spreads[is_rate]}.items():
        console.print(f"Printed {title}: {_words(lines)}.")
    if len(best):
        console.print(f"Winners, ours beside the printed ones: {_words(best)}.")
    _print_differences(console, found[found["word"] == "differs"])


def in_words(table: pd.DataFrame) -> pd.DataFrame:
    """Return verdicts with the settings of their printed rows in place of the rows' places."""
    cells = pd.DataFrame([printed_rows()[row].cell for row in table["row"]], index=table.index).fillna("")
    return pd.concat([table[["experiment"]], cells, table.drop(columns=["experiment", "row"])], axis=1)


def _named(differences: pd.DataFrame) -> pd.DataFrame:
    names = {side: [f"{row.label} {row.name}" for row in differences[side]] for side in ("first", "second")}
    return differences.assign(**names)


def _words(judged: pd.DataFrame) -> str:
    return ", ".join(f"{n} {word}" for word, n in judged["word"].value_counts().items())


def _counts(found: pd.DataFrame) -> TextTable:
    rows = [
        [
            NUMBERS.get(line["experiment"], ""),
            f"{line['experiment']} {line['measure']}",
            f"{line['agrees']}/{line['agrees'] + line['differs']}",
            line["undecided"] or "",
            line["not run"] or "",
            "" if math.isnan(line["blind"]) else f"{line['blind']:.0%}",
            "" if math.isnan(line["rms_z"]) else f"{line['rms_z']:.2f}",
        ]
        for line in summary(found).to_dict("records")
    ]
    headings = ["Paper", "Label and measure", "Agree", "Unde- cided", "Not run", "Blind", "RMS z"]
    return TextTable([*headings[:3], *map(stacked, headings[3:])], rows, "Printed numbers", "llrrrrr")


def _print_differences(console: PlainConsole, different: pd.DataFrame) -> None:
    rows = [printed_rows()[row] for row in different["row"]]
    reasons = [
        reason(row.label, row.name, measure) for row, measure in zip(rows, different["measure"], strict=True)
    ]
    for why in dict.fromkeys(reasons):
        console.print(f"\n{why or REASON_UNKNOWN}")
        lines = zip(rows, reasons, different.itertuples(), strict=True)
        for row, verdict in ((row, verdict) for row, known, verdict in lines if known == why):
            console.print(
                f"  {NUMBERS.get(row.label, row.label)} {row.name} {verdict.measure}: ours "
                f"{verdict.ours:.4f} ± {verdict.sd:.4f}, printed {verdict.printed:.4f}, z {verdict.z:.1f}",
                soft_wrap=True,
            )
