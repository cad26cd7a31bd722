"""What a user's own function is made of: its text, its defaults, and every value that it reaches for.

Reached for are the variables it closes over and the global names in its body, those of functions nested in
it included. Of a module only the attributes that the body names are looked at (`np.exp`, not all of `np`).
What a function finds by other means, `globals()["rate"]` or a file that it opens, cannot be seen.
"""

from __future__ import annotations

import builtins
import dis
from types import CodeType, FunctionType, ModuleType

from hebbian_descent.storage.results.canonical_types import Json, RefusalError, Visit
from hebbian_descent.storage.results.libraries import is_library
from hebbian_descent.storage.results.source import SourceError, nested_codes, source_of

GLOBAL_READS = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS"})
CLOSURE_READS = frozenset({"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"})
ATTRIBUTE_READS = frozenset({"LOAD_ATTR", "LOAD_METHOD"})
GLOBAL_WRITES = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"})
CLOSURE_WRITES = frozenset({"STORE_DEREF", "DELETE_DEREF"})


def describe_function(function: FunctionType, visit: Visit) -> dict[str, Json]:
    """Return all that decides what a function computes."""
    instructions = _instructions(function.__code__)
    _refuse_what_cannot_be_followed(function, instructions)
    try:
        source = source_of(function)
    except SourceError as error:
        raise RefusalError(
            f"the function {function.__qualname__!r}, but {error}; define it in a file and load it anew"
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
        for part in (code, *nested_codes(code))
        for instruction in dis.get_instructions(part)
        if instruction.opname != "EXTENDED_ARG"  # which may stand between a name and its attribute
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
            problem = f"which changes {name!r} outside of itself; let it return what it computes"
        elif operation == "LOAD_GLOBAL" and name not in function.__globals__ and not hasattr(builtins, name):
            problem = f"which uses {name!r}, a name that is not defined; define or import it first"
        elif operation == "IMPORT_NAME" and not is_library(name):
            problem = f"which imports {name!r} when it is called; import it at the top of the file instead"
        else:
            continue
        raise RefusalError(f"the function {function.__qualname__!r}, {problem}")
