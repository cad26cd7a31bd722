// Patterns as pictures: one at a time, and all of a memory on its wall.

const PIXELS_PER_SIDE = 8;
const FAINTEST = 0.14;

/** Return the colours of the style sheet that pictures and charts need, as they are now (light or dark). */
export function readColours(rules) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => parseColour(style.getPropertyValue(`--${name}`));
  const names = ["paper", "tile", "empty", "ink", "soft", "line", "focus"];
  return {
    ...Object.fromEntries(names.map((name) => [name, colour(name)])),
    rules: Object.fromEntries(rules.map((rule) => [rule, colour(rule.replaceAll("_", "-"))])),
  };
}

function parseColour(text) {
  return [1, 3, 5].map((start) => parseInt(text.trim().slice(start, start + 2), 16));
}

export const css = (colour, opacity = 1) => `rgb(${colour.join(" ")} / ${opacity})`;

/** Return how much of a pattern is left: 1 without error, hardly anything for one who knows only the mean. */
export function strength(error, baseline) {
  return Math.max(FAINTEST, 1 - error / baseline);
}

/** Give a canvas as many pixels as the screen has for it; return whether that changed anything. */
export function fitToScreen(canvas, cssWidth, cssHeight) {
  const [width, height] = [cssWidth, cssHeight].map((length) => Math.max(1, Math.round(length * devicePixelRatio)));
  if (canvas.width === width && canvas.height === height) return false;
  Object.assign(canvas, { width, height });
  return true;
}

/** A canvas whose pixels are the units of patterns, drawn small and enlarged from there. */
class Units {
  constructor() {
    this.canvas = document.createElement("canvas");
    this.context = this.canvas.getContext("2d");
  }

  size(width, height) {
    if (this.canvas.width === width && this.canvas.height === height && this.image) return;
    Object.assign(this.canvas, { width, height });
    this.image = this.context.createImageData(width, height);
  }

  /** Put a value between 0 and 1 at a place: nothing, or ink as strong as that. */
  put(x, y, value, ink, strengthOfInk) {
    const at = 4 * (y * this.image.width + x);
    const { data } = this.image;
    data[at] = ink[0];
    data[at + 1] = ink[1];
    data[at + 2] = ink[2];
    data[at + 3] = 255 * strengthOfInk * Math.min(1, Math.max(0, value));
  }

  show() {
    this.context.putImageData(this.image, 0, 0);
  }
}

/** One pattern, as large as its canvas. */
export class Picture {
  constructor(canvas, columns = PIXELS_PER_SIDE, rows = PIXELS_PER_SIDE) {
    Object.assign(this, { canvas, columns, rows });
    this.units = new Units();
  }

  /** Draw values of units; `marked` tells units that are to be ringed, `cursor` is the one a key would change. */
  draw(values, colours, ink, { opacity = 1, marked = null, cursor = null } = {}) {
    const { canvas, columns, rows, units } = this;
    const side = Math.floor((canvas.clientWidth * devicePixelRatio) / columns) / devicePixelRatio;
    fitToScreen(canvas, canvas.clientWidth, side * rows);
    const context = canvas.getContext("2d");
    const pixel = Math.floor(canvas.width / columns);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = css(values ? colours.tile : colours.empty);
    context.fillRect(0, 0, pixel * columns, pixel * rows);
    if (!values) return;
    units.size(columns, rows);
    values.forEach((value, unit) => units.put(unit % columns, Math.floor(unit / columns), value, ink, opacity));
    units.show();
    context.imageSmoothingEnabled = false;
    context.drawImage(units.canvas, 0, 0, pixel * columns, pixel * rows);
    const frame = (unit, width) =>
      context.strokeRect((unit % columns) * pixel + width / 2, Math.floor(unit / columns) * pixel + width / 2, pixel - width, pixel - width);
    context.strokeStyle = css(colours.focus);
    context.lineWidth = Math.max(1, Math.round(devicePixelRatio));
    marked?.forEach((isMarked, unit) => isMarked && frame(unit, context.lineWidth));
    context.lineWidth = 2 * Math.max(1, Math.round(devicePixelRatio));
    if (cursor !== null) frame(cursor, context.lineWidth);
  }

  /** Return which unit is at a place on the screen, or null. */
  unitAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const pixel = Math.floor(this.canvas.width / this.columns) / devicePixelRatio;
    const [x, y] = [Math.floor((event.clientX - box.left) / pixel), Math.floor((event.clientY - box.top) / pixel)];
    return x >= 0 && x < this.columns && y >= 0 && y < this.rows ? y * this.columns + x : null;
  }
}

/** All patterns of a memory, row by row, each as strong as the memory still recalls it. */
export class Wall {
  constructor(canvas) {
    this.canvas = canvas;
    this.units = new Units();
  }

  /** Set how many patterns there will be. */
  arrange(nPatterns) {
    this.nPatterns = nPatterns;
    this.columns = nPatterns > 100 ? 20 : 10;
    this.rows = Math.ceil(nPatterns / this.columns);
    this.units.size(this.columns * PIXELS_PER_SIDE, this.rows * PIXELS_PER_SIDE);
  }

  /** Draw what is recalled of the patterns learned so far; empty places show how many are to come. */
  draw({ outputs, errors, learned, baseline, chosen, ink, colours, isVoid }) {
    const { canvas, columns, rows, units } = this;
    const pitch = Math.floor((canvas.clientWidth * devicePixelRatio) / columns);
    fitToScreen(canvas, canvas.clientWidth, (pitch * rows) / devicePixelRatio);
    const gap = Math.max(1, Math.round(pitch * 0.1));
    const pixel = Math.max(1, Math.floor((pitch - gap) / PIXELS_PER_SIDE));
    const side = Math.min(pitch - gap, pixel * PIXELS_PER_SIDE);
    const margin = Math.floor((pitch - gap - side) / 2);
    const context = canvas.getContext("2d");
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.imageSmoothingEnabled = pixel * PIXELS_PER_SIDE > pitch - gap;
    if (!isVoid) this.putUnits(outputs, errors, learned, baseline, ink);
    for (let k = 0; k < this.nPatterns; k++) {
      const [column, row] = [k % columns, Math.floor(k / columns)];
      context.fillStyle = css(k < learned && !isVoid ? colours.tile : colours.empty);
      context.fillRect(column * pitch, row * pitch, pitch - gap, pitch - gap);
      if (k >= learned || isVoid) continue;
      const [x, y] = [column * pitch + margin, row * pitch + margin];
      const n = PIXELS_PER_SIDE;
      context.drawImage(units.canvas, column * n, row * n, n, n, x, y, side, side);
    }
    if (chosen !== null && chosen < learned) this.frame(context, chosen, pitch, gap, css(colours.ink));
  }

  putUnits(outputs, errors, learned, baseline, ink) {
    const { units, columns } = this;
    const n = PIXELS_PER_SIDE * PIXELS_PER_SIDE;
    for (let k = 0; k < learned; k++) {
      const left = strength(errors[k], baseline);
      const [x, y] = [(k % columns) * PIXELS_PER_SIDE, Math.floor(k / columns) * PIXELS_PER_SIDE];
      for (let j = 0; j < n; j++) units.put(x + (j % PIXELS_PER_SIDE), y + (j >> 3), outputs[k * n + j], ink, left);
    }
    units.show();
  }

  frame(context, k, pitch, gap, colour) {
    const width = Math.max(1, Math.round(1.5 * devicePixelRatio));
    context.strokeStyle = colour;
    context.lineWidth = width;
    const [x, y] = [(k % this.columns) * pitch, Math.floor(k / this.columns) * pitch];
    context.strokeRect(x + width / 2, y + width / 2, pitch - gap - width, pitch - gap - width);
  }

  /** Return the number of the pattern at a place on the screen, from 0. */
  patternAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const pitch = Math.floor((this.canvas.clientWidth * devicePixelRatio) / this.columns) / devicePixelRatio;
    const column = Math.min(this.columns - 1, Math.max(0, Math.floor((event.clientX - box.left) / pitch)));
    return Math.max(0, Math.floor((event.clientY - box.top) / pitch)) * this.columns + column;
  }
}
