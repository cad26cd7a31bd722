"""Whole datasets from the web: with and without a network, from mirrors, once and not twice."""

import pytest

from hebbian_descent import datasets
from hebbian_descent.datasets.folder import find_file
from hebbian_descent.datasets.formats import read_content

NEED_DOWNLOAD = [name for name in datasets.names() if datasets.describe(name).needs_download]


@pytest.mark.parametrize("name", NEED_DOWNLOAD)
def test_without_a_network_the_error_tells_the_two_ways_to_get_the_data(name):
    with pytest.raises(datasets.DatasetUnavailableError) as caught:
        datasets.load(name)
    message = str(caught.value)
    origin = datasets.describe(name).origin
    assert f"Set HEBBIAN_DESCENT_DATA to a folder that holds {origin.formats[0].files[0]} or" in message
    assert all(remote.name in message for remote in origin.downloads)
    assert f"`hebbian-descent data fetch {name}` on a machine with a network" in message
    assert "127.0.0.1:9" in message, "the mirror that was tried"


def test_downloading_can_be_switched_off(server, monkeypatch):
    monkeypatch.setenv("HEBBIAN_DESCENT_MIRRORS", server.url)
    with pytest.raises(datasets.DatasetUnavailableError, match="downloading is switched off"):
        datasets.load("adult", download=False)
    with pytest.raises(datasets.DatasetUnavailableError, match="downloading is switched off"):
        datasets.draw_patterns("adult", seed=0, download=False)
    assert server.requests == []


@pytest.mark.parametrize("name", NEED_DOWNLOAD)
def test_every_public_file_has_several_homes_and_a_digest(name):
    origin = datasets.describe(name).origin
    for remote in origin.downloads:
        assert len(set(remote.addresses(()))) >= 2
        assert all(url.startswith("https://") for url in remote.addresses(()))
        assert len(bytes.fromhex(remote.sha256)) == 32
    downloaded = {remote.name.removesuffix(".gz") for remote in origin.downloads}
    assert any(set(file_format.files) == downloaded for file_format in origin.formats), (
        "what is downloaded can be read"
    )


@pytest.fixture(scope="module")
def public_files(real_data):
    """Return the content of every public file that can be downloaded and is in the data folder."""
    contents = {}
    for name in NEED_DOWNLOAD:
        for remote in datasets.describe(name).origin.downloads:
            if (path := real_data / "raw" / remote.name).is_file():
                contents[remote.name] = path.read_bytes()
            elif path := find_file(real_data / "raw", remote.name):
                contents[remote.name] = read_content(path)
    return contents


@pytest.fixture
def mirror(server, public_files, monkeypatch):
    """Serve the real public files as a mirror does, after one that is down, and have both used."""
    for name, content in public_files.items():
        server.serves(f"/mirror/{name}", content)
    monkeypatch.setenv("HEBBIAN_DESCENT_MIRRORS", f"{server.url}/down {server.url}/mirror/")
    return server


@pytest.mark.parametrize("name", ["adult", "connect", "mnist"])
def test_a_missing_dataset_is_downloaded_once_and_then_found(name, mirror):
    files = datasets.fetch(name)
    assert datasets.locate(name) == files
    n_requests = len(mirror.requests)
    assert datasets.fetch(name) == files
    assert len(mirror.requests) == n_requests
    assert {path.name for path in datasets.data_folder().iterdir()} == {path.name for path in files}


def test_loading_downloads_by_itself(mirror):
    assert len(datasets.load("adult").train) == 5000
    assert mirror.requests == ["/down/a9a", "/mirror/a9a"]


def test_mirrors_can_be_given_in_the_call(mirror, tmp_path):
    (path,) = datasets.fetch("adult", folder=tmp_path, mirrors=[f"{mirror.url}/mirror"])
    assert path == tmp_path / "a9a"
    assert mirror.requests == ["/mirror/a9a"]


def test_files_that_are_there_are_not_downloaded_again(mirror, real_data, tmp_path):
    (tmp_path / "train-images-idx3-ubyte.gz").symlink_to(real_data / "raw" / "train-images-idx3-ubyte.gz")
    datasets.fetch("mnist", folder=tmp_path)
    assert not any("train-images" in request for request in mirror.requests)
    assert datasets.locate("mnist", folder=tmp_path) is not None


def test_datasets_without_files_need_no_fetching(server):
    assert datasets.fetch("digits") == ()
    assert server.requests == []


def test_what_a_killed_download_leaves_is_not_taken_for_the_file(tmp_path):
    (tmp_path / ".a9a.0123456789abcdef.part").write_bytes(b"-1 3:1 11:1\n")
    assert datasets.locate("adult", folder=tmp_path) is None
    with pytest.raises(datasets.DatasetUnavailableError):
        datasets.load("adult", folder=tmp_path, download=False)
