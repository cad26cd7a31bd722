"""The page on versions says what pyproject.toml demands."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_the_page_has_the_lowest_versions_of_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    demanded = [*project["dependencies"], *project["optional-dependencies"]["results"]]
    floors = dict(one.lower().split(">=") for one in demanded)
    floors["python"] = project["requires-python"].removeprefix(">=")
    page = (ROOT / "docs" / "versions.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| ([\w-]+) \| ([\d.]+) \|", page, flags=re.MULTILINE)
    assert {"python", "numpy", "scipy", "scikit-learn"} <= {name.lower() for name, _ in shown}
    assert {name: floors[name.lower()] for name, _ in shown} == dict(shown)


def test_no_version_has_an_upper_limit():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [one for found in project["optional-dependencies"].values() for one in found]
    for requirement in [*project["dependencies"], *extras, project["requires-python"]]:
        assert "<" not in requirement
        assert "==" not in requirement
