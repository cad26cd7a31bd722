// The page: memories, pictures, curves and controls put together, and the clock that drives them.

import { ForgettingChart, RateChart } from "./charts.mjs";
import { element, formatted, makeControls, makeSlider } from "./controls.mjs";
import { drawPairs, readDigits } from "./pairs.mjs";
import { Picture, readColours, Wall } from "./patterns_drawing.mjs";
import { pythonScript } from "./python_script.mjs";
import { RateCurve } from "./rate_curve.mjs";
import { CuePicture, recallFrom } from "./recall.mjs";
import { baselineOf, Run, summary } from "./run.mjs";
import { defaultSettings, readAddress, readDamage, writeAddress, writeDamage } from "./settings.mjs";
import { Tour } from "./tour.mjs";

const LONGEST_FRAME = 250; // milliseconds; a tab that was hidden does not catch up
const TIME_FOR_RATES = 5; // milliseconds per frame for the curve of learning rates
const PATTERN_SETTINGS = ["patterns", "cues", "stored", "activity", "correlation", "seed"];

const byId = (id) => document.getElementById(id);

class App {
  constructor() {
    this.facts = JSON.parse(byId("facts").textContent);
    this.digits = readDigits(byId("digits").textContent);
    this.isPlaying = false;
    this.pattern = null; // the one looked at, from 0; null is the newest
    this.isStale = true; // whether something has to be drawn anew
    this.cue = new CuePicture(byId("cue"), () => this.cueChanged());
    this.target = new Picture(byId("target"));
    this.forgetting = new ForgettingChart(byId("forgetting"));
    this.rates = new RateChart(byId("rates"));
    const { Playing, ...groups } = this.facts.settings;
    const change = (name, value) => this.change(name, value);
    this.controls = makeControls(byId("controls"), groups, change);
    this.controls.speed = makeSlider(Playing[0], (value) => this.change("speed", value));
    byId("speed").append(this.controls.speed.row);
    this.columns = this.facts.rules_at_start.map((_, place) => this.makeColumn(place));
    this.tour = new Tour(byId("tour"), this);
    this.listen();
    this.readColours();
    this.open(location.hash.slice(1) || document.documentElement.dataset.settings);
    requestAnimationFrame((now) => this.frame(now, now));
  }

  /** Make the column of one memory: which rule, what it recalls of the pattern looked at, and its wall. */
  makeColumn(place) {
    const options = Object.entries(this.facts.rules).map(([value, { title }]) => element("option", { value }, title));
    const select = element("select", { "aria-label": `Rule of memory ${place + 1}` }, ...options);
    const sample = element("span", { class: "sample", "aria-hidden": "true" });
    const recalled = element("canvas", { class: "recalled", role: "img" });
    const numbers = element("dl", {});
    const wall = element("canvas", { class: "wall", tabindex: 0, role: "slider", "aria-valuemin": 1 });
    const top = element("div", { class: "top" }, recalled, numbers);
    byId("rules").append(element("article", {}, element("h2", {}, sample, select), top, wall));
    const column = { select, sample, numbers, recalled: new Picture(recalled), wall: new Wall(wall) };
    select.addEventListener("change", () => {
      const rules = [...this.settings.rules];
      rules[place] = select.value;
      this.change("rules", rules);
    });
    wall.addEventListener("click", (event) => this.lookAt(column.wall.patternAt(event)));
    wall.addEventListener("keydown", (event) => this.wallKey(event, column.wall));
    return column;
  }

  listen() {
    const click = (id, act) => byId(id).addEventListener("click", act);
    click("play", () => (this.isPlaying ? this.pause() : this.play()));
    click("step", () => (this.pause(), this.learnUntil(this.run.learned + 1)));
    click("again", () => (this.pause(), this.learnUntil(0)));
    click("other", () => this.change("seed", (this.settings.seed % 9999) + 1));
    click("reset", () => this.present({ start: {}, learned: this.run.learned }));
    click("damage-some", () => this.damageSome());
    click("repair", () => this.cue.repair());
    click("newest", () => this.lookAt(null));
    click("rates", (event) => this.change("learning_rate", this.rates.rateAt(event)));
    click("copy", () => this.showScript());
    click("copy-script", () => this.copyScript());
    click("close-script", () => byId("script").close());
    byId("learned").addEventListener("input", ({ target }) => (this.pause(), this.learnUntil(Number(target.value))));
    addEventListener("hashchange", () => location.hash.slice(1) !== this.address && this.open(location.hash.slice(1)));
    addEventListener("resize", () => (this.isStale = true));
    for (const query of ["(prefers-color-scheme: dark)", "(prefers-contrast: more)"]) {
      matchMedia(query).addEventListener("change", () => this.readColours());
    }
    const narrow = matchMedia("(max-width: 62rem)");
    const fold = () => (byId("settings").open = !narrow.matches);
    narrow.addEventListener("change", fold);
    byId("settings").addEventListener("toggle", () => this.tour.showAsked());
    fold();
  }

  readColours() {
    this.colours = readColours(Object.keys(this.facts.rules));
    this.isStale = true;
  }

  /** Show what an address describes; without a number of patterns it plays, unless motion is unwelcome. */
  open(address) {
    const { settings, view } = readAddress(address, this.facts);
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.isPlaying = view.learned === null && !isStill;
    this.build(settings, view.learned ?? (isStill ? settings.patterns : 0));
    this.pattern = view.pattern === null ? null : view.pattern - 1;
    this.look(view.damage ? readDamage(view.damage, this.pairs.nInputs) : null);
    this.tour.go(view.tour, { keep: true });
  }

  /** Take settings, what is not given at its default, and learn some patterns; look at one of them or the newest. */
  present({ start, learned, pattern = null }) {
    this.isPlaying = false;
    const { speed } = this.settings;
    this.build({ ...defaultSettings(this.facts), seed: this.settings.seed, speed, ...start }, learned);
    this.pattern = pattern === null ? null : pattern - 1;
    this.look();
    this.saveAddress();
  }

  /** Change one setting: all patterns so far are learned again with it. */
  change(name, value) {
    const settings = { ...this.settings, [name]: value };
    if (name === "speed") this.settings = settings;
    else this.build(settings, this.run.learned);
    this.look();
    this.controls[name]?.show(value);
    this.saveAddress();
  }

  /** Make memories of these settings that have learned some patterns. */
  build(settings, learned) {
    const sameRules = `${settings.rules}` === `${this.settings?.rules}`;
    const samePairs = this.pairs && PATTERN_SETTINGS.every((name) => settings[name] === this.settings[name]);
    this.settings = settings;
    if (!samePairs) {
      this.pairs = drawPairs(settings, this.digits);
      this.baseline = baselineOf(this.pairs);
      this.columns.forEach(({ wall }) => wall.arrange(settings.patterns));
    }
    if (!sameRules) this.curve = new RateCurve(settings.rules);
    this.curve.restart(settings, this.pairs, this.facts);
    for (const [name, control] of Object.entries(this.controls)) control.show(settings[name]);
    this.columns.forEach(({ select, sample }, place) => {
      select.value = settings.rules[place];
      sample.dataset.rule = settings.rules[place];
    });
    this.controls.shift.input.disabled = settings.centering === "none" || settings.centering === "mean";
    for (const name of ["activity", "correlation"]) {
      const isUsed = settings.cues === "random" || (name === "activity" && settings.stored === "random");
      this.controls[name].input.disabled = !isUsed;
    }
    this.run = null;
    this.learnUntil(learned);
  }

  /** Learn until so many patterns are learned; going back in time means to start again. */
  learnUntil(n) {
    if (!this.run || n < this.run.learned) {
      this.run = new Run(this.settings.rules, this.settings, this.pairs, this.facts);
      if (this.pattern !== null && this.pattern >= n) this.pattern = null;
    }
    this.run.learnUntil(n);
    if (this.run.isFull) this.isPlaying = false;
    this.isUnrecalled = true;
    this.isStale = true;
    this.saveAddress();
  }

  play() {
    if (this.run.isFull) this.learnUntil(0);
    this.pattern = null;
    this.due = 0;
    this.isPlaying = true;
    this.isStale = true;
    this.saveAddress();
  }

  pause() {
    this.isPlaying = false;
    this.isStale = true;
    this.saveAddress();
  }

  /** Look at a pattern, from 0; null is the newest, whichever that is. */
  lookAt(pattern) {
    if (pattern !== null && pattern >= this.run.learned) return;
    if (pattern !== null) this.pause();
    this.pattern = pattern;
    this.look();
    this.saveAddress();
    if (pattern !== null) this.announce();
  }

  /** The number of the pattern looked at, from 0, or -1 before the first. */
  get chosen() {
    return this.pattern ?? this.run.learned - 1;
  }

  look(damaged = null) {
    const { chosen } = this;
    this.cue.show(chosen < 0 ? null : this.pairs.cues[chosen], damaged);
    this.isStale = true;
  }

  damageSome() {
    if (this.chosen < 0) return;
    if (this.pattern === null) this.lookAt(this.chosen);
    this.cue.damageSome();
  }

  cueChanged() {
    if (this.cue.nDamaged && this.pattern === null) this.lookAt(this.chosen);
    this.isStale = true;
    this.saveAddress();
  }

  wallKey(event, { columns }) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    if (step === undefined || !this.run.learned) return;
    event.preventDefault();
    this.lookAt(Math.min(this.run.learned - 1, Math.max(0, this.chosen + step)));
  }

  announce() {
    const errors = this.run.tracks.map(({ rule }, k) => `${this.facts.rules[rule].title} ${this.recalled(k).text}`);
    byId("announcer").textContent = `Pattern ${this.chosen + 1}. Errors: ${errors.join(", ")}.`;
  }

  /** Write what can be seen into the address, when it has come to rest: browsers refuse hundreds of changes. */
  saveAddress() {
    clearTimeout(this.saving);
    this.saving = setTimeout(() => {
      const damage = this.pattern === null ? null : writeDamage(this.cue.damaged);
      const view = {
        learned: this.isPlaying ? null : this.run.learned,
        pattern: this.pattern === null ? null : this.pattern + 1,
        damage,
        tour: this.tour.step,
      };
      this.address = writeAddress(this.settings, view, this.facts);
      if (location.protocol !== "about:") history.replaceState(null, "", `#${this.address}`);
    }, 200);
  }

  frame(now, before) {
    if (this.isPlaying) {
      this.due += (this.settings.speed * Math.min(now - before, LONGEST_FRAME)) / 1000;
      const n = Math.floor(this.due || 0);
      this.due = (this.due || 0) - n;
      if (n) this.learnUntil(this.run.learned + n);
    }
    if (this.isUnrecalled) {
      this.run.recallEverything();
      this.look();
      this.isUnrecalled = false;
    }
    const hasNewRates = this.curve.follow(this.run.learned, performance.now() + TIME_FOR_RATES);
    if (this.isStale) this.draw();
    else if (hasNewRates) this.drawRates();
    this.isStale = false;
    requestAnimationFrame((next) => this.frame(next, now));
  }

  draw() {
    const { run, pairs, colours, baseline, settings } = this;
    this.summaries = run.tracks.map((track) => summary(track, run.learned));
    this.cue.draw(colours);
    const target = this.chosen < 0 ? null : pairs.targets[this.chosen];
    this.target.draw(target, colours, colours.ink);
    this.columns.forEach((column, k) => this.drawColumn(column, k));
    const chosen = this.pattern;
    this.forgetting.draw({ tracks: run.tracks, learned: run.learned, nPatterns: settings.patterns, baseline, chosen, colours });
    this.drawRates();
    this.drawWords();
    this.tour.update();
  }

  drawColumn({ wall, numbers, recalled }, k) {
    const { run, colours, baseline } = this;
    const { rule, memory, outputs, errors } = run.tracks[k];
    const { learned } = run;
    const ink = colours.rules[rule];
    const chosen = this.chosen < 0 ? null : this.chosen;
    wall.draw({ outputs, errors, learned, baseline, chosen, ink, colours, isVoid: memory.diverged });
    const found = this.recalled(k);
    recalled.draw(found.output, colours, ink);
    const { title } = this.facts.rules[rule];
    recalled.canvas.setAttribute("aria-label", `Recalled by ${title}, error ${found.text}`);
    const { canvas } = wall;
    canvas.setAttribute("aria-label", `Wall of ${title}: which pattern to recall`);
    canvas.setAttribute("aria-valuemax", Math.max(1, learned));
    canvas.setAttribute("aria-valuenow", Math.max(1, this.chosen + 1));
    canvas.setAttribute("aria-valuetext", learned ? `pattern ${this.chosen + 1}, error ${found.text}` : "nothing learned yet");
    this.drawNumbers(numbers, this.summaries[k], found.text);
  }

  drawNumbers(list, numbers, recalled) {
    const rows = [["shown", recalled]];
    if (numbers?.divergedAfter !== undefined) rows.push(["diverged after", `${numbers.divergedAfter}`]);
    else rows.push(["last 20", decimals(numbers?.recent)], ["all", decimals(numbers?.all)]);
    list.dataset.recent = numbers?.recent ?? "";
    list.dataset.all = numbers?.all ?? "";
    list.replaceChildren(...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  }

  /** Return what a memory recalls from the cue as it is now, with its error in words. */
  recalled(k) {
    const { memory } = this.run.tracks[k];
    if (this.chosen < 0) return { output: null, text: "–" };
    if (memory.diverged) return { output: null, text: "diverged" };
    const { output, error } = recallFrom(memory, this.cue.values, this.pairs.targets[this.chosen]);
    return { output, text: decimals(error), error };
  }

  drawRates() {
    const { curve, run, baseline, colours, facts } = this;
    this.rates.draw({ curve, tracks: run.tracks, summaries: this.summaries ?? [], baseline, colours });
    const best = curve.bestRates().map(({ rule, rate, error }) => `${facts.rules[rule].title} ${decimals(error)} at ${formatted(rate)}`);
    byId("rates").setAttribute("aria-label", best.length ? `Lowest errors by learning rate: ${best.join("; ")}.` : "Errors by learning rate");
  }

  drawWords() {
    const { run, settings, facts } = this;
    const n = run.learned;
    byId("count").textContent = `${n} of ${settings.patterns}`;
    Object.assign(byId("learned"), { max: settings.patterns, value: n });
    byId("play").textContent = this.isPlaying ? "Pause" : run.isFull ? "Play again" : "Play";
    byId("step").disabled = run.isFull;
    const later = n - 1 - this.chosen;
    const when = later ? `learned ${later} ${later === 1 ? "pattern" : "patterns"} ago` : "learned last";
    byId("looking").textContent = n ? `Pattern ${this.chosen + 1}, ${when}` : "Nothing learned yet";
    byId("damage").textContent = this.cue.nDamaged ? `with ${this.cue.nDamaged} units inverted` : "";
    byId("repair").hidden = !this.cue.nDamaged;
    byId("damage-some").disabled = !n;
    byId("newest").hidden = this.pattern === null;
    const picture = settings.stored === "digits" ? `The digit ${this.chosen % 10}` : "A random pattern"; // digits come in turn
    byId("target").setAttribute("aria-label", n ? picture : "Nothing stored yet");
    const errors = run.tracks.map(({ rule }, k) => `${facts.rules[rule].title} ${decimals(this.summaries[k]?.all)}`);
    byId("forgetting").setAttribute("aria-label", `Mean error of all patterns: ${errors.join(", ")}`);
  }

  showScript() {
    this.pause();
    const inverted = this.cue.damaged.flatMap((isDamaged, unit) => (isDamaged ? [unit] : []));
    const pattern = this.pattern === null ? null : this.pattern + 1;
    const text = pythonScript(this.settings, this.run.learned, pattern, inverted);
    byId("script").querySelector("code").textContent = text;
    byId("script").querySelector("[role=status]").textContent = "";
    byId("script").showModal();
  }

  async copyScript() {
    const code = byId("script").querySelector("code");
    const status = byId("script").querySelector("[role=status]");
    getSelection().selectAllChildren(code);
    try {
      await navigator.clipboard.writeText(code.textContent);
      status.textContent = "Copied";
    } catch {
      status.textContent = "Press Ctrl+C";
    }
  }
}

function decimals(error) {
  if (error === undefined) return "–";
  return Number.isFinite(error) && error < 1000 ? error.toFixed(3) : "huge";
}

new App();
