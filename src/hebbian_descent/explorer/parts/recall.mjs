// The selected pattern: its cue, which can be damaged, and what each memory recalls from it.

import { update } from "./controls.mjs";
import { uniform } from "./generator.mjs";
import { Picture } from "./patterns_drawing.mjs";
import { meanAbsoluteError } from "./run.mjs";

const DAMAGE_STREAM = 6;
const DAMAGE_SHARE = 0.1;

/** A cue on a canvas, whose units are inverted by dragging over them, or by arrow keys and the space bar. */
export class CuePicture {
  constructor(canvas, changed) {
    this.canvas = canvas;
    this.changed = changed;
    this.cue = null;
    this.damaged = [];
    this.cursor = null;
    this.isDragging = false;
    canvas.addEventListener("pointerdown", (event) => this.startDrag(event));
    canvas.addEventListener("pointermove", (event) => this.isDragging && this.dragOver(event));
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => (this.isDragging = false));
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("blur", () => this.moveCursor(null));
  }

  /** Show another cue; damage to the previous one is discarded by default. */
  show(cue, damaged = null) {
    if (cue !== this.cue || damaged) this.damaged = damaged ?? Array.from(cue ?? [], () => false);
    if (cue !== this.cue) this.cursor = null;
    this.cue = cue;
    const [columns, rows] = cue?.length === 64 ? [8, 8] : [20, 10];
    if (this.picture?.columns === columns) return;
    this.canvas.classList.toggle("square", columns === rows);
    this.picture = new Picture(this.canvas, columns, rows);
    this.picture.measure();
  }

  get nDamaged() {
    return this.damaged.filter(Boolean).length;
  }

  /** The cue as it is now. */
  get values() {
    return this.cue && this.cue.map((value, unit) => (this.damaged[unit] ? 1 - value : value));
  }

  draw(colours) {
    const cursor = document.activeElement === this.canvas ? this.cursor : null;
    this.picture.draw(this.values, colours, colours.ink, { marked: this.damaged, cursor });
    const [last, at] = [this.cue?.length ?? 1, (this.cursor ?? 0) + 1];
    update(this.canvas, null, { "aria-valuemax": last, "aria-valuenow": at, "aria-valuetext": this.description() });
  }

  description() {
    if (!this.cue) return "no cue yet";
    const state = this.nDamaged ? `${this.nDamaged} of ${this.cue.length} units inverted` : "undamaged";
    if (this.cursor === null) return state;
    const { columns } = this.picture;
    const value = this.values[this.cursor];
    const place = `row ${Math.floor(this.cursor / columns) + 1}, column ${(this.cursor % columns) + 1}`;
    return `${place}: ${value === 0 ? "off" : value === 1 ? "on" : value.toFixed(2)}; ${state}`;
  }

  startDrag(event) {
    const unit = this.picture.unitAt(event);
    if (unit === null || !this.cue) return;
    this.isDragging = true;
    this.canvas.setPointerCapture(event.pointerId);
    this.paint = !this.damaged[unit]; // a drag that begins on a damaged unit repairs
    this.last = unit;
    this.set([unit], this.paint);
  }

  dragOver(event) {
    const unit = this.picture.unitAt(event);
    if (unit === null || unit === this.last) return;
    this.set(unitsBetween(this.last, unit, this.picture.columns), this.paint);
    this.last = unit;
  }

  /** Invert a tenth of the units, different ones each time. */
  damageSome() {
    const draws = uniform(this.nDamaged, DAMAGE_STREAM, this.cue.length);
    const order = Array.from(draws.keys()).filter((unit) => !this.damaged[unit]).sort((a, b) => draws[a] - draws[b]);
    this.set(order.slice(0, Math.round(DAMAGE_SHARE * this.cue.length)), true);
  }

  repair() {
    this.set(Array.from(this.damaged.keys()), false);
  }

  set(units, isDamaged) {
    for (const unit of units) this.damaged[unit] = isDamaged;
    this.changed();
  }

  key(event) {
    if (!this.cue) return;
    const { columns } = this.picture;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    const at = this.cursor ?? 0;
    if (step) this.moveCursor(this.cursor === null ? 0 : Math.min(this.cue.length - 1, Math.max(0, at + step)));
    else if (event.key === " " || event.key === "Enter") this.set([at], !this.damaged[at]);
    else return;
    event.preventDefault();
  }

  moveCursor(unit) {
    this.cursor = unit;
    this.changed();
  }
}

/** Return the units between one and another, which a fast drag skips. */
function unitsBetween(first, last, columns) {
  const [x, y] = [first % columns, Math.floor(first / columns)];
  const [dx, dy] = [(last % columns) - x, Math.floor(last / columns) - y];
  const n = Math.max(Math.abs(dx), Math.abs(dy));
  return Array.from({ length: n }, (_, k) => Math.round(y + (dy * (k + 1)) / n) * columns + Math.round(x + (dx * (k + 1)) / n));
}

/** Return what a memory recalls from a cue, and its error. */
export function recallFrom(memory, cue, target) {
  const output = new Float64Array(target.length);
  memory.recallAll([cue], output);
  return { output, error: meanAbsoluteError(output, target) };
}
