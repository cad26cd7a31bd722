"""`hebbian-descent sweep`: every rule, activation and learning rate on a user's patterns."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from hebbian_descent import plotting
from hebbian_descent.cli.console import PlainConsole
from hebbian_descent.cli.failures import resumable
from hebbian_descent.cli.options import parsed_shard
from hebbian_descent.cli.pattern_files import read_pairs
from hebbian_descent.learning.centering import SHIFT
from hebbian_descent.paper.grids import LEARNING_RATES, WEIGHT_DECAYS
from hebbian_descent.storage.results import Store
from hebbian_descent.sweep import LayerGrid, Patterns, Sweep, SweepResult, TargetRangeWarning
from hebbian_descent.sweep.executors import get_executor
from hebbian_descent.sweep.selection import patterns_of
from hebbian_descent.table_formats import TextTable, terminal_table


def sweep(
    inputs: Annotated[str, typer.Argument(help="Input patterns, one per row: .npy, .csv, or .npz:NAME.")],
    targets: Annotated[
        str | None, typer.Argument(help="Target patterns; not needed if INPUTS is an .npz with both.")
    ] = None,
    rules: Annotated[str, typer.Option(help="Rules, separated by commas.")] = (
        "hebbian_descent,gradient_descent,hebb,covariance"
    ),
    activations: Annotated[str, typer.Option(help="Activations, separated by commas.")] = "sigmoid",
    rates: Annotated[
        str, typer.Option(help="Learning rates, or 'auto'; 'paper' is its 35 from 100 to 0.00002.")
    ] = "paper",
    decays: Annotated[str, typer.Option(help="Weight decays; 'paper' is its 20 from 2 to 0.")] = "0",
    trials: Annotated[int, typer.Option(help="Initial weights to average over.")] = 10,
    centering: Annotated[str, typer.Option(help="mean, moving or none.")] = "mean",
    shift: Annotated[float, typer.Option(help="How fast moving offsets follow.")] = SHIFT,
    epochs: Annotated[int, typer.Option(help="Passes over the patterns.")] = 1,
    batch_size: Annotated[int, typer.Option(help="Patterns per update.")] = 1,
    error: Annotated[str, typer.Option(help="difference, saturating or leaky_hinge.")] = "difference",
    measure: Annotated[
        str, typer.Option(help="mae, mse, correlation, identification or misclassification.")
    ] = "mae",
    by: Annotated[
        str, typer.Option(help="Choose the best rate by 'last20' (any number), 'last' or 'all'.")
    ] = ("last20"),
    seed: Annotated[int, typer.Option(help="Seed of all randomness.")] = 0,
    dtype: Annotated[str, typer.Option(help="float64 or float32.")] = "float64",
    engine: Annotated[str, typer.Option(help="auto, sequence, stacked or reference.")] = "auto",
    output: Annotated[Path, typer.Option(help="Folder for the store of results and the figures.")] = Path(
        "sweep"
    ),
    workers: Annotated[int | None, typer.Option(help="Processes on this machine.")] = None,
    scheduler: Annotated[str | None, typer.Option(help="Dask scheduler, tcp://host:8786 or 'local'.")] = None,
    shard: Annotated[
        str | None, typer.Option(help="Compute part i of n, such as '2/5', into a shared folder.")
    ] = None,
) -> None:
    """Train every rule, activation and learning rate on your patterns and see which remember them best.

    Finished parts are saved in OUTPUT/store: run the same command again to resume.

    **Examples**

        hebbian-descent sweep inputs.npy targets.npy
        hebbian-descent sweep pairs.npz --activations sigmoid,linear --rates 1,0.1,0.01 --by all
        hebbian-descent sweep x.csv y.csv --centering moving --workers 4
    """
    console = PlainConsole()
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
    patterns = Patterns.of(*read_pairs(inputs, targets))
    patterns_of(by, len(patterns.inputs))  # a wrong criterion is refused before the work, not after
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TargetRangeWarning)
        prepared = Sweep(setting, patterns, engine=engine)
    for warning in caught:
        console.print(f"Note: {warning.message}", style="yellow")
    _note_constant_columns(console, patterns)
    for choice in dict.fromkeys(work.choice for work in prepared.works):
        console.print(f"Engine {choice.engine}: {choice.reason}.")

    store = Store(output / "store")
    runs_per_cell = len(setting.learning_rates) * len(setting.trials)
    with resumable(console, store.path), _progress(console) as bar:
        task = bar.add_task("Sweeping", total=len(prepared.works) * runs_per_cell)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done * runs_per_cell, total=total * runs_per_cell)

        if shard is not None:
            part, parts = parsed_shard(shard)
            computed, missing = prepared.run_shard(part, parts, store=store, progress=show)
        else:
            executor = get_executor(workers=workers, scheduler=scheduler)
            result = prepared.run(store=store, executor=executor, progress=show)
    if shard is not None:
        console.print(f"Shard {shard} computed {computed} cells; {missing} of the whole sweep are missing.")
        return
    _show(console, result, by, output)


def _show(console: PlainConsole, result: SweepResult, by: str, output: Path) -> None:
    console.print(str(result))
    console.print(terminal_table(_best_table(result, by)))
    for figure, name in (
        (result.plot_learning_rates(by), "learning_rate_curve"),
        (result.plot_forgetting(by), "forgetting_curve"),
    ):
        for path in plotting.save_figure(figure, output, name):
            console.print(f"Wrote {path}")


def _best_table(result: SweepResult, by: str) -> TextTable:
    best = result.best(by)
    several_decays = len(result.axes["weight_decay"]) > 1
    rows = [
        [
            found.rule,
            found.activation,
            _shown(found.learning_rate) if np.isfinite(found.value) else "–",
            *([f"{found.weight_decay:g}"] if several_decays else []),
            f"{found.value:.4f}",
            f"{found.std:.4f}",
            f"{found.per_pattern.mean():.4f}",
            f"{found.n_diverged}/{result.diverged[0, 0].size}",
        ]
        for found in best
    ]
    headings = ["Rule", "Activation", "Rate", *(["Decay"] if several_decays else []), by, "±", "All", "Div."]
    title = f"Best learning rates by {best[0].measure} of {by} (baseline {result.baseline:.4f})"
    return TextTable(headings, rows, title, "ll" + "r" * (len(headings) - 2))


def _progress(console: PlainConsole) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("runs"),
        RateColumn(),
        TimeRemainingColumn(),
        console=console,
    )


class RateColumn(ProgressColumn):
    """Runs per second."""

    def render(self, task: Task) -> Text:
        """Return the rate, if it is known."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f}/s", style="progress.data.speed")


def _note_constant_columns(console: PlainConsole, patterns: Patterns) -> None:
    constant = int((np.ptp(patterns.inputs, axis=0) == 0).sum())
    if constant:
        console.print(
            f"Note: {constant} of {patterns.inputs.shape[1]} input columns are constant: they carry nothing.",
            style="yellow",
        )


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _rates(text: str) -> list[float | str]:
    if "auto" not in _words(text):
        return [*_numbers(text, "rates")]
    return ["auto" if word == "auto" else _numbers(word, "rates")[0] for word in _words(text)]


def _shown(rate: float | str) -> str:
    return rate if isinstance(rate, str) else f"{rate:g}"


def _numbers(text: str, option: str) -> list[float]:
    try:
        return [float(word) for word in _words(text)]
    except ValueError:
        raise ValueError(
            f"--{option} must be numbers separated by commas, or 'paper'. Got {text!r}."
        ) from None
