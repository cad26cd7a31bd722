"""Which loss, and whether to center: a study of small perceptrons on digits and MNIST.

    python examples/nn/losses_and_centering.py              # run missing networks, then write the page
    python examples/nn/losses_and_centering.py --show       # only write the page, from saved runs

Finished runs are saved in losses_and_centering.json; an interrupted study resumes.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from itertools import product
from pathlib import Path

import torch
from study_page import LOSSES, PAGE, centering_table, draw_rates, losses_table, pairs_table, write

from hebbian_descent.network import ACTIVATIONS
from reproduction.studies.perceptrons.network import (
    CENTERINGS,
    HIDDEN,
    NORMALISATIONS,
    SIZES,
    USUAL_RATES,
    Network,
    losses_of,
)
from reproduction.studies.perceptrons.rate_search import RateSearch

KEPT = Path(__file__).with_suffix(".json")
METHODS = ("none", *CENTERINGS, *NORMALISATIONS)
INPUTS = ("raw", "standardised")
TABLES = {"losses": losses_table} | {
    f"centering {dataset}": partial(centering_table, dataset=dataset, methods=METHODS, inputs=INPUTS)
    for dataset in SIZES
}
TABLES["pairs"] = partial(pairs_table, inputs=INPUTS)


def losses(dataset: str) -> list[Network]:
    """Return a network for each output unit and loss; equal ones and those without a gradient once."""
    return [
        Network(dataset, output, loss)
        for output in ACTIVATIONS
        for loss in LOSSES
        if loss in losses_of(output)
    ]


def centerings(dataset: str) -> list[Network]:
    """Return a network for each kind of inputs, optimizer, hidden unit and centering or normalisation."""
    return [
        Network(dataset, hidden=hidden, depth=2, centering=method, inputs=inputs, optimizer=optimizer)
        for inputs, optimizer, hidden, method in product(INPUTS, USUAL_RATES, HIDDEN, METHODS)
        if not (inputs == "standardised" and method == "input only")  # their mean is 0 already
    ]


def all_networks() -> list[Network]:
    """Return all networks of the study, the quick or most informative ones first."""
    networks = [network for dataset in SIZES for network in centerings(dataset)]
    on_digits = [network for network in networks if network.dataset == "digits"]
    raw = [network for network in networks if network.inputs == "raw"]
    first = [network for network in raw if network.optimizer == "SGD"]
    return list(dict.fromkeys([*losses("digits"), *first, *on_digits, *raw, *losses("mnist"), *networks]))


def main() -> None:
    """Run missing networks, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--show", action="store_true", help="only write the page, from saved runs")
    options = parser.parse_args()
    torch.set_num_threads(1)
    study = RateSearch(KEPT)
    if not options.show:
        run(study)
    write(study, TABLES)
    print(PAGE, draw_rates(study, PAGE.parent))


def run(study: RateSearch) -> None:
    """Search all rates in factors of 2, then those of the losses in factors of √2."""
    begin = time.monotonic()
    finer = [network for dataset in SIZES for network in losses(dataset)]
    for networks, stride in ((all_networks(), 2), (finer, 1)):
        for number, network in enumerate(networks, 1):
            study.search(network, stride=stride)
            rate, errors = study.best(network)
            minutes = (time.monotonic() - begin) / 60
            result = f"{errors.mean():.4f} at {rate:g}"
            print(f"{minutes:5.1f} min  {number}/{len(networks)}  {network}: {result}", flush=True)


if __name__ == "__main__":
    main()
