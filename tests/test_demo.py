"""`hebbian-descent demo`: its page, its numbers, and what happens when it cannot do its work."""

import json
import re
import subprocess
import sys

import pytest

from hebbian_descent.cli import main
from hebbian_descent.demonstration.figures import EXHIBITS
from hebbian_descent.demonstration.results import ACTIVATIONS, CENTERED, RULES, learn, lines, rows


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return {setting: learn(setting, tmp_path_factory.mktemp("demo") / "store") for setting in CENTERED}


@pytest.fixture
def demo(monkeypatch, capsys, tmp_path):
    """Run the demonstration in this process; return its exit code, standard output and standard error."""
    monkeypatch.delenv("HEBBIAN_DESCENT_DATA", raising=False)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["hebbian-descent", "demo", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        return ended.value.code or 0, *capsys.readouterr()

    return call


def test_it_resumes_prints_a_table_and_writes_a_page(demo, tmp_path, monkeypatch):
    folder = tmp_path / "new" / "folder"
    finished = []

    def stopped(setting, store, progress):
        if len(finished) == 2:
            raise KeyboardInterrupt
        finished.append(setting)
        return learn(setting, store, progress)

    with monkeypatch.context() as patched:
        patched.setattr("hebbian_descent.cli.demo.learn", stopped)
        code, _, said = demo("--output", folder)
    assert (code, said) == (
        130,
        f"Stopped. Finished work is saved in {folder}: run the same command again to resume.\n",
    )
    kept = {path: path.stat().st_mtime_ns for path in (folder / "store").glob("*.parquet")}
    assert len(kept) == 2 * len(RULES) * len(ACTIVATIONS)

    code, printed, said = demo("--output", folder)
    assert code == 0, said
    assert all(path.stat().st_mtime_ns == written for path, written in kept.items())
    for heading in ("Hebbian-", "Gradient", "Hebb's", "Covariance", "digits→digits"):
        assert heading in printed
    assert f"Wrote {folder / 'report.html'}\nWrote {folder / 'explorer.html'}\n" in said
    check_page((folder / "report.html").read_text(encoding="utf-8"))
    assert "<title>" in (folder / "explorer.html").read_text(encoding="utf-8")
    assert (folder / "figures" / "recalled_digits.png").read_bytes().startswith(b"\x89PNG")

    monkeypatch.setattr("hebbian_descent.cli.demo.write_page", lambda results, *_: folder / "report.html")
    code, printed, said = demo("--output", folder, "--json", "--quiet")
    assert (code, said) == (0, "")
    found = json.loads(printed)
    assert len(found["rows"]) == len(CENTERED) * len(ACTIVATIONS) * len(RULES)
    assert found["wrote"] == [str(folder / "report.html"), str(folder / "explorer.html")]


def check_page(page):
    """The page holds every figure with words for it and the whole table, and needs no other file."""
    assert page.count('<img src="data:image/svg+xml;base64,') == page.count("<img ") == len(EXHIBITS)
    assert len(re.findall(r'alt="[^"]{50,}"', page)) == len(EXHIBITS)
    assert re.findall(r'href="([^"]*)"', page) == ["data:,", "explorer.html"]
    assert "<script" not in page
    assert page.count('<th scope="row">') == 2 * len(CENTERED) * len(ACTIVATIONS)
    assert '<th scope="row">rand→rand</th><td>sigmoid</td><td class="value best">0.034*</td>' in page


def test_what_the_page_says_of_the_rules_holds(results):
    found = lines(rows(results))
    assert len(found) == len(CENTERED) * len(ACTIVATIONS)
    for line in found:
        assert "hebbian_descent" in line.best, line
        if line.activation == "linear":
            assert line.errors["gradient_descent"] == pytest.approx(line.errors["hebbian_descent"], rel=1e-12)
        else:
            assert line.best == ["hebbian_descent"]


def test_a_folder_that_cannot_be_written_is_one_sentence(demo, tmp_path):
    (tmp_path / "file").write_text("in the way")
    code, _, said = demo("--output", tmp_path / "file")
    assert code == 2
    assert "Traceback" not in said
    assert str(tmp_path / "file") in said


@pytest.mark.parametrize("library", ["pyarrow", "matplotlib", "jinja2"])
def test_without_a_library_the_missing_extra_is_named(tmp_path, library):
    """A finder that hides the library simulates an environment without it."""
    hide = (
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.split('.')[0] == '{library}':\n"
        f"            raise ModuleNotFoundError('hidden', name='{library}')\n"
        "sys.meta_path.insert(0, Hidden())\n"
        "from hebbian_descent.cli import main\n"
        "main()"
    )
    result = subprocess.run(
        [sys.executable, "-c", hide, "demo", "--output", str(tmp_path / "new")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert f"needs {library}, which is not installed: pip install 'hebbian-descent[paper]'" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (tmp_path / "new").exists()
