"""The page on streams runs as written, its commands included."""

import re
import shlex
from pathlib import Path

import pytest

from hebbian_descent import load
from hebbian_descent.cli.learn import learn
from hebbian_descent.cli.predict import predict

PAGE = (Path(__file__).parents[2] / "docs" / "estimators" / "streams.md").read_text(encoding="utf-8")


def test_examples_and_commands_run(succeed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}  # later examples continue from the earlier ones
    blocks = re.findall(r"```(python|console)\n(.*?)```", PAGE, flags=re.DOTALL)
    assert {kind for kind, _ in blocks} == {"python", "console"}
    for kind, block in blocks:
        if kind == "python":
            exec(compile(block, "streams.md", "exec"), names)
            continue
        for line in block.splitlines():
            program, *arguments = shlex.split(line)
            assert program == "hebbian-descent"
            _, said = succeed(*arguments)
            if arguments[:2] == ["learn", "flights.csv"] and "--text" in arguments:
                for shown in re.findall(r"^    (Classification: .*|\s+\d+  .*)$", PAGE, flags=re.MULTILINE):
                    assert shown.strip() in said
    assert load("big.model").n_samples_seen_ == 15_000


@pytest.mark.parametrize("command", [learn, predict])
def test_every_option_is_on_the_page(command):
    own = {"form": "format", "changes": "set", "as_json": "json"}
    for name in set(command.__annotations__) - {"return", "file", "model"}:
        assert f"--{own.get(name, name).replace('_', '-')}" in PAGE, name
