"""Does the memory layer recall better than attention and the delta rule? `python bench/recall.py --help`.

Three kinds of work. `recall`: multi-query associative recall by the recipe of Zoology (share of wrong
answers). `regression`: linear regression within the context (squared error of the last answer, 1 is the
variance). `stored`: pairs with keys of several kinds, learned and recalled without any training (1 − cosine
of what is recalled and what was stored). Learning rates are swept, three seeds each; runs are kept in
bench/recall.json as they end, and what is kept is not computed again.

    python bench/recall.py                            # what is missing, then the tables
    python bench/recall.py --tasks recall --seeds 1   # less
    python bench/recall.py --show                     # only the tables
"""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from recall_models import MIXERS, Model
from recall_tasks import NO_QUESTION, associative_recall, regression
from rich.console import Console
from torch import Tensor, nn
from torch.nn import functional as F

from hebbian_descent.nn.functional import hebbian_memory

KEPT = Path(__file__).parent / "recall.json"
WIDTH, BATCH, UPDATES = 32, 32, 800
VOCABULARY, N_PAIRS, N_STEPS = 64, 12, 56
N_INPUTS, N_EXAMPLES = 6, 16
RATES = {"recall": (0.003, 0.01, 0.02), "regression": (0.003, 0.01, 0.02), "stored": (0.25, 0.5, 1.0)}
FEATURES = {
    "Gaussian": lambda x: x,
    "SiLU": F.silu,
    "ReLU": F.relu,
    "ELU + 1": lambda x: F.elu(x) + 1,
    "sigmoid": torch.sigmoid,
}
STORED = {"delta rule": {"offset": None, "bias": False}, "with bias": {"offset": None}, "centered": {}}

console = Console(width=140)


def main() -> None:
    """Run what is missing and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tasks", nargs="+", default=list(RATES), choices=list(RATES))
    parser.add_argument("--models", nargs="+", default=list(MIXERS), choices=list(MIXERS))
    parser.add_argument("--rates", nargs="+", type=float, help="some of the learning rates; all by default")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--show", action="store_true", help="print the tables of what is kept")
    options = parser.parse_args()
    torch.set_num_threads(1)
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    for seed in range(options.seeds):
        for task in [] if options.show else options.tasks:
            rows = (
                [f"{model}, {f}" for f in FEATURES for model in STORED]
                if task == "stored"
                else options.models
            )
            for row in rows:
                for rate in options.rates or RATES[task]:
                    key = json.dumps([task, row, rate, seed])
                    if key not in kept:
                        kept[key] = (
                            store(row, rate, seed) if task == "stored" else train(task, row, rate, seed)
                        )
                        KEPT.write_text(json.dumps(kept, indent=0) + "\n")
                        console.print(key, f"{kept[key]:.4f}")
    for task in options.tasks:
        console.print(table(task, kept), markup=False)


def train(task: str, mixer: str, rate: float, seed: int) -> float:
    """Return the test error of a model trained by Adam with a warm-up and a linear cool-down."""
    torch.manual_seed(seed)
    draw, embedding, n_outputs, loss, error = TASKS[task]()
    model = Model(embedding, mixer, WIDTH, n_outputs)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: min((k + 1) / 50, 1 - k / UPDATES))
    rng = torch.Generator().manual_seed(seed)
    for _ in range(UPDATES):
        batch = draw(BATCH, rng)
        optimizer.zero_grad()
        loss(model(batch.inputs), batch.answers).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    with torch.no_grad():
        batch = draw(512, torch.Generator().manual_seed(10_000 + seed))
        return error(model(batch.inputs), batch.answers)


def recall_task() -> tuple[Any, ...]:
    """Return batches, embedding, number of outputs, loss and error of associative recall."""
    draw = partial(associative_recall, vocabulary=VOCABULARY, n_pairs=N_PAIRS, n_steps=N_STEPS)

    def error(outputs: Tensor, answers: Tensor) -> float:
        asked = answers != NO_QUESTION
        return (outputs.argmax(dim=-1) != answers)[asked].float().mean().item()

    def loss(outputs: Tensor, answers: Tensor) -> Tensor:
        return F.cross_entropy(outputs.flatten(0, 1), answers.flatten(), ignore_index=NO_QUESTION)

    return draw, nn.Embedding(VOCABULARY, WIDTH), VOCABULARY, loss, error


def regression_task() -> tuple[Any, ...]:
    """Return the same for regression within the context."""
    draw = partial(regression, n_inputs=N_INPUTS, n_pairs=N_EXAMPLES)

    def loss(outputs: Tensor, answers: Tensor) -> Tensor:
        return F.mse_loss(outputs[:, ::2, 0], answers[:, ::2])

    def error(outputs: Tensor, answers: Tensor) -> float:
        return F.mse_loss(outputs[:, -2, 0], answers[:, -2]).item()

    return draw, nn.Linear(N_INPUTS + 2, WIDTH), 1, loss, error


TASKS = {"recall": recall_task, "regression": regression_task}


def store(row: str, rate: float, seed: int, *, size: int = 64) -> float:
    """Return 1 − cosine of recalled and stored values, after as many pairs as there are inputs."""
    model, feature = row.split(", ")
    rng = torch.Generator().manual_seed(seed)
    keys = FEATURES[feature](torch.randn(20, size, size, generator=rng))
    values = torch.randn(20, size, size, generator=rng)
    _, state = hebbian_memory(keys, values, keys, rate, normalize=True, **STORED[model])
    recalled = (keys - state.offset[:, None]) @ state.weights + state.bias[:, None]
    return 1 - F.cosine_similarity(recalled, values, dim=-1).mean().item()


def table(task: str, kept: dict[str, float]) -> str:
    """Return a Markdown table: the mean over seeds at each rate, ± standard deviation at the best."""
    found: dict[str, dict[float, list[float]]] = {}
    for key, error in kept.items():
        of, row, rate, _ = json.loads(key)
        if of == task:
            found.setdefault(row, {}).setdefault(rate, []).append(error)
    lines = [f"| {task} | {' | '.join(f'rate {rate:g}' for rate in RATES[task])} | best | seeds |"]
    lines.append("|" + " --- |" * (len(RATES[task]) + 3))
    for row, errors in found.items():
        means = {rate: np.mean(values) for rate, values in errors.items()}
        best = min(means, key=means.__getitem__)
        spread = np.std(errors[best], ddof=1) if len(errors[best]) > 1 else 0.0
        cells = [f"{means[rate]:.3f}" if rate in means else "" for rate in RATES[task]]
        count = len(errors[best])
        lines.append(f"| {row} | {' | '.join(cells)} | {means[best]:.3f} ± {spread:.3f} | {count} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
