"""What loads is what was published; other data are refused, or used with a warning."""

import gzip
import os
import shutil
import warnings

import numpy as np
import pytest

from hebbian_descent import datasets
from hebbian_descent.datasets.folder import find_file
from hebbian_descent.datasets.formats import read_content
from hebbian_descent.datasets.loading import read_unscaled
from hebbian_descent.datasets.sources.mnist import FILES
from hebbian_descent.datasets.validation import digest

MNIST_FILES = list(FILES)
PLAIN = {
    "mnist": MNIST_FILES,
    "adult": ["a9a"],
    "connect": ["connect-4.data"],
}
ARCHIVES = {"adult": "adult.npz", "connect": "connect4.npz"}


@pytest.fixture(scope="module")
def plain(real_data, tmp_path_factory):
    """Return a folder with the public files, decompressed."""
    folder = tmp_path_factory.mktemp("plain")
    for name in [file for files in PLAIN.values() for file in files] + ["a5a", "a5a.t", "connect-4"]:
        (folder / name).write_bytes(read_content(find_file(real_data / "raw", name)))
    return folder


def copied(folder, target, names):
    for name in names:
        shutil.copy(folder / name, target)
    return target


def assert_damaged(name, folder, message):
    with pytest.raises(datasets.DatasetDamagedError, match=message) as caught:
        datasets.load(name, folder=folder)
    assert str(folder) in str(caught.value)


@pytest.mark.parametrize("file", MNIST_FILES)
@pytest.mark.parametrize("seed", range(3))
def test_one_changed_byte_of_an_idx_file_is_found(plain, tmp_path, file, seed):
    content = bytearray((copied(plain, tmp_path, MNIST_FILES) / file).read_bytes())
    place = np.random.default_rng(seed).integers(16, len(content))
    content[place] ^= 1
    (tmp_path / file).write_bytes(content)
    array = ("x_" if "images" in file else "y_") + ("train" if "train" in file else "test")
    assert_damaged("mnist", tmp_path, f"its content differs in {array} from the published MNIST")


def test_images_shifted_against_their_labels_are_found(plain, tmp_path):
    path = copied(plain, tmp_path, MNIST_FILES) / "train-labels-idx1-ubyte"
    content = path.read_bytes()
    path.write_bytes(content[:8] + content[9:] + content[8:9])
    assert_damaged("mnist", tmp_path, "differs in y_train")


@pytest.mark.parametrize(
    ("name", "files", "old", "new"),
    [
        ("adult", ["a9a"], b"-1 ", b"+1 "),
        ("adult", ["a5a", "a5a.t"], b"-1 ", b"+1 "),
        ("connect", ["connect-4"], b"-1 ", b"+1 "),
        ("connect", ["connect-4.data"], b"loss", b"win"),
    ],
)
@pytest.mark.parametrize("which", ["one", "all"])
def test_inverted_labels_are_found(plain, tmp_path, name, files, old, new, which):
    path = copied(plain, tmp_path, files) / files[-1]
    content = path.read_bytes()
    if which == "one":
        content = content.replace(old, new, 1)
    else:
        content = content.replace(old, b"?").replace(new, old).replace(b"?", new)
    path.write_bytes(content)
    assert_damaged(name, tmp_path, "its content differs in .*(y_|records)")


@pytest.mark.parametrize("name", ARCHIVES)
def test_any_archive_with_the_published_arrays_is_right(real_data, tmp_path, name):
    with np.load(real_data / ARCHIVES[name]) as archive:
        arrays = {key: np.asfortranarray(archive[key]) for key in archive.files}
    np.savez(tmp_path / ARCHIVES[name], **arrays, notes=np.arange(3.0))
    splits, _ = read_unscaled(name, folder=tmp_path)
    np.testing.assert_array_equal(splits.train.inputs, arrays["x_train"])


def test_a_plausible_archive_of_other_data_is_used_with_a_warning_each_time(real_data, tmp_path):
    arrays = changed_archive(real_data, tmp_path, y_train=slice(None, None, -1))
    for _ in range(2):
        with pytest.warns(
            datasets.UnpublishedDataWarning, match=r"adult\.npz: its content differs in y_train"
        ):
            adult = datasets.load("adult", folder=tmp_path)
        np.testing.assert_array_equal(adult.train.labels, arrays["y_train"])


def changed_archive(real_data, folder, **rows):
    with np.load(real_data / "adult.npz") as archive:
        arrays = dict(archive)
    for name, chosen in rows.items():
        arrays[name] = arrays[name][chosen]
    np.savez(folder / "adult.npz", **arrays)
    return arrays


@pytest.mark.parametrize(
    ("array", "message"),
    [
        ("y_test", r"error of the most frequent label in the test part must be near 0\.2399.* is 0\.0000"),
        ("x_test", r"mean deviation of inputs in the test part must be near 0\.1248, .* is 0\.0000"),
    ],
)
def test_an_archive_of_implausible_data_is_refused(real_data, tmp_path, array, message):
    changed_archive(real_data, tmp_path, **{array: np.zeros(26_147, dtype=int)})
    assert_damaged("adult", tmp_path, message)


def test_what_was_read_is_what_was_checked_though_the_file_is_swapped_meanwhile(plain, tmp_path, monkeypatch):
    path = copied(plain, tmp_path, ["a9a"]) / "a9a"
    from hebbian_descent.datasets import loading

    def swapping(path, at_most):
        content = read_content(path, at_most)
        path.write_bytes(content.replace(b"-1 ", b"+1 "))
        return content

    monkeypatch.setattr(loading, "read_content", swapping)
    good, _ = read_unscaled("adult", folder=tmp_path)
    assert digest(good, "y_train") == loading.describe("adult").origin.formats[0].sha256["y_train"]
    monkeypatch.undo()
    assert_damaged("adult", path.parent, "differs in y_train")


@pytest.mark.parametrize("pack", [gzip.compress, bytes])
def test_the_content_and_not_the_name_tells_the_compression(plain, tmp_path, pack):
    (tmp_path / "a9a.gz").write_bytes(pack((plain / "a9a").read_bytes()))
    assert len(datasets.load("adult", folder=tmp_path).test) == 26_147


def test_a_file_replaced_by_one_of_the_same_size_and_time_is_read_anew(plain, tmp_path):
    path = copied(plain, tmp_path, ["a9a"]) / "a9a"
    datasets.load("adult", folder=tmp_path)
    before = path.stat()
    path.write_bytes(path.read_bytes().replace(b"-1 ", b"+1 ", 1))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert_damaged("adult", tmp_path, "differs in y_")


def test_published_data_load_without_a_word(real_data):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        datasets.load("adult", folder=real_data)
