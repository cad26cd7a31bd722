"""hebbian-descent inspect, as a person types it."""

import sys

import numpy as np
import pytest

import hebbian_descent
from hebbian_descent import AssociativeMemory, HebbianDescentClassifier, Layer
from hebbian_descent.cli import main
from hebbian_descent.storage.models import write_model


@pytest.fixture
def inspect(monkeypatch, capsys):
    def run(path):
        monkeypatch.setattr(sys, "argv", ["hebbian-descent", "inspect", str(path)])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code, *capsys.readouterr()

    return run


def test_inspect_shows_class_parameters_arrays_and_versions(inspect, tmp_path):
    memory = AssociativeMemory(5, 3, activation="leaky_rectifier", connectivity=np.ones((5, 3)))
    memory.store(np.eye(5), np.ones((5, 3)))
    memory.save(tmp_path / "file")
    code, shown, errors = inspect(tmp_path / "file")
    assert (code, errors) == (0, "")
    for words in (
        *(
            "AssociativeMemory",
            f"hebbian-descent {hebbian_descent.__version__}, format 1",
            "5 x 3",
            "n_stored",
        ),
        *("leaky_rectifier(slope=0.01)", "hebbian_descent", "float64", "bool", "connectivity"),
        f"{memory.network.weights.max():.4g}",
    ):
        assert words in shown


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "at least 8 bytes"), (b"\0" * 100, "must be JSON"), (b"PK\x03\x04 archive", "not a model file")],
)
def test_a_bad_file_is_one_sentence_and_exit_code_2(content, message, inspect, tmp_path):
    (tmp_path / "file").write_bytes(content)
    code, shown, errors = inspect(tmp_path / "file")
    assert (code, shown) == (2, "")
    assert message in errors
    assert str(tmp_path / "file") in errors
    assert len(errors.strip().splitlines()) == 1


def test_a_missing_file_is_one_sentence(inspect, tmp_path):
    code, _, errors = inspect(tmp_path / "missing")
    assert code == 2
    assert len(errors.strip().splitlines()) == 1


def test_words_of_a_model_and_names_of_files_are_shown_and_steer_nothing(inspect, tmp_path):
    labels = np.array(["\x1b[2J", "\x9b1m", "\u202etxt"])
    classifier = HebbianDescentClassifier(batch_size=2).fit(np.eye(3), labels)
    classifier.feature_names_in_ = np.array(["a\rb", "c\nd", "[red]e[/red]"], object)
    path = tmp_path / "\x1b]0;title\x07.safetensors"
    classifier.save(path)
    code, shown, errors = inspect(path)
    assert (code, errors) == (0, "")
    for words in (r"\u001b[2J", r"\u009b1m", r"\u202etxt", r"a\rb", "[red]e[/red]"):
        assert words in shown
    assert all(sign.isprintable() for sign in shown.replace("\n", ""))
    path.write_bytes(b"no model")
    for name in (path, tmp_path / "\x1b[2J" / "missing"):
        code, shown, errors = inspect(name)
        assert (code, shown) == (2, "")
        assert r"\x1b" in errors
        assert all(sign.isprintable() for sign in errors.rstrip("\n"))


def test_the_largest_numbers_are_shown_without_a_warning(inspect, tmp_path):
    Layer.from_weights([[1.7e308], [1.7e308]]).save(tmp_path / "file")
    code, shown, errors = inspect(tmp_path / "file")
    assert (code, errors) == (0, "")
    assert "1.7e+308" in shown


def test_nothing_in_a_file_can_steer_the_terminal(inspect, tmp_path):
    parameters, arrays = Layer.create(2, 2, rng=np.random.default_rng(0))._contents()
    write_model(tmp_path / "file", "Layer", {**parameters, "\x1b[2J": "x"}, arrays)
    code, shown, errors = inspect(tmp_path / "file")
    assert code == 2
    assert r"\x1b[2J" in errors
    assert "\x1b" not in shown + errors
