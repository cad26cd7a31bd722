"""The explorer as one self-contained page, and as an object that notebooks display."""

from __future__ import annotations

import html
import json
import re
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from hebbian_descent.checks import as_count
from hebbian_descent.explorer.pairs import digits_text
from hebbian_descent.explorer.settings import RULES_AT_START, SETTINGS, Range, Setting, address_part
from hebbian_descent.learning.centering import PAPER_START
from hebbian_descent.learning.divergence import LARGEST_PREACTIVATION
from hebbian_descent.learning.rates import Automatic, finite_slope
from hebbian_descent.network import ACTIVATIONS
from hebbian_descent.rules import RULES
from hebbian_descent.safe_files import write_atomically

MODULES = (
    "generator",
    "pairs",
    "activations",
    "rules",
    "memory",
    "run",
    "rate_curve",
    "settings",
    "python_script",
    "patterns_drawing",
    "charts",
    "controls",
    "memory_column",
    "recall",
    "script_dialog",
    "tour",
    "main",
)
"""In an order in which each uses only those before it."""
IMPORT = re.compile(r'^import \{[^}]*\} from "\./\w+\.mjs";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)


@dataclass(frozen=True)
class Explorer:
    """A page on which four rules learn the same patterns; a notebook shows it, `save` writes it."""

    page: str
    height: int

    def save(self, path: Path | str) -> None:
        """Write the page, one file that needs no network."""
        write_atomically(Path(path), self.page.encode())

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.page)}" title="Hebbian-descent explorer" width="100%" '
            f'height="{self.height}" style="border: 0" allow="clipboard-write"></iframe>'
        )


def explore(*, height: int = 900, **settings: Any) -> Explorer:
    """Return the explorer, an interactive page on which a memory fills up, as an object for notebooks.

    Settings are those of its controls, as in `explore(stored="random", correlation=0.3, centering=None)`;
    `height` is that of its frame in pixels.
    """
    return Explorer(page(**settings), as_count(height, "height"))


def page(**settings: Any) -> str:
    """Return the page as text; it opens with these settings."""
    parts = {
        "style": _part("style.css"),
        "digits": digits_text(),
        "facts": json.dumps(facts(), ensure_ascii=False).replace("<", "\\u003c"),
        "script": script(),
        "settings": html.escape(address_part(settings)),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _part("page.html"))


def script() -> str:
    """Return the modules as one: without imports and exports, since their names are all different."""
    return "\n".join(EXPORT.sub("", IMPORT.sub("", _part(f"{name}.mjs"))) for name in MODULES)


def facts() -> dict[str, Any]:
    """Return what the page must know about rules, units and settings, from the lists of the package."""
    rate = Automatic("remember")
    return {
        "rules": {
            name: {
                "title": rule.title,
                "learns_bias": rule.learns_bias,
                "pulls_back": rule.pulls_back,
                "needs_data_mean": rule.needs_data_mean,
                "centers_moving_targets": rule.moving_factors is not None,
            }
            for name, rule in RULES.items()
        },
        "activations": {
            name: {
                "kappa": rate.kappa(make()),
                "slope": finite_slope(make()),
                "slope_is_output": make().slope_is_output,
                "parameters": dict(make().parameters),
            }
            for name, make in ACTIVATIONS.items()
        },
        "settings": {title: [_described(setting) for setting in group] for title, group in SETTINGS.items()},
        "rules_at_start": RULES_AT_START,
        "largest_preactivation": LARGEST_PREACTIVATION,
        "offset_start": PAPER_START,
    }


def _described(setting: Setting) -> dict[str, Any]:
    automatic = isinstance(setting, Range) and setting.can_be_automatic
    return {"kind": type(setting).__name__, "can_be_automatic": automatic, **asdict(setting)}


def _part(name: str) -> str:
    return resources.files(__package__).joinpath("parts", name).read_text(encoding="utf-8")
