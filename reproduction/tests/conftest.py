"""What the tests of the reproduction share: its command line in an empty folder."""

import sys

import pytest

from reproduction.__main__ import main


@pytest.fixture
def command(monkeypatch, tmp_path, capsys):
    """Run a command in an empty folder; return its code and what it wrote to either stream."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["reproduction", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return call
