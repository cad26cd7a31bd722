"""Claims that the tables' rows decide: each a sentence and a contrast.

To add one, add it to `CLAIMS`: in which tables, which cells, beside which rivals, judged by which criterion.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from reproduction.claims.cells import Family
from reproduction.claims.contrast import Contrast
from reproduction.claims.judge import Claim


def _three(start: str) -> tuple[str, ...]:
    return tuple(f"tab:{start}_{number}" for number in (1, 2, 3))


CLASSIFICATION = ("tab:label_learning_centered", "tab:label_learning_uncentered")
CENTERED = Family("online, centered", _three("Hetero_online_centered"), "mae_last20")
UNCENTERED = Family("online, uncentered", _three("Hetero_online_uncentered"), "mae_last20")
ONLINE = Family("online", (*CENTERED.labels, *UNCENTERED.labels), "mae_last20")
ALL_PATTERNS = ONLINE._replace(name="online, all patterns", measure="mae_all")
OFFSETS = Family("moving offsets", ("tab:Hetero_online_centered_shift",), "mae_last20")
DECAY = Family("online, centered, with weight decay", ("tab:centered_weight_decay",), "mae_last20")
EPOCHS = Family("100 epochs", _three("Hetero_offline"), "mae_mean")
CLASSES = Family("classification", CLASSIFICATION, "error_mean")
CENTERED_CLASSES = Family("classification, centered", CLASSIFICATION[:1], "error_mean")
UNCENTERED_CLASSES = Family("classification, uncentered", CLASSIFICATION[1:], "error_mean")
RECONSTRUCTION = Family("auto-association", ("tab:auto_associative",), "mae_mean")
EVERYWHERE = (CENTERED, UNCENTERED, EPOCHS, CLASSES)
HIDDEN_ACTIVITY = Family("hidden activity", ("tab:auto_associative",), "mean_hidden_activity")

HD, GD = "rule == 'hebbian_descent'", "rule == 'gradient_descent'"
DESCENTS, CORRELATIONAL = "rule in ('hebbian_descent', 'gradient_descent')", "rule in ('hebb', 'covariance')"
IS_CENTERED = "centering == 'centered'"
ON_SIGMOID = f"activation == 'sigmoid' and (label == '{CENTERED.labels[0]}' or data == 'rand→rand')"
NEGATIVE_EXAMPLES = (
    f"{GD} and hidden_activation == 'linear'"
    " and not (output_activation == 'linear' and dataset in ('adult', 'connect'))"
)
BESIDE_HD, BESIDE_GD = ({"rule": "hebbian_descent"},), ({"rule": "gradient_descent"},)
BESIDE_HEBB, BESIDE_COVARIANCE = ({"rule": "hebb"},), ({"rule": "covariance"},)
BESIDE_BOTH = (*BESIDE_HEBB, *BESIDE_COVARIANCE)
BESIDE_ALL = (*BESIDE_GD, *BESIDE_BOTH)
BESIDE_OTHERS = (*BESIDE_HD, *BESIDE_GD, *BESIDE_COVARIANCE)
UNCENTERED_TWIN = ({"centering": "uncentered"},)
LINEAR, SIGMOID = ({"activation": "linear"},), ({"activation": "sigmoid"},)

WITHOUT_FLAT = {
    "100 epochs without rectifier and step, whose φ′ is 0 somewhere": {
        "families": (EPOCHS,),
        "where": f"{HD} and activation not in ('rectifier', 'step')",
    }
}
BY_UNITS_AND_PATTERNS: dict[str, dict[str, Any]] = {
    "Linear units, where it is gradient descent": {"where": f"{HD} and activation == 'linear'"},
    "All other units": {"where": f"{HD} and activation != 'linear'"},
    "By all patterns instead of the last 20": {"families": (CENTERED._replace(measure="mae_all"),)},
}
FROM_0_001 = {"If differences from 0.001 on counted": {"judged_by": "all"}}
PRODUCTS = (
    "Slightly is by at most 10 %. Products with the weight matrix in each update: 3 (encode, decode, change) "
    "instead of 5 (also back through the decoder, and its change). Plausibility in biology is not measured."
)
each_rule = partial(Contrast, by="rule", weakest=True)
"""A contrast in which each rule is judged alone."""

WITH_CENTERING = "sec:hetero_associative_online_learning_with_centering"
WITH_DECAY = "sec:HD_weight_decay_experiments"
WITH_EPOCHS = "sec:HD_multi_epoch_experiments"
ON_SATURATION = "sec:on_the_advantage_of_saturating_activation_functions_in_online_learning"
ON_ACTIVITY = "sec:HD_homo_hidden_experiments"
HETERO = "tests/test_hetero_associative_claims.py"

CLAIMS = (
    Claim(
        9,
        "All update rules considered profit from centering.",
        WITH_CENTERING,
        each_rule((ONLINE,), IS_CENTERED, UNCENTERED_TWIN),
    ),
    Claim(
        10,
        "Hebbian-descent outperforms Hebb's rule and the covariance rule in general.",
        "sec:HD_hetero_associative_learning",
        Contrast((CENTERED, UNCENTERED, DECAY, CLASSES), HD, BESIDE_BOTH),
        (HETERO,),
    ),
    Claim(
        11,
        "In batch or mini-batch learning for several epochs it has a similar performance as gradient "
        "descent.",
        WITH_EPOCHS,
        Contrast((EPOCHS, CLASSES), HD, BESIDE_GD, "similar", also=WITHOUT_FLAT),
    ),
    Claim(
        12,
        "It performs significantly better in online learning than all the other update rules.",
        WITH_CENTERING,
        Contrast((CENTERED,), HD, BESIDE_ALL, "strictly", also=BY_UNITS_AND_PATTERNS),
    ),
    Claim(
        20,
        "It reconstructs as well as gradient descent or slightly worse, at less computation.",
        "sec:HD_auto_associative_experiments",
        Contrast((RECONSTRUCTION,), HD, BESIDE_GD, "slightly worse", remark=PRODUCTS),
    ),
    Claim(
        21,
        "Across all combinations of datasets and activations Hebbian-descent and gradient descent perform "
        "significantly better than Hebb's rule and the covariance rule.",
        WITH_CENTERING,
        each_rule((CENTERED,), DESCENTS, BESIDE_BOTH, "strictly"),
    ),
    Claim(
        22,
        "Hebb's rule and the covariance rule are both not even better than baseline.",
        WITH_CENTERING,
        each_rule((CENTERED,), CORRELATIONAL, "baseline", reverse=True),
    ),
    Claim(
        23,
        "The sigmoid function has the best performance among the different activation functions.",
        WITH_CENTERING,
        Contrast((CENTERED,), f"{HD} and activation != 'sigmoid'", SIGMOID, reverse=True, by="activation"),
    ),
    Claim(
        24,
        "When using a sigmoid activation function all methods perform significantly better than baseline "
        "(for RAND→RAND; qualitatively the same for the other data of the first table).",
        ON_SATURATION,
        each_rule((CENTERED._replace(labels=CENTERED.labels[:2]),), ON_SIGMOID, "baseline", "strictly"),
    ),
    Claim(
        25,
        "Slowly updated offsets lead to a similar or often even slightly better performance for "
        "Hebbian-descent than fixed ones.",
        "tab:Hetero_online_centered_shift",
        Contrast((OFFSETS,), f"{HD} and offsets == 'adaptive'", ({"offsets": "fixed"},), "not worse"),
    ),
    Claim(
        26,
        "With weight decay Hebb's rule is always significantly worse than all other methods.",
        WITH_DECAY,
        Contrast((DECAY,), "rule == 'hebb'", BESIDE_OTHERS, "strictly", reverse=True),
    ),
    Claim(
        27,
        "In all cases, whether centered or not, both error-driven rules improve significantly over 100 "
        "epochs compared with a single one.",
        WITH_EPOCHS,
        each_rule((EPOCHS,), DESCENTS, ALL_PATTERNS, "strictly"),
    ),
    Claim(
        28,
        "Over several epochs both error-driven rules reach better results when centering is used.",
        WITH_EPOCHS,
        each_rule((EPOCHS,), IS_CENTERED, UNCENTERED_TWIN),
    ),
    Claim(
        29,
        "In classification there is no significant difference between centered and uncentered networks.",
        CLASSIFICATION[1],
        Contrast((CLASSES,), f"{DESCENTS} and {IS_CENTERED}", UNCENTERED_TWIN, "similar", also=FROM_0_001),
    ),
    Claim(
        30,
        "Hebbian-descent never leads to a negative average hidden activity.",
        ON_ACTIVITY,
        Contrast((HIDDEN_ACTIVITY,), HD, "zero", reverse=True),
    ),
    Claim(
        31,
        "Linear networks perform always worse than or similar to corresponding nonlinear networks.",
        WITH_CENTERING,
        each_rule((CENTERED,), f"{DESCENTS} and activation != 'linear'", LINEAR),
    ),
    Claim(
        32,
        "If there is a significant difference between the two methods, Hebbian-descent performs "
        "significantly better than gradient descent.",
        WITH_CENTERING,
        Contrast((CENTERED,), HD, BESIDE_GD),
    ),
    Claim(
        33,
        "Hebbian-descent performs significantly better than gradient descent in most cases.",
        WITH_CENTERING,
        Contrast((CENTERED,), HD, BESIDE_GD, "most"),
    ),
    Claim(
        34,
        "Without centering Hebbian-descent still performs significantly better than the other methods in "
        "most cases.",
        WITH_CENTERING,
        Contrast((UNCENTERED,), HD, BESIDE_ALL, "most"),
    ),
    Claim(
        35,
        "With weight decay Hebbian-descent performs significantly better than the other methods in most "
        "cases.",
        WITH_DECAY,
        Contrast((DECAY,), HD, BESIDE_ALL, "most"),
    ),
    Claim(
        36,
        "With weight decay gradient descent either reaches a similar performance as Hebbian-descent or "
        "performs significantly worse.",
        WITH_DECAY,
        Contrast((DECAY,), HD, BESIDE_GD, "not worse"),
    ),
    Claim(
        37,
        "With weight decay the covariance rule performs significantly worse than Hebbian-descent in all "
        "cases in which the output data is not binary random.",
        WITH_DECAY,
        Contrast((DECAY,), f"{HD} and target != 'rand'", BESIDE_COVARIANCE, "strictly"),
    ),
    Claim(
        38,
        "All methods profit from using a weight decay, as all points lie below the diagonal.",
        WITH_DECAY,
        each_rule((DECAY,), "", CENTERED, "strictly"),
    ),
    Claim(
        39,
        "Over several epochs Hebbian-descent reaches better values than gradient descent in most cases.",
        WITH_EPOCHS,
        Contrast((EPOCHS,), HD, BESIDE_GD, "most", by="centering", weakest=True),
    ),
    Claim(
        40,
        "Over several epochs both algorithms have a very similar performance for exponential linear units "
        "on all datasets.",
        WITH_EPOCHS,
        Contrast((EPOCHS,), f"{HD} and activation == 'explin'", BESIDE_GD, "similar", also=FROM_0_001),
    ),
    Claim(
        41,
        "In classification there is no significant difference between Hebbian-descent and gradient descent, "
        "except for the step function.",
        CLASSIFICATION[0],
        Contrast((CLASSES,), f"{HD} and activation != 'step'", BESIDE_GD, "similar", also=FROM_0_001),
    ),
    Claim(
        42,
        "In classification Hebb's rule and the covariance rule perform significantly worse than gradient "
        "descent and Hebbian-descent.",
        CLASSIFICATION[0],
        each_rule((CENTERED_CLASSES,), DESCENTS, BESIDE_BOTH, "strictly"),
    ),
    Claim(
        43,
        "In classification gradient descent often reaches slightly better performances than "
        "Hebbian-descent, except for the step function.",
        CLASSIFICATION[0],
        Contrast((CENTERED_CLASSES,), f"{HD} and activation != 'step'", BESIDE_GD, "most", reverse=True),
    ),
    Claim(
        44,
        "Linear outputs always performed worse than rectifiers in all experiments.",
        "sec:HD_results",
        Contrast(EVERYWHERE, f"{DESCENTS} and activation == 'rectifier'", LINEAR, "strictly"),
    ),
    Claim(
        45,
        "The mean activity of linear hidden units is significantly negative under gradient descent, except "
        "in the first and third example.",
        ON_ACTIVITY,
        Contrast((HIDDEN_ACTIVITY,), NEGATIVE_EXAMPLES, "zero", "strictly"),
    ),
)
