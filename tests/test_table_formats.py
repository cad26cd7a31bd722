"""One writer of tables: each format shows the same cells and neutralises what its reader would act upon."""

import csv
import re

import pytest
from rich.console import Console

from hebbian_descent.table_formats import (
    Marked,
    TextTable,
    csv_text,
    latex_text,
    markdown_text,
    terminal_table,
)

TABLE = TextTable(
    ["data", "error"],
    [["rand→adult", 0.123456], ["a_b", (Marked("0.1", bold=True), " (0.2)")], ["n", 3]],
    "Title",
    "lr",
)


def shown(table, **options):
    console = Console(width=60, markup=False, color_system="truecolor", force_terminal=True)
    with console.capture() as capture:
        console.print(terminal_table(table, **options))
    return capture.get()


def test_csv_has_every_digit_and_no_marks():
    assert csv_text(TABLE) == "data,error\nrand→adult,0.123456\na_b,0.1 (0.2)\nn,3\n"


def test_formulas_become_text_and_numbers_stay_numbers():
    cells = ["=1+1", "+a", "-a", "@x", "\tx", "＝1", "-0.5", "+1e-3", -0.5, 3, "a-b", ""]
    _, row = csv.reader(csv_text(TextTable(["x"] * len(cells), [cells])).splitlines())
    assert row == ["'=1+1", "'+a", "'-a", "'@x", "'\tx", "'＝1", "-0.5", "+1e-3", "-0.5", "3", "a-b", ""]


def test_a_formula_in_a_heading_or_in_marked_text_becomes_text_too():
    assert csv_text(TextTable(["=1"], [[Marked("=2", bold=True)], [("=", "3")]])) == "'=1\n'=2\n'=3\n"


def test_latex_is_a_tabular_with_bold_cells():
    assert latex_text(TABLE).splitlines() == [
        r"\begin{tabular}{lr}",
        r"\hline",
        r"data & error \\",
        r"\hline",
        r"rand$\to$adult & 0.1235 \\",
        r"a\_b & \textbf{0.1} (0.2) \\",
        r"n & 3 \\",
        r"\hline",
        r"\end{tabular}",
    ]


def test_latex_commands_become_text():
    text = latex_text(TextTable(["x"], [[r"\input{/etc/passwd} & 100% $a_b$ #~^ <é>" + "\n" + r"\\"]]))
    (row,) = text.splitlines()[4:-2]
    without = re.sub(r"\\text(backslash|asciitilde|asciicircum)\{\}|\\[&%$#_{}]|\$<\$|\$>\$", "", row)
    assert without == r"input/etc/passwd  100 ab  é  \\"


def test_markdown_has_bold_cells():
    assert markdown_text(TABLE).splitlines() == [
        "| data | error |",
        "| --- | --- |",
        "| rand→adult | 0.1235 |",
        "| a_b | **0.1** (0.2) |",
        "| n | 3 |",
    ]


def test_a_cell_of_a_document_ends_where_it_ends():
    text = markdown_text(TextTable(["a"], [["x|y <script>\nz < 2"]]))
    assert text.endswith(r"| x\|y &lt;script><br>z < 2 |")


@pytest.mark.parametrize("compact", [False, True])
def test_the_terminal_shows_title_headings_and_cells(compact):
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown(TABLE, compact=compact)).splitlines()
    assert lines[0].strip() == "Title"
    assert any(line.split() == ["a_b", "0.1", "(0.2)"] for line in lines)
    assert any(line.rstrip().endswith(" 0.1235") for line in lines)


def test_marks_are_styles_of_the_terminal():
    assert "\x1b[1m0.1\x1b[0m" in shown(TABLE)
    assert "\x1b[31mx" in shown(TextTable(["a"], [[Marked("x", style="red")]]))


def test_cells_headings_and_titles_send_no_escapes_and_are_no_markup():
    text = "\x1b]0;mine\x07[red]x[/red]"
    printed = shown(TextTable([text], [[text]], text))
    assert "\x1b]" not in printed
    assert "\x07" not in printed
    assert printed.count(r"\x1b]0;mine\x07[red]x[/red]") == 3


def test_decimal_points_are_below_each_other_and_marks_do_not_count():
    cells = ["100", "0.5", "2e-05", "≥12.25", "0.125*", "–", float("nan"), 1234.5]
    lines = shown(TextTable(["n", "rate"], [["a", cell] for cell in cells], alignment="lr"), compact=True)
    heading, _, *rows = lines.splitlines()
    points = {re.search(r"\.|(?<=\d)(?=e| *$)", row).start() for row in rows if "–" not in row}
    assert len(points) == 1
    assert re.sub(r"\x1b\[\d+m", "", heading).endswith(" rate")
    assert [row.split()[-1] for row in rows] == ["100", "0.5", "2e-05", "≥12.25", "0.125*", "–", "–", "1234"]
