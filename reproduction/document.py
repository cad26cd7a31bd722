"""The pages of the documentation that follow from the rows under version control.

`docs/reproduction.md` and `docs/studies.md` are committed, and a test says that they are up to date.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from hebbian_descent import plotting
from hebbian_descent.safe_files import write_atomically
from hebbian_descent.table_formats import TextTable, markdown_text
from reproduction import pictures
from reproduction.claims import judge_all
from reproduction.compare import BEST_RATE, deviations_and_rates, verdicts
from reproduction.context import COMMITTED
from reproduction.figures import FIGURES
from reproduction.layout import reason
from reproduction.numbers import NUMBERS
from reproduction.pairs import DESCENTS, pairs, swaps, winners
from reproduction.printed import printed_rows
from reproduction.rows import committed, only
from reproduction.studies import STUDIES
from reproduction.studies.page import link_to, studies_page
from reproduction.tables import TABLES

DOCS = Path(__file__).parents[1] / "docs"


def write_pages(docs: Path = DOCS) -> list[Path]:
    """Write both pages with their pictures, and return their files."""
    found, figures = verdicts(COMMITTED), docs / "figures"
    for label in TABLES:
        pictures.save(found[found["experiment"] == label], label, figures)
    for study in STUDIES.values():
        plotting.save_svg(study.figure(only(committed(), study.label)), figures / f"study_{study.name}.svg")
    pages = {docs / "reproduction.md": results_page(found), docs / "studies.md": studies_page()}
    for path, text in pages.items():
        write_atomically(path, text.encode())
    return list(pages)


def results_page(found: pd.DataFrame) -> str:
    """Return the page of results, of verdicts on all printed numbers."""
    words = found["word"].value_counts()
    sections = [
        "# The paper, reproduced",
        f"Of {len(found):,} printed results {words['agrees']:,} agree with ours, {words['differs']} differ "
        f"and {words['undecided']} are undecided, because our draws scatter too widely or are too few. "
        "[The protocol](protocol.md) says when a number agrees. `python -m reproduction report --open` shows "
        'every number, `python -m reproduction table "Table 3"` one table.',
        "## What the agreement rests on",
        _bullets(_support(found)),
        "## Figures",
        *_figures(),
        "## Tables",
        "Each point is a printed number: across the printed one, upwards ours; "
        + ", ".join(f"{shape} {word}" for shape, word in pictures.SHAPES.items())
        + ".",
        *_tables(found),
        "## Claims",
        *_claims(),
        "## Studies",
        "What the paper leaves open, measured; the verdict is on what the paper says.",
        _studies(),
    ]
    return "\n\n".join(sections) + "\n"


def _bullets(lines: Iterator[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _counted(words: pd.Series) -> str:
    """Return counts such as "98 of 116 agree, 3 differ, 15 undecided"."""
    names = {"differs": "differ", "undecided": "undecided", "not run": "not run"}
    others = [f"{words[word]:,} {name}" for word, name in names.items() if word in words]
    return ", ".join([f"{words.get('agrees', 0):,} of {words.sum():,} agree", *others])


def _support(found: pd.DataFrame) -> Iterator[str]:
    rests_on = found["rests_on"].value_counts()
    yield (
        f"Agreements by the 99 % interval: {rests_on['interval']:,}; by 0.005 alone: {rests_on['absolute']}; "
        f"by 5 % alone, where whole datasets are learned: {rests_on['relative']}."
    )
    exchanged = swaps(found)
    exchanged = exchanged[exchanged["kind"] == DESCENTS][["exchanges", "survive"]].sum()
    yield (
        f"If the print had exchanged gradient descent and Hebbian-descent, {exchanged['survive']:,} of "
        f"{exchanged['exchanges']:,} agreements would survive: there paired differences decide."
    )
    for kind, judged in pairs(COMMITTED, found).groupby("kind", sort=False):
        words, directions = (judged[name].value_counts() for name in ("word", "direction"))
        yield (
            f"Differences of {kind}, paired by draw: {_counted(words)}; direction the same in "
            f"{directions['same']}, opposite in {directions['opposite']}, else open."
        )
    spreads = deviations_and_rates(COMMITTED)
    is_rate = spreads["measure"] == BEST_RATE
    for name, lines in {"standard deviations": spreads[~is_rate], "learning rates": spreads[is_rate]}.items():
        yield f"Printed {name}: {(lines['word'] == 'agrees').sum()} of {len(lines)} agree."
    best = winners(found)["word"].value_counts()
    yield f"The best rule is the printed one in {best['same']} of {best.sum()} lines; ties: {best['tie']}."


def _figures() -> Iterator[str]:
    for label, figure in FIGURES.items():
        if (DOCS / "figures" / f"{figure.name}.svg").is_file():
            yield f"![{NUMBERS[label]}: {figure.title}](figures/{figure.name}.svg)"


def _tables(found: pd.DataFrame) -> Iterator[str]:
    for label in TABLES:
        results = found[found["experiment"] == label]
        counts = _counted(results["word"].value_counts())
        yield f"### {title_of(label)}"
        yield f"![Ours over print](figures/{pictures.name_of(label)})"
        yield f"{counts}." if label in NUMBERS else f"{counts} (`{label}`)."
        yield from _differences(results[results["word"] == "differs"])


def title_of(label: str) -> str:
    """Return the number and the title of a table."""
    return f"{NUMBERS[label]}: {TABLES[label].title}" if label in NUMBERS else TABLES[label].title


def _differences(different: pd.DataFrame) -> Iterator[str]:
    """Yield a bullet per reason, with the rows that differ."""
    rows = [printed_rows()[place] for place in different["row"]]
    reasons: dict[str, list[str]] = {}
    for row, measure in zip(rows, different["measure"], strict=True):
        reasons.setdefault(reason(row.label, row.name, measure), []).append(row.name)
    if reasons:
        yield _bullets(f"{', '.join(names)}: {why or 'why is not known.'}" for why, names in reasons.items())


def _claims() -> Iterator[str]:
    judged = judge_all(COMMITTED)
    words = Counter(claim.verdict for claim in judged)
    yield (
        f"Conclusions of the paper (1 to 20) and statements of its text: "
        f"{', '.join(f'{word}: {n}' for word, n in words.most_common())}. "
        "`python -m reproduction claims` shows rules and findings."
    )
    rows = [
        (claim.number, claim.statement, NUMBERS.get(claim.section, ""), claim.verdict) for claim in judged
    ]
    yield markdown_text(TextTable(("", "claim", "where", "verdict"), rows))


def _studies() -> str:
    rows = [
        (study.question, study.answer(only(committed(), study.label)).verdict, link_to(study))
        for study in STUDIES.values()
    ]
    return markdown_text(TextTable(("question", "verdict", "study"), rows))
