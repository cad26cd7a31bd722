// Several memories that are fed the same pairs at the same moment, and how well each recalls all of them.

import { Memory } from "./memory.mjs";

export const RECENT = 20;

export class Run {
  constructor(rules, settings, pairs, facts) {
    this.pairs = pairs;
    this.learned = 0;
    this.next = 0; // where recall continues
    this.nOutdated = 0; // how many pairs were last recalled by earlier weights, or never
    const size = pairs.nPatterns * pairs.nOutputs;
    this.tracks = rules.map((rule) => ({
      rule,
      memory: new Memory(rule, settings, pairs, facts),
      outputs: new Float64Array(size),
      errors: new Float64Array(pairs.nPatterns),
    }));
  }

  get isFull() {
    return this.learned === this.pairs.nPatterns;
  }

  /** Learn pairs in their order until n are learned. */
  learnUntil(n) {
    const end = Math.min(n, this.pairs.nPatterns);
    for (; this.learned < end; this.learned++) {
      for (const { memory } of this.tracks) memory.learn(this.pairs.cues[this.learned], this.pairs.targets[this.learned]);
    }
    this.nOutdated = this.learned;
  }

  /** Recall every pair learned so far, and measure the error per unit. */
  recallEverything() {
    this.recallRange(0, this.learned);
    this.nOutdated = 0;
  }

  /**
   * Recall the latest pairs, and then in turn as many others as a moment allows, at least some;
   * return the ranges of pairs recalled.
   */
  recallUntil(moment) {
    const ranges = [[Math.max(0, this.learned - RECENT), this.learned]];
    this.recallRange(...ranges[0]);
    while (this.nOutdated && (ranges.length < 2 || performance.now() < moment)) {
      if (this.next >= this.learned) this.next = 0;
      const end = Math.min(this.next + RECENT, this.learned);
      this.recallRange(this.next, end);
      ranges.push([this.next, end]);
      this.nOutdated = Math.max(0, this.nOutdated - (end - this.next));
      this.next = end;
    }
    return ranges;
  }

  recallRange(first, end) {
    for (const track of this.tracks) recall(track, this.pairs, first, end);
  }
}

/** Recall the pairs from `first` up to `end` into a track's outputs and errors. */
export function recall({ memory, outputs, errors }, { cues, targets, nOutputs }, first, end) {
  const part = outputs.subarray(first * nOutputs, end * nOutputs);
  memory.recallAll(cues.slice(first, end), part);
  for (let row = first; row < end; row++) {
    errors[row] = meanAbsoluteError(outputs.subarray(row * nOutputs, (row + 1) * nOutputs), targets[row]);
  }
}

export function meanAbsoluteError(output, target) {
  let sum = 0;
  for (let j = 0; j < target.length; j++) sum += Math.abs(output[j] - target[j]);
  return sum / target.length;
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Return the mean error of the last pairs and of all, or null before the first. */
export function summary({ memory, errors }, learned) {
  if (!learned) return null;
  if (memory.diverged) return { divergedAfter: memory.learned };
  return { recent: mean(errors.subarray(Math.max(0, learned - RECENT), learned)), all: mean(errors.subarray(0, learned)) };
}

/** Return the error of a memory that has learned nothing but the mean target. */
export function baselineOf({ targets, meanTarget }) {
  return mean(targets.map((target) => meanAbsoluteError(meanTarget, target)));
}
