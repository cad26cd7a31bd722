"""How good is the automatic learning rate of an auto-encoder? `python bench/autoencoder_rates.py --help`.

It is compared with the best of the paper's 35 fixed rates, which is not known beforehand, by the mean
absolute error of reconstructed test images of digits. With `--choose` the same is done for several κ, with
other weights and orders and with one half of the training set in place of the test set.
"""

from __future__ import annotations

import argparse
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from hebbian_descent import DivergenceError, HebbianDescentAutoencoder
from hebbian_descent.datasets import load
from hebbian_descent.learning.rates import KAPPAS
from hebbian_descent.sweep.grids import LEARNING_RATES

PAGE = Path(__file__).parent.parent / "docs" / "estimators" / "learning_rate.md"
MARK = "<!-- made by bench/autoencoder_rates.py -->"
RULES = ("hebbian_descent", "gradient_descent")
UNITS = (
    ("sigmoid", "linear"),
    ("sigmoid", "sigmoid"),
    ("rectifier", "linear"),
    ("rectifier", "sigmoid"),
    ("linear", "linear"),
)
BATCH_SIZES = (1, 10, 100)
EPOCHS = 3
TRIALS = 2
CANDIDATES = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0)


def main() -> None:
    """Measure everything and write the table to the page, or print how κ is chosen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--choose", action="store_true", help="print the ratios of several κ instead")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page whose table is replaced")
    options = parser.parse_args()
    digits = load("digits")
    images = digits.train.inputs
    if options.choose:
        error = partial(reconstruction_error, images[::2], images[1::2], range(TRIALS, 2 * TRIALS))
    else:
        error = partial(reconstruction_error, images, digits.test.inputs, range(TRIALS))
    rows = [("hidden, output units", "rule", *(f"batches of {n}" for n in BATCH_SIZES))]
    rows.append(("---",) * len(rows[0]))
    for units, rule in track(list(product(UNITS, RULES)), "auto-encoders"):
        cells = []
        for n in BATCH_SIZES:
            best = min(error(units, rule, n, rate) for rate in LEARNING_RATES)
            if options.choose:
                cells.append(
                    " ".join(f"{ratio:.2f}" for ratio in ratios_of_kappas(error, units, rule, n, best))
                )
            else:
                cells.append(f"{error(units, rule, n, 'auto') / best:.2f}")
        rows.append((", ".join(units), f"`{rule}`", *cells))
        if options.choose:
            print(", ".join(units), rule, *cells, sep=" | ", flush=True)  # noqa: T201
    if not options.choose:
        table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        before, _, after = options.page.read_text(encoding="utf-8").split(MARK)
        options.page.write_text(MARK.join([before, f"\n\n{table}\n\n", after]), encoding="utf-8")


def reconstruction_error(
    learned: Any, asked: Any, trials: range, units: tuple[str, str], rule: str, batch_size: int, rate: Any
) -> float:
    """Return the mean absolute error on the given test images, averaged over trials."""
    errors = []
    for trial in trials:
        autoencoder = HebbianDescentAutoencoder(
            n_hidden=32,
            rule=rule,
            hidden_activation=units[0],
            activation=units[1],
            learning_rate=rate,
            epochs=EPOCHS,
            batch_size=batch_size,
            random_state=trial,
        )
        try:
            autoencoder.fit(learned)
        except DivergenceError:
            return np.inf
        reconstructed = autoencoder.inverse_transform(autoencoder.transform(asked))
        errors.append(np.abs(reconstructed - asked).mean())
    return float(np.mean(errors))


def ratios_of_kappas(
    error: Any, units: tuple[str, str], rule: str, batch_size: int, best: float
) -> list[float]:
    """Return, for each κ, the ratio to the best fixed rate."""
    table, ratios = KAPPAS["remember"], []
    chosen = table.copy()
    for value in CANDIDATES:
        table[units[1]] = value
        ratios.append(error(units, rule, batch_size, "auto") / best)
        table.clear()
        table.update(chosen)
    return ratios


if __name__ == "__main__":
    main()
