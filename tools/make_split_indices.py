"""Write the index files of the paper's splits of ADULT and CONNECT.

    python tools/make_split_indices.py FOLDER

FOLDER holds the splits as `adult.npz` and `connect4.npz`, and the public tables they were cut from as
`a9a` and `connect-4.data` (plain, .gz or .bz2), in itself or in its subfolder `raw`.
"""

from __future__ import annotations

import argparse
from collections import defaultdict, deque
from pathlib import Path

import numpy as np

from hebbian_descent import datasets
from hebbian_descent.datasets.folder import find_file
from hebbian_descent.datasets.formats import parse_binary_libsvm, read_content
from hebbian_descent.datasets.sources.connect import parse_connect

OUTPUT_FOLDER = Path(datasets.__file__).parent / "splits"


def main() -> None:
    """Read the folder named on the command line, and write both index files into the package."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    write_adult(folder)
    write_connect(folder)


def write_adult(folder: Path) -> None:
    """Store which rows of a9a are in a5a, and the positions of the split's rows in the sorted a5a."""
    inputs, signs = parse_binary_libsvm(read_public(folder, "a9a"), 123)
    table = keys(inputs, signs > 0)
    with np.load(folder / "adult.npz") as archive:
        test = keys(archive["x_test"], archive["y_test"])
        chosen = keys(archive["x_train"], archive["y_train"]) + keys(archive["x_valid"], archive["y_valid"])
    in_a5a = np.array(rows_left_over(table, test))
    order = np.lexsort(inputs[in_a5a].T[::-1])
    members = np.flatnonzero(in_a5a)[order]
    place = places([table[row] for row in members], chosen)
    np.savez_compressed(
        OUTPUT_FOLDER / "adult.npz",
        in_a5a=np.packbits(in_a5a),
        n_a9a=np.uint16(len(in_a5a)),
        place=np.array(place, dtype=np.uint16),
    )


def write_connect(folder: Path) -> None:
    """Store the rows of connect-4.data that are in the training and the validation part."""
    table = keys(*parse_connect(read_public(folder, "connect-4.data")))
    with np.load(folder / "connect4.npz") as archive:
        chosen = keys(archive["x_train"], archive["y_train"]) + keys(archive["x_valid"], archive["y_valid"])
    np.savez_compressed(OUTPUT_FOLDER / "connect.npz", rows=np.array(places(table, chosen), dtype=np.uint32))


def read_public(folder: Path, name: str) -> bytes:
    """Return the content of a public file in `folder` or its subfolder `raw`."""
    path = find_file(folder, name) or find_file(folder / "raw", name)
    if path is None:
        raise SystemExit(f"{folder} must hold {name}, and does not.")
    return read_content(path)


def keys(inputs: np.ndarray, labels: np.ndarray) -> list[bytes]:
    """Return one hashable key per row, of its features and its label."""
    return [row.tobytes() for row in np.column_stack([inputs, labels]).astype(np.uint8)]


def rows_left_over(table: list[bytes], subsequence: list[bytes]) -> list[bool]:
    """Return, for each row of `table`, whether it is left over when `subsequence` is removed in order."""
    waiting = deque(subsequence)
    left_over = []
    for row in table:
        ticked_off = bool(waiting) and row == waiting[0]
        left_over.append(not ticked_off)
        if ticked_off:
            waiting.popleft()
    if waiting:
        raise SystemExit(f"{len(waiting)} rows of the test part are not in the table in its order.")
    return left_over


def places(table: list[bytes], chosen: list[bytes]) -> list[int]:
    """Return the position of each chosen row in `table`; of equal rows, the first that is not taken yet."""
    rows_of: defaultdict[bytes, deque[int]] = defaultdict(deque)
    for row, key in enumerate(table):
        rows_of[key].append(row)
    return [rows_of[key].popleft() for key in chosen]


if __name__ == "__main__":
    main()
