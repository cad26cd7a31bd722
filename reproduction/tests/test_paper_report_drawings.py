"""Drawings on the page: smaller than matplotlib wrote them, the same to the eye, readable on dark screens."""

import re
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from reproduction.figures import FIGURES
from reproduction.notes import figure_descriptions
from reproduction.report.drawings import drawing, on_dark, relative, svg_address

DRAWN = sorted((Path(__file__).parents[2] / "docs" / "figures").glob("*.svg"))
SVG = "{http://www.w3.org/2000/svg}"


def points(path):
    """Return where a path of M, L, Q, C and z, or of their relative forms, goes."""
    at = start = 0.0, 0.0
    found = []
    for letter, numbers in re.findall(r"([MLQCzmlqc])([^MLQCzmlqc]*)", path):
        values = [float(number) for number in re.findall(r"-?(?:\d+\.?\d*|\.\d+)", numbers)]
        here = list(zip(values[::2], values[1::2], strict=True))
        here = [(x + at[0], y + at[1]) for x, y in here] if letter.islower() and letter != "z" else here
        at = start if letter == "z" else here[-1]
        start = at if letter in "Mm" else start
        found += [(letter.lower(), *point) for point in here or [at]]
    return found


@pytest.mark.parametrize("path", DRAWN, ids=lambda path: path.stem)
def test_a_small_drawing_has_the_same_elements_at_the_same_places(path):
    before = path.read_text(encoding="utf-8")
    after = drawing(before)
    assert len(after) < 0.6 * len(before)
    trees = [ElementTree.fromstring(text) for text in (before, after)]
    for name in ("path", "use", "clipPath", "image"):
        assert len({len(tree.findall(f".//{SVG}{name}")) for tree in trees}) == 1, name
    for old, new in zip(*(tree.iter(f"{SVG}path") for tree in trees), strict=True):
        assert old.get("transform") == new.get("transform")
        tolerance = 0.51 if new.get("transform") else 0.0051  # glyphs are drawn at a hundredth of their size
        for (one, *at), (other, *there) in zip(
            points(old.get("d", "")), points(new.get("d", "")), strict=True
        ):
            assert one == other
            assert at == pytest.approx(there, abs=tolerance)


@pytest.mark.parametrize("path", DRAWN, ids=lambda path: path.stem)
def test_names_and_classes_of_a_small_drawing_lead_somewhere(path):
    after = drawing(path.read_text(encoding="utf-8"))
    names = re.findall(r' id="([^"]+)"', after)
    assert len(names) == len(set(names))
    assert set(re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', after)) <= {
        pair for name in names for pair in ((name, ""), ("", name))
    }
    assert set(re.findall(r' class="([^"]+)"', after)) <= set(re.findall(r"\.([A-Z]\d*)\{", after))
    assert "style=" not in after


def test_other_paths_than_matplotlibs_stay_as_they_are():
    for path in ("M0 40L80 0h5", "m 1 2 l 3 4", "", "M 1", "A 1 1 0 0 0 2 2"):
        assert relative(path, 2) == path
    assert relative("M 1.004 2 \nL 1.006 -0.5 \nz\n", 2) == "m1 2l.01-2.5z"


def brightness(colour):
    return sum(int(colour[i : i + 2], 16) for i in (1, 3, 5)) / 3


def test_dark_screens_get_light_ink_on_dark_paper():
    assert brightness(on_dark("fill", "#ffffff")) < 30
    assert brightness(on_dark("stroke", "#000000")) > 220
    greys = [brightness(on_dark("fill", f"#{grey:02x}{grey:02x}{grey:02x}")) for grey in (0, 80, 160, 255)]
    assert greys == sorted(greys, reverse=True)
    assert brightness(on_dark("stroke", "#0072b2")) > brightness("#0072b2") + 20  # blue is dark
    assert on_dark("stroke", "#f0e442") == "#f0e442"
    assert brightness(on_dark("fill", "#f0e442")) < 100  # behind text
    text = drawing('<svg><path d="M 0 0 L 1 1" style="fill: none; stroke: #000000"/></svg>')
    assert '<path d="m0 0l1 1" class="A"/>' in text
    assert "<style>.A{fill:none;stroke:#000000}@media (prefers-color-scheme:dark)" in text


def test_an_address_cannot_leave_its_attribute():
    text = "<svg onload='x' title=\"a'b\">\"&<>#%\n\u202e\x00</svg>"
    address = svg_address(text)
    assert not set(address) & set('"&#\n\u202e\x00')
    assert unquote(address.partition(",")[2]) == text


def test_every_figure_is_described_in_words():
    described = figure_descriptions()
    assert set(described) == {*FIGURES, "own:recalled_digits"}
    for label, (see, picture) in described.items():
        assert len(see) > 60, label
        assert len(picture) > 90, label
        assert see != picture
