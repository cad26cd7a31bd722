// The pairs that are stored, and the weights that all rules start from; the twin is pairs.py.

import { uniform } from "./generator.mjs";

export const N_CUE_UNITS = 200;
export const N_PIXELS = 64;
const GREY_LEVELS = 16;
const [FAMILIES, CUES, COPIES, TARGETS, WEIGHTS, MEMBERSHIP] = [0, 1, 2, 3, 4, 5];

/** Return all pairs of these settings as rows of two matrices, their means, and the weights before the first. */
export function drawPairs({ patterns, cues, stored, activity, correlation, seed }, digits) {
  const nInputs = cues === "digits" ? N_PIXELS : N_CUE_UNITS;
  const shown = cues === "digits" ? digits.slice(0, patterns * N_PIXELS) : families(patterns, activity, correlation, seed);
  const targets =
    stored === "digits"
      ? digits.slice(0, patterns * N_PIXELS)
      : uniform(seed, TARGETS, patterns * N_PIXELS).map((u) => Number(u < activity));
  return {
    nPatterns: patterns,
    nInputs,
    nOutputs: N_PIXELS,
    cues: rowsOf(shown, nInputs),
    targets: rowsOf(targets, N_PIXELS),
    meanCue: meanOfRows(shown, nInputs),
    meanTarget: meanOfRows(targets, N_PIXELS),
    weights: initialWeights(nInputs, N_PIXELS, seed),
  };
}

/** Draw cues whose units copy their family with probability √correlation, else are independent. */
function families(n, activity, correlation, seed) {
  const family = uniform(seed, FAMILIES, 2 * N_CUE_UNITS).map((u) => Number(u < activity));
  const member = uniform(seed, MEMBERSHIP, n).map((u) => Number(u < 0.5));
  const copies = uniform(seed, COPIES, n * N_CUE_UNITS);
  const share = Math.sqrt(correlation);
  return uniform(seed, CUES, n * N_CUE_UNITS).map((u, index) => {
    const [row, unit] = [Math.floor(index / N_CUE_UNITS), index % N_CUE_UNITS];
    return copies[index] < share ? family[member[row] * N_CUE_UNITS + unit] : Number(u < activity);
  });
}

/** Return small random weights, those of input i to output j at i·nOutputs + j. */
function initialWeights(nInputs, nOutputs, seed) {
  const bound = Math.sqrt(6 / (nInputs + nOutputs));
  return uniform(seed, WEIGHTS, nInputs * nOutputs).map((u) => bound * (2 * u - 1));
}

/** Return images from text: one per line, one character per pixel, from 0 (white) to g (black). */
export function readDigits(text) {
  const levels = text.replace(/\s/g, "");
  return Float64Array.from(levels, (level) => parseInt(level, GREY_LEVELS + 1) / GREY_LEVELS);
}

function rowsOf(matrix, width) {
  return Array.from({ length: matrix.length / width }, (_, row) => matrix.subarray(row * width, (row + 1) * width));
}

function meanOfRows(matrix, width) {
  const mean = new Float64Array(width);
  matrix.forEach((value, index) => (mean[index % width] += value));
  return mean.map((sum) => sum / (matrix.length / width));
}
