"""Write src/hebbian_descent/native/_native.pyi, the types of the compiled core: `make stubs`.

nanobind describes the module of the baseline; the modules of the other levels have the same functions. They
become the methods of one protocol, since the module is only chosen at run time. Arrays have any type, so
that overloads for single and double precision become one method.
"""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

from nanobind.stubgen import StubGen

NATIVE = Path(__file__).parent.parent / "src" / "hebbian_descent" / "native"
STUB = NATIVE / "_native.pyi"
HEADER = '''\
"""Types of the compiled core, the same for the modules of all levels. Written by `make stubs`."""

'''
ARRAY = re.compile(r"Annotated\[NDArray\[[^\]]*\], dict\((?:[^()]|\([^()]*\))*\)\]")
ABSTRACT = ("Callable", "Iterable", "Iterator", "Mapping", "Sequence")


def baseline(folder: Path = NATIVE) -> ModuleType:
    """Return the module of the baseline, imported without the package around it."""
    files = [path for path in folder.glob("_baseline.*") if path.suffix in (".so", ".pyd")]
    if not files:
        raise SystemExit(f"{folder} must hold the compiled core. Build it: make native")
    newest = max(files, key=lambda path: path.stat().st_mtime)
    spec = importlib.util.spec_from_file_location("_baseline", newest)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def stub_of(module: ModuleType) -> str:
    """Return the stub of a module of the compiled core."""
    generator = StubGen(module, quiet=True)
    generator.put(module)
    text = re.sub(r"\btuple\b(?!\[)", "tuple[object, ...]", ARRAY.sub("Array", generator.get()))
    nodes = ast.parse(text).body
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    names = [node.name for node in classes]
    members = [f"    {ast.unparse(node.target)}: {node.annotation.id}" for node in nodes if is_constant(node)]
    members += [f"    {name}: type[{one_precision(name)}]" for name in names]
    functions = [method(node, first="self") for node in nodes if isinstance(node, ast.FunctionDef)]

    def in_one_precision(text: str) -> str:
        for name in names:
            text = re.sub(rf"\b{name}\b", one_precision(name), text)
        return text

    functions = list(dict.fromkeys(map(in_one_precision, functions)))
    described = dict.fromkeys(in_one_precision(in_class(node)) for node in classes)
    core = "\n".join(["class Core(Protocol):", *members, *functions])
    body = "Array = NDArray[Any]\n\n" + "\n\n".join([*described, core]) + "\n"
    return HEADER + imports_of(body) + body


def one_precision(name: str) -> str:
    """Return the common name of the classes of both precisions, which differ only in their arrays."""
    return f"_{name.removesuffix('64').removesuffix('32')}"


def imports_of(body: str) -> str:
    """Return the lines that import what a stub uses."""
    used = set(re.findall(r"\w+", body))
    abstract = ", ".join(name for name in ABSTRACT if name in used)
    lines = ["import enum"] if "enum" in used else []
    lines += [f"from collections.abc import {abstract}"] if abstract else []
    return "\n".join(
        [
            *lines,
            "from typing import Any, Protocol",
            "",
            "from numpy.typing import NDArray",
            "",
            "",
        ]
    )


def is_constant(node: ast.stmt) -> bool:
    """Return whether a statement declares a string or a number of the module."""
    return isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) in ("str", "int", "float")


def in_class(node: ast.ClassDef) -> str:
    """Return the lines of a class, its values and methods."""
    bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
    lines = [
        method(part) if isinstance(part, ast.FunctionDef) else f"    {ast.unparse(part)}"
        for part in node.body
    ]
    return "\n".join([f"class {node.name}{bases}:", *(dict.fromkeys(lines) or ["    ..."])])


def method(node: ast.FunctionDef, first: str | None = None) -> str:
    """Return the lines of a method, one parameter per line."""
    arguments = node.args
    missing = len(arguments.args) - len(arguments.defaults)
    defaults = [None] * missing + list(arguments.defaults)
    lines = [first] if first else []
    lines += [parameter(*pair) for pair in zip(arguments.args, defaults, strict=True)]
    if arguments.posonlyargs or arguments.vararg or arguments.kwarg:
        raise SystemExit(f"{node.name} must name each of its parameters.")
    if arguments.kwonlyargs:
        lines.append("*")
        lines += [parameter(*pair) for pair in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    inside = "".join(f"        {line},\n" for line in lines)
    returned = ast.unparse(node.returns) if node.returns else "None"
    decorators = "".join(
        f"    @{name}\n" for name in map(ast.unparse, node.decorator_list) if name != "overload"
    )
    return f"{decorators}    def {node.name}(\n{inside}    ) -> {returned}: ..."


def parameter(argument: ast.arg, default: ast.expr | None) -> str:
    """Return a parameter with its type and its default."""
    annotation = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
    value = f" = {ast.unparse(default)}".replace("'", '"') if default else ""
    return argument.arg + annotation + value


if __name__ == "__main__":
    STUB.write_text(stub_of(baseline()))
    sys.stdout.write(f"wrote {STUB.name}\n")
