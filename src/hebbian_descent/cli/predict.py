"""`hebbian-descent predict`: one prediction for each row of a file of any size."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any, TextIO

import numpy.typing as npt
import typer

from hebbian_descent.checks import printable
from hebbian_descent.cli import completion
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say_written
from hebbian_descent.cli.options import Json, refuse_overwriting
from hebbian_descent.safe_files import opened_atomically
from hebbian_descent.streams import FORMATS, Checkpoint, Source, predict_block
from hebbian_descent.streams.source import STANDARD_INPUT
from hebbian_descent.table_formats import TextTable, csv_text


def predict(
    model: Annotated[Path, typer.Argument(help="A model file that `hebbian-descent learn` wrote.")],
    file: Annotated[str, typer.Argument(help="The rows to predict; - is standard input.")],
    output: Annotated[
        Path | None, typer.Option(help="The file to write; standard output by default.")
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
    as_json: Json = False,
) -> None:
    """Predict each row of a file; it needs the columns that were learned, in any order.

    Writes CSV with one column, `prediction`, and one line per row. Other columns of the file, including the
    target, are ignored. With --json, the predictions go to OUTPUT, and standard output has a summary.

    **Example**

        hebbian-descent predict flights.model tomorrow.csv --output predictions.csv
    """
    if as_json and output is None:
        raise ValueError("With --json, --output must name a file: the predictions are CSV.")
    refuse_overwriting(output, model, file)
    stream = Checkpoint.load(model)
    if form is None and file == STANDARD_INPUT and stream.encoding.format == "libsvm":
        form = "libsvm"
    source = Source.of(file, form, delimiter)
    n_rows = 0
    with closing(source.blocks()) as blocks, _opened(output) as lines:
        header = "prediction\n"  # with the first block, so that a file that is refused prints nothing
        for block in blocks:
            stream.encoding.check_columns(block, source, with_target=False)
            predictions = predict_block(stream, block)
            lines.write(header)
            lines.writelines(_lines(predictions))
            header = ""
            n_rows += len(block)
        lines.write(header)
    if output is not None:
        say_written(output)
    if as_json:
        write_json({"rows": n_rows, "task": stream.encoding.task, "wrote": [output]})


@contextmanager
def _opened(output: Path | None) -> Iterator[TextIO]:
    """Yield standard output, or a file that appears once it is complete; a pipe is written at once."""
    if output is None:
        yield sys.stdout
        return
    with opened_atomically(output) as file:
        lines = io.TextIOWrapper(file, encoding="utf-8", newline="")
        yield lines
        lines.detach()  # writes what is left


def _lines(predictions: npt.NDArray[Any]) -> Iterator[str]:
    """Return each prediction as a line of CSV: numbers with all digits, text quoted where it must be."""
    if predictions.dtype.kind in "fiub":
        return map("{!r}\n".format, predictions.tolist())
    labels = {label: csv_text(TextTable([printable(label)], ())) for label in set(predictions.tolist())}
    return map(labels.__getitem__, predictions.tolist())
