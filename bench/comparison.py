"""One piece of work, done by this package and by its peers in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import inf
from types import ModuleType
from typing import Any

import numpy as np
import ours
from machine import PRODUCT_OPERATIONS, matrix_product
from problems import Array, LayerProblem
from timing import interleaved, seconds_of
from tuning import Variant, runs_to_time, spread, tuned
from works import Work

PATIENCE = 10
"""Time, in passes, after which a slow peer is not timed again."""

TOLERANCE = {"float64": 1e-6, "float32": 1e-3}
"""By how much the errors of a peer may differ from ours."""


@dataclass(frozen=True)
class Contender:
    """The measurements of this package or of a peer."""

    name: str
    seconds: float
    """Seconds for all runs, scaled up where fewer were timed."""
    runs_timed: int
    first_call: float
    """Seconds of the first call, compilation included, for the runs that were timed."""
    variant: Variant | None = None
    deviation: float = 0.0
    """The largest difference of an error from ours."""


@dataclass(frozen=True)
class Comparison:
    """All contenders of one piece of work."""

    work: Work
    contenders: list[Contender]
    product_rate: float
    """Operations per second of a large matrix product."""

    @property
    def ours(self) -> Contender:
        """This package."""
        return self.contenders[0]

    @property
    def best_peer(self) -> Contender:
        """The fastest of the others."""
        return min(self.contenders[1:], key=lambda peer: peer.seconds)

    @property
    def ratio(self) -> float:
        """How many times longer the best peer takes."""
        return self.best_peer.seconds / self.ours.seconds

    @property
    def share(self) -> float:
        """The share of the speed of a matrix product that this package reaches."""
        return self.work.operations / self.ours.seconds / self.product_rate

    @property
    def disagreements(self) -> list[str]:
        """Peers that computed something different."""
        tolerance = TOLERANCE[self.work.problem.dtype]
        return [peer.name for peer in self.contenders[1:] if not peer.deviation <= tolerance]

    def as_dict(self) -> dict[str, Any]:
        """Return everything measured, for a file."""
        return {
            "work": self.work.name,
            "description": self.work.description,
            "ratio_to_best_peer": self.ratio,
            "minimum": self.work.minimum,
            "goal": self.work.goal,
            "best_peer": self.best_peer.name,
            "share_of_matrix_product": self.share,
            "minimum_share": self.work.minimum_share,
            "goal_share": self.work.goal_share,
            "sufficient_share": self.work.sufficient_share,
            "matrix_product_gflops": self.product_rate / 1e9,
            "contenders": [asdict(contender) for contender in self.contenders],
        }


def compare(
    work: Work, peers: Sequence[ModuleType], *, repeats: int, seconds_per_pass: float, n_cores: int
) -> Comparison:
    """Tune the peers, warm up all contenders, check that they agree, and time them in turn.

    A peer that needs longer than `seconds_per_pass` for all runs is timed on some of them.
    """
    problem = work.problem
    function = "run_layers" if isinstance(problem, LayerProblem) else "run_autoencoder"
    run_ours = partial(getattr(ours, function), problem)
    our_first_call, our_errors = seconds_of(run_ours)
    candidates: dict[str, Callable[[], Any]] = {"ours": run_ours, "product": matrix_product(problem.dtype)}
    warmed_up = []
    for peer in (peer for peer in peers if hasattr(peer, function)):
        run = getattr(peer, function)
        variant, seconds_per_run = tuned(run, peer.CHUNKS, problem, n_cores)
        runs = runs_to_time(problem.n_runs, variant, seconds_per_run, seconds_per_pass)
        call = partial(spread, run, problem, runs, variant)
        first_call, errors = seconds_of(call)
        deviation = largest_difference(errors, our_errors[runs])
        candidates[peer.NAME] = call
        warmed_up.append(Contender(peer.NAME, inf, len(runs), first_call, variant, deviation))
    seconds = interleaved(candidates, repeats, patience=PATIENCE * seconds_per_pass)
    contenders = [Contender("hebbian-descent", seconds["ours"], problem.n_runs, our_first_call)]
    for peer in warmed_up:
        whole = seconds[peer.name] * problem.n_runs / peer.runs_timed
        contenders.append(Contender(**{**vars(peer), "seconds": whole}))
    return Comparison(work, contenders, PRODUCT_OPERATIONS / seconds["product"])


def largest_difference(errors: Array, expected: Array) -> float:
    """Return the largest difference between two sets of errors, ignoring the runs that diverged."""
    finite = np.isfinite(expected)
    return float(np.abs(errors - expected)[finite].max())
