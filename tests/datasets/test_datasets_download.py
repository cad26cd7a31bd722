"""One file from servers that misbehave: the messages, and that nothing is left behind.

`campaigns/hostile_servers.py` tests that the next mirror is used after every kind of failure.
"""

import bz2
import gzip
import hashlib

import pytest

from hebbian_descent.datasets import DataFolderError
from hebbian_descent.datasets.dataset import RemoteFile
from hebbian_descent.datasets.download import DownloadError, fetch_file, progress_bar

CONTENT = b"patterns " * 50_000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def _in_a_hurry(monkeypatch):
    monkeypatch.setattr("hebbian_descent.datasets.transfer.SLOWEST", 1e6)


def get(folder, *urls, name="table", **options):
    return fetch_file(
        RemoteFile(name, urls, SHA256, len(CONTENT)), folder, mirrors=(), timeout=0.4, **options
    )


@pytest.mark.parametrize(
    ("name", "packed"),
    [("table", CONTENT), ("table.gz", gzip.compress(CONTENT)), ("table.bz2", bz2.compress(CONTENT))],
)
def test_a_file_is_stored_as_it_comes_and_known_by_its_decompressed_content(server, tmp_path, name, packed):
    path = get(tmp_path / "new folder", server.serves("/any-address", packed), name=name)
    assert path == tmp_path / "new folder" / name
    assert path.read_bytes() == packed
    assert list(path.parent.iterdir()) == [path]


def test_an_archive_may_be_known_by_the_digest_of_the_file_itself(server, tmp_path):
    packed = gzip.compress(CONTENT)
    remote = RemoteFile(
        "a.tar.gz",
        (server.serves("/a", packed),),
        hashlib.sha256(packed).hexdigest(),
        len(packed),
        digest_of="file",
    )
    assert fetch_file(remote, tmp_path, mirrors=()).read_bytes() == packed


def test_redirects_are_followed(server, tmp_path):
    server.serves("/moved", CONTENT)
    assert get(tmp_path, server.redirects("/old", "/moved")).read_bytes() == CONTENT
    assert server.requests == ["/old", "/moved"]


def test_a_server_need_not_announce_a_length(server, tmp_path):
    def behaviour(handler):
        handler.send_response(200)
        handler.end_headers()
        handler.wfile.write(CONTENT)

    server.behaviours["/x"] = behaviour
    assert get(tmp_path, server.url + "/x").read_bytes() == CONTENT


MISBEHAVIOURS = {
    "missing": (lambda server: server.url + "/bad", "the server answered 404 Not Found"),
    "truncated": (lambda server: server.truncates("/bad", CONTENT), "ended after 225000 of 450000 bytes"),
    "wrong content": (lambda server: server.serves("/bad", b"login first"), "the received file differs"),
    "empty": (lambda server: server.serves("/bad", b""), "the received file differs"),
    "stalled": (lambda server: server.stalls("/bad"), "no answer within 0.4 s"),
    "stalled halfway": (lambda server: server.stalls_after("/bad", CONTENT[:99]), "no answer within 0.4 s"),
    "announced too long": (
        lambda server: server.announces("/bad", 10**10),
        "the file has at most 515536 bytes, but the server announced 10000000000",
    ),
    "endless": (lambda server: server.never_ends("/bad"), "at most 515536 bytes, but the server sent more"),
    "dripping": (lambda server: server.drips("/bad"), "the transfer was not done within 0.85 s"),
    "escape sequences": (lambda server: server.fails("/bad", "\x1b[2J"), r"answered 500 \\x1b\[2J\)"),
    "redirected nowhere": (lambda server: server.redirects("/bad", "/nowhere"), "the server answered 404"),
    "redirected in a circle": (lambda server: server.redirects("/bad", "/bad"), "the server answered 302"),
    "redirected to a file": (
        lambda server: server.redirects("/bad", "file:///etc/hosts"),
        "the server answered 302",
    ),
    "not there": (lambda server: "http://127.0.0.1:9/bad", "refused"),
    "no address": (
        lambda server: "http://no-such-host.invalid/bad",
        r"\(http://no-such-host\.invalid/bad: .+\)",
    ),
}


@pytest.mark.parametrize("kind", MISBEHAVIOURS)
def test_a_bad_server_is_reported_and_leaves_nothing_behind(server, tmp_path, kind):
    misbehave, message = MISBEHAVIOURS[kind]
    with pytest.raises(DownloadError, match=message):
        get(tmp_path, misbehave(server))
    assert list(tmp_path.iterdir()) == []


def test_content_that_cannot_be_decompressed_is_refused(server, tmp_path):
    with pytest.raises(DownloadError, match="cannot be decompressed"):
        get(tmp_path, server.serves("/bad", gzip.compress(CONTENT)[:-9]), name="table.gz")
    assert list(tmp_path.iterdir()) == []


def test_every_server_that_failed_is_named(server, tmp_path):
    with pytest.raises(DownloadError) as caught:
        get(tmp_path, server.url + "/first", server.serves("/second", b"?"))
    assert "/first: the server answered 404" in str(caught.value)
    assert "/second: the received file differs (SHA-256 8a8de823d5ed…" in str(caught.value)


def test_progress_is_reported(server, tmp_path):
    reports = []
    get(tmp_path, server.serves("/x", CONTENT), report=lambda *numbers: reports.append(numbers))
    assert reports[-1] == (len(CONTENT), len(CONTENT))
    assert reports == sorted(reports)


def test_the_bar_is_drawn_on_a_terminal_and_nowhere_else(capsys, monkeypatch):
    for forced, shown in (("1", True), ("", False)):
        monkeypatch.setenv("FORCE_COLOR", forced)
        with progress_bar("table") as report:
            report(5, 10)
        captured = capsys.readouterr()
        assert ("table" in captured.err) == shown
        assert captured.out == ""


def test_the_file_may_be_read_by_whom_the_user_lets_read_files(server, tmp_path):
    (tmp_path / "ordinary").touch()
    path = get(tmp_path, server.serves("/x", CONTENT))
    assert path.stat().st_mode == (tmp_path / "ordinary").stat().st_mode


def test_a_folder_that_cannot_be_made_is_told_apart_from_a_bad_server(server, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(DataFolderError, match="data folder must be writable"):
        get(tmp_path / "file" / "folder", server.serves("/x", CONTENT))


@pytest.mark.parametrize("mirror", ["ftp://host/data", "/a/folder", "host.example/data"])
def test_a_mirror_must_be_a_web_address(tmp_path, mirror):
    with pytest.raises(ValueError, match=r"must be an address that begins with http:// or https://. Got"):
        fetch_file(RemoteFile("table", (), SHA256, len(CONTENT)), tmp_path, mirrors=[mirror])
