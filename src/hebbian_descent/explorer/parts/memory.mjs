// One layer h = φ((x − μ)W + b) that learns pair by pair, as `train` does: learning/step.py, rates.py, centering.py.

import { makeActivation } from "./activations.mjs";
import { deviation, POSTSYNAPTIC } from "./rules.mjs";

export class Memory {
  /** Start with small random weights, for pairs that are learned with one rule and these settings. */
  constructor(rule, settings, pairs, facts) {
    const { nInputs, nOutputs } = pairs;
    const { centering, weight_decay, learning_rate, shift, activation } = settings;
    this.nInputs = nInputs;
    this.nOutputs = nOutputs;
    this.rule = facts.rules[rule];
    this.activation = makeActivation(activation, facts.activations[activation]);
    this.limit = facts.largest_preactivation;
    this.decay = weight_decay;
    this.rate = learning_rate;
    this.shift = centering === "moving" || centering === "half" ? shift : 0;
    this.isRunningMean = centering === "moving";
    this.centersTargets = this.isRunningMean && this.rule.centers_moving_targets;
    this.centersByData = this.rule.needs_data_mean && !this.centersTargets;
    this.postsynaptic = this.centersTargets ? deviation : POSTSYNAPTIC[rule];
    this.weights = pairs.weights.slice();
    this.bias = new Float64Array(nOutputs);
    this.offset = new Float64Array(nInputs);
    if (centering === "mean") this.offset.set(pairs.meanCue);
    if (centering === "half") this.offset.fill(facts.offset_start);
    this.meanCue = pairs.meanCue;
    this.meanTarget = this.centersTargets ? new Float64Array(nOutputs) : pairs.meanTarget;
    this.seen = 0;
    this.learned = 0; // fewer once diverged
    this.diverged = false;
    this.lastRate = null;
    this.a = new Float64Array(nOutputs);
    this.h = new Float64Array(nOutputs);
    this.post = new Float64Array(nOutputs);
    this.pre = new Float64Array(nInputs);
    this.rest = new Float64Array(nOutputs);
  }

  /** Learn one pair, W ← W − ωW − η·preᵀpost and b ← b − η·post, then move the offset; nothing once diverged. */
  learn(x, t) {
    this.seen += 1;
    if (this.diverged) return;
    const { a, h, pre, post, offset } = this;
    subtract(x, offset, pre);
    this.respondTo(pre);
    const shift = this.isRunningMean ? Math.max(this.shift, 1 / this.seen) : this.shift;
    if (this.centersTargets) moveTowards(this.meanTarget, t, shift);
    if (this.centersByData) subtract(x, this.meanCue, pre);
    this.postsynaptic({ post, activation: this.activation, a, h, t, meanTarget: this.meanTarget });
    const rate = this.rate === "auto" ? this.automaticRate(t) : this.rate;
    this.lastRate = rate;
    for (let j = 0; j < post.length; j++) post[j] *= rate;
    // Values too large now, or at the next pattern, end learning before a weight has changed.
    this.diverged = !a.every((value) => Math.abs(value) <= this.limit) || !post.every(Number.isFinite);
    if (this.diverged) return;
    this.changeWeights();
    if (this.rule.learns_bias) for (let j = 0; j < post.length; j++) this.bias[j] -= post[j];
    if (shift) this.moveOffset(x, shift);
    this.learned += 1;
  }

  /** Write (x − μ)W + b and its φ into a and h. */
  respondTo(centered) {
    this.a.set(this.bias);
    addProduct(this.a, centered, this.weights);
    this.activation.respond(this.a, this.h);
  }

  /** Return κ / (L·(‖pre‖² + 1)). */
  automaticRate(t) {
    let slope = this.activation.slope;
    if (this.activation.slope_is_output) slope = Math.max(slope, ...this.h, ...t.map(Math.abs));
    if (this.rule.pulls_back) slope *= slope;
    const extent = this.pre.reduce((sum, value) => sum + value * value, 1);
    return this.activation.kappa / (slope * extent);
  }

  changeWeights() {
    const { weights, pre, post, nOutputs } = this;
    const kept = 1 - this.decay;
    for (let i = 0; i < pre.length; i++) {
      const [x, row] = [pre[i], i * nOutputs];
      for (let j = 0; j < nOutputs; j++) weights[row + j] = weights[row + j] * kept - x * post[j];
    }
  }

  /** Let the offset follow a cue. The bias absorbs (μ′ − μ)W, unless the rule never corrects a bias. */
  moveOffset(x, shift) {
    const { offset, pre } = this;
    for (let i = 0; i < offset.length; i++) pre[i] = -offset[i];
    moveTowards(offset, x, shift);
    for (let i = 0; i < offset.length; i++) pre[i] += offset[i];
    if (!this.centersTargets) addProduct(this.bias, pre, this.weights);
  }

  /** Write what each cue recalls into rows of `outputs`. Units that are off cost nothing: a = xW + (b − μW). */
  recallAll(cues, outputs) {
    const { a, rest, weights, nOutputs } = this;
    rest.set(this.bias);
    addProduct(rest, this.offset.map((value) => -value), weights);
    for (let row = 0; row < cues.length; row++) {
      a.set(rest);
      addProduct(a, cues[row], weights);
      this.activation.respond(a, outputs.subarray(row * nOutputs, (row + 1) * nOutputs));
    }
  }
}

/** Add xW to sums. Four inputs at a time: each sum is then read and written a quarter as often. */
function addProduct(sums, x, weights) {
  const width = sums.length;
  const active = [];
  for (let i = 0; i < x.length; i++) if (x[i] !== 0) active.push(i);
  let next = 0;
  for (; next + 4 <= active.length; next += 4) {
    const i0 = active[next], i1 = active[next + 1], i2 = active[next + 2], i3 = active[next + 3];
    const x0 = x[i0], x1 = x[i1], x2 = x[i2], x3 = x[i3];
    const w0 = i0 * width, w1 = i1 * width, w2 = i2 * width, w3 = i3 * width;
    for (let j = 0; j < width; j++) {
      sums[j] += x0 * weights[w0 + j] + x1 * weights[w1 + j] + (x2 * weights[w2 + j] + x3 * weights[w3 + j]);
    }
  }
  for (; next < active.length; next++) {
    const x0 = x[active[next]], w0 = active[next] * width;
    for (let j = 0; j < width; j++) sums[j] += x0 * weights[w0 + j];
  }
}

function subtract(x, mean, result) {
  for (let i = 0; i < x.length; i++) result[i] = x[i] - mean[i];
}

function moveTowards(mean, x, shift) {
  for (let i = 0; i < mean.length; i++) mean[i] = (1 - shift) * mean[i] + shift * x[i];
}
