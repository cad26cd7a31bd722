"""Which loss, and whether to center: a study of small perceptrons on digits and MNIST.

python examples/nn/losses_and_centering.py              # what is missing, then the page
python examples/nn/losses_and_centering.py --show       # only the page, from what is kept
"""

from __future__ import annotations

import argparse
import time
from itertools import product
from pathlib import Path

import torch
from networks import CENTERINGS, HIDDEN, NORMALISATIONS, OPTIMIZERS, SIZES, Network
from rate_search import Study

from hebbian_descent.network import ACTIVATIONS

KEPT = Path(__file__).with_suffix(".json")
METHODS = ("none", *CENTERINGS, *NORMALISATIONS)
INPUTS = ("raw", "standardised")


def losses(dataset: str) -> list[Network]:
    """Return a network for each output unit and loss; equal ones and those without a gradient once."""
    networks = [Network(dataset, output, loss) for output in ACTIVATIONS for loss in ("matching", "squared")]
    return [one for one in networks if one.loss == "matching" or one.output not in ("linear", "step")]


def centerings(dataset: str, inputs: str, optimizer: str) -> list[Network]:
    """Return a network for each hidden unit and each way to center or normalise."""
    return [
        Network(dataset, hidden=hidden, depth=2, centering=method, inputs=inputs, optimizer=optimizer)
        for hidden, method in product(HIDDEN, METHODS)
        if not (inputs == "standardised" and method == "input only")  # their mean is 0 already
    ]


def main() -> None:
    """Run what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--show", action="store_true", help="only write the page of what is kept")
    options = parser.parse_args()
    torch.set_num_threads(1)
    study = Study(KEPT)
    if not options.show:
        run(study)


def run(study: Study) -> None:
    """Search all rates: to a factor of two for all networks, then to that of the square root of two."""
    networks = losses("digits")
    for dataset, inputs, optimizer in product(SIZES, INPUTS, OPTIMIZERS):
        networks += centerings(dataset, inputs, optimizer)
        networks += losses(dataset) if optimizer == "Adam" else []
    begin = time.monotonic()
    for stride in (2, 1):
        for number, network in enumerate(networks, 1):
            study.search(network, stride=stride)
            rate, errors = study.best(network)
            minutes = (time.monotonic() - begin) / 60
            result = f"{errors.mean():.4f} at {rate:g}"
            print(f"{minutes:5.1f} min  {number}/{len(networks)}  {network}: {result}", flush=True)


if __name__ == "__main__":
    main()
