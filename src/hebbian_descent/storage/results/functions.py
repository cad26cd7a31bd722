"""What determines the results of a custom function: its text, its defaults, and every value that it reads.

It reads the variables it closes over and the global names in its body, including those of nested functions.
Of a module only the attributes that the body names count (`np.exp`, not all of `np`). What a function finds
by other means, such as `globals()["rate"]` or a file that it opens, cannot be seen.

The text is checked against what runs: a file may have been edited since Python loaded it. It is compiled
again, and accepted only if it gives exactly the instructions that run. The function's place in the file does
not matter; decorators are not part of the text, since the object they made is what is described.
"""

from __future__ import annotations

import ast
import builtins
import dis
import io
import linecache
import tokenize
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType

from hebbian_descent.storage.results.libraries import is_library
from hebbian_descent.storage.results.values import Json, RefusalError, Visit

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

GLOBAL_READS = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
CLOSURE_READS = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"})
ATTRIBUTE_READS = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
GLOBAL_WRITES = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"})
CLOSURE_WRITES = frozenset({"STORE_DEREF", "DELETE_DEREF"})


class SourceError(Exception):
    """The text of a function is unavailable, or is not the text of what runs; the message says which."""


def describe_function(function: FunctionType, visit: Visit) -> dict[str, Json]:
    """Return everything that determines what a function computes."""
    instructions = _instructions(function.__code__)
    _refuse_what_cannot_be_followed(function, instructions)
    try:
        source = _source_of(function)
    except SourceError as error:
        raise RefusalError(
            f"the function {function.__qualname__!r}, but {error}; define it in a file and load it again"
        ) from None
    return {
        "name": function.__name__,
        "source": source,
        "defaults": _forms(_defaults(function), visit),
        "attributes": _forms(vars(function), visit),
        "closure": _forms(_closed_over(function, instructions), visit),
        "globals": _forms(_read(instructions, GLOBAL_READS, function.__globals__), visit),
    }


def _forms(parts: dict[str, object], visit: Visit) -> dict[str, Json]:
    # `__wrapped__` is the function under a decorator, which the closure holds as well if it is ever called.
    return {name: visit(parts[name], name) for name in sorted(parts) if name != "__wrapped__"}


def _instructions(code: CodeType) -> list[dis.Instruction]:
    return [
        instruction
        for part in (code, *_nested_codes(code))
        for instruction in dis.get_instructions(part)
        if instruction.opname != "EXTENDED_ARG"  # it may come between a name and its attribute
    ]


def _defaults(function: FunctionType) -> dict[str, object]:
    defaults = function.__defaults__ or ()
    code = function.__code__
    last_names = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    return {**dict(zip(last_names, defaults, strict=True)), **(function.__kwdefaults__ or {})}


def _closed_over(function: FunctionType, instructions: list[dis.Instruction]) -> dict[str, object]:
    scope = _closure(function)
    # `super()` uses its class without reading it by name, in some versions of Python.
    unread = scope.keys() - {each.argval for each in instructions if each.opname in CLOSURE_READS}
    return {**{name: scope[name] for name in unread}, **_read(instructions, CLOSURE_READS, scope)}


def _closure(function: FunctionType) -> dict[str, object]:
    names, cells = function.__code__.co_freevars, function.__closure__ or ()
    try:
        return {name: cell.cell_contents for name, cell in zip(names, cells, strict=True)}
    except ValueError:
        raise RefusalError(
            f"the function {function.__qualname__!r}, which closes over a variable without a value; "
            "make the key after all of its variables are set"
        ) from None


def _read(
    instructions: list[dis.Instruction], reads: frozenset[str], scope: dict[str, object]
) -> dict[str, object]:
    """Return what the instructions read from a scope, by dotted name where they read through a module."""
    found = {}
    for position, instruction in enumerate(instructions):
        if instruction.opname not in reads or instruction.argval not in scope:
            continue
        name, value = instruction.argval, scope[instruction.argval]
        for following in instructions[position + 1 :]:
            is_attribute = following.opname in ATTRIBUTE_READS and hasattr(value, following.argval)
            if not (is_attribute and isinstance(value, ModuleType)):
                break
            name, value = f"{name}.{following.argval}", getattr(value, following.argval)
        found[name] = value
    return found


def _refuse_what_cannot_be_followed(function: FunctionType, instructions: list[dis.Instruction]) -> None:
    outer_variables = function.__code__.co_freevars
    for operation, name in ((instruction.opname, instruction.argval) for instruction in instructions):
        writes_outside = operation in GLOBAL_WRITES or (
            operation in CLOSURE_WRITES and name in outer_variables
        )
        if writes_outside:
            problem = f"which changes {name!r} outside itself; let it return what it computes"
        elif operation == "LOAD_GLOBAL" and name not in function.__globals__ and not hasattr(builtins, name):
            problem = f"which uses {name!r}, a name that is not defined; define or import it first"
        elif operation == "IMPORT_NAME" and not is_library(name):
            problem = f"which imports {name!r} when it is called; import it at the top of the file instead"
        else:
            continue
        raise RefusalError(f"the function {function.__qualname__!r}, {problem}")


def _source_of(function: FunctionType) -> str:
    """Return the text of a function or lambda, without its indentation, comments and blank lines."""
    code = function.__code__
    linecache.checkcache(code.co_filename)
    text = "".join(linecache.getlines(code.co_filename, function.__globals__))
    if not text:
        raise SourceError("its source code is unavailable")
    try:
        tree, module = _parsed(text, code.co_filename)
    except (SyntaxError, ValueError):
        raise SourceError("its file is no longer the Python code that runs") from None
    twins = [twin for twin in _nested_codes(module) if _without_position(twin) == _without_position(code)]
    if not twins:
        raise SourceError("its file was edited after it was loaded")
    nearest = min(twins, key=lambda twin: abs(twin.co_firstlineno - code.co_firstlineno))
    return _text_of(_definition(tree, nearest), text)


def _nested_codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of every function, class and comprehension that is defined inside some code."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _nested_codes(constant)


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
        raise SourceError("its source code cannot be told apart from its neighbours'")
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
        if line and end_line and column is not None and end_column  # the entry of a function has no position
    ]
    return bool(spans) and all(start <= first and last <= end for first, last in spans)
