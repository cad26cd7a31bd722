"""Public files and the paper's split give the archives, array by array."""

import gzip
import importlib.util
import io
import tarfile
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from hebbian_descent import datasets
from hebbian_descent.datasets.folder import find_file, find_format
from hebbian_descent.datasets.formats import read_content
from hebbian_descent.datasets.loading import read_unscaled
from hebbian_descent.datasets.sources.cifar import BATCHES

ARCHIVES = {
    "adult": "adult.npz",
    "connect": "connect4.npz",
    "mnist": "mnist.npz",
    "cifar": "cifar10_grey.npz",
}

PUBLIC_FORMS = {
    "adult from a9a": ("adult", ["a9a.bz2"]),
    "adult from a5a": ("adult", ["a5a.bz2", "a5a.t.bz2"]),
    "connect from uci": ("connect", ["connect-4.data.gz"]),
    "connect from libsvm": ("connect", ["connect-4.bz2"]),
    "mnist from idx": (
        "mnist",
        [f"{part}-idx{kind}-ubyte.gz" for part, kind in (
            ("train-images", 3), ("train-labels", 1), ("t10k-images", 3), ("t10k-labels", 1)
        )],
    ),
}  # fmt: skip


def assert_equals_archive(splits, archive_path):
    with np.load(archive_path) as archive:
        for part in ("train", "valid", "test"):
            split = getattr(splits, part)
            if split is None:
                assert f"x_{part}" not in archive.files
            else:
                np.testing.assert_array_equal(split.inputs, archive[f"x_{part}"], strict=True)
                np.testing.assert_array_equal(split.labels, archive[f"y_{part}"], strict=True)


@pytest.mark.parametrize("form", PUBLIC_FORMS)
def test_public_files_give_the_arrays_of_the_archive(form, real_data, tmp_path):
    name, names = PUBLIC_FORMS[form]
    for file in names:
        (tmp_path / file).symlink_to(real_data / "raw" / file)
    splits, used = read_unscaled(name, folder=tmp_path, download=False)
    assert {path.name for path in used} == set(names)
    assert_equals_archive(splits, real_data / ARCHIVES[name])


@pytest.mark.parametrize("name", ["adult", "connect"])
def test_archives_give_their_own_arrays(name, real_data):
    splits, used = read_unscaled(name, folder=real_data, download=False)
    assert used == (real_data / ARCHIVES[name],)
    assert_equals_archive(splits, real_data / ARCHIVES[name])


@pytest.mark.parametrize(
    ("name", "divisor", "highest"),
    [("adult", 1, 1), ("connect", 1, 1), ("mnist", 256, 255), ("cifar", 255, 255)],
)
def test_inputs_are_scaled_as_in_the_paper(name, divisor, highest, real_data):
    patterns, _ = datasets.draw_patterns(name, 50, seed=0, folder=real_data)
    stored = patterns * divisor
    np.testing.assert_allclose(stored, np.rint(stored), rtol=0, atol=1e-12)
    assert stored.max() == highest


def test_plain_files_are_read_like_compressed_ones(real_data, tmp_path):
    (tmp_path / "a9a").write_bytes(read_content(real_data / "raw" / "a9a.bz2"))
    splits, _ = read_unscaled("adult", folder=tmp_path, download=False)
    assert_equals_archive(splits, real_data / "adult.npz")


def test_a_copy_of_a5a_that_took_other_ones_of_identical_records_gives_the_same_inputs(real_data, tmp_path):
    lines = read_content(real_data / "raw" / "a5a.bz2").splitlines(keepends=True)
    np.random.default_rng(0).shuffle(lines)
    (tmp_path / "a5a").write_bytes(b"".join(lines))
    (tmp_path / "a5a.t.bz2").symlink_to(real_data / "raw" / "a5a.t.bz2")
    splits, _ = read_unscaled("adult", folder=tmp_path, download=False)
    with np.load(real_data / "adult.npz") as archive:
        np.testing.assert_array_equal(splits.train.inputs, archive["x_train"])
        np.testing.assert_array_equal(splits.valid.inputs, archive["x_valid"])


@pytest.mark.parametrize(("name", "file"), [("adult", "a9a"), ("connect", "connect-4.data")])
def test_rows_in_another_order_are_refused_since_the_split_would_be_another(name, file, real_data, tmp_path):
    lines = read_content(find_file(real_data / "raw", file)).splitlines(keepends=True)
    (tmp_path / file).write_bytes(b"".join(reversed(lines)))
    with pytest.raises(
        datasets.DatasetDamagedError, match="its content differs in x_train, y_train, x_valid"
    ):
        datasets.load(name, folder=tmp_path)


def test_a_public_file_with_a_line_missing_is_refused(real_data, tmp_path):
    lines = read_content(real_data / "raw" / "a9a.bz2").splitlines(keepends=True)
    (tmp_path / "a9a").write_bytes(b"".join(lines[:-1]))
    with pytest.raises(datasets.DatasetDamagedError, match="a9a must have 32561 lines, but has 32560"):
        datasets.load("adult", folder=tmp_path)


RECORD, N_RECORDS = 3073, 10_000


def first_record(number):
    return bytes([number]) + bytes([100 + number]) * (RECORD - 1)


def black_batch(number):
    """Return a batch of the true size, all black but for its first image."""
    return first_record(number).ljust(RECORD * N_RECORDS, b"\0")


def assert_holds_batches(folder):
    file_format, paths = find_format(datasets.describe("cifar").origin, folder)
    splits = file_format.assemble(*(file_format.parse(read_content(path)) for path in paths))
    assert [len(part) for part in (splits.train, splits.valid, splits.test)] == [40_000, 10_000, 10_000]
    assert splits.train.inputs[::N_RECORDS, 0].tolist() == [100, 101, 102, 103]
    assert splits.train.labels[::N_RECORDS].tolist() == [0, 1, 2, 3]
    assert [splits.valid.inputs[0, 0], splits.valid.labels[0]] == [104, 4]
    assert [splits.test.inputs[0, 0], splits.test.labels[0]] == [105, 5]
    assert splits.train.inputs[1:N_RECORDS].max() == 0


def test_cifar_is_read_from_its_binary_batches(tmp_path):
    unpacked = tmp_path / "cifar-10-batches-bin"
    unpacked.mkdir()
    for number, name in enumerate(BATCHES):
        with (unpacked / name).open("wb") as file:
            file.write(first_record(number))
            file.truncate(RECORD * N_RECORDS)
    assert datasets.locate("cifar", folder=tmp_path) == tuple(unpacked / name for name in BATCHES)
    assert datasets.locate("cifar", folder=unpacked) == tuple(unpacked / name for name in BATCHES)
    assert_holds_batches(tmp_path)


def test_grey_pictures_in_colour_are_the_published_cifar(real_data, tmp_path):
    with np.load(real_data / "cifar10_grey.npz") as archive:
        inputs = np.vstack([archive[f"x_{part}"] for part in ("train", "valid", "test")])
        labels = np.concatenate([archive[f"y_{part}"] for part in ("train", "valid", "test")])
    records = np.hstack([labels[:, np.newaxis], inputs, inputs, inputs])
    for number, name in enumerate(BATCHES):
        (tmp_path / name).write_bytes(records[number * N_RECORDS : (number + 1) * N_RECORDS])
    splits, _ = read_unscaled("cifar", folder=tmp_path, download=False)
    assert_equals_archive(splits, real_data / "cifar10_grey.npz")


def test_cifar_is_read_from_its_archive_without_unpacking_it(tmp_path):
    write_tar(tmp_path / "cifar-10-binary.tar.gz", BATCHES)
    assert_holds_batches(tmp_path)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_cifar_archive_that_lacks_a_batch_is_refused(tmp_path):
    write_tar(tmp_path / "cifar-10-binary.tar.gz", BATCHES[:1])
    with pytest.raises(datasets.DatasetDamagedError, match=r"lacks data_batch_2\.bin, data_batch_3\.bin"):
        datasets.load("cifar", folder=tmp_path)


def write_tar(path, names):
    with gzip.open(path, "wb", compresslevel=1) as stream, tarfile.open(fileobj=stream, mode="w") as archive:
        for number, name in enumerate(("readme.html", *names)):
            member = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
            content = b"<p>" if name == "readme.html" else black_batch(number - 1)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def test_the_index_files_are_small():
    folder = files("hebbian_descent.datasets") / "splits"
    assert sum(len(folder.joinpath(f"{name}.npz").read_bytes()) for name in ("adult", "connect")) < 100_000


def test_the_index_files_are_what_the_tool_makes(real_data, tmp_path, monkeypatch):
    script = Path(__file__).parents[2] / "tools" / "make_split_indices.py"
    spec = importlib.util.spec_from_file_location("make_split_indices", script)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    monkeypatch.setattr(tool, "OUTPUT_FOLDER", tmp_path)
    tool.write_adult(real_data)
    tool.write_connect(real_data)
    shipped = files("hebbian_descent.datasets") / "splits"
    for name in ("adult", "connect"):
        with np.load(tmp_path / f"{name}.npz") as made, np.load(shipped.joinpath(f"{name}.npz")) as there:
            assert made.files == there.files
            for key in made.files:
                np.testing.assert_array_equal(made[key], there[key], strict=True)
