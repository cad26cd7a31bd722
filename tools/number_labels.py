"""Count the numbers that the printed paper gives to the labels of its LaTeX source.

    python tools/number_labels.py hebbian-descent.tex    # writes reproduction/data/paper_numbers.json

The source is not part of the repository. Tables, figures, equations and sections have separate counters, and
each is counted in a pass of its own.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from string import ascii_letters, ascii_uppercase

TARGET = Path(__file__).parent.parent / "reproduction" / "data" / "paper_numbers.json"
VERSION = "arXiv:1905.10585, 25 May 2019"  # the source itself has no date
MISSPELT = {
    "fig:hebb_diabvantage": "fig:hebb_disadvantage",
    "fig:auto_ecoder": "fig:auto_encoder",
    "sec:HD_Hebbian_descent_covergence": "sec:HD_Hebbian_descent_convergence",
    "sec:hetero_ssociative": "sec:hetero_associative",
}
"""Labels of the source, and how this project spells them."""

COMMENT = re.compile(r"(?<!\\)%.*")
LABEL = re.compile(r"\\label\{([^}]+)\}")
FLOAT = re.compile(r"\\begin\{(figure|table)\}(.*?)\\end\{\1\}", flags=re.DOTALL)
SUBFIGURE = re.compile(r"\\subfigure\[[^\]]*\]\{")
EQUATION = re.compile(r"\\begin\{(equation|eqnarray|align|gather)\}(.*?)\\end\{\1\}", flags=re.DOTALL)
UNNUMBERED = re.compile(r"\\(nonumber|notag)\b")
ROW_PART = re.compile(r"\\\\|\\begin\{|\\end\{|\\[{}]|[{}]")
HEADING = re.compile(
    r"\\(?P<level>(?:sub){0,2}section)(?P<star>\*?)\{(?P<title>[^{}]*)\}"
    r"|(?P<appendix>\\appendix\b|\\begin\{appendices\})"
    r"|\\label\{(?P<label>[^}]+)\}"
)
LEVELS = ("section", "subsection", "subsubsection")
NOT_COUNTED_HERE = re.compile(
    r"\\(?:tag\b|ContinuedFloat|captionof|(?:set|addto)counter|numberwithin|counterwithin|afterpage\{)"
    r"|\\begin\{(?:subequations|subfigure|longtable|sideways\w+|wrap\w+|multline|flalign)\}"
)
"""Commands that change a counter or the order of floats. The paper has none of them."""


def numbers(source: str) -> dict[str, str]:
    """Return what the paper prints for each label: `Table 3`, `Figure 10(a)`, `Equation 12`, `Appendix A`."""
    text = COMMENT.sub("", source)
    for wrong, right in MISSPELT.items():
        text = text.replace(wrong, right)
    if unknown := NOT_COUNTED_HERE.search(text):
        raise ValueError(f"{unknown[0]} in the source needs a rule for counting, which this script lacks.")
    text_alone = EQUATION.sub("", FLOAT.sub("", text))
    return dict(sorted([*_floats(text), *_equations(text), *_sections(text_alone)]))


def _floats(text: str) -> Iterator[tuple[str, str]]:
    """Number tables and figures by their captions; one without a caption has no number."""
    counts = {"figure": 0, "table": 0}
    for kind, body in FLOAT.findall(text):
        counts[kind] += r"\caption" in body
        number = f"{kind.capitalize()} {counts[kind]}"
        panels = [body[start.end() : _closing_brace(body, start.end())] for start in SUBFIGURE.finditer(body)]
        for letter, panel in zip(ascii_letters, panels, strict=False):
            yield from ((label, f"{number}({letter})") for label in LABEL.findall(panel))
            body = body.replace(panel, "")
        yield from ((label, number) for label in LABEL.findall(body))


def _closing_brace(text: str, start: int) -> int:
    """Return where the group ends that was opened just before `start`."""
    depth = 1
    for brace in re.finditer(r"(?<!\\)[{}]", text[start:]):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return start + brace.start()
    raise ValueError("A brace is not closed.")


def _equations(text: str) -> Iterator[tuple[str, str]]:
    r"""Number each row, except those marked by `\nonumber`."""
    number = 0
    for _, body in EQUATION.findall(text):
        for row in _rows(body):
            number += not UNNUMBERED.search(row)
            yield from ((label, f"Equation {number}") for label in LABEL.findall(row))


def _rows(body: str) -> Iterator[str]:
    r"""Split at each `\\` outside braces and inner environments."""
    depth = start = 0
    for part in ROW_PART.finditer(body):
        # The brace that closes `\begin{cases}` or `\end{cases}` is counted too.
        depth += {"{": 1, "}": -1, r"\begin{": 2}.get(part[0], 0)
        if part[0] == r"\\" and depth == 0:
            yield body[start : part.start()]
            start = part.end()
    yield body[start:]


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Number sections, with letters in the appendix; an unnumbered one is called by its title."""
    counts, is_appendix, here = [0, 0, 0], False, ""
    for found in HEADING.finditer(text):
        if found["label"]:
            yield found["label"], here
        elif found["appendix"]:
            counts, is_appendix = [0, 0, 0], True
        elif found["star"]:
            here = found["title"]
        else:
            level = LEVELS.index(found["level"])
            counts = [*counts[:level], counts[level] + 1, *[0] * (2 - level)]
            first = ascii_uppercase[counts[0] - 1] if is_appendix else str(counts[0])
            number = ".".join([first, *map(str, counts[1 : level + 1])])
            here = f"{'Appendix' if is_appendix else 'Section'} {number}"


if __name__ == "__main__":
    source = Path(sys.argv[1]).read_bytes()
    origin = {"title": "Hebbian-Descent", "version": VERSION, "sha256": hashlib.sha256(source).hexdigest()}
    counted = {"source": origin, "numbers": numbers(source.decode())}
    TARGET.write_text(json.dumps(counted, indent=1) + "\n", encoding="utf-8")
