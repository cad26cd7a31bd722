"""Drawings of the page: matplotlib's SVG made small, with a second set of colours for dark screens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from urllib.parse import quote

PROLOGUE = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)
PATH = re.compile(r'(?<= d=")[^"]*')
GLYPH = re.compile(r'(<path id="[^"]*") d="([^"]*)" (transform="scale\(0\.015625\)")')
COMMAND = re.compile(r"([MLQCz])([-+.\de\s]*)")
MOVED_USE = re.compile(r'(<use [^>]*)transform="translate\(([-.\d]+) ([-.\d]+)\)"')
LONG_NUMBER = re.compile(r"(?<![-\w.])-?[1-9]\d*\.\d{3,}")
NAME = re.compile(r'(?<= id=")[^"]+')
STYLE = re.compile(r' style="([^"]*)"')
COLOUR = re.compile(r"\b(fill|stroke):(#[0-9a-f]{6})")

Rgb = tuple[int, ...]
DARK_PAPER, LIGHT_INK, WHITE = (0x15, 0x18, 0x1D), (0xE7, 0xE8, 0xEA), (255, 255, 255)


def drawing(svg: str) -> str:
    """Return a drawing of half the size that follows the colours of the screen."""
    return _with_classes(_with_short_names(_small(svg)))


def _small(svg: str) -> str:
    """Leave out what no browser needs, and round coordinates to a hundredth of a point."""
    svg = re.sub(r">\s+<", "><", PROLOGUE.sub("", svg)).strip()
    svg = re.sub(r'<g id="[^"]*"', "<g", svg).replace("xlink:href", "href")
    # Glyphs are drawn at a thousandth of their size or less: whole numbers are fine enough.
    svg = GLYPH.sub(lambda glyph: f'{glyph[1]} d="{relative(glyph[2], 0)}" {glyph[3]}', svg)
    svg = PATH.sub(lambda path: relative(path[0], 2), svg)
    svg = MOVED_USE.sub(r'\1x="\2" y="\3"', svg).replace(' y="0"/>', "/>")
    # Numbers below 1 may be scales, which must stay exact.
    return LONG_NUMBER.sub(lambda number: _digits(float(number[0])), svg)


def relative(path: str, digits: int) -> str:
    """Return a path in relative coordinates, each the difference of two rounded ones: errors do not add up.

    A path not in matplotlib's form is returned unchanged.
    """
    commands = COMMAND.findall(path)
    if not path.startswith("M") or "".join(letter + numbers for letter, numbers in commands) != path:
        return path
    scale = 10**digits
    written: list[str] = []
    at = start = (0, 0)
    for letter, numbers in commands:
        values = [round(float(number) * scale) for number in numbers.split()]
        points = list(zip(values[::2], values[1::2], strict=False))
        if letter == "z":
            at = start
        elif points and len(values) % 2 == 0:
            steps = [x - y for point in points for x, y in zip(point, at, strict=True)]
            numbers = " ".join(_digits(step / scale) for step in steps).replace(" -", "-")
            at = points[-1]
            start = at if letter == "M" else start
        else:
            return path
        written.append(letter.lower() + ("" if letter == "z" else numbers))
    return "".join(written)


def _digits(value: float) -> str:
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else re.sub(r"^(-?)0\.", r"\1.", text)


def _with_short_names(svg: str) -> str:
    """Call glyphs, markers and clips a, b, c and so on."""
    names = dict(zip(dict.fromkeys(NAME.findall(svg)), _short_names(), strict=False))
    svg = NAME.sub(lambda name: names[name[0]], svg)
    return re.sub(r'(?<=#)[^")]+(?=[")])', lambda name: names.get(name[0], name[0]), svg)


def _short_names() -> Iterator[str]:
    for number in count():
        yield "abcdefghijklmnopqrstuvwxyz"[number % 26] + str(number // 26 or "")


def _with_classes(svg: str) -> str:
    """Make a class of each style, with other colours for dark screens; text has no style and is black."""
    styles = dict.fromkeys(STYLE.findall(svg))
    classes = {style: name.upper() for style, name in zip(styles, _short_names(), strict=False)}
    light, dark = [], [f"svg{{fill:{_hex(LIGHT_INK)}}}image{{filter:brightness(.85)}}"]
    for style, name in classes.items():
        rule = style.replace(": ", ":").replace("; ", ";")
        light.append(f".{name}{{{rule}}}")
        colours = ";".join(f"{kind}:{on_dark(kind, colour)}" for kind, colour in COLOUR.findall(rule))
        dark += [f".{name}{{{colours}}}"] if colours else []
    svg = STYLE.sub(lambda style: f' class="{classes[style[1]]}"', svg)
    sheet = f"<style>{''.join(light)}@media (prefers-color-scheme:dark){{{''.join(dark)}}}</style>"
    return svg.replace("</svg>", f"{sheet}</svg>")


def on_dark(kind: str, colour: str) -> str:
    """Return a colour for dark paper: greys inverted, dark colours made lighter, light areas darker."""
    rgb = tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))
    if max(rgb) - min(rgb) < 16:
        return _mixed(LIGHT_INK, DARK_PAPER, sum(rgb) / (3 * 255))
    brightness = (0.3 * rgb[0] + 0.59 * rgb[1] + 0.11 * rgb[2]) / 255
    if kind == "fill" and brightness > 0.75:  # an area behind text, which is light now
        return _mixed(rgb, DARK_PAPER, 0.65)
    return _mixed(rgb, WHITE, max(0.0, 0.6 - brightness))


def _mixed(one: Rgb, other: Rgb, share: float) -> str:
    return _hex(tuple(round(a + share * (b - a)) for a, b in zip(one, other, strict=True)))


def _hex(rgb: Rgb) -> str:
    return "#" + "".join(f"{value:02x}" for value in rgb)


def svg_address(svg: str) -> str:
    """Return an SVG as a data URL for an attribute in double quotes; base64 would be a third longer."""
    single_quoted = re.sub(r'="([^"\']*)"', r"='\1'", svg)
    return "data:image/svg+xml," + quote(single_quoted, safe=" !$()*+,-./:;<=>?@[]_{|}~'")
