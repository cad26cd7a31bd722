"""The text of a function that is running, checked against what runs.

A file may have been edited since Python loaded it. Its text is therefore compiled again, and a function's
text is believed only if it gives the very instructions that run. Where in the file the function stands does
not matter; decorators are not part of the text, because what they made is what is looked at.
"""

from __future__ import annotations

import ast
import io
import linecache
import tokenize
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class SourceError(Exception):
    """The text of a function cannot be had, or is not the text of what runs; the message says which."""


def source_of(function: FunctionType) -> str:
    """Return the text of a function or lambda, without its indentation, comments and empty lines."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    if not text:
        raise SourceError("its source code cannot be had")
    try:
        tree, module = _parsed(text, code.co_filename)
    except (SyntaxError, ValueError):
        raise SourceError("its file is no longer the Python code that runs") from None
    twins = [twin for twin in nested_codes(module) if _without_position(twin) == _without_position(code)]
    if not twins:
        raise SourceError("its file was edited after it was loaded")
    nearest = min(twins, key=lambda twin: abs(twin.co_firstlineno - code.co_firstlineno))
    return _text_of(_definition(tree, nearest), text)


def nested_codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of every function, class and comprehension that is defined inside some code."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from nested_codes(constant)


@lru_cache(maxsize=32)
def _parsed(text: str, filename: str) -> tuple[ast.Module, CodeType]:
    return ast.parse(text), compile(text, filename, "exec", dont_inherit=True)


def _without_position(code: CodeType) -> CodeType:
    constants = tuple(
        _without_position(constant) if isinstance(constant, CodeType) else constant
        for constant in code.co_consts
    )
    return code.replace(co_filename="", co_firstlineno=1, co_linetable=b"", co_consts=constants)


def _definition(tree: ast.Module, code: CodeType) -> Definition:
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, Definition)
        and getattr(node, "name", "<lambda>") == code.co_name
        and _first_line(node) == code.co_firstlineno
        and _contains(node, code)
    ]
    if not found:
        raise SourceError("its source code cannot be told from its neighbours'")
    # Of lambdas inside lambdas on one line, the innermost that holds every instruction is the one.
    return max(found, key=lambda node: (node.lineno, node.col_offset))


def _text_of(node: Definition, text: str) -> str:
    first, *others = (ast.get_source_segment(text, node) or "").split("\n")
    if isinstance(node, ast.Lambda):
        # Brackets around it may be what allows its line breaks.
        return _without_comments("\n".join([f"({first}", *others]) + ")")[1:-1]
    indent = node.col_offset
    return _without_comments(
        "\n".join([first, *(line[indent:] if line[:indent].isspace() else line for line in others)])
    )


def _without_comments(text: str) -> str:
    # Token by token, because a hash sign or an empty line in a text constant is content.
    lines = text.split("\n")
    empty = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        row, column = token.start[0] - 1, token.start[1]
        if token.type == tokenize.COMMENT:
            lines[row] = lines[row][:column].rstrip()
        elif token.type == tokenize.NL and not lines[row].strip():
            empty.add(row)
    return "\n".join(line for row, line in enumerate(lines) if row not in empty)


def _first_line(node: Definition) -> int:
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return min(part.lineno for part in (node, *decorators))


def _contains(node: Definition, code: CodeType) -> bool:
    if not isinstance(node, ast.Lambda):
        return True
    body = node.body
    start, end = (body.lineno, body.col_offset), (body.end_lineno or 0, body.end_col_offset or 0)
    spans = [
        ((line, column), (end_line, end_column))
        for line, end_line, column, end_column in code.co_positions()
        if line and end_line and column is not None and end_column  # the entry of a function has no place
    ]
    return bool(spans) and all(start <= first and last <= end for first, last in spans)
