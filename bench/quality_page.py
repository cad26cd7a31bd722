"""The page of bench/quality.py: quality_page.md, with everything that depends on results filled in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from string import Template

from quality_adapters import RIDGE, VW_PASSES
from quality_measure import BLOCK, WORST
from quality_models import CONTENDERS, VARIANTS
from quality_rows import ROWS, SCALED_DIGITS, STREAMS_OF_TEXTS, Row
from quality_scores import (
    Cells,
    Kept,
    Line,
    Scores,
    Seeds,
    among_best,
    best_of,
    deviation_of,
    has_diverged,
    mean_of,
    online,
)

TEMPLATE = Path(__file__).with_suffix(".md")


def page(kept: Kept) -> str:
    """Return the whole page."""
    content, scores = kept.read(), kept.scores()
    tables = {f"{kind}_{target}": scores_of(kind, target, scores) for kind, target in kinds()}
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        tables,
        summary=summary(scores),
        failures=failures(scores),
        gaps=gaps(scores),
        noise=noise(scores),
        scale=scale(scores),
        order=order(scores),
        parts=parts(kept),
        block=BLOCK,
        worst=f"{WORST:g}",
        passes=VW_PASSES,
        ridge=f"{RIDGE:g}",
        versions=", ".join(f"{package} {version}" for package, version in content["versions"].items()),
        datasets=datasets(content["sizes"]),
    )


def kinds() -> list[tuple[str, str]]:
    """Return the kinds of rows, each of which has a table."""
    return list(dict.fromkeys((row.kind, row.target) for row in ROWS))


def scores_of(kind: str, target: str, scores: Scores) -> str:
    """Return the table of one kind of rows."""
    rows = [row for row in ROWS if (row.kind, row.target) == (kind, target)]
    there = {line: scores[line] for row in rows for line in lines_of(row) if line in scores}
    names = [name for name in CONTENDERS if any(name in cells for cells in there.values())]
    return table([("row", "inputs", *names), *((*line, *marked(there[line], names)) for line in there)])


def lines_of(row: Row) -> list[Line]:
    """Return the lines of a row."""
    return [Line(row.name, form) for form in row.forms]


def marked(cells: Cells, names: Sequence[str]) -> Iterator[str]:
    """Yield the scores of a line, with the best ones marked."""
    highest, good = mean_of(cells[best_of(cells)]), among_best(cells)
    for name in names:
        text = in_short(cells[name]) if name in cells else "–"
        is_best = name in cells and mean_of(cells[name]) > highest - 0.0005  # equal as it is printed
        yield f"{f'**{text}**' if is_best else text}{' †' if name in good else ''}"


def summary(scores: Scores) -> str:
    """Return how often each online learner is among the best, worse than the constant, and diverged."""
    lines: list[tuple[str, ...]] = [
        ("learner", "lines", "best, or within one sd of the best", "worse than the constant", "diverged")
    ]
    for name in (name for name, contender in CONTENDERS.items() if contender.is_online):
        measured = [cells for cells in scores.values() if name in cells]
        good = sum(name in among_best(cells) for cells in measured)
        worse = sum(is_worse_than_constant(name, cells) for cells in measured)
        lost = sum(has_diverged(cells[name]) for cells in measured)
        lines.append((name, *map(str, (len(measured), good, worse, lost))))
    return table(lines)


def failures(scores: Scores) -> str:
    """Return where ours was worse than the constant, and where it diverged."""
    ours = {line: cells for line, cells in scores.items() if "ours" in cells}
    worse = [line for line, cells in ours.items() if is_worse_than_constant("ours", cells)]
    lost = [line for line, cells in ours.items() if has_diverged(cells["ours"])]
    return f"Ours was worse than the constant {in_words(worse)}. It diverged {in_words(lost)}."


def is_worse_than_constant(name: str, cells: Cells) -> bool:
    """Return whether the most frequent class, or the mean, is the better guess."""
    return "constant" in cells and mean_of(cells[name]) < mean_of(cells["constant"])


def in_words(lines: Sequence[Line]) -> str:
    """Return the names of lines."""
    return "on " + "; ".join(f"{line.row} ({line.form})" for line in lines) if lines else "nowhere"


def gaps(scores: Scores) -> str:
    """Return the lines where ours is not among the best online learners, largest gap first."""
    found = []
    for line, cells in scores.items():
        if "ours" in cells and "ours" not in among_best(cells):
            best = best_of(online(cells))
            gap = mean_of(cells[best]) - mean_of(cells["ours"])
            found.append((gap, (*line, in_short(cells["ours"]), f"{in_short(cells[best])}, {best}")))
    found.sort(reverse=True)
    return table([("row", "inputs", "ours", "best online learner"), *(words for _, words in found)])


def noise(scores: Scores) -> str:
    """Return a sentence on how wrong labels affect ours and the best online learner."""
    told = []
    for line, cells in scores.items():
        if line.row == "label noise" and "ours" in cells:
            best = best_of(online(cells))
            told.append(
                f"{in_short(cells['ours'])} on {line.form} inputs, where the best online learner ({best}) "
                f"has {in_short(cells[best])}"
            )
    return f"Ours has {', and '.join(told)}."


def scale(scores: Scores) -> str:
    """Return how much a common factor of all inputs matters to each contender."""
    means: dict[str, list[float]] = {}
    for line, cells in scores.items():
        for name, seeds in cells.items():
            if line.row in SCALED_DIGITS and name != "constant":
                means.setdefault(name, []).append(mean_of(seeds))
    return "; ".join(f"{name} {min(them):.3f} to {max(them):.3f}" for name, them in means.items())


def order(scores: Scores) -> str:
    """Return a sentence on how often least squares is best where classes come in turn."""
    ordered = [
        scores[line] for row in ROWS if row.kind == "ordered" for line in lines_of(row) if line in scores
    ]
    wins = sum(best_of(cells) == "least squares" for cells in ordered)
    return f"Least squares, a second-order method, is the best in {wins} of these {len(ordered)} lines."


def parts(kept: Kept) -> str:
    """Return the scores of ours with and without its parts, where inputs are mostly 0."""
    names = ["ours", *VARIANTS]
    scores = {line: cells for line, cells in kept.scores(names).items() if len(cells) > 1}
    lines = [
        (*line, *(in_short(cells[name]) if name in cells else "–" for name in names))
        for line, cells in scores.items()
    ]
    told = [
        f"{in_short(cells['ours'])} on {line.row}, and {in_short(cells['not centered'])} not centered"
        for line, cells in scores.items()
        if line.row in STREAMS_OF_TEXTS
    ]
    return f"{table([('row', 'inputs', *names), *lines])}\n\nOurs has {'; '.join(told)}."


def datasets(sizes: dict[str, tuple[int, int, int]]) -> str:
    """Return how every dataset is made."""
    lines = [("row", "examples to learn", "inputs", "classes", "recipe")]
    for row in ROWS:
        if row.name in sizes:
            n, n_inputs, n_classes = sizes[row.name]
            lines.append((row.name, f"{n:,}", f"{n_inputs:,}", str(n_classes or "–"), row.recipe))
    return table(lines)


def in_short(seeds: Seeds) -> str:
    """Return mean and standard deviation, or that it has diverged."""
    return "diverged" if has_diverged(seeds) else f"{mean_of(seeds):.3f} ± {deviation_of(seeds):.3f}"


def table(lines: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown, headed by the first line."""
    head, *body = lines
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *body))
