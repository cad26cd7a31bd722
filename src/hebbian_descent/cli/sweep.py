"""`hebbian-descent sweep`: every rule, activation and learning rate on a user's patterns."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from hebbian_descent import plotting
from hebbian_descent.checks import require_extra
from hebbian_descent.cli import completion
from hebbian_descent.cli.console import PlainConsole, print_fitting
from hebbian_descent.cli.failures import resumable
from hebbian_descent.cli.json_output import write_json
from hebbian_descent.cli.messages import say, say_written, warn
from hebbian_descent.cli.options import Json, check_where, parsed_shard
from hebbian_descent.cli.pattern_files import read_pairs
from hebbian_descent.cli.progress import run_progress
from hebbian_descent.engines.grid import rate_of_label
from hebbian_descent.learning.centering import SHIFT
from hebbian_descent.measures import MEASURES
from hebbian_descent.rules import ERROR_TERMS
from hebbian_descent.storage.results import Store
from hebbian_descent.sweep import Best, LayerGrid, Patterns, Sweep, SweepResult, TargetRangeWarning
from hebbian_descent.sweep.grids import LEARNING_RATES, WEIGHT_DECAYS
from hebbian_descent.sweep.selection import patterns_of
from hebbian_descent.table_formats import TextTable


def sweep(
    inputs: Annotated[str, typer.Argument(help="Input patterns, one per row: .npy, .csv, or .npz:NAME.")],
    targets: Annotated[
        str | None, typer.Argument(help="Target patterns; not needed if INPUTS is an .npz with both.")
    ] = None,
    rules: Annotated[
        str, typer.Option(help="Rules, separated by commas.", autocompletion=completion.rules)
    ] = ("hebbian_descent,gradient_descent,hebb,covariance"),
    activations: Annotated[
        str, typer.Option(help="Activations, separated by commas.", autocompletion=completion.activations)
    ] = "sigmoid",
    rates: Annotated[
        str, typer.Option(help="Learning rates, or 'auto'; 'paper' is its 35 from 100 to 0.00002.")
    ] = "paper",
    decays: Annotated[str, typer.Option(help="Weight decays; 'paper' is its 20 from 2 to 0.")] = "0",
    trials: Annotated[int, typer.Option(help="Initial weights to average over.")] = 10,
    centering: Annotated[
        str,
        typer.Option(
            help="mean, moving or none.", autocompletion=completion.one_of("mean", "moving", "none")
        ),
    ] = "mean",
    shift: Annotated[float, typer.Option(help="How fast moving offsets follow.")] = SHIFT,
    epochs: Annotated[int, typer.Option(help="Passes over the patterns.")] = 1,
    batch_size: Annotated[int, typer.Option(help="Patterns per update.")] = 1,
    error: Annotated[
        str,
        typer.Option(
            help="difference, saturating or leaky_hinge.", autocompletion=completion.one_of(*ERROR_TERMS)
        ),
    ] = "difference",
    measure: Annotated[
        str,
        typer.Option(
            help="mae, mse, correlation, identification or misclassification.",
            autocompletion=completion.one_of(*MEASURES),
        ),
    ] = "mae",
    by: Annotated[
        str,
        typer.Option(
            help="Choose the best rate by 'last20' (any number), 'last' or 'all'.",
            autocompletion=completion.one_of("last20", "last", "all"),
        ),
    ] = ("last20"),
    seed: Annotated[int, typer.Option(help="Seed of all randomness.")] = 0,
    dtype: Annotated[
        str,
        typer.Option(help="float64 or float32.", autocompletion=completion.one_of("float64", "float32")),
    ] = "float64",
    engine: Annotated[
        str,
        typer.Option(
            help="auto, sequence, stacked or reference.",
            autocompletion=completion.one_of("auto", "sequence", "stacked", "reference"),
        ),
    ] = "auto",
    output: Annotated[Path, typer.Option(help="Folder for the store of results and the figures.")] = Path(
        "sweep"
    ),
    workers: Annotated[int | None, typer.Option(help="Processes on this machine.")] = None,
    scheduler: Annotated[str | None, typer.Option(help="Dask scheduler, tcp://host:8786 or 'local'.")] = None,
    shard: Annotated[
        str | None, typer.Option(help="Compute part i of n, such as '2/5', into a shared folder.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Train every rule, activation and learning rate on your patterns and see which remember them best.

    Finished parts are saved in OUTPUT/store: run the same command again to resume. A best rate with ≤ or ≥
    is the smallest or the largest tried: better ones may lie beyond.

    **Examples**

        hebbian-descent sweep inputs.npy targets.npy
        hebbian-descent sweep pairs.npz --activations sigmoid,linear --rates 1,0.1,0.01 --by all
        hebbian-descent sweep x.csv y.csv --centering moving --workers 4
    """
    for library in ("pyarrow", "matplotlib"):  # now, not after the work
        require_extra(library, extra="paper", purpose="The command sweep, with its store and figures,")
    setting = LayerGrid.of(
        rules=_words(rules),
        activations=_words(activations),
        learning_rates=LEARNING_RATES if rates == "paper" else _rates(rates),
        weight_decays=WEIGHT_DECAYS if decays == "paper" else _numbers(decays, "decays"),
        trials=trials,
        centering=None if centering == "none" else centering,
        shift=shift,
        epochs=epochs,
        batch_size=batch_size,
        error=error,
        measures=measure,
        seed=seed,
        dtype=dtype,
    )
    part = None if shard is None else parsed_shard(shard)
    executor = check_where(workers, scheduler)
    patterns = Patterns.of(*read_pairs(inputs, targets))
    patterns_of(by, len(patterns.inputs))  # a wrong criterion is refused before the work, not after
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TargetRangeWarning)
        prepared = Sweep(setting, patterns, engine=engine)
    for warning in caught:
        warn(f"Note: {warning.message}")
    _note_constant_columns(patterns)
    for choice in dict.fromkeys(work.choice for work in prepared.works):
        say(f"Engine {choice.engine}: {choice.reason}.")

    store = Store(output / "store")
    runs_per_cell = len(setting.learning_rates) * len(setting.trials)
    with resumable(store.path), run_progress("Sweeping", runs_per_cell) as show:
        if part is not None:
            computed, missing = prepared.run_shard(*part, store=store, progress=show)
        else:
            result = prepared.run(store=store, executor=executor, progress=show)
    if part is None:
        _show(result, by, output, as_json)
    elif as_json:
        write_json({"shard": shard, "cells_computed": computed, "cells_missing": missing})
    else:
        PlainConsole().print(
            f"Shard {shard} computed {computed} cells; {missing} of the whole sweep are missing."
        )


def _show(result: SweepResult, by: str, output: Path, as_json: bool) -> None:
    figures = {"forgetting_curve": result.plot_forgetting(by)}
    if any(isinstance(rate_of_label(label), float) for label in result.axes["learning_rate"]):
        figures = {"learning_rate_curve": result.plot_learning_rates(by), **figures}
    wrote = [path for name, figure in figures.items() for path in plotting.save_figure(figure, output, name)]
    if as_json:
        write_json({**_record(result, by), "wrote": wrote})
    else:
        PlainConsole().print(str(result), soft_wrap=True)
        print_fitting(_best_table(result, by), compact=False)
        alike: dict[str, list[str]] = {}
        for which, doubt in result.doubts(by).items():
            alike.setdefault(doubt, []).append(which)
        for doubt, several in alike.items():
            say(f"Note: {'; '.join(several)}: {doubt}.")
    say_written(*wrote)


def _record(result: SweepResult, by: str) -> dict[str, Any]:
    return {
        "best": [_best_record(found, result) for found in result.best(by)],
        "baseline": result.baseline,
        "n_runs": result.diverged.size,
        "n_diverged": int(result.diverged.sum()),
        "seconds": result.seconds,
        "engines": {cell: choice.engine for cell, choice in result.choices.items()},
    }


def _best_record(best: Best, result: SweepResult) -> dict[str, Any]:
    everything_diverged = not np.isfinite(best.value)
    return {
        **best._asdict(),
        "learning_rate": None if everything_diverged else best.learning_rate,
        "weight_decay": None if everything_diverged else best.weight_decay,
        "n_runs": result.diverged[0, 0].size,
        "doubt": best.doubt or None,
    }


def _best_table(result: SweepResult, by: str) -> TextTable:
    best = result.best(by)
    several_decays = len(result.axes["weight_decay"]) > 1
    rows = [
        [
            found.rule,
            found.activation,
            _rate(found),
            *([f"{found.weight_decay:g}"] if several_decays else []),
            *map(_digits, (found.value, found.std, *([] if by == "all" else [found.per_pattern.mean()]))),
            f"{found.n_diverged}/{result.diverged[0, 0].size}",
        ]
        for found in best
    ]
    decay, everything = ["Decay"] if several_decays else [], [] if by == "all" else ["All"]
    headings = ["Rule", "Activation", "Rate", *decay, by, "±", *everything, "Div."]
    title = f"Best learning rates by {best[0].measure} of {by} (baseline {result.baseline:.4f})"
    return TextTable(headings, rows, title, "ll" + "r" * (len(headings) - 2))


SIGNS = {None: "", "smallest": "≤", "largest": "≥"}


def _rate(best: Best) -> str:
    """Return the best rate, with ≤ or ≥ if better ones may lie beyond the smallest or the largest tried."""
    if not np.isfinite(best.value):
        return "diverged"
    if isinstance(best.learning_rate, str):
        return best.learning_rate
    return SIGNS[best.edge] + np.format_float_positional(best.learning_rate, trim="-")


def _digits(value: float) -> str:
    return f"{value:.4f}" if np.isfinite(value) else "–"


def _note_constant_columns(patterns: Patterns) -> None:
    constant = int((np.ptp(patterns.inputs, axis=0) == 0).sum())
    if constant:
        warn(f"Note: {constant} of {patterns.inputs.shape[1]} input columns are constant and teach nothing.")


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _rates(text: str) -> list[float | str]:
    if "auto" not in _words(text):
        return [*_numbers(text, "rates")]
    return ["auto" if word == "auto" else _numbers(word, "rates")[0] for word in _words(text)]


WORDS = {"rates": ", or 'auto' or 'paper'"}
"""What an option takes besides numbers."""


def _numbers(text: str, option: str) -> list[float]:
    try:
        return [float(word) for word in _words(text)]
    except ValueError:
        raise ValueError(
            f"--{option} must be numbers separated by commas{WORDS.get(option, '')}. Got {text!r}."
        ) from None
