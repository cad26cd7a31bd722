// "Copy as Python": a script that computes the numbers on the page with the installed package.

const OFFSETS = { none: "0.0", mean: "cues.mean(axis=0)", moving: "0.0", half: "0.5" };

/**
 * Return the script for settings and the number of pairs learned; all of them if that is 0.
 * With a damaged cue, which pattern it is (from 1) and its inverted units, it also recalls from that.
 */
export function pythonScript(settings, learned, pattern = null, inverted = []) {
  const { rules, activation, centering, learning_rate, weight_decay, patterns, shift } = settings;
  const isMoving = centering === "moving" || centering === "half";
  const options = [
    `learning_rate=${learning_rate === "auto" ? '"auto"' : learning_rate}`,
    weight_decay ? `weight_decay=${weight_decay}` : null,
    isMoving ? `shift=${shift}` : null,
    centering === "moving" ? "running_mean=True" : null,
    "means=means",
  ];
  const isDamaged = pattern !== null && inverted.length > 0;
  const damage = isDamaged
    ? `cue, target = cues[${pattern - 1}].copy(), targets[${pattern - 1}]
inverted = [${inverted.join(", ")}]
cue[inverted] = 1 - cue[inverted]
`
    : "";
  const recall = isDamaged
    ? `    recalled = layer.output(cue[np.newaxis])[0]
    print(f"{rule}: from the damaged cue {np.abs(recalled - target).mean():.12f}")
`
    : "";
  return `"""The errors that the explorer shows: how well each rule recalls pairs that it saw once."""

import numpy as np
from hebbian_descent import DivergenceError, Layer, train
from hebbian_descent.explorer import draw_pairs, initial_weights

cues, targets = draw_pairs(
    ${patterns}, cues="${settings.cues}", stored="${settings.stored}", activity=${settings.activity}, correlation=${settings.correlation}, seed=${settings.seed}
)
means = cues.mean(axis=0), targets.mean(axis=0)  # of all pairs
learned = ${learned || patterns}
${damage}
for rule in (${rules.map((rule) => `"${rule}"`).join(", ")}):
    weights = initial_weights(cues.shape[1], seed=${settings.seed})
    layer = Layer.from_weights(weights, activation="${activation}", offset=${OFFSETS[centering]})
    try:
        train(
            layer,
            cues[:learned],
            targets[:learned],
            rule=rule,
            ${options.filter(Boolean).join(",\n            ")},
        )
    except DivergenceError as error:
        print(f"{rule}: {error}")
        continue
    errors = np.abs(layer.output(cues[:learned]) - targets[:learned]).mean(axis=1)
    print(f"{rule}: last 20 {errors[-20:].mean():.12f}, all {errors.mean():.12f}")
${recall}`;
}
