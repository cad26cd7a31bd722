"""Claims that are judged by networks of their own, whose rows (`measured`) become a verdict here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from hebbian_descent.checks import Array
from hebbian_descent.network import Autoencoder
from hebbian_descent.rules import rule_title
from reproduction.claims.cells import Numbers
from reproduction.claims.contrast import ALL, MOST, SIGNIFICANTLY, Contrast, Found
from reproduction.claims.examples import asymmetry, auto_change
from reproduction.claims.judge import Claim, summary
from reproduction.claims.measured import EXPERIMENTS, FIXED_BIAS
from reproduction.claims.tables import BESIDE_GD, CENTERED, EPOCHS, HD
from reproduction.evidence import Word, on_all, weakest
from reproduction.rows import Rows, by_repetition

CONVERGED = 0.05


@dataclass(frozen=True)
class Networks:
    """Networks that were trained for a claim, and the function that judges their rows."""

    label: str
    rule: str
    function: Callable[[Numbers], Found]
    tables: tuple[str, ...] = ()
    """Tables that the function looks at as well."""

    @property
    def check(self) -> str:
        """What was measured."""
        return summary(EXPERIMENTS[self.label].measure)

    @property
    def experiments(self) -> tuple[str, ...]:
        """The labels of the training and of the tables."""
        return self.label, *self.tables

    def found(self, numbers: Numbers) -> Found:
        """Judge, if all networks were trained."""
        if missing := EXPERIMENTS[self.label].missing(numbers.rows(self.label)):
            return Found("not run", f"Of {self.label} these jobs are missing: {', '.join(missing)}.")
        return self.function(numbers)


def cells_of(rows: Rows, *settings: str) -> Iterator[tuple[str, Rows]]:
    """Yield the rows of each network or stream under its name."""
    for words, found in rows.groupby([*settings], observed=True, sort=False):
        yield " ".join(words), found


def by_epoch(rows: Rows, measure: str) -> Array:
    """Return a measure after each epoch, the first one first."""
    found = rows[rows["measure"] == measure]
    values: Array = found["value"].to_numpy()[np.argsort(found["epoch"].astype(str).astype(int))]
    return values


# Claim 3


def convergence(numbers: Numbers) -> Found:
    """Look at the excess that is left after learning with falling rates."""
    left = by_repetition(numbers.rows("claim 3"), "excess_left")
    n, n_draws = left.shape
    median, slow = left.median(axis=1), (~(left < CONVERGED)).sum(axis=1)
    failed = list(median.index[~(median < CONVERGED)])
    rare = ", ".join(f"{name} {times} of {n_draws}" for name, times in slow[slow > 0].items()) or "none"
    findings = (
        "60 passes over 10 patterns of 4 inputs: excess, as a share of the start, at most "
        f"{median.max():.1%} in the median of {n_draws} draws for {n} activations with φ′ > 0; single draws "
        f"with {CONVERGED:.0%} or more: {rare}. The matching loss is convex in the weights: the theorem on "
        "stochastic gradient descent applies where gradients grow at most in proportion to the weights. "
        "Those of exponential units grow faster, and diverge from larger inputs. The proof of the appendix, "
        "by angles to the gradient of the squared error, covers a single pattern."
    )
    if failed:
        findings += f"\nAgainst it: {', '.join(failed)}."
    return Found(on_all(n - len(failed), len(failed)), findings)


# Claim 13

BASELINE = 0.5
FLAT = Contrast((CENTERED, EPOCHS), f"{HD} and activation in ('rectifier', 'step')", BESIDE_GD, "most")


def flat_units(numbers: Numbers) -> Found:
    """Ask whether units with flat parts converge, and whether they often outperform gradient descent."""
    often = FLAT.found(numbers)
    if often.verdict == "not run":
        return often
    few, many, converged = [], [], []
    for name, rows in cells_of(numbers.rows("claim 13"), "activation"):
        learned = by_epoch(rows[rows["patterns"] == "100"], "mae_all")
        errors, losses = (by_epoch(rows[rows["patterns"] == "400"], name) for name in ("mae_all", "loss"))
        converged += [learned[-1] < CONVERGED * BASELINE, stays_down(errors)]
        few.append(f"{name} {' → '.join(f'{error:.3f}' for error in learned)}")
        best = int(errors.argmin())
        many.append(
            f"{name} error {errors[0]:.3f} → {errors[best]:.3f} (epoch {best}) → {errors[-1]:.3f}, "
            f"loss to {losses[-1] / losses[0]:.0%}"
        )
    findings = (
        "100 random pairs of 200 inputs, which can be learned, error after 1 → 10 → 100 epochs: "
        f"{'; '.join(few)} (baseline about {BASELINE}).\n400 random pairs of 50 inputs, which cannot, small "
        f"rate: {'; '.join(many)}.\nThe matching loss of step units is 0 for every target where a = 0: it "
        "can vanish without anything being learned. Where the pairs are separable Novikoff's theorem bounds "
        "the mistakes (docs/theory.md).\nRectifier and step, online and after 100 epochs, against gradient "
        f"descent: {FLAT.in_all(numbers)}."
    )
    converges = on_all(sum(converged), len(converged) - sum(converged))
    return Found(weakest((converges, often.verdict)), findings)


def stays_down(errors: Array) -> bool:
    """Return whether errors fall, and do not rise again by more than 5 % of baseline."""
    return bool(errors[-1] < errors[0] and errors[-1] - errors.min() <= CONVERGED * BASELINE)


# Claim 14

RECALLED = 0.5
"""Of baseline; the last 20 patterns are recalled if their error is below it."""
FORGOTTEN = 0.1
"""Of baseline; the error of the older half must exceed that of the last 20 by this much."""
DECISIVE = 0.9
"""Support from which on a law is decided for."""
OURS = ("hebbian_descent", "centered")


def forgetting(numbers: Numbers) -> Found:
    """Check three things: does it forget, does no other rule, and is it a power law?"""
    streams = [rows for _, rows in cells_of(numbers.rows("claim 14"), "input", "target", "patterns")]
    forgets = pd.DataFrame(map(forgetting_draws, streams))
    n_draws = pd.Series([rows["draw"].nunique() for rows in streams])
    fits = pd.DataFrame(map(best_law, streams))
    parts = {
        "It forgets": it_forgets(forgets, n_draws),
        "Only it does": only_it_does(forgets, n_draws),
        "By a power law": by_power_law(fits["law"]),
    }
    generously = by_power_law(fits["law"].replace("wickelgren", "power_law"))
    laws = ", ".join(f"{law} {n}" for law, n in fits["law"].value_counts().items())
    findings = [
        *(f"{part}: {word}." for part, word in parts.items()),
        f"If Wickelgren's law, a power of 1 + β·age, counted as a power law, that part: {generously}.",
        f"Laws: {laws}. Of power law and exponential alone the power law fits better in "
        f"{fits['prefers_power_law'].sum()} of {len(fits)}.",
        *(in_words(rows, forgets.loc[i], fits.loc[i]) for i, rows in enumerate(streams)),
    ]
    return Found(weakest(parts.values()), "\n".join(findings))


def forgetting_draws(rows: Rows) -> pd.Series:
    """Return in how many draws each rule recalls the last 20 patterns, and not the older half as well."""
    found = _recalled(rows)
    recent, old = found["mae_last20"], found["mae_older_half"]
    of_draws = rows[rows["measure"] == "baseline"].set_index("draw")["value"]
    baseline = of_draws.reindex(found.index, level="draw")
    forgets = (recent < RECALLED * baseline) & (old - recent > FORGOTTEN * baseline)
    return forgets.groupby(level=["rule", "centering"], observed=True).sum()


def _recalled(rows: Rows) -> pd.DataFrame:
    """Return the errors of the last 20 patterns and of the older half, by rule, centering and draw."""
    found = rows[rows["measure"].isin(["mae_last20", "mae_older_half"])]
    return found.pivot(index=["rule", "centering", "draw"], columns="measure", values="value")


def best_law(rows: Rows) -> dict[str, object]:
    """Return the law that fits centered Hebbian-descent best, if its support is decisive, and its weight."""
    support = rows[rows["measure"] == "support"].iloc[0]
    aicc = rows[rows["measure"] == "aicc"].set_index("law")["value"]
    weights, names = np.exp(-(aicc - aicc.min()) / 2), aicc.index.astype(str).str.split().str[0]
    return {
        "law": support["law"].split()[0] if support["value"] >= DECISIVE else "undecided",
        "best": support["law"],
        "weight": weights[support["law"]] / weights.sum(),
        "support": support["value"],
        "prefers_power_law": aicc[names == "power_law"].min() < aicc[names == "exponential"].min(),
    }


def in_words(rows: Rows, forgets: pd.Series, fit: pd.Series) -> str:
    """Return what is known about one stream."""
    first, n, errors = rows.iloc[0], rows["draw"].nunique(), _recalled(rows).loc[OURS].mean()
    others = ", ".join(
        f"{rule_title(rule, in_sentence=True)} {word} in {times} of {n} draws"
        for (rule, word), times in forgets.drop(OURS).items()
        if times
    )
    return (
        f"{first['patterns']} pairs {first['input']}→{first['target']}: error {errors['mae_last20']:.3f} of "
        f"the last 20, {errors['mae_older_half']:.3f} of the older half; forgets in {forgets[OURS]} of {n} "
        f"draws; others: {others or 'none'}; law: {fit['law']} (best {fit['best']}, Akaike weight "
        f"{fit['weight']:.2f}, support {fit['support']:.2f})."
    )


def it_forgets(forgets: pd.DataFrame, n_draws: pd.Series) -> Word:
    """Judge that centered Hebbian-descent forgets: a stream is for it if it does so in all its draws."""
    return on_all((forgets[OURS] == n_draws).sum(), (forgets[OURS] == 0).sum())


def only_it_does(forgets: pd.DataFrame, n_draws: pd.Series) -> Word:
    """Judge that no other rule forgets: a stream is against it if one does so in all its draws."""
    most = forgets.drop(columns=[OURS]).max(axis=1)
    return on_all((most == 0).sum(), (most == n_draws).sum())


def by_power_law(laws: pd.Series) -> Word:
    """Judge that curves follow a power law; Wickelgren's has power law and exponential as limits: neither."""
    others = ("exponential", "line", "stretched_exponential")
    return on_all((laws == "power_law").sum(), laws.isin(others).sum())


# Claims 18 and 19

NETWORK = ("dataset", "hidden_activation", "output_activation")


def no_objective(numbers: Numbers) -> Found:
    """Show that second derivatives do not commute, and follow reconstruction errors over the epochs."""
    gap = asymmetry(_update_of_one_unit, np.array([0.7, -0.4]))
    curves = {name: by_epoch(rows, "mae_mean") for name, rows in cells_of(numbers.rows("claim 18"), *NETWORK)}
    shown = (0, 1, 3, 10, 30, 80, 100)
    words = "; ".join(
        f"{name} {' → '.join(f'{curve[epoch]:.4f}' for epoch in shown)} (smallest {curve.min():.4f})"
        for name, curve in curves.items()
    )
    findings = (
        f"Second derivatives differ by {gap:.2f} (0 for a gradient). Reconstruction error after "
        f"{', '.join(map(str, shown))} epochs: {words}."
    )
    if gap < 0.1:
        return Found("does not hold", findings)
    if against := [name for name, curve in curves.items() if not settles(curve)]:
        findings += f"\nNot converged: {', '.join(against)}."
    return Found(on_all(len(curves) - len(against), len(against)), findings)


def _update_of_one_unit(w: Array) -> Array:
    """Return the update of the appendix: two inputs, one linear hidden unit."""
    network = Autoencoder.from_weights(
        w[:, None], hidden_activation="linear", output_activation="linear", hidden_offset=0.0
    )
    return auto_change("hebbian_descent", network, np.array([[1.3, 0.8]])).weights[:, 0]


def settles(errors: Array) -> bool:
    """Return whether a curve falls, stays where it has fallen to, and is flat in its last fifth."""
    fall = errors[0] - errors.min()
    late = errors[-1 - len(errors) // 5 :]
    return bool(fall > 0 and errors[-1] - errors.min() <= 0.02 * fall and np.ptp(late) <= 0.02 * fall)


def hidden_activity(numbers: Numbers) -> Found:
    """Compare the mean activities of the hidden units under both rules."""
    rows = numbers.rows("claim 19")
    uneven, used = (
        rows[rows["measure"] == name].pivot(index=[*NETWORK], columns="rule", values="value")
        for name in ("unevenness", "participation")
    )
    gd, hd = "gradient_descent", "hebbian_descent"
    lines = "; ".join(
        f"{' '.join(network)} {' / '.join(f'{value:.3f}' for value in values)}"
        for network, values in zip(uneven.index, uneven[[gd, hd, FIXED_BIAS]].to_numpy(), strict=True)
    )
    uses_more, by_bias = used[hd] > used[gd], uneven[FIXED_BIAS] < 2 * uneven[hd]
    findings = (
        "Spread of the units' mean activities (gradient descent / Hebbian-descent / gradient descent with a "
        f"fixed encoder bias): {lines}. More hidden directions carry variance in {uses_more.sum()} of "
        f"{len(used)}. A fixed encoder bias alone brings gradient descent within a factor 2 in "
        f"{by_bias.sum()}: with centered inputs and no bias, linear units have mean 0 whatever is learned."
    )
    ratio = uneven[hd] / uneven[gd]
    return Found(on_all((ratio < 0.5).sum(), (ratio >= 1).sum(), (by_bias | ~uses_more).sum()), findings)


HETERO, AUTO, BOUNDS, FORGETTING = (
    f"tests/test_{name}.py::test_"
    for name in ("hetero_associative_claims", "auto_associative_claims", "theory_bounds", "forgetting")
)
HERE = "reproduction/tests/test_claims_trained.py::test_"
CLAIMS = (
    Claim(
        3,
        "In that case it is a particular form of gradient descent and inherits its convergence.",
        "sec:HD_Hebbian_descent_convergence",
        Networks(
            "claim 3",
            "Each activation with φ′ > 0 is for it if less than 5 % of the excess is left in the median of "
            f"ten draws, else against it. {ALL}",
            convergence,
        ),
        (
            HETERO + "second_derivatives_of_the_hetero_associative_update_commute",
            HETERO + "for_one_pattern_the_angle_to_the_gradient_is_below_90_degrees",
            HETERO + "for_a_batch_the_angle_to_the_gradient_can_exceed_90_degrees",
        ),
    ),
    Claim(
        13,
        "It converges also where the derivative is only non-negative, then often outperforms gradient "
        "descent, and learns with the step function.",
        "sec:HD_results",
        Networks(
            "claim 13",
            "Converges: the four networks are the cells; one is for it if the error ends below 5 % of "
            "baseline (where the pairs can be learned) or falls and does not rise again by more than that "
            f"(where they cannot), else against it. {ALL} Often, beside gradient descent online and after "
            f"100 epochs: {SIGNIFICANTLY} {MOST} The verdict is that of the weaker part.",
            flat_units,
            FLAT.experiments,
        ),
        (
            BOUNDS + "the_matching_loss_of_step_units_vanishes_where_nothing_is_learned",
            BOUNDS + "novikoffs_bound_holds_from_zero_weights",
            HETERO + "a_rectifier_unit_that_is_dead_for_gradient_descent_recovers_with_hebbian_descent",
        ),
    ),
    Claim(
        14,
        "Only Hebbian-descent with centering shows an inherent and plausible curve of forgetting that "
        "follows a power law.",
        "sec:HD_weight_decay_experiments",
        Networks(
            "claim 14",
            "A rule forgets if the error of the last 20 patterns is below half of baseline and that of the "
            "older half larger by a tenth of it. Streams of one kind and length are the cells of three "
            "parts. It forgets: for it in all draws, against it in none. Only it does: for it if no other "
            "rule forgets in any draw, against it if another one does in all. Power law: for it if that law "
            "is decided for, against it if exponential, stretched exponential or line is (Wickelgren's law "
            f"is neither). {ALL} The verdict is that of the weakest part.",
            forgetting,
        ),
        (
            HERE + "forgetting_is_judged_by_all_streams_and_draws",
            FORGETTING + "several_curves_decide_by_how_often_a_law_is_chosen",
        ),
    ),
    Claim(
        18,
        "It is not the gradient of any function, and its reconstruction error converges all the same.",
        "appendix:AA_HD_is_generally_not_the_gradient_of_any_objective_function",
        Networks(
            "claim 18",
            "If the second derivatives commute it does not hold. The networks are the cells: one is for it "
            "if its error falls, ends within 2 % of that fall from its smallest value, and moves by no more "
            f"than that in the last fifth of the epochs, else against it. {ALL}",
            no_objective,
        ),
        (
            AUTO + "second_derivatives_do_not_commute_so_there_is_no_objective",
            AUTO + "hebbian_descent_converges_in_the_reconstruction_error",
            HERE + "a_curve_settles_if_it_falls_stays_and_is_flat",
        ),
    ),
    Claim(
        19,
        "Each hidden unit comes to have almost the same mean activity, so that the code is more efficient.",
        "sec:HD_homo_hidden_experiments",
        Networks(
            "claim 19",
            "The networks are the cells: one is for it where that spread is less than half of that of "
            f"gradient descent, against it where it is not smaller. {ALL} Networks in which fewer directions "
            "carry the variance, or in which a fixed encoder bias alone makes gradient descent as even "
            "within a factor 2, limit it as well.",
            hidden_activity,
        ),
        (HERE + "unevenness_is_zero_for_units_of_equal_mean",),
    ),
)
