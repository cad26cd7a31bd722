"""Poisson neurons whose synapses change by the timing of pairs of spikes.

Inputs fire at given rates. Each spike adds a postsynaptic potential κ(s) ∝ exp(−s/τₛ) of area 1, and an
output fires with the probability r_max σ(b + Σ wᵢ PSPᵢ / r) per unit of time, where r is the unit of rates.
Plasticity is pair-based: a postsynaptic spike adds exp(−s/τ) for each presynaptic spike a time s before it,
and a presynaptic spike takes away `depression` times that for each postsynaptic spike before it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hebbian_descent.checks import Array


@dataclass(frozen=True)
class Neurons:
    """Times in seconds, rates per second."""

    rate: float = 20.0
    """Unit of the inputs: an activity of 1 is a neuron that fires so often."""
    window: float = 0.02
    """τ of the plasticity."""
    synapse: float = 0.01
    """τₛ of the postsynaptic potential."""
    depression: float = 0.0
    """Area of the window of post-before-pre, relative to that of pre-before-post."""
    step: float = 0.001

    @property
    def highest_rate(self) -> float:
        """The rate of an output that is fully active, twice the unit of the inputs."""
        return 2 * self.rate

    @property
    def window_area(self) -> float:
        """Σ exp(−s/τ) over later steps: what a pair of independent spikes changes, per rate and step."""
        return float(1 / np.expm1(self.step / self.window))

    @property
    def overlap(self) -> float:
        """Σ κ(s) exp(−s/τ): how much of a potential lies within the window of plasticity."""
        steps = np.arange(1, int(20 * max(self.synapse, self.window) / self.step))
        kappa = np.exp(-steps * self.step / self.synapse)
        return float((kappa / kappa.sum() * np.exp(-steps * self.step / self.window)).sum())


@dataclass
class Phase:
    """What happened in a phase: changes by timing, activity of both sides, slopes of the outputs."""

    change: Array  # (n_inputs, n_outputs) or (n_runs, n_inputs, n_outputs)
    inputs: Array  # (n_runs, n_inputs), activity: spikes per second in units of the rate
    outputs: Array  # (n_runs, n_outputs), activity: spikes per second in units of the highest rate
    slope: Array  # (n_outputs,), mean derivative of the firing probability


def simulate(
    neurons: Neurons,
    activity: Array,
    weights: Array,
    bias: Array,
    *,
    seconds: float,
    rng: np.random.Generator,
    teacher: Array | None = None,
    adds: Array | None = None,
) -> Phase:
    """Let inputs fire with an activity, one row per repetition, and return what timing changes.

    Outputs fire as the inputs drive them; with `teacher`, at these activities whatever the inputs do; `adds`
    is added to their drive. Weights may have one matrix per repetition; then changes have, too.
    """
    dt, n_runs = neurons.step, len(activity)
    own = weights.ndim == 3
    psp = activity * neurons.rate * np.ones((n_runs, 1))  # both start near their mean
    trace = psp * neurons.window
    after = np.zeros((n_runs, weights.shape[-1]))
    keep_psp, keep_trace = np.exp(-dt / neurons.synapse), np.exp(-dt / neurons.window)
    jump = np.expm1(dt / neurons.synapse) / dt  # potentials of area 1 in discrete time
    p_in = activity * neurons.rate * dt
    extra = 0.0 if adds is None else adds
    change = np.zeros(weights.shape)
    counts_in, counts_out, slopes = np.zeros(psp.shape), np.zeros(after.shape), np.zeros(after.shape)
    n_before = int(5 * max(neurons.synapse, neurons.window) / dt)  # until traces are those of the rates
    n_steps = int(seconds / dt)
    for number in range(n_before + n_steps):
        psp *= keep_psp
        trace *= keep_trace
        after *= keep_trace
        drive = np.einsum("ri,rio->ro", psp, weights) if own else psp @ weights
        level = 1 / (1 + np.exp(-(bias + drive / neurons.rate + extra)))
        probability = (level if teacher is None else teacher) * neurons.highest_rate * dt
        post = (rng.random(after.shape) < probability).astype(float)
        pre = (rng.random(psp.shape) < p_in).astype(float)
        if number >= n_before:
            if own:
                change += trace[:, :, None] * post[:, None, :]
                change -= neurons.depression * pre[:, :, None] * after[:, None, :]
            else:
                change += trace.T @ post - neurons.depression * (pre.T @ after)
            counts_in += pre
            counts_out += post
            slopes += level * (1 - level)
        psp += jump * pre
        trace += pre
        after += post
    return Phase(
        change if own else change / n_runs,
        counts_in / seconds / neurons.rate,
        counts_out / seconds / neurons.highest_rate,
        (slopes / n_steps).mean(axis=0),
    )
