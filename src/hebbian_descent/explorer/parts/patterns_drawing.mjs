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

/** Return how much of a pattern is left: 1 without error, almost nothing for a memory that knows only the mean. */
export function strength(error, baseline) {
  return Math.max(FAINTEST, 1 - error / baseline);
}

/** Give a canvas as many pixels as the screen has for it; if it already has them, the drawing stays. */
export function fitToScreen(canvas, cssWidth, cssHeight) {
  const [width, height] = [cssWidth, cssHeight].map((length) => Math.max(1, Math.round(length * devicePixelRatio)));
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
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

  /** Draw a value between 0 and 1 at a place, as ink of that strength. */
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

  /** Take the width that the page gives it. */
  measure() {
    const { canvas, columns, rows } = this;
    const side = Math.floor((canvas.clientWidth * devicePixelRatio) / columns) / devicePixelRatio;
    fitToScreen(canvas, canvas.clientWidth, side * rows);
  }

  /** Draw values of units; `marked` says which units to ring, `cursor` is the one a key would change. */
  draw(values, colours, ink, { opacity = 1, marked = null, cursor = null } = {}) {
    const { canvas, columns, rows, units } = this;
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
  constructor(canvas, mark) {
    this.canvas = canvas;
    this.mark = mark; // the frame around the selected pattern
    this.context = canvas.getContext("2d");
    this.units = new Units();
  }

  /** Set how many patterns there will be, and take the width that the page gives. */
  measure(nPatterns) {
    const { canvas } = this;
    this.nPatterns = nPatterns;
    this.columns = nPatterns > 100 ? 20 : 10;
    this.rows = Math.ceil(nPatterns / this.columns);
    this.units.size(this.columns * PIXELS_PER_SIDE, this.rows * PIXELS_PER_SIDE);
    this.pitch = Math.floor((canvas.clientWidth * devicePixelRatio) / this.columns);
    fitToScreen(canvas, canvas.clientWidth, (this.pitch * this.rows) / devicePixelRatio);
    this.card = this.pitch - Math.max(1, Math.round(this.pitch * 0.1));
    const pixel = Math.max(1, Math.floor(this.card / PIXELS_PER_SIDE));
    this.side = Math.min(this.card, pixel * PIXELS_PER_SIDE);
    this.context.imageSmoothingEnabled = this.side < pixel * PIXELS_PER_SIDE;
  }

  placeOf(k) {
    return [k % this.columns, Math.floor(k / this.columns)];
  }

  /** Draw everything; empty places show how many patterns are to come. */
  draw(track, learned, baseline, ink, colours) {
    this.context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.context.fillStyle = css(colours.empty);
    for (let k = 0; k < this.nPatterns; k++) {
      const [column, row] = this.placeOf(k);
      this.context.fillRect(column * this.pitch, row * this.pitch, this.card, this.card);
    }
    this.drawRanges([[0, learned]], track, baseline, ink, colours);
  }

  /** Redraw the patterns in ranges [first, end), as they are recalled now. */
  drawRanges(ranges, { memory, outputs, errors }, baseline, ink, colours) {
    if (memory.diverged) return;
    for (const [first, end] of ranges) this.putUnits(first, end, outputs, errors, baseline, ink);
    this.units.show();
    const { context, pitch, card, side, units } = this;
    const margin = Math.floor((card - side) / 2);
    const n = PIXELS_PER_SIDE;
    context.fillStyle = css(colours.tile);
    for (const [first, end] of ranges) {
      for (let k = first; k < end; k++) {
        const [column, row] = this.placeOf(k);
        context.fillRect(column * pitch, row * pitch, card, card);
        context.drawImage(units.canvas, column * n, row * n, n, n, column * pitch + margin, row * pitch + margin, side, side);
      }
    }
  }

  putUnits(first, end, outputs, errors, baseline, ink) {
    const n = PIXELS_PER_SIDE * PIXELS_PER_SIDE;
    for (let k = first; k < end; k++) {
      const left = strength(errors[k], baseline);
      const [column, row] = this.placeOf(k);
      const [x, y] = [column * PIXELS_PER_SIDE, row * PIXELS_PER_SIDE];
      for (let j = 0; j < n; j++) this.units.put(x + (j & 7), y + (j >> 3), outputs[k * n + j], ink, left);
    }
  }

  /** Frame a pattern, from 0; none for -1. */
  frame(k) {
    this.mark.hidden = k < 0;
    if (k < 0) return;
    const [column, row] = this.placeOf(k).map((place) => (place * this.pitch) / devicePixelRatio);
    this.mark.style.cssText = `width: ${this.card / devicePixelRatio}px; translate: ${column}px ${row}px`;
  }

  /** Return the number of the pattern at a place on the screen, from 0. */
  patternAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const pitch = this.pitch / devicePixelRatio;
    const column = Math.min(this.columns - 1, Math.max(0, Math.floor((event.clientX - box.left) / pitch)));
    return Math.max(0, Math.floor((event.clientY - box.top) / pitch)) * this.columns + column;
  }
}
