// The two curves: errors by pattern, and errors by learning rate.

import { css, fitToScreen } from "./patterns_drawing.mjs";
import { RATES } from "./rate_curve.mjs";

/** Dashes of lines, so that colour is never the only difference; lengths in pixels. */
export const DASHES = {
  hebbian_descent: [],
  gradient_descent: [9, 3],
  hebb: [4, 3],
  covariance: [1.5, 3],
  contrastive: [8, 3, 2, 3],
};
const NEIGHBOURS = 4;
/** The largest error on the axes, which must leave room for errors worse than the average. */
const topOf = (baseline) => Math.max(0.4, 1.25 * baseline);
const LEFT = 36;
const RIGHT = 12;
const TOP = 8;
const BOTTOM = 22;

/** Axes with lines in them; x and y are given by functions from values to the unit interval. */
class Chart {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
  }

  /** Take the size that the page gives it. */
  measure() {
    const { canvas } = this;
    Object.assign(this, { width: canvas.clientWidth, height: canvas.clientHeight, font: getComputedStyle(canvas).fontFamily });
    fitToScreen(canvas, this.width, this.height);
  }

  /** Clear, and draw axes with ticks [value, text]; lines leave the chart where errors exceed `top`. */
  begin(colours, top, toUnit, xTicks) {
    const { context, width, height } = this;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    context.clearRect(0, 0, width, height);
    this.x = (value) => LEFT + toUnit(value) * (width - LEFT - RIGHT);
    this.y = (error) => height - BOTTOM - (error / top) * (height - BOTTOM - TOP);
    this.edges = { left: LEFT, right: width - RIGHT, top: TOP, bottom: height - BOTTOM };
    context.font = `11px ${this.font}`;
    context.lineWidth = 1;
    context.setLineDash([]);
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const error of niceTicks(top)) {
      const y = Math.round(this.y(error)) + 0.5;
      this.line([[LEFT, y], [width - RIGHT, y]], css(colours.line));
      context.fillStyle = css(colours.soft);
      context.fillText(error.toFixed(top < 0.2 ? 2 : 1), LEFT - 7, y);
    }
    context.textBaseline = "top";
    context.textAlign = "center";
    for (const [value, text] of xTicks) context.fillText(text, this.x(value), height - BOTTOM + 7);
  }

  line(points, colour, { width = 1, dash = [] } = {}) {
    const { context } = this;
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.setLineDash(dash);
    context.beginPath();
    let isDrawing = false; // not across gaps
    for (const [x, y] of points) {
      if (isDrawing) context.lineTo(x, y);
      else context.moveTo(x, y);
      isDrawing = Number.isFinite(y);
    }
    context.stroke();
    context.setLineDash([]);
  }

  /** Draw something that stays within the axes. */
  inside(draw) {
    const { left, right, top, bottom } = this.edges;
    this.context.save();
    this.context.beginPath();
    this.context.rect(left - 6, top - 6, right - left + 12, bottom - top + 12);
    this.context.clip();
    draw();
    this.context.restore();
  }

  dot(x, y, radius, colour, border = null) {
    const { context } = this;
    context.fillStyle = colour;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
    if (!border) return;
    context.strokeStyle = border;
    context.lineWidth = 2;
    context.stroke();
  }

  baseline(baseline, colours) {
    const y = this.y(baseline);
    this.line([[this.edges.left, y], [this.edges.right, y]], css(colours.soft), { dash: [2, 4] });
    this.context.fillStyle = css(colours.soft);
    this.context.textAlign = "left";
    this.context.textBaseline = "bottom";
    this.context.fillText("knows only the average", this.edges.left + 6, y - 2);
  }
}

export class ForgettingChart extends Chart {
  /** One speck per pattern, in one path: hundreds of them are drawn many times a second. */
  specks(errors, colour) {
    const { context } = this;
    context.fillStyle = colour;
    context.beginPath();
    errors.forEach((error, k) => context.rect(this.x(k + 1) - 1, this.y(error) - 1, 2, 2));
    context.fill();
  }

  draw({ tracks, learned, nPatterns, baseline, chosen, colours }) {
    const middle = Math.round(nPatterns / 2);
    const ticks = [[1, "1"], [middle, `${middle}`], [nPatterns, `${nPatterns}`]];
    this.begin(colours, topOf(baseline), (k) => (k - 1) / (nPatterns - 1), ticks);
    this.baseline(baseline, colours);
    if (chosen !== null) this.line([[this.x(chosen + 1), this.edges.top], [this.x(chosen + 1), this.edges.bottom]], css(colours.soft, 0.6));
    for (const { rule, memory, errors } of tracks) {
      if (memory.diverged) continue;
      const colour = colours.rules[rule];
      const smooth = meansOfNeighbours(errors.subarray(0, learned));
      const points = smooth.map((error, k) => [this.x(k + 1), this.y(error)]);
      this.inside(() => {
        this.specks(errors.subarray(0, learned), css(colour, 0.4));
        this.line(points, css(colour), { width: 2, dash: DASHES[rule] });
      });
    }
  }
}

export class RateChart extends Chart {
  draw({ curve, tracks, summaries, baseline, colours }) {
    const [low, high] = [RATES[0], RATES.at(-1)].map(Math.log10);
    const ticks = [[0.001, "0.001"], [0.01, "0.01"], [0.1, "0.1"], [1, "1"], [10, "10"], [100, "100"]];
    this.toUnit = (rate) => (Math.log10(rate) - low) / (high - low);
    this.begin(colours, topOf(baseline), this.toUnit, ticks);
    this.baseline(baseline, colours);
    curve.rules.forEach((rule, row) => {
      const known = RATES.map((rate, k) => [rate, curve.errors[row][k]]).filter(([, error]) => error !== null);
      const points = known.map(([rate, error]) => [this.x(rate), this.y(error)]);
      this.inside(() => this.line(points, css(colours.rules[rule]), { width: 2, dash: DASHES[rule] }));
    });
    tracks.forEach(({ rule, memory }, k) => {
      const recent = summaries[k]?.recent;
      if (recent === undefined || !memory.lastRate) return;
      const rate = Math.min(Math.max(memory.lastRate, RATES[0]), RATES.at(-1));
      this.inside(() => this.dot(this.x(rate), this.y(recent), 5, css(colours.rules[rule]), css(colours.paper)));
    });
  }

  /** Return the learning rate at a place on the screen. */
  rateAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const share = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
    const [low, high] = [RATES[0], RATES.at(-1)].map(Math.log10);
    return Number((10 ** (low + Math.min(1, Math.max(0, share)) * (high - low))).toPrecision(2));
  }
}

/** Return for each pattern the mean of its error and those of its neighbours on both sides. */
export function meansOfNeighbours(errors) {
  return Array.from(errors, (_, k) => {
    const window = errors.subarray(Math.max(0, k - NEIGHBOURS), k + NEIGHBOURS + 1);
    return window.reduce((sum, error) => sum + error, 0) / window.length;
  });
}

function niceTicks(top) {
  const step = [0.05, 0.1, 0.2, 0.5, 1].find((size) => top / size <= 5) ?? top / 4;
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, k) => k * step);
}
