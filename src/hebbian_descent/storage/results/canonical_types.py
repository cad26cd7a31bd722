"""The words that the makers of canonical forms share.

A canonical form is made of JSON values. What JSON has no word for is a mapping of one key that starts with a
dollar sign: `{"$tuple": [...]}`, `{"$array": {...}}`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Visit: TypeAlias = Callable[[object, str], Json]
"""Returns the form of a part; the word says where in the whole the part was found."""


class FingerprintError(TypeError):
    """Something cannot be hashed by what it holds; the message names it and says why."""


class RefusalError(Exception):
    """The reason why a value has no canonical form, raised where the value is seen and its place is not."""
