"""A share of the work given as text, as `--shard 2/5`."""

from __future__ import annotations

import re


def parsed_shard(text: str) -> tuple[int, int]:
    """Return which part, counted from 1, of how many."""
    match = re.fullmatch(r"(\d+)/(\d+)", text)
    if match is None:
        raise ValueError(f"--shard must be i/n, as 2/5. Got {text!r}.")
    part, parts = int(match[1]), int(match[2])
    if not 1 <= part <= parts:
        raise ValueError(f"--shard must be i/n, and the shard must be between 1 and {parts}. Got {text!r}.")
    return part, parts
