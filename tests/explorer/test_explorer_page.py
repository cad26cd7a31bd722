"""The explorer's page: one file, made from parts that agree with the package's lists."""

import html
import re
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_digits
from typer.testing import CliRunner

import hebbian_descent
from hebbian_descent import ACTIVATIONS, RULES
from hebbian_descent.cli import app
from hebbian_descent.explorer import draw_pairs, initial_weights
from hebbian_descent.explorer.page import MODULES, explore, page, script
from hebbian_descent.explorer.pairs import MOST_PATTERNS, digits
from hebbian_descent.explorer.settings import RULES_AT_START, SETTINGS
from hebbian_descent.network.layer import glorot_bound
from tests.javascript import NODE, PARTS, javascript, needs_node

SOURCES = {path.stem: path.read_text(encoding="utf-8") for path in PARTS.glob("*.mjs")}


def test_the_page_refers_to_nothing_outside():
    text = page()
    assert "{{" not in re.sub(r"<script type=\"module\">.*?</script>", "", text, flags=re.DOTALL)
    assert not re.search(r"https?:|//cdn|@import|url\(", text)
    addresses = re.findall(r"(?:src|href)=\"([^\"]*)\"", text)
    assert {address[:1] if address.startswith("#") else address for address in addresses} == {"#", "data:,"}
    assert len(text.encode()) < 200_000


def test_every_module_is_in_the_page_after_those_that_it_uses():
    assert set(MODULES) == set(SOURCES)
    for place, name in enumerate(MODULES):
        used = re.findall(r'from "\./(\w+)\.mjs"', SOURCES[name])
        assert set(used) <= set(MODULES[:place]), name
    assert not re.search(r"^(import|export) ", re.sub(r"`.*?`", "", script(), flags=re.DOTALL), re.MULTILINE)


@needs_node
@pytest.mark.parametrize("name", MODULES)
def test_the_syntax_of_a_module_is_right(name):
    result = subprocess.run(
        [NODE, "--check", PARTS / f"{name}.mjs"], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


@needs_node
def test_the_page_knows_every_rule_and_activation():
    found = javascript(
        """
        const { POSTSYNAPTIC } = await load("rules");
        const { makeActivation } = await load("activations");
        const { DASHES } = await load("charts");
        const a = Float64Array.of(-0.5, 0.5);
        const outputs = given.activations.map((name) => {
          const h = new Float64Array(2);
          makeActivation(name, facts.activations[name]).respond(a, h);
          return h;
        });
        return { rules: Object.keys(POSTSYNAPTIC), dashes: Object.values(DASHES).map(String), outputs };
        """,
        activations=list(ACTIVATIONS),
    )
    assert found["rules"] == list(RULES)
    assert len(set(found["dashes"])) == len(RULES)
    for make, output in zip(ACTIVATIONS.values(), found["outputs"], strict=True):
        assert np.allclose(output, make()(np.array([-0.5, 0.5])), rtol=1e-15, atol=0)
    style = (PARTS / "style.css").read_text(encoding="utf-8")
    for rule in RULES:
        assert len(re.findall(rf"--{rule.replace('_', '-')}: #[0-9a-f]{{6}};", style)) == 2  # light and dark
        assert f'[data-rule="{rule}"]' in style


def test_the_digits_are_those_of_scikit_learn_in_turn():
    images, labels = load_digits(return_X_y=True)
    by_class = [images[labels == label] / 16 for label in range(10)]
    expected = [by_class[k % 10][k // 10] for k in range(MOST_PATTERNS)]
    assert np.array_equal(digits(), expected)


def test_random_pairs_have_the_activity_and_the_correlation_they_were_asked_for():
    cues, targets = draw_pairs(400, stored="random", activity=0.3, correlation=0.5, seed=2)
    assert abs(targets.mean() - 0.3) < 0.01
    few = draw_pairs(30, stored="random", activity=0.3, correlation=0.5, seed=2)
    assert np.array_equal(few.cues, cues[:30])
    assert np.array_equal(few.targets, targets[:30])
    found = np.array(
        [
            np.corrcoef(draw_pairs(60, activity=0.3, correlation=0.5, seed=seed).cues)[np.triu_indices(60, 1)]
            for seed in range(20)
        ]
    )
    same, other = found[found > 0.25], found[found < 0.25]
    assert abs(same.mean() - 0.5) < 0.02
    assert abs(other.mean()) < 0.05
    assert 0.4 < len(same) / found.size < 0.6


def test_digits_that_cue_digits_recall_themselves():
    cues, targets = draw_pairs(20, cues="digits", stored="digits")
    assert np.array_equal(cues, targets)


def test_initial_weights_are_within_their_bound():
    weights = initial_weights(200, seed=5)
    assert weights.shape == (200, 64)
    assert np.abs(weights).max() <= glorot_bound(200, 64)
    assert np.abs(weights).max() > 0.99 * glorot_bound(200, 64)
    assert abs(weights.mean()) < 0.003


@pytest.mark.parametrize(
    ("n", "options", "sentence"),
    [
        (401, {}, "The number of patterns must be at most 400. Got 401."),
        (10, {"cues": "digit"}, "Did you mean 'digits'?"),
        (10, {"activity": 1.5}, "activity"),
        (10, {"correlation": -0.1}, "correlation"),
    ],
)
def test_pairs_that_cannot_be_drawn_are_refused(n, options, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        draw_pairs(n, **options)


def test_a_notebook_gets_the_page_in_a_frame():
    shown = hebbian_descent.explore(height=700, stored="random", centering=None, learning_rate=0.3)
    frame = shown._repr_html_()
    inside = html.unescape(re.search(r'srcdoc="([^"]*)"', frame)[1])
    assert inside == shown.page == page(stored="random", centering=None, learning_rate=0.3)
    assert 'height="700"' in frame
    assert 'data-settings="stored=random&amp;centering=none&amp;learning_rate=0.3"' in inside
    assert "explore" in dir(hebbian_descent)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"corelation": 0.3}, "Did you mean 'correlation'?"),
        ({"correlation": 2}, "The correlation must be"),
        ({"centering": "middle"}, "The centering must be one of"),
        ({"rules": ("hebb", "oja", "hebb", "hebb")}, "The rule must be one of"),
        ({"rules": ("hebb", "covariance")}, "The rules must be 4, side by side. Got ('hebb', 'covariance')."),
        ({"seed": 10_000}, "The seed must be at most 9999. Got 10000."),
    ],
)
def test_settings_that_the_explorer_has_not_got_are_refused(settings, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        explore(**settings)


@needs_node
def test_settings_of_python_are_understood_by_the_page():
    given = {
        "rules": ("contrastive", *RULES_AT_START[1:]),
        "stored": "random",
        "patterns": 50,
        "correlation": 0.123,
        "learning_rate": 0.07,
        "weight_decay": 0,
        "centering": "half",
        "seed": 12,
    }
    address = html.unescape(re.search(r'data-settings="([^"]*)"', page(**given))[1])
    read = javascript(
        """
        const { readAddress, writeAddress } = await load("settings");
        const first = readAddress(given.address, facts);
        const text = writeAddress(first.settings, first.view, facts);
        return { first, second: readAddress(text, facts), text };
        """,
        address=f"{address}&learned=30&pattern=7&damage=f01&tour=3",
    )
    assert read["first"] == read["second"]
    settings = read["first"]["settings"]
    assert {name: settings[name] for name in given} == {**given, "rules": list(given["rules"])}
    assert read["first"]["view"] == {"learned": 30, "pattern": 7, "damage": "f01", "tour": 3}
    assert "weight_decay" not in read["text"]  # it is at its default


@needs_node
def test_an_address_that_makes_no_sense_leaves_the_defaults():
    nonsense = (
        "rules=hebb,__proto__,hebb,hebb&patterns=77&activity=abc&correlation=5&learning_rate=&seed=-1&shift=Infinity"
        "&activation=constructor&learned=1e9&pattern=3&damage=zz&tour=x&unknown=1&weight_decay=%"
    )
    read = javascript(
        """
        const { defaultSettings, readAddress } = await load("settings");
        return [readAddress(given.nonsense, facts), defaultSettings(facts)];
        """,
        nonsense=nonsense,
    )
    assert read[0]["settings"] == read[1]
    assert set(read[0]["view"].values()) == {None}
    defaults = {setting.name: setting.default for group in SETTINGS.values() for setting in group}
    assert {name: str(value) for name, value in defaults.items()}.keys() == read[1].keys() - {"rules"}
    assert read[1]["shift"] == defaults["shift"]


@needs_node
def test_damage_survives_its_way_through_the_address():
    units = [0, 3, 63, 64, 199]
    found = javascript(
        """
        const { readDamage, writeDamage } = await load("settings");
        const damaged = Array.from({ length: 200 }, (_, unit) => given.units.includes(unit));
        return [readDamage(writeDamage(damaged), 200), writeDamage([false, false])];
        """,
        units=units,
    )
    assert [unit for unit, is_damaged in enumerate(found[0]) if is_damaged] == units
    assert found[1] is None


def test_the_command_writes_the_page_and_opens_it(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    path = tmp_path / "page.html"
    result = CliRunner().invoke(app, ["explore", "--output", str(path)])
    assert result.exit_code == 0, result.output
    assert path.read_text(encoding="utf-8") == page()
    assert opened == [path.as_uri()]
    assert str(path) in result.output.replace("\n", "")
    CliRunner().invoke(app, ["explore", "--output", str(path), "--no-open"])
    assert len(opened) == 1


def test_a_page_that_cannot_be_written_is_one_sentence(tmp_path):
    code = "from hebbian_descent.cli import main; main()"
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            code,
            "explore",
            "--no-open",
            "--output",
            str(tmp_path / "none" / "page.html"),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1
    assert str(tmp_path / "none") in result.stderr
