// The column of one memory on the page: its rule, what it recalls of the selected pattern, its errors and its wall.

import { element, update } from "./controls.mjs";
import { Picture, Wall } from "./patterns_drawing.mjs";

export class MemoryColumn {
  /** Make a column; `choose(rule)` is called for another rule, `lookAt(column, event)` for clicks and keys on the wall. */
  constructor(place, rules, choose, lookAt) {
    this.rules = rules;
    const options = Object.entries(rules).map(([value, { title }]) => element("option", { value }, title));
    this.select = element("select", { "aria-label": `Rule of memory ${place + 1}` }, ...options);
    this.sample = element("span", { class: "sample", "aria-hidden": "true" });
    this.recalled = new Picture(element("canvas", { class: "recalled", role: "img" }));
    this.errors = ["shown", "last 20", "all"].map((name) => [element("dt", {}, name), element("dd")]);
    this.list = element("dl", {}, ...this.errors.flat());
    const canvas = element("canvas", { tabindex: 0, role: "slider", "aria-valuemin": 1 });
    this.wall = new Wall(canvas, element("div", { class: "mark", hidden: "" }));
    const beside = element("div", {}, element("p", { class: "small" }, "Error"), this.list);
    this.node = element(
      "article",
      {},
      element("h2", {}, this.sample, this.select),
      element("div", { class: "top" }, this.recalled.canvas, beside),
      element("div", { class: "wall" }, canvas, this.wall.mark),
    );
    this.select.addEventListener("change", () => choose(this.select.value));
    for (const name of ["click", "keydown"]) canvas.addEventListener(name, (event) => lookAt(this.wall, event));
  }

  show(rule) {
    this.title = this.rules[rule].title;
    this.select.value = rule;
    this.sample.dataset.rule = rule;
  }

  measure(nPatterns) {
    this.wall.measure(nPatterns);
    this.recalled.measure();
  }

  /** Draw what is recalled of pattern `chosen`, from 0 (-1 for none), with its error in words. */
  drawRecalled({ output, text }, chosen, learned, ink, colours) {
    this.recalled.draw(output, colours, ink);
    this.wall.frame(chosen);
    update(this.recalled.canvas, null, { "aria-label": `Recalled by ${this.title}, error ${text}` });
    update(this.wall.canvas, null, {
      "aria-label": `Wall of ${this.title}: which pattern to recall`,
      "aria-valuemax": Math.max(1, learned),
      "aria-valuenow": chosen + 1 || 1,
      "aria-valuetext": learned ? `pattern ${chosen + 1}, error ${text}` : "nothing learned yet",
    });
  }

  /** Write the error of what is shown, and the means of the last 20 and of all; or after how many it diverged. */
  drawErrors(shown, summary) {
    const isDiverged = summary?.divergedAfter !== undefined;
    const [[, one], [word, recent], [, all]] = this.errors;
    update(one, shown);
    update(word, isDiverged ? "learned" : "last 20");
    update(recent, isDiverged ? `${summary.divergedAfter}` : decimals(summary?.recent));
    update(all, decimals(summary?.all));
    update(this.list, null, { "data-recent": summary?.recent ?? "", "data-all": summary?.all ?? "" });
  }
}

export function decimals(error) {
  if (error === undefined) return "–";
  return Number.isFinite(error) && error < 1000 ? error.toFixed(3) : "huge";
}
