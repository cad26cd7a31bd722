"""Shared tools of forgery: text that is harmful if trusted, and damage to bytes."""

from __future__ import annotations

import random

NASTY_TEXTS = (
    "",
    "\x1b[31mred\x1b]0;title\x07",
    "\x9b2J",
    "a\rb\tc\nd",
    "\x00",
    "\u202egnp",
    "\ud800",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "=1+1",
    "@SUM(A1)",
    "-2+3",
    "{{ 7 * 7 }}",
    "{% include 'x' %}",
    "[/red]",
    "[link=file:///]x",
    "../../x",
    "a|b & 50% _x_ #1 ~^\\$",
    "x" * 3000,
    "é" * 400,
)


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Return bytes that were cut off, lengthened, overwritten or flipped somewhere."""
    changed = bytearray(content)
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(len(changed) + 1)
        kind = chance.randrange(5)
        if kind == 0:
            del changed[place:]
        elif kind == 1:
            changed[place:place] = chance.randbytes(chance.randrange(1, 20))
        elif kind == 2:
            del changed[place : place + chance.randrange(1, 20)]
        elif kind == 3:
            changed[place : place + 4] = b"\xff\xff\xff\x7f"
        elif place < len(changed):
            changed[place] ^= 1 << chance.randrange(8)
    return bytes(changed)
