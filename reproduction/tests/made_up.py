"""Rows that decide: each study's rule, from numbers whose paired differences are known."""

from dataclasses import replace
from itertools import chain, product

import numpy as np

from reproduction.context import Context, Effort
from reproduction.rows import tidy
from reproduction.studies import STUDIES, covariance_autoencoder, rescaled_hebb, spiking
from reproduction.studies.mini_batches import DESCENTS
from reproduction.studies.value_network_fates import VARIANTS

LESS, OPEN, MORE = (-0.2, 0.02), (0.2, 0.2), (0.2, 0.02)
"""A mean difference, and by how much the four draws scatter around it: ± 3.4 times that for certain."""
SIMILAR, BEYOND, WIDE = (0.004, 0.001), (0.05, 0.01), (0.0, 0.02)
RESCALING = "rescaled_hebb"
SAMPLING = "sampled_contrastive_divergence"


def made_up(name, records, draws=4):
    """Return the rows of a study that measured these records in each draw."""
    study = replace(STUDIES[name], axes={"draw": range(draws)}, settings={}, needs=())
    study = replace(study, measure=lambda job, before: records(job.draw))
    jobs = study.jobs(Effort())
    return tidy(name, chain.from_iterable(job.measure(Context(), None) for job in jobs))


def in_draw(difference, draw):
    mean, scatter = difference
    return mean + scatter * (-1) ** draw


def batches(*changes):
    def records(draw):
        for (number, change), rule in product(enumerate(changes), DESCENTS):
            at = {"input": "rand", "target": str(number), "activation": "linear", "rule": rule}
            yield {**at, "batch_size": 1, "error": 0.3}
            yield {**at, "batch_size": 10, "error": 0.3 + in_draw(change, draw)}

    return records


def sampled(sampling, single_pass):
    def records(draw):
        for number, schedule in product(range(len(sampling)), ("batches", "one pass")):
            at = {"dataset": str(number), "schedule": schedule}
            yield {**at, "rule": "contrastive", "error": 1.0}
            yield {**at, "rule": "sampled_contrastive", "error": 1 + in_draw(sampling[number], draw)}
            yield {**at, "rule": "hebbian_descent", "error": 1 - in_draw(single_pass[number], draw)}

    return records


def growing(without, rescaled):
    def records(draw):
        ways = dict(zip(rescaled_hebb.WAYS, (*without, rescaled), strict=True))
        for variant in (*ways, rescaled_hebb.DESCENT, rescaled_hebb.BASELINE):
            at = {"input": "rand", "target": "rand", "activation": "linear", "variant": variant}
            for patterns, power in ((10, 0), (400, 1)):
                output = np.exp(power * in_draw(ways[variant], draw)) if variant in ways else 1.0
                yield {**at, "patterns": patterns, "output": output, "best_error": 1.0, "kept_error": 1.0}

    return records


def networks(*errors):
    """Networks of errors of the covariance rule, their scatter, and the errors of the two descents."""

    def records(draw):
        for number, (covariance, descent, gradient) in enumerate(errors):
            at = {"dataset": str(number), "hidden_activation": "sigmoid"}
            rules = {"covariance": in_draw(covariance, draw), "hebbian_descent": descent}
            rules |= {"gradient_descent": gradient, covariance_autoencoder.GIVEN_MEAN: 1.0}
            rules |= {"untrained": 1.0, "baseline": 1.0}
            for rule, error in rules.items():
                yield {**at, "rule": rule, "error": error, "learning_rate": 0.1}

    return records


def spikes(remainder, cost, rest):
    """The remainder, the error that clamping adds, and what a current leaves of it, less half."""

    def records(draw):
        found = {("base", ""): in_draw(remainder, draw)}
        found |= {("teacher", "added"): 0.1, ("teacher", "independent"): 0.0}
        found |= {(name, "9"): 0.5 for name in spiking.UNITS}
        for (variant, level), number in found.items():
            yield {"task": spiking.REMAINDER, "variant": variant, "level": level, "remainder": number}
        clamped = in_draw(cost, draw)
        errors = (0.0, 0.0, clamped, in_draw(rest, draw) + clamped / 2)
        for variant, error in zip(spiking.WAYS, errors, strict=True):
            yield {"task": spiking.LEARNING, "variant": variant, "error": error, "mean_weight": 1.0}

    return records


def compared_ways(axis, this, that, **settings):
    """Networks of several depths that learn in two ways, and by how much the error of this one is larger."""

    def with_differences(*differences):
        def records(draw):
            for depth, difference in enumerate(differences, 1):
                at = {"dataset": "digits", "depth": depth, **settings}
                yield {**at, axis: that, "error": 0.5}
                yield {**at, axis: this, "error": 0.5 + in_draw(difference, draw)}

        return records

    return with_differences


losses = compared_ways("loss", "matching", "squared", output_activation="sigmoid")
HIDDEN = {"centering": "none", "optimizer": "SGD", "hidden_activation": "sigmoid"}
layers = compared_ways("rule", "hebbian_descent", "gradient_descent", **HIDDEN)


def decoders(*excesses):
    """By how much the decoder part is worse with two and more layers."""

    def records(draw):
        for depth, excess in enumerate((SIMILAR, *excesses), 1):
            at = {"optimizer": "Adam", "depth": depth, "learning_rate": 0.1, "baseline": 1.0}
            at |= {"epochs": 1, "converged": 1}
            yield {**at, "gradient": "full", "error": 0.5}
            yield {**at, "gradient": "decoder", "error": 0.5 * (1 + in_draw(excess, draw))}

    return records


def dying(squared, matching="AAA", negative="AAA", gain=MORE):
    """Letters for the fates of output units: alive, trapped, revived, or dead late."""
    fates = {"A": "0" * 11, "T": "1" * 11, "R": "1" * 3 + "0" * 8, "L": "0" * 6 + "1" * 5}
    units = {
        ("usual", "squared"): squared,
        ("usual", "matching"): matching,
        ("negative", "matching"): negative,
    }

    def records(draw):
        for task, start, variant in product(
            ("cartpole", "breakout"), ("search", "usual", "negative"), VARIANTS
        ):
            at = {"task": task, "start": start, "variant": variant, "learning_rate": "0.1"}
            is_better = (start, variant) == ("negative", "matching")
            yield {**at, "greedy_return": in_draw(gain, draw) if is_better else 0.0}
            for look in range(11):
                yield {**at, "look": look, "return": 1.0}
                for unit, fate in enumerate(units.get((start, variant), "AAA")):
                    yield {**at, "look": look, "unit": unit, "dead": int(fates[fate][look])}

    return records


BAD, FAR = ((1.2, 0.01), 0.3, 0.5), ((0.8, 0.01), 0.3, 0.5)
BETTER, UNSURE = ((1.2, 0.01), 0.3, 1.4), ((1.2, 1.0), 0.3, 0.5)
CASES = [
    ("mini_batches", batches(*[SIMILAR] * 4), "holds"),
    ("mini_batches", batches(*[SIMILAR] * 3, BEYOND), "holds with limits"),
    ("mini_batches", batches(*[SIMILAR] * 3, WIDE), "holds with limits"),
    ("mini_batches", batches(*[SIMILAR] * 2, *[BEYOND] * 2), "does not hold"),
    ("mini_batches", batches(*[SIMILAR] * 2, *[WIDE] * 2), "undecided"),
    (SAMPLING, sampled([MORE, OPEN], [MORE, MORE]), "holds"),
    (SAMPLING, sampled([MORE, OPEN], [MORE, OPEN]), "holds with limits"),
    (SAMPLING, sampled([MORE, OPEN], [MORE, LESS]), "holds with limits"),
    (SAMPLING, sampled([MORE, LESS], [MORE, MORE]), "does not hold"),
    (SAMPLING, sampled([OPEN, OPEN], [MORE, MORE]), "undecided"),
    (RESCALING, growing([MORE, MORE], LESS), "holds with limits"),
    (RESCALING, growing([MORE, OPEN], LESS), "undecided"),  # one cell that grows is not enough
    (RESCALING, growing([MORE, MORE], OPEN), "undecided"),
    (RESCALING, growing([MORE, LESS], LESS), "does not hold"),
    (RESCALING, growing([MORE, MORE], MORE), "does not hold"),
    ("covariance_autoencoder", networks(BAD, BAD), "holds"),
    ("covariance_autoencoder", networks(BAD, FAR), "holds with limits"),
    ("covariance_autoencoder", networks(BAD, BETTER), "holds with limits"),
    ("covariance_autoencoder", networks(BAD, UNSURE), "holds with limits"),
    (
        "covariance_autoencoder",
        networks(FAR, FAR),
        "does not hold",
    ),  # worse alone is not what the remark says
    ("covariance_autoencoder", networks(BETTER, BETTER), "does not hold"),
    ("covariance_autoencoder", networks(UNSURE, UNSURE), "undecided"),
    ("spiking", spikes((0.02, 0.001), OPEN, OPEN), "holds"),
    ("spiking", spikes((0.04, 0.01), MORE, MORE), "undecided"),
    ("spiking", spikes(MORE, MORE, LESS), "holds with limits"),
    ("spiking", spikes(MORE, OPEN, LESS), "undecided"),  # nothing is saved of a cost that is not certain
    ("spiking", spikes(MORE, MORE, OPEN), "undecided"),
    ("spiking", spikes(MORE, MORE, MORE), "does not hold"),
    *(
        (name, ways(*differences), verdict)
        for name, ways in (("deep_losses", losses), ("adaptive_rates", layers))
        for differences, verdict in (
            ([LESS, LESS, OPEN], "holds"),
            ([LESS, LESS, MORE], "holds with limits"),  # no allowance for chance
            ([LESS, MORE], "does not hold"),
            ([OPEN, MORE], "does not hold"),
            ([OPEN, OPEN], "undecided"),
        )
    ),
    ("deep_autoencoders", decoders(SIMILAR, SIMILAR), "holds"),
    ("deep_autoencoders", decoders(SIMILAR, MORE), "holds with limits"),
    ("deep_autoencoders", decoders(SIMILAR, MORE, MORE), "does not hold"),
    ("deep_autoencoders", decoders(SIMILAR, OPEN, OPEN), "undecided"),
    ("value_networks", dying("TTR"), "holds"),
    ("value_networks", dying("TRR"), "holds with limits"),
    ("value_networks", dying("TTT", negative="TAA"), "holds with limits"),
    ("value_networks", dying("TTT", gain=OPEN), "holds with limits"),
    ("value_networks", dying("TRA", matching="TAA"), "does not hold"),
    ("value_networks", dying("LLL"), "does not hold"),
    ("value_networks", dying("AAA"), "does not hold"),
]
"""A study, what it measured, and the verdict by its rule."""
