"""Which folder is the data folder, on which system and with which settings."""

import sys

import pytest

from hebbian_descent import datasets
from hebbian_descent.datasets.folder import cache_folder


def test_the_named_folder_comes_first(monkeypatch, tmp_path):
    monkeypatch.setenv("HEBBIAN_DESCENT_DATA", str(tmp_path))
    assert datasets.data_folder() == tmp_path
    (tmp_path / "other").mkdir()
    assert datasets.data_folder(tmp_path / "other") == tmp_path / "other"


def test_an_empty_setting_is_none(monkeypatch):
    monkeypatch.setenv("HEBBIAN_DESCENT_DATA", "")
    assert datasets.data_folder() == cache_folder()


def test_a_tilde_is_the_home_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    (tmp_path / "data").mkdir()
    monkeypatch.setenv("HEBBIAN_DESCENT_DATA", "~/data")
    assert datasets.data_folder() == tmp_path / "data"


@pytest.mark.parametrize(
    ("platform", "settings", "expected"),
    [
        ("linux", {}, ".cache/hebbian-descent"),
        ("linux", {"XDG_CACHE_HOME": "relative/is/ignored"}, ".cache/hebbian-descent"),
        ("darwin", {}, "Library/Caches/hebbian-descent"),
        ("win32", {}, "AppData/Local/hebbian-descent/Cache"),
    ],
)
def test_the_cache_lies_where_the_system_keeps_caches(monkeypatch, tmp_path, platform, settings, expected):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    for variable, value in settings.items():
        monkeypatch.setenv(variable, value)
    assert cache_folder() == tmp_path / expected


def test_settings_of_the_user_move_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_folder() == tmp_path / "xdg" / "hebbian-descent"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert cache_folder() == tmp_path / "local" / "hebbian-descent" / "Cache"


@pytest.mark.parametrize("use", [datasets.load, datasets.fetch, datasets.locate])
def test_a_named_folder_that_does_not_exist_is_told_apart_from_missing_data(monkeypatch, tmp_path, use):
    monkeypatch.setenv("HEBBIAN_DESCENT_DATA", str(tmp_path / "typo"))
    with pytest.raises(datasets.DataFolderError, match="HEBBIAN_DESCENT_DATA must be a folder that exists"):
        use("mnist")
    assert not (tmp_path / "typo").exists()


@pytest.mark.parametrize("named", ["~no-such-user/data", "x" * 300, "x/" * 3000])
def test_a_setting_that_cannot_be_a_folder_is_one_sentence(monkeypatch, named):
    monkeypatch.setenv("HEBBIAN_DESCENT_DATA", named)
    with pytest.raises(datasets.DataFolderError, match=r"must be a folder that exists\. Got .*Create it"):
        datasets.load("mnist")


@pytest.mark.skipif(sys.platform == "win32", reason="sets the home folder as POSIX systems do")
@pytest.mark.parametrize("home", ["relative", None])
def test_without_a_home_folder_the_error_names_the_setting(monkeypatch, home):
    monkeypatch.delenv("XDG_CACHE_HOME")
    if home is None:
        import pwd

        monkeypatch.delenv("HOME")
        # Simulated: this user has an entry in the system, those of many containers do not.
        monkeypatch.setattr(pwd, "getpwuid", lambda number: {}[number])
    else:
        monkeypatch.setenv("HOME", home)
    with pytest.raises(
        datasets.DataFolderError, match=r"must be an absolute path\. Got .* HEBBIAN_DESCENT_DATA"
    ):
        datasets.load("mnist")


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(datasets.DataFolderError, match=r"folder that exists\. Got .*, which is a file"):
        datasets.load("mnist", folder=tmp_path / "file")


def test_built_in_datasets_need_no_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("HEBBIAN_DESCENT_DATA", str(tmp_path / "typo"))
    assert datasets.load("digits").files == ()
    assert datasets.locate("digits") == ()
