"""Runs the explorer's modules without a page, in Node."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import hebbian_descent
from hebbian_descent.explorer.page import facts
from hebbian_descent.explorer.pairs import digits_text

NODE = shutil.which("node")
PARTS = Path(hebbian_descent.__file__).parent / "explorer" / "parts"
needs_node = pytest.mark.skipif(NODE is None, reason="no node; `make browser` installs it")

PROGRAM = """
import {{ readFileSync }} from "node:fs";
import {{ pathToFileURL }} from "node:url";
const {{ parts, facts, digits, ...given }} = JSON.parse(readFileSync(0, "utf8"));
const load = (name) => import(pathToFileURL(`${{parts}}/${{name}}.mjs`));
const run = async () => {{ {body} }};
const replacer = (key, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);
process.stdout.write(JSON.stringify(await run(), replacer));
"""


def javascript(body: str, **given: object) -> object:
    """Return what the body of a function returns, which may `await load("run")`.

    Numbers keep all of their bits; what is not finite becomes None.
    """
    result = subprocess.run(
        [NODE, "--input-type=module", "-e", PROGRAM.format(body=body)],
        input=json.dumps({"parts": str(PARTS), "facts": facts(), "digits": digits_text(), **given}),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)
