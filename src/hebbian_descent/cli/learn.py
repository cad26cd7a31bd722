"""`hebbian-descent learn`: one model from a file of any size, row by row."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from hebbian_descent.checks import as_count
from hebbian_descent.cli import completion
from hebbian_descent.cli.failures import stopping
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say, say_written, warn
from hebbian_descent.cli.options import Json, parsed_overrides, refuse_overwriting
from hebbian_descent.storage.models import require_folder
from hebbian_descent.streams import (
    FORMATS,
    HASH_BITS,
    TASKS,
    Checkpoint,
    Encoding,
    Source,
    blocks_left,
    check_last_pass,
    learn_block,
)
from hebbian_descent.streams.block import Block, is_number
from hebbian_descent.streams.progressive import Position, Tally


def learn(
    file: Annotated[str, typer.Argument(help="The rows to learn, in their order; - is standard input.")],
    model: Annotated[Path, typer.Option(help="The model file to write.", show_default=False)],
    target: Annotated[
        str | None, typer.Option(help="The column to predict; LIBSVM text has it in front.")
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            help=f"{' or '.join(TASKS)}; guessed by default.", autocompletion=completion.one_of(*TASKS)
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help=f"{', '.join(FORMATS)}; by default from the file name.",
            autocompletion=completion.one_of(*FORMATS),
        ),
    ] = None,
    delimiter: Annotated[str | None, typer.Option(help="Separator of CSV cells; a comma by default.")] = None,
    text: Annotated[
        list[str] | None, typer.Option(help="A column of categories that look like numbers.")
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="A column to leave out.")] = None,
    hash_bits: Annotated[
        int | None, typer.Option(help=f"Text columns share 2^BITS inputs; {HASH_BITS} by default.")
    ] = None,
    passes: Annotated[int, typer.Option(help="Number of passes through the file.")] = 1,
    changes: Annotated[
        list[str] | None,
        typer.Option("--set", help="A parameter of the estimator, such as learning_rate=0.1."),
    ] = None,
    initial: Annotated[
        Path | None, typer.Option(help="A model from an earlier `learn`, to continue from.")
    ] = None,
    checkpoint_every: Annotated[
        int | None, typer.Option(help="Also write the model file each time this many rows are learned.")
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the last checkpoint, if any.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Learn to predict a column of a file that need not fit into memory, in one pass.

    Every row is predicted before it is learned. The table shows the error of these predictions after 1, 2, 4,
    8, … rows: of all so far, and of those since the previous line. It goes to standard error; with --json, a
    summary goes to standard output. Run the same command with --resume to continue after a kill; the model
    is the same to the last bit.

    **Examples**

        hebbian-descent learn flights.csv --target delayed --model flights.model
        zcat log.csv.gz | hebbian-descent learn - --target price --task regression --model price.model
        hebbian-descent learn clicks.svm --model clicks.model --checkpoint-every 1000000
    """
    source = Source.of(file, form, delimiter)
    require_folder(model)
    refuse_overwriting(model, file)
    if checkpoint_every is not None:
        as_count(checkpoint_every, "number of rows between checkpoints")
    if as_count(passes, "number of passes") > 1 and not source.can_be_read_again:
        raise ValueError(f"For several passes the rows must be in a file. Got {source.name}.")
    options: dict[str, Any] = {
        "target": target,
        "task": task,
        "hash_bits": hash_bits,
        "text": text,
        "ignore": ignore,
    }
    said = {name: value for name, value in options.items() if value is not None}
    parameters = parsed_overrides(changes or [])

    stream = None
    if resume and model.exists():
        stream = _earlier(model, said, parameters)
    elif initial is not None:
        stream = _earlier(initial, said, parameters)
        stream.position = Position()
    with _stoppable(model, checkpoint_every), closing(source.blocks()) as blocks:
        rows: Iterator[Block] = blocks
        if stream is None:
            first, rows = _peeked(blocks, source)
            encoding = Encoding.of(first, source, **said)
            _note_almost_numbers(first, encoding, text or ())
            stream = Checkpoint.new(encoding, {"random_state": 0, **parameters})
        summary = _learn(stream, source, rows, model, passes, checkpoint_every or math.inf)
    if as_json:
        write_json(summary)


def _earlier(path: Path, said: dict[str, Any], parameters: dict[str, Any]) -> Checkpoint:
    """Return the stream of a model file; it must agree with the options of the command."""
    stream = Checkpoint.load(path)
    found = stream.encoding.options(said) | stream.estimator.get_params()
    for name, value in {**said, **parameters}.items():
        if name not in found or found[name] != value:
            raise ValueError(
                f"To learn more, {name} must be as in {path}: {found.get(name)!r}. Got {value!r}: leave it "
                "out, or learn a new model."
            )
    return stream


def _peeked(blocks: Iterator[Block], source: Source) -> tuple[Block, Iterator[Block]]:
    """Return the first block that has rows, and all from there on."""
    first = next((block for block in blocks if len(block)), None)
    if first is None:
        raise _no_rows(source)
    return first, chain([first], blocks)


FEW = 0.1


def _note_almost_numbers(block: Block, encoding: Encoding, confirmed: Collection[str]) -> None:
    """Report the cell that turns a column of numbers into text, if only a few cells are not numbers."""
    for name in (name for name in encoding.columns if name not in confirmed):
        cells = block.texts(name) if block.is_text(name) else []
        wrong = [row for row, cell in enumerate(cells) if not is_number(cell)]
        if wrong and len(wrong) <= max(1, FEW * len(cells)) and len(cells) > 1:
            others = f" and {len(wrong) - 1} other cells" if len(wrong) > 1 else ""
            warn(
                f"Note: {block.place(wrong[0])}: the column {name!r} is treated as text because of "
                f"{cells[wrong[0]]!r}{others}; the rest are numbers. Correct it, or leave it empty if the "
                f"number is missing{'' if name == encoding.target else f'; --text {name} confirms it'}."
            )


def _no_rows(source: Source) -> ValueError:
    return ValueError(f"{source.name}: there must be rows to learn. Got none.")


def _learn(
    stream: Checkpoint, source: Source, blocks: Iterator[Block], model: Path, passes: int, every: float
) -> dict[str, Any]:
    """Learn these blocks, then the remaining passes, and write the model; return a summary."""
    if 0 < stream.position.passes < passes and not stream.position.rows:
        check_last_pass(stream, source)
    report = _Report(stream)
    if stream.position.passes < passes:
        _learn_pass(stream, source, blocks, report, model, every)
    while stream.position.passes < passes:
        with closing(source.blocks()) as again:
            _learn_pass(stream, source, again, report, model, every)
    stream.save(model)
    return report.end(model)


def _learn_pass(
    stream: Checkpoint, source: Source, blocks: Iterator[Block], report: _Report, model: Path, every: float
) -> None:
    """Learn the rest of a pass, and write the model at each checkpoint."""
    if not stream.position.rows:
        stream.tally = Tally(stream.encoding.task)
    for block, first_row in blocks_left(stream, source, blocks):
        for n_before, n_rows in learn_block(stream, block, first_row):
            report.step(n_rows)
            if n_rows // every > n_before // every:
                stream.save(model)
    if not stream.position.rows:
        raise _no_rows(source)
    report.end_pass()
    stream.end_pass()


@contextmanager
def _stoppable(model: Path, checkpoint_every: int | None) -> Iterator[None]:
    """On Ctrl-C, exit with a message on what was saved."""
    saved = (
        f"{model} is as of the last checkpoint: run the same command with --resume to continue."
        if checkpoint_every
        else f"{model} was not written; --checkpoint-every writes it along the way."
    )
    with stopping(saved):
        yield


class _Report:
    """What standard error shows while rows are learned: what is chosen, a table of errors, a summary."""

    def __init__(self, stream: Checkpoint) -> None:
        self._stream = stream
        self._n_before = getattr(stream.estimator, "n_samples_seen_", 0)
        self._started = perf_counter()
        self._error = math.nan
        say(_description(stream.encoding))
        if stream.position.rows:
            say(f"Continuing after row {stream.position.rows:,}.")
        say(f"{'rows':>13}  {stream.tally.measure:>12}  {'since last':>12}")

    def step(self, n_rows: int) -> None:
        """Print a line after 1, 2, 4, 8, … rows."""
        if n_rows & (n_rows - 1) == 0:
            self._line()

    def end_pass(self) -> None:
        """Print the last line of a pass."""
        if self._stream.tally.recent_examples:
            self._line()
        self._error = self._stream.tally.error

    def end(self, model: Path) -> dict[str, Any]:
        """Report how much was learned, and how fast; return it, too."""
        n_rows = self._stream.estimator.n_samples_seen_ - self._n_before
        seconds = perf_counter() - self._started
        passes, measure = self._stream.position.passes, self._stream.tally.measure
        if n_rows:
            error = f"{measure} {self._error:.4f}"
            kind = error if passes == 1 else f"{error} in pass {passes}, of rows learned before"
            say(f"Learned {n_rows:,} rows in {seconds:.1f} s, {n_rows / seconds:,.0f} per second: {kind}.")
            say_written(model)
        else:
            say(
                f"All passes were already learned: nothing was left for {model}. To learn other rows on top "
                f"of it, use --initial {model}."
            )
        encoding = self._stream.encoding
        return {
            "model": model,
            "task": encoding.task,
            "target": encoding.target,
            "columns_of_numbers": encoding.numbers,
            "columns_of_text": encoding.texts,
            "rows": n_rows,
            "passes": passes,
            "measure": measure,
            "error": self._error,
            "seconds": seconds,
        }

    def _line(self) -> None:
        tally = self._stream.tally
        recent = tally.take_recent()
        say(f"{self._stream.position.rows:>13,}  {tally.error:>12.4f}  {recent:>12.4f}")


def _description(encoding: Encoding) -> str:
    """Describe what was chosen."""
    task = {
        "text": f"Classification: {encoding.target!r} is text",
        "whole": f"Classification: {encoding.target!r} is one of few whole numbers (else --task regression)",
        "number": f"Regression: {encoding.target!r} is a number",
    }[encoding.target_kind]
    if encoding.format == "libsvm":
        return f"{task}. Inputs: indices below {encoding.width:,}."
    inputs = f"{_columns(encoding.numbers)} of numbers" if encoding.numbers else ""
    if encoding.texts:
        also = ", " if inputs else ""
        inputs += f"{also}{_columns(encoding.texts)} of text, hashed into 2^{encoding.hash_bits} inputs"
    return f"{task}. Inputs: {inputs}."


def _columns(names: Sequence[str]) -> str:
    return "1 column" if len(names) == 1 else f"{len(names):,} columns"
