"""Dataset files in every public form, damaged or forged in every way we could think of."""

from __future__ import annotations

import bz2
import functools
import gzip
import io
import os
import random
import struct
import tracemalloc
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import numpy as np

from campaigns.audit import watched
from campaigns.campaign import Campaign
from campaigns.small_datasets import PARTS, Arrays, SmallForm, npz, records, small_forms, tar_of
from hebbian_descent import datasets
from hebbian_descent.datasets.dataset import Splits
from hebbian_descent.datasets.folder import find_file
from hebbian_descent.datasets.formats import read_content
from hebbian_descent.datasets.loading import read_unscaled
from hebbian_descent.datasets.sources.mnist import FILES

REAL_EVERY, MEASURED_EVERY = 500, 40
LARGEST_PEAK = 150e6
REAL = {
    "adult": ("a9a",),
    "connect": ("connect-4.data",),
    "mnist": tuple(FILES),
}
REAL_DATA = os.environ.get("HEBBIAN_DESCENT_DATA")
PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": functools.partial(gzip.compress, compresslevel=1),
    ".bz2": functools.partial(bz2.compress, compresslevel=1),
}


def trial(number: int, folder: Path) -> str:
    """Write a dataset into a folder, forge one of its files, and load the result."""
    rng = random.Random(number)
    if REAL_DATA and number % REAL_EVERY == REAL_EVERY - 1:
        return _real_trial(rng, folder, Path(REAL_DATA) / "raw")
    form = rng.choice(small_forms())
    _write_forged(rng, folder, form)
    with patch.dict(datasets.DATASETS, {form.dataset: form.description}):
        if number % MEASURED_EVERY:
            return _outcome(form, folder)
        tracemalloc.start()
        try:
            outcome = _outcome(form, folder)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert peak < LARGEST_PEAK, f"{peak / 1e6:.0f} MB"
    return outcome


def _outcome(form: SmallForm, folder: Path) -> str:
    name = form.dataset
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with watched(folder):
                splits, _ = read_unscaled(name, folder=folder, download=False)
        except datasets.DatasetDamagedError as error:
            return _refused(str(error), folder)
        except datasets.DatasetUnavailableError:
            return "not taken for a file"
    loaded = _by_name(splits)
    others = [
        key for key in {*loaded, *form.arrays} if not np.array_equal(loaded.get(key), form.arrays.get(key))
    ]
    if not others:
        assert not caught
        return "loaded unchanged"
    if any(issubclass(warning.category, datasets.UnpublishedDataWarning) for warning in caught):
        return "other data, with a warning"
    (known,) = form.description.origin.formats  # type: ignore[union-attr]
    assert "records" in known.sha256, f"{known.files}: {others} silently wrong"
    assert sorted(records(loaded)) == sorted(records(form.arrays))
    assert not {"x_train", "x_valid"} & set(others)
    return "the same records, among which the order is free"


def _by_name(splits: Splits) -> Arrays:
    arrays: Arrays = {}
    for part in PARTS:
        if (split := getattr(splits, part)) is not None:
            arrays |= {f"x_{part}": split.inputs, f"y_{part}": split.labels}
    return arrays


def _refused(message: str, folder: Path) -> str:
    assert str(folder) in message
    assert len(message.splitlines()) == 1
    return "refused"


def _real_trial(rng: random.Random, folder: Path, raw: Path) -> str:
    name = rng.choice(list(REAL))
    forged = rng.choice(REAL[name])
    for file in REAL[name]:
        (folder / file).write_bytes(_real_content(raw, file))
    change = rng.choice((flip, flip, overwrite, truncate, swap_halves))
    content = change(rng, _real_content(raw, forged))
    (folder / forged).write_bytes(content)
    try:
        with watched(folder):
            splits, _ = read_unscaled(name, folder=folder, download=False)
    except datasets.DatasetDamagedError as error:
        return _refused(str(error), folder)
    with np.load(raw.parent / datasets.describe(name).origin.formats[0].files[0]) as archive:
        for key, array in _by_name(splits).items():
            assert np.array_equal(array, archive[key]), f"{forged} silently wrong"
    return "loaded unchanged"


@functools.cache
def _real_content(raw: Path, file: str) -> bytes:
    path = find_file(raw, file)
    assert path is not None
    return read_content(path)


# --- files ------------------------------------------------------------------------------------------------


def _write_forged(rng: random.Random, folder: Path, form: SmallForm) -> None:
    kind = rng.choice(("arrays", "content", "content", "packed", "packed", "structure"))
    arrays = forged_arrays(rng, form.arrays) if kind == "arrays" else form.arrays
    files = form.write(arrays)
    forged = rng.choice(list(files))
    for name, content in files.items():
        if kind == "content" and name == forged:
            content = damaged(rng, content)
        if kind == "structure" and name == forged:
            content = forged_structure(rng, name, content, files)
        packing = rng.choice(list(PACKINGS))
        packed = PACKINGS[packing](content)
        if kind == "packed" and name == forged:
            packed = damaged(rng, packed)
        (folder / (name + packing)).write_bytes(packed)
        if name == forged and rng.random() < 0.01:
            replace_by_no_file(rng, folder / (name + packing))


def replace_by_no_file(rng: random.Random, path: Path) -> None:
    path.unlink()
    rng.choice(
        (
            os.mkfifo,
            os.mkdir,
            lambda path: os.symlink("/dev/zero", path),
            lambda path: os.symlink(path, path),
            lambda path: os.symlink("/proc/self/mem", path),
        )
    )(path)


def damaged(rng: random.Random, content: bytes) -> bytes:
    """Return content with one to three kinds of damage."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        change = rng.choice(
            (truncate, flip, flip, flip, overwrite, insert, delete, repeat, swap_halves, fill)
        )
        content = change(rng, content)
    return content


def truncate(rng: random.Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def flip(rng: random.Random, content: bytes) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 8))):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def overwrite(rng: random.Random, content: bytes) -> bytes:
    start, stop = _slice(rng, content)
    return content[:start] + rng.randbytes(stop - start) + content[stop:]


def insert(rng: random.Random, content: bytes) -> bytes:
    start, stop = _slice(rng, content)
    return content[:start] + rng.randbytes(stop - start) + content[start:]


def delete(rng: random.Random, content: bytes) -> bytes:
    start, stop = _slice(rng, content)
    return content[:start] + content[stop:]


def repeat(rng: random.Random, content: bytes) -> bytes:
    start, stop = _slice(rng, content)
    return content[:stop] + content[start:]


def swap_halves(rng: random.Random, content: bytes) -> bytes:
    middle = rng.randrange(len(content) + 1)
    return content[middle:] + content[:middle]


def fill(rng: random.Random, content: bytes) -> bytes:
    start, stop = _slice(rng, content)
    return content[:start] + bytes([rng.choice((0, 255, 32, 48))]) * (stop - start) + content[stop:]


def _slice(rng: random.Random, content: bytes) -> tuple[int, int]:
    start = rng.randrange(len(content) + 1)
    return start, min(len(content), start + rng.choice((1, 2, 4, 8, 100, 1000)))


# --- what the files hold ----------------------------------------------------------------------------------


def forged_arrays(rng: random.Random, arrays: Arrays) -> Arrays:
    """Return arrays whose values, rows or labels differ from those of the dataset."""
    arrays = {name: array.copy() for name, array in arrays.items()}
    part = rng.choice([name[2:] for name in arrays if name.startswith("x_")])
    inputs, labels = arrays[f"x_{part}"], arrays[f"y_{part}"]
    order = np.array(rng.sample(range(len(inputs)), len(inputs)))
    match rng.randrange(9):
        case 0:
            inputs[rng.randrange(len(inputs)), rng.randrange(inputs.shape[1])] ^= 1
        case 1:
            arrays[f"x_{part}"] = inputs[order]
        case 2:
            arrays[f"y_{part}"] = labels[order]
        case 3:
            arrays[f"x_{part}"], arrays[f"y_{part}"] = inputs[order], labels[order]
        case 4:
            arrays[f"y_{part}"] = np.roll(labels, rng.choice((-1, 1)))
        case 5:
            arrays[f"y_{part}"] = labels.max() - labels
        case 6:
            arrays["x_train"][0], arrays["x_test"][0] = (
                arrays["x_test"][0].copy(),
                arrays["x_train"][0].copy(),
            )
        case 7:
            arrays[f"x_{part}"], arrays[f"y_{part}"] = inputs[:-1], labels[:-1]
        case 8:
            inputs[:] = inputs[0]
    return arrays


def forged_structure(rng: random.Random, name: str, content: bytes, files: dict[str, bytes]) -> bytes:
    """Return a file with forged headers or archive fields, or another file altogether."""
    others: list[Callable[[], bytes]] = [
        lambda: rng.choice(list(files.values())),
        lambda: b"",
        lambda: rng.randbytes(rng.randrange(2000)),
        lambda: b"<html>login first</html>",
        lambda: gzip.compress(gzip.compress(content)),
        lambda: bz2.compress(content) * rng.randrange(1, 4),
    ]
    if rng.random() < 0.02:
        return bomb(rng.choice((".gz", ".bz2", ".npz")))
    if name.endswith(".npz"):
        others += [lambda: forged_zip(rng, content)] * 12
    elif name.endswith(".tar"):
        others += [lambda: forged_tar(rng, content)] * 8
    elif "idx" in name:
        others += [lambda: forged_idx(rng, content)] * 8
    else:
        others += [lambda: forged_lines(rng, content)] * 8
    return rng.choice(others)()


@functools.cache
def bomb(kind: str) -> bytes:
    if kind == ".npz":
        return npz({"x_train": np.zeros(70_000_000, np.uint8)})
    return PACKINGS[kind](bytes(10_000_000))


def forged_idx(rng: random.Random, content: bytes) -> bytes:
    header = bytearray(content[:16])
    place = rng.randrange(2, 16)
    header[place] = rng.choice((0, 1, 2, 3, 4, 8, 9, 127, 255))
    return bytes(header) + content[16:]


def forged_lines(rng: random.Random, content: bytes) -> bytes:
    lines = content.splitlines(keepends=True)
    chosen = rng.randrange(len(lines))
    match rng.randrange(6):
        case 0:
            rng.shuffle(lines)
        case 1:
            lines[chosen] = lines[chosen - 1]
        case 2:
            del lines[chosen]
        case 3:
            old, new = rng.choice(
                ((b":1", b":2"), (b"-1", b"+1"), (b"+1", b"-1"), (b"win", b"loss"), (b"x", b"o"))
            )
            lines[chosen] = lines[chosen].replace(old, new, 1)
        case 4:
            lines[chosen] = lines[chosen].replace(
                b"\n", rng.choice((b"\r\n", b" \n", b"\n\n", b"", b"\0\n", b"\r"))
            )
        case 5:
            lines.insert(
                chosen, rng.choice((b"#\n", b"1" * 5000 + b"\n", b"nan\n", b"-1 99999999999:1\n", b"\n"))
            )
    return b"".join(lines)


HEADERS = (
    "{'descr': '|u1', 'fortran_order': False, 'shape': (4611686018427387904, 8)}",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (0, 4611686018427387904)}",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (-1,)}",
    "{'descr': '|u1', 'fortran_order': False, 'shape': (True, 9)}",
    "{'descr': '|u1', 'fortran_order': False, 'shape': " + repr((1,) * 65) + "}",
    "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
    "{'descr': [('a', '|O')], 'fortran_order': False, 'shape': (1,)}",
    "{'descr': '|S0', 'fortran_order': False, 'shape': (5,)}",
    "{'descr': '|V999999999', 'fortran_order': False, 'shape': (1,)}",
    "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3)}",
    "{'descr': '|u1'}",
    "[]" * 4000,
    "(" * 5000,
    "-" * 9000 + "1",
    "__import__('os').system('true')",
    " " * 20_000,
    "\0",
)


def forged_zip(rng: random.Random, content: bytes) -> bytes:
    """Return an archive with one forged member, or forged fields of its directory."""
    if rng.random() < 0.5:
        changed = bytearray(content)
        place = content.find(rng.choice((b"PK\1\2", b"PK\3\4", b"PK\5\6"))) + rng.randrange(4, 22)
        changed[place] = rng.choice((0, 1, 2, 8, 9, 12, 14, 99, 255))
        return bytes(changed)
    packed = io.BytesIO()
    method = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(packed, "w", method) as target:
        names = source.namelist()
        forged = rng.choice((None, *names))
        for name in names:
            array = source.read(name)
            if name == forged:
                header = rng.choice(HEADERS).encode()
                array = b"\x93NUMPY" + bytes([rng.choice((1, 1, 2, 3, 9)), 0])
                array += struct.pack("<H", len(header)) + header + rng.randbytes(rng.randrange(50))
            target.writestr(rng.choice((name, name, name, name.upper(), f"../{name}")), array)
    return packed.getvalue()


def forged_tar(rng: random.Random, content: bytes) -> bytes:
    """Return an archive with a forged header and the right checksum, or with members of other kinds."""
    if rng.random() < 0.1:
        return tar_of({"data_batch_1.bin": b"", "data_batch_2.bin": rng.randbytes(3073)})
    changed = bytearray(content)
    start = rng.choice(
        [place for place in range(0, len(content), 512) if content[place + 257 : place + 262] == b"ustar"]
    )
    match rng.randrange(4):
        case 0:
            changed[start + 156] = rng.choice(b"01234567xgSLK")
        case 1:
            changed[start + 124 : start + 136] = rng.choice(
                (b"77777777777\0", b"00000000000\0", b"\x80" + b"\xff" * 11)
            )
        case 2:
            changed[start + rng.randrange(100)] = rng.choice(b"/.a\0")
        case 3:
            changed[start + rng.randrange(512)] = rng.randrange(256)
    header = changed[start : start + 148] + b" " * 8 + changed[start + 156 : start + 512]
    changed[start + 148 : start + 156] = b"%06o\0 " % sum(header)
    return bytes(changed)


CAMPAIGN = Campaign(
    title="Forged data files",
    promise="a dataset loads as published, or is refused with the file's name, or is warned of",
    trial=trial,
    goal=250_000,
    in_tests=600,
    seconds=60,  # a trial of real files writes and reads 55 MB, perhaps on a busy machine
)
