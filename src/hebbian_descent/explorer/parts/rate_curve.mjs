// The error of each rule as a function of the learning rate: a memory per rule and rate, all fed the same pairs.
// They follow the memories on the walls as fast as the time they are given allows.

import { Memory } from "./memory.mjs";
import { RECENT, recall, summary } from "./run.mjs";

/** Four rates per power of ten, from 0.001 to 100. */
export const RATES = Array.from({ length: 21 }, (_, k) => Number((10 ** (k / 4 - 3)).toPrecision(2)));

export class RateCurve {
  constructor(rules) {
    this.rules = rules;
    this.errors = rules.map(() => RATES.map(() => null));
    this.entries = [];
  }

  /** Start anew with other settings; errors that were known stay until others are. */
  restart(settings, pairs, facts) {
    this.pairs = pairs;
    this.next = 0;
    this.entries = coarseToFine(RATES.length).flatMap((column) =>
      this.rules.map((rule, row) => ({
        row,
        column,
        evaluated: 0,
        track: {
          memory: new Memory(rule, { ...settings, learning_rate: RATES[column] }, pairs, facts),
          outputs: new Float64Array(pairs.nPatterns * pairs.nOutputs),
          errors: new Float64Array(pairs.nPatterns),
        },
      })),
    );
  }

  /** Let memories catch up to `learned` pairs, one after another, until a moment; return whether one did. */
  follow(learned, until) {
    const behind = () => this.entries.some((entry) => entry.evaluated !== learned);
    let changed = false;
    while (learned && performance.now() < until && behind()) {
      const entry = this.entries[this.next];
      this.next = (this.next + 1) % this.entries.length;
      if (entry.evaluated === learned) continue;
      this.errors[entry.row][entry.column] = this.caughtUp(entry, learned);
      changed = true;
    }
    return changed;
  }

  /** Return for each rule the rate with the lowest error known. */
  bestRates() {
    return this.rules.flatMap((rule, row) => {
      const known = RATES.map((rate, k) => ({ rule, rate, error: this.errors[row][k] })).filter(({ error }) => error !== null);
      return known.length ? [known.reduce((best, other) => (other.error < best.error ? other : best))] : [];
    });
  }

  /** Return the error of the most recent pairs; infinite if learning diverged. */
  caughtUp(entry, learned) {
    const { track } = entry;
    for (let k = entry.evaluated; k < learned; k++) track.memory.learn(this.pairs.cues[k], this.pairs.targets[k]);
    entry.evaluated = learned;
    recall(track, this.pairs, Math.max(0, learned - RECENT), learned);
    return summary(track, learned).recent ?? Infinity;
  }
}

/** Return 0 … n − 1, every fourth first, so that a curve is there early and then becomes fine. */
function coarseToFine(n) {
  const all = Array.from({ length: n }, (_, k) => k);
  return [0, 2, 1, 3].flatMap((start) => all.filter((k) => k % 4 === start));
}
