"""Encoding of the columns of a file as the inputs and targets of an estimator.

Numbers are taken as they are, one input per column; a missing one counts as 0. Text columns share 2^hash_bits
inputs: the one at the hash of `column=value` is 1 where the column has the value, and a missing value is a
value like any other. The hash is MurmurHash3, which is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from hebbian_descent.checks import Array, as_count, unknown_name
from hebbian_descent.storage.models import ModelFileError, require_names, shortened
from hebbian_descent.streams.block import Block, first
from hebbian_descent.streams.libsvm_blocks import LABEL
from hebbian_descent.streams.source import FORMATS, Source

TASKS = ("classification", "regression")
TARGETS = {"text": "classification", "whole": "classification", "number": "regression"}
"""What a target may be, and the task that follows: text, a whole number that names a class, a number."""
MOST_CLASSES = 20
"""Most different whole numbers in the first rows of a target that is taken for a class."""
LARGEST_LABEL = 2**53
LONGEST_LABEL = 256
HASH_BITS = 18
MOST_HASH_BITS = 30

Inputs: TypeAlias = "Array | csr_array[Any]"  # a string, since older SciPy cannot subscript it at run time


@dataclass(frozen=True)
class Encoding:
    """The columns of a file by their use; all others are ignored."""

    format: str
    target: str
    target_kind: str
    numbers: tuple[str, ...]
    texts: tuple[str, ...]
    hash_bits: int

    @property
    def task(self) -> str:
        """Classification or regression."""
        return TARGETS[self.target_kind]

    @property
    def is_sparse(self) -> bool:
        """Whether most inputs of a row are 0."""
        return bool(self.texts) or self.format == "libsvm"

    @property
    def width(self) -> int:
        """The number of inputs."""
        return len(self.numbers) + (2**self.hash_bits if self.is_sparse else 0)

    @property
    def columns(self) -> list[str]:
        """The columns that are learned."""
        return [*self.numbers, *self.texts, self.target]

    def inputs(self, block: Block) -> Inputs:
        """Return the inputs of a block: CSR if some are hashed or numbered by the file, else an array."""
        return self._inputs(block, block.numbers(self.numbers))

    def examples(self, block: Block) -> tuple[Inputs, npt.NDArray[Any]]:
        """Return inputs and targets; columns of numbers are parsed together, which takes half the time."""
        if self.target_kind == "text":
            return self.inputs(block), self._text_labels(block)
        numbers = block.numbers([*self.numbers, self.target])
        return self._inputs(block, numbers[:, :-1]), self._checked_targets(block, numbers[:, -1])

    def _inputs(self, block: Block, numbers: Array) -> Inputs:
        if (indexed := block.indexed(self.width)) is not None:
            return indexed
        filled = np.where(np.isnan(numbers), 0.0, numbers)
        return self._joined(filled, block) if self.texts else filled

    def _joined(self, numbers: Array, block: Block) -> csr_array[Any]:
        n_rows, n_numbers = numbers.shape
        n_entries = n_numbers + len(self.texts)  # of each row
        columns = np.empty((n_rows, n_entries), np.int64)
        columns[:, :n_numbers] = np.arange(n_numbers)
        for place, name in enumerate(self.texts, n_numbers):
            columns[:, place] = n_numbers + _hashed(name, block.texts(name), self.hash_bits)
        values = np.ones((n_rows, n_entries))
        values[:, :n_numbers] = numbers
        starts = np.arange(n_rows + 1) * n_entries
        rows = csr_array((values.ravel(), columns.ravel(), starts), shape=(n_rows, self.width))
        rows.sum_duplicates()  # two columns may share an input
        rows.eliminate_zeros()
        return rows

    def _text_labels(self, block: Block) -> npt.NDArray[Any]:
        labels = [text.strip() for text in block.texts(self.target)]
        lengths = np.array([*map(len, labels)])
        self._refuse(lengths == 0, block, "be there")
        # An array has room for the longest label in every row.
        self._refuse(lengths > LONGEST_LABEL, block, f"have at most {LONGEST_LABEL} characters")
        return np.array(labels)

    def _checked_targets(self, block: Block, values: Array) -> npt.NDArray[Any]:
        self._refuse(np.isnan(values), block, "be there")
        if self.target_kind == "number":
            return values
        self._refuse(~_are_whole(values), block, "be a whole number, as in the first rows")
        return values.astype(np.int64)

    def _refuse(self, wrong: npt.NDArray[np.bool_], block: Block, must: str) -> None:
        if wrong.any():
            row = first(wrong)
            got = block.texts(self.target)[row]
            raise ValueError(f"{block.place(row)}: the target {self.target!r} must {must}. Got {got!r}.")

    def check_columns(self, block: Block, source: Source, *, with_target: bool) -> None:
        """Refuse a file that lacks columns; it may have others, in any order."""
        if source.format != self.format and "libsvm" in (source.format, self.format):
            raise ValueError(f"{source.name}: the format must be {self.format}. Got {source.format}.")
        wanted = self.columns if with_target else self.columns[:-1]
        there = set(block.names)
        missing = [name for name in wanted if name not in there]
        if missing:
            raise ValueError(
                f"{source.name}: the file must have the columns that the model learned. Missing: "
                f"{', '.join(map(repr, missing))}; got {', '.join(map(repr, block.names))}."
            )

    def options(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options of `of` that give this encoding, for the columns that are named in `said`."""
        return {
            "target": self.target,
            "task": self.task,
            "hash_bits": self.hash_bits,
            "text": [name for name in said.get("text", ()) if name in self.texts],
            "ignore": [name for name in said.get("ignore", ()) if name not in (*self.numbers, *self.texts)],
        }

    # As part of a model file

    def as_json(self) -> dict[str, Any]:
        """Return this as JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, found: Any) -> Encoding:
        """Return an encoding from a file, which is checked as if a stranger had written it."""
        require_names(found, cls.__dataclass_fields__, "parts of an encoding")
        columns = [found["target"], *_listed(found["numbers"]), *_listed(found["texts"])]
        well_formed = (
            found["format"] in [*FORMATS]  # by ==, since a file may contain anything
            and found["target_kind"] in [*TARGETS]
            and type(found["hash_bits"]) is int
            and 0 <= found["hash_bits"] <= MOST_HASH_BITS
            and all(isinstance(name, str) for name in columns)
            and len(set(columns)) == len(columns)
        )
        if not well_formed:
            raise ModelFileError(
                f"The encoding of a stream must be one that learn wrote. Got {shortened(found)}."
            )
        return cls(**{**found, "numbers": tuple(found["numbers"]), "texts": tuple(found["texts"])})

    # From the first rows of a file

    @classmethod
    def of(
        cls,
        block: Block,
        source: Source,
        *,
        target: str | None = None,
        task: str | None = None,
        text: Collection[str] = (),
        ignore: Collection[str] = (),
        hash_bits: int = HASH_BITS,
    ) -> Encoding:
        """Return the encoding; what is not given follows from the first rows of a file."""
        if source.format == "libsvm":
            target = target or LABEL
        if target is None:
            raise ValueError(f"--target must name a column: {', '.join(block.names)}.")
        for name in (target, *text, *ignore):
            if name not in block.names:
                raise unknown_name(f"column of {source.name}", name, block.names)
        if as_count(hash_bits, "number of hash bits") > MOST_HASH_BITS:
            raise ValueError(f"The number of hash bits must be at most {MOST_HASH_BITS}. Got {hash_bits}.")
        inputs = [name for name in block.names if name != target and name not in ignore]
        if not inputs and source.format != "libsvm":
            raise ValueError(f"{source.name}: there must be a column to learn from besides {target!r}.")
        texts = [name for name in inputs if name in text or block.is_text(name)]
        numbers = [name for name in inputs if name not in texts]
        kind = _target_kind(block, target, task)
        return cls(source.format, target, kind, tuple(numbers), tuple(texts), hash_bits)


def _target_kind(block: Block, target: str, task: str | None) -> str:
    """Return the kind of target: text and a few different whole numbers are classes."""
    if task is not None and task not in TASKS:
        raise unknown_name("task", task, TASKS)
    if block.is_text(target):
        if task == "regression":
            raise ValueError(f"The target {target!r} must hold numbers for a regression. Got text.")
        return "text"
    values = block.numbers([target])[:, 0]
    whole = bool(_are_whole(values[~np.isnan(values)]).all())
    if task is None:
        task = "classification" if whole and len(np.unique(values)) <= MOST_CLASSES else "regression"
    if task == "regression":
        return "number"
    return "whole" if whole else "text"


def _are_whole(values: Array) -> npt.NDArray[np.bool_]:
    whole: npt.NDArray[np.bool_] = (values == np.floor(values)) & (np.abs(values) < LARGEST_LABEL)
    return whole


def _hashed(column: str, cells: Sequence[str], bits: int) -> npt.NDArray[np.int64]:
    """Return a number below 2^bits for each value of a column; each different value is hashed once."""
    from sklearn.utils import murmurhash3_32  # only here: scikit-learn takes a while to import

    mask = 2**bits - 1
    codes = {cell: murmurhash3_32(f"{column}={cell.strip()}", positive=True) & mask for cell in set(cells)}
    return np.fromiter(map(codes.__getitem__, cells), np.int64, len(cells))


def _listed(value: Any) -> list[Any]:
    """Return a list of a file, or one that holds no names."""
    return value if isinstance(value, list) else [None]
