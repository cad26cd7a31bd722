"""One pass over the activities of stacked runs: from a to −η·post, with the runs as the fast axis.

A row of activities is a pattern; its columns are ordered by output unit, then run, and those that are left
over at the end are idle. Neighbouring numbers belong to different runs, so even softmax over few units works
on whole vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hebbian_descent.kernels.activations import Activation, Softmax
from hebbian_descent.kernels.compilation import compiled_as, inlined, kept_on_disk
from hebbian_descent.kernels.elementwise import output, slope
from hebbian_descent.kernels.exponential import exp
from hebbian_descent.kernels.rows import LARGEST_ACTIVITY


@kept_on_disk
def learn_stacked(
    kind: Any, pulls_back: bool, eta: Any, bias: Any, targets: Any, activities: Any, beyond: Any
) -> None:
    """Replace activities without bias, (patterns, columns), by η·post, and count those beyond ±10⁶.

    `eta` has one learning rate a run; `bias` is (units, runs); `targets` is (patterns, units).
    """
    n_units, n_runs = bias.shape
    h, room = np.empty((n_units, n_runs), activities.dtype), np.empty((2, n_runs), activities.dtype)
    for pattern in range(len(activities)):
        a, t = activities[pattern, : n_units * n_runs].reshape((n_units, n_runs)), targets[pattern]
        for unit in range(n_units):
            for run in range(n_runs):
                a[unit, run] += bias[unit, run]
                beyond[run] += not (abs(a[unit, run]) <= LARGEST_ACTIVITY)
        activate_stacked(kind, a, h, room)
        learn_units(kind, pulls_back, a, h, t, room)
        for unit in range(n_units):
            for run in range(n_runs):
                a[unit, run] *= eta[run]


@kept_on_disk
def evaluate_stacked(kind: Any, bias: Any, targets: Any, activities: Any, errors: Any) -> None:
    """Set `errors`, (patterns, runs), to the mean of |h − t| over the units; activities are without bias."""
    n_units, n_runs = bias.shape
    h, room = np.empty((n_units, n_runs), activities.dtype), np.empty((2, n_runs), activities.dtype)
    for pattern in range(len(activities)):
        a, t = activities[pattern, : n_units * n_runs].reshape((n_units, n_runs)), targets[pattern]
        total = errors[pattern]
        for unit in range(n_units):
            for run in range(n_runs):
                a[unit, run] += bias[unit, run]
        activate_stacked(kind, a, h, room)
        total[:] = 0
        for unit in range(n_units):
            for run in range(n_runs):
                total[run] += abs(h[unit, run] - t[unit])
        for run in range(n_runs):
            total[run] /= n_units


def activate_stacked(kind: Activation, a: Any, h: Any, room: Any) -> None:
    """Set h = φ(a); h may be a itself, and there is room for two numbers a run."""
    raise NotImplementedError  # chosen when a kernel is compiled


def pull_back_stacked(kind: Activation, a: Any, h: Any, t: Any, room: Any) -> None:
    """Set a to the pull-back of h − t; there is room for two numbers a run."""
    raise NotImplementedError  # chosen when a kernel is compiled


@inlined
def learn_units(kind: Any, pulls_back: bool, a: Any, h: Any, t: Any, room: Any) -> None:
    """Set a to post: h − t, or its pull-back."""
    if pulls_back:
        pull_back_stacked(kind, a, h, t, room)
    else:
        for unit in range(a.shape[0]):
            for run in range(a.shape[1]):
                a[unit, run] = h[unit, run] - t[unit]


@compiled_as(activate_stacked)
def _compiled_activate(kind: Any, a: Any, h: Any, room: Any) -> Any:
    def elementwise(kind: Any, a: Any, h: Any, room: Any) -> None:
        for unit in range(a.shape[0]):
            for run in range(a.shape[1]):
                h[unit, run] = output(kind, a[unit, run])

    def softmax(kind: Any, a: Any, h: Any, room: Any) -> None:
        n_units, n_runs = a.shape
        largest, total = room[0], room[1]
        for run in range(n_runs):
            largest[run], total[run] = a[0, run], 0
        for unit in range(1, n_units):
            for run in range(n_runs):
                largest[run] = max(largest[run], a[unit, run])
        for unit in range(n_units):
            for run in range(n_runs):
                h[unit, run] = exp(a[unit, run] - largest[run])
                total[run] += h[unit, run]
        for unit in range(n_units):
            for run in range(n_runs):
                h[unit, run] /= total[run]

    return softmax if kind.instance_class is Softmax else elementwise


@compiled_as(pull_back_stacked)
def _compiled_pull_back(kind: Any, a: Any, h: Any, t: Any, room: Any) -> Any:
    def elementwise(kind: Any, a: Any, h: Any, t: Any, room: Any) -> None:
        for unit in range(a.shape[0]):
            for run in range(a.shape[1]):
                a[unit, run] = (h[unit, run] - t[unit]) * slope(kind, a[unit, run], h[unit, run])

    def softmax(kind: Any, a: Any, h: Any, t: Any, room: Any) -> None:
        n_units, n_runs = a.shape
        common = room[0]
        common[:] = 0
        for unit in range(n_units):
            for run in range(n_runs):
                common[run] += (h[unit, run] - t[unit]) * h[unit, run]
        for unit in range(n_units):
            for run in range(n_runs):
                a[unit, run] = h[unit, run] * (h[unit, run] - t[unit] - common[run])

    return softmax if kind.instance_class is Softmax else elementwise
