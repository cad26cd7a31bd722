// The error of each rule as a function of the learning rate: one memory per rule and rate, all fed the same pairs.
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

  /** Start again with other settings; known errors stay until new ones replace them. */
  restart(settings, pairs, facts) {
    this.pairs = pairs;
    this.next = 0;
    this.entries = coarseToFine(RATES.length).flatMap((column) => this.rules.map((rule, row) => ({ row, column, evaluatedAt: 0 })));
    this.makeMemory = ({ row, column }) => new Memory(this.rules[row], { ...settings, learning_rate: RATES[column] }, pairs, facts);
    this.outputs = new Float64Array(pairs.nPatterns * pairs.nOutputs);
    this.errorsByPair = new Float64Array(pairs.nPatterns);
  }

  /** Let memories catch up to `learned` pairs, one after another, until a deadline; return whether one did. */
  follow(learned, moment) {
    let hasNews = false;
    const isBehind = (entry) => entry.evaluatedAt !== learned;
    if (!learned || !this.entries.some(isBehind)) return hasNews;
    while (performance.now() < moment) {
      const entry = this.entries[this.next];
      const memory = (entry.memory ??= this.makeMemory(entry));
      if (memory.seen < learned) memory.learn(this.pairs.cues[memory.seen], this.pairs.targets[memory.seen]);
      if (memory.seen < learned) continue;
      if (isBehind(entry)) {
        this.errors[entry.row][entry.column] = this.errorOf(entry, learned);
        hasNews = true;
      }
      this.next = (this.next + 1) % this.entries.length;
      if (!this.entries.some(isBehind)) break;
    }
    return hasNews;
  }

  /** Return for each rule the rate with the lowest error known. */
  bestRates() {
    return this.rules.flatMap((rule, row) => {
      const known = RATES.map((rate, k) => ({ rule, rate, error: this.errors[row][k] })).filter(({ error }) => error !== null);
      return known.length ? [known.reduce((best, other) => (other.error < best.error ? other : best))] : [];
    });
  }

  /** Return the error of the most recent pairs; infinite if learning diverged. */
  errorOf(entry, learned) {
    entry.evaluatedAt = learned;
    const track = { memory: entry.memory, outputs: this.outputs, errors: this.errorsByPair };
    recall(track, this.pairs, Math.max(0, learned - RECENT), learned);
    return summary(track, learned).recent ?? Infinity;
  }
}

/** Return 0 … n − 1, every fourth first, so that a curve appears early and is then refined. */
function coarseToFine(n) {
  const all = Array.from({ length: n }, (_, k) => k);
  return [0, 2, 1, 3].flatMap((start) => all.filter((k) => k % 4 === start));
}
