"""A checksum over every byte of a Parquet file, kept in the file itself.

Parquet's own metadata can hold a checksum of the numbers, but the metadata would have to be parsed to find
it, and parsing damaged bytes is what a checksum should prevent. Between its data and its footer a Parquet
file may hold bytes that no reader looks at: there the seal stands, and every reader still reads the file.
The cell's key is sealed with the bytes, so that a file under another cell's name does not pass.
"""

from __future__ import annotations

import hashlib

MAGIC = b"PAR1"
TAG = b"sealed-1"
SEAL_LENGTH = len(TAG) + hashlib.sha256().digest_size
TRAILER_LENGTH = 8  # the footer's length in four bytes, and the magic word


def seal(parquet: bytes, key: str) -> bytes:
    """Return a Parquet file with a seal in front of its footer."""
    start = _footer_start(parquet)
    body, footer = parquet[:start], parquet[start:]
    return body + TAG + _digest(key, body, footer) + footer


def broken_seal(content: bytes, key: str) -> str | None:
    """Return in words how a file differs from what was sealed under a key, or None if it does not."""
    if not content:
        return "which is empty"
    if content[-len(MAGIC) :] != MAGIC:
        return "which is cut short or is no Parquet file"
    start = _footer_start(content) - SEAL_LENGTH
    if start < len(MAGIC) or content[start : start + len(TAG)] != TAG:
        return "which carries no seal"
    body, footer = content[:start], content[start + SEAL_LENGTH :]
    sealed = content[start + len(TAG) : start + SEAL_LENGTH]
    return None if sealed == _digest(key, body, footer) else "whose bytes have changed"


def _footer_start(parquet: bytes) -> int:
    length = int.from_bytes(parquet[-TRAILER_LENGTH : -len(MAGIC)], "little")
    return len(parquet) - TRAILER_LENGTH - length


def _digest(key: str, body: bytes, footer: bytes) -> bytes:
    digest = hashlib.sha256(key.encode())
    digest.update(body)
    digest.update(footer)
    return digest.digest()
