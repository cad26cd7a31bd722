"""The table of docs/reliability.md, made from recorded results."""

from __future__ import annotations

from pathlib import Path

from campaigns.campaign import Result
from campaigns.registry import CAMPAIGNS

PAGE = Path(__file__).parent.parent / "docs" / "reliability.md"
BEGIN, END = "<!-- campaigns: begin -->\n", "<!-- campaigns: end -->\n"


def table(results: Path) -> str:
    """Return one row per campaign: the number tried, the goal, the outcomes, the command."""
    lines = ["| what | tried | goal | outcome | broken | command |", "| --- | --- | --- | --- | --- | --- |"]
    for name, campaign in CAMPAIGNS.items():
        result = Result.load(results / f"{name}.json")
        outcomes = ", ".join(f"{word} {count:,}" for word, count in result.outcomes.most_common())
        tried = f"{result.trials * campaign.per_trial:,}"
        if campaign.per_trial > 1:
            tried += f" in {result.trials:,} trials"
        command = f"`python -m campaigns run {name}`"
        cells = (campaign.title, tried, f"{campaign.goal:,}", outcomes, str(result.n_broken), command)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def write(results: Path) -> None:
    """Put the table between its marks in the page."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(before + BEGIN + table(results) + END + after, encoding="utf-8")
