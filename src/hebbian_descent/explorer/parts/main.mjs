// The page: memories, pictures, curves and controls put together, and the clock that drives them.

import { ForgettingChart, RateChart } from "./charts.mjs";
import { formatted, makeControls, makeSlider, update } from "./controls.mjs";
import { decimals, MemoryColumn } from "./memory_column.mjs";
import { drawPairs, readDigits } from "./pairs.mjs";
import { Picture, readColours } from "./patterns_drawing.mjs";
import { pythonScript } from "./python_script.mjs";
import { RateCurve } from "./rate_curve.mjs";
import { CuePicture, recallFrom } from "./recall.mjs";
import { baselineOf, Run, summary } from "./run.mjs";
import { ScriptDialog } from "./script_dialog.mjs";
import { defaultSettings, readAddress, readDamage, writeAddress, writeDamage } from "./settings.mjs";
import { Tour } from "./tour.mjs";

// In milliseconds: a tab that was hidden does not catch up; slow work gets a share of each frame.
const LONGEST_FRAME = 500;
const TIME_FOR_RECALL = 6;
const TIME_FOR_RATES = 4;
const BETWEEN_CHARTS = 60;
const PATTERN_SETTINGS = ["patterns", "cues", "stored", "activity", "correlation", "seed"];

const byId = (id) => document.getElementById(id);

class App {
  constructor() {
    this.facts = JSON.parse(byId("facts").textContent);
    this.digits = readDigits(byId("digits").textContent);
    this.isPlaying = false;
    this.due = 0; // patterns that should have been learned by now
    this.hasNews = true; // whether words, pictures and curves must be redrawn
    this.pattern = null; // the selected one, from 0; null is the newest
    this.isMeasured = false; // whether pictures know their sizes
    this.isStale = true; // whether everything must be redrawn, not only what was recalled
    this.lastCharts = 0;
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
    this.dialog = new ScriptDialog(byId("script"));
    this.tour = new Tour(byId("tour"), this);
    this.listen();
    this.readColours();
    this.open(location.hash.slice(1) || document.documentElement.dataset.settings);
    requestAnimationFrame((now) => this.frame(now, now));
  }

  makeColumn(place) {
    const choose = (rule) => this.change("rules", this.settings.rules.with(place, rule));
    const lookAt = (wall, event) => (event.type === "click" ? this.lookAt(wall.patternAt(event)) : this.wallKey(event, wall));
    const column = new MemoryColumn(place, this.facts.rules, choose, lookAt);
    byId("rules").append(column.node);
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
    byId("learned").addEventListener("input", ({ target }) => (this.pause(), this.learnUntil(Number(target.value))));
    addEventListener("hashchange", () => location.hash.slice(1) !== this.address && this.open(location.hash.slice(1)));
    addEventListener("resize", () => (this.isMeasured = false));
    // Without a resize, widths change when a scroll bar comes or goes, and in a frame that was hidden.
    new ResizeObserver(() => (this.isMeasured &&= byId("rules").clientWidth === this.measuredWidth)).observe(byId("rules"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.readColours());
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

  /** Show what an address describes; without a number of patterns it plays, unless reduced motion is preferred. */
  open(address) {
    const { settings, view } = readAddress(address, this.facts);
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.isPlaying = view.learned === null && !isStill;
    this.build(settings, view.learned ?? (isStill ? settings.patterns : 0));
    this.pattern = view.pattern === null ? null : view.pattern - 1;
    this.look(view.damage ? readDamage(view.damage, this.pairs.nInputs) : null);
    this.tour.go(view.tour, { keep: true });
  }

  /** Take settings, defaults for those not given, and learn some patterns; select one of them or the newest. */
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

  /** Make memories with these settings that have learned some patterns. */
  build(settings, learned) {
    const sameRules = `${settings.rules}` === `${this.settings?.rules}`;
    const samePairs = this.pairs && PATTERN_SETTINGS.every((name) => settings[name] === this.settings[name]);
    this.settings = settings;
    if (!samePairs) {
      this.pairs = drawPairs(settings, this.digits);
      this.baseline = baselineOf(this.pairs);
      this.isMeasured = false;
    }
    if (!sameRules) this.curve = new RateCurve(settings.rules);
    for (const [name, control] of Object.entries(this.controls)) control.show(settings[name]);
    this.columns.forEach((column, place) => column.show(settings.rules[place]));
    this.controls.shift.input.disabled = settings.centering === "none" || settings.centering === "mean";
    for (const name of ["activity", "correlation"]) {
      const isUsed = settings.cues === "random" || (name === "activity" && settings.stored === "random");
      this.controls[name].input.disabled = !isUsed;
    }
    this.run = null;
    this.learnUntil(learned);
  }

  /** Learn until this many patterns are learned; to go back, start again. */
  learnUntil(n) {
    const isNew = !this.run || n < this.run.learned;
    if (isNew) {
      this.run = new Run(this.settings.rules, this.settings, this.pairs, this.facts);
      this.curve.restart(this.settings, this.pairs, this.facts);
      this.isStale = true;
    }
    this.run.learnUntil(n);
    if (isNew) this.run.recallEverything();
    if (this.pattern >= this.run.learned) this.pattern = null;
    if (this.run.isFull) this.isPlaying = false;
    this.look();
    this.saveAddress();
  }

  play() {
    if (this.run.isFull) this.learnUntil(0);
    this.isPlaying = true;
    this.hasNews = true;
    this.saveAddress();
  }

  pause() {
    this.isPlaying = false;
    this.hasNews = true;
    this.saveAddress();
  }

  /** Select a pattern, from 0; null is always the newest. */
  lookAt(pattern) {
    if (pattern !== null && pattern >= this.run.learned) return;
    if (pattern !== null) this.pause();
    this.pattern = pattern;
    this.look();
    this.saveAddress();
    if (pattern !== null) this.announce();
  }

  /** The number of the selected pattern, from 0, or -1 before the first. */
  get chosen() {
    return this.pattern ?? this.run.learned - 1;
  }

  look(damaged = null) {
    const { chosen } = this;
    this.cue.show(chosen < 0 ? null : this.pairs.cues[chosen], damaged);
    this.hasNews = true;
  }

  damageSome() {
    if (this.chosen < 0) return;
    if (this.pattern === null) this.lookAt(this.chosen);
    this.cue.damageSome();
  }

  cueChanged() {
    if (this.cue.nDamaged && this.pattern === null) this.lookAt(this.chosen);
    this.hasNews = true;
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

  /** Write what is shown into the address once it is stable: browsers refuse hundreds of changes. */
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
      const place = this.address ? `#${this.address}` : location.pathname + location.search;
      if (location.protocol !== "about:") history.replaceState(null, "", place); // not in the frame of a notebook
    }, 200);
  }

  frame(now, before) {
    if (this.isPlaying) {
      this.due += (this.settings.speed * Math.min(now - before, LONGEST_FRAME)) / 1000;
      const n = Math.floor(this.due);
      this.due -= n;
      if (n) this.learnUntil(this.run.learned + n);
    }
    const recalled = this.run.nOutdated ? this.run.recallUntil(performance.now() + TIME_FOR_RECALL) : [];
    if (!this.isMeasured) this.measure();
    const isNew = this.isStale || this.hasNews || recalled.length > 0;
    const { baseline, colours, run } = this;
    if (this.isStale) this.eachTrack(({ wall }, track, ink) => wall.draw(track, run.learned, baseline, ink, colours));
    else if (recalled.length) this.eachTrack(({ wall }, track, ink) => wall.drawRanges(recalled, track, baseline, ink, colours));
    this.isStale = this.hasNews = false;
    if (isNew) this.drawNews();
    const hasRates = this.curve.follow(this.run.learned, performance.now() + TIME_FOR_RATES);
    this.areChartsOld ||= isNew || hasRates;
    if (this.areChartsOld && now - this.lastCharts >= BETWEEN_CHARTS) this.drawCharts(now);
    requestAnimationFrame((next) => this.frame(next, now));
  }

  /** Fit everything that is drawn to the size that the page gives it. */
  measure() {
    this.measuredWidth = byId("rules").clientWidth; // before heights change, and perhaps the width with them
    this.columns.forEach((column) => column.measure(this.settings.patterns));
    for (const part of [this.cue.picture, this.target, this.forgetting, this.rates]) part.measure();
    this.isMeasured = this.isStale = true;
  }

  eachTrack(act) {
    this.columns.forEach((column, k) => act(column, this.run.tracks[k], this.colours.rules[this.settings.rules[k]], k));
  }

  /** Draw what changes with every pattern, except walls and curves. */
  drawNews() {
    const { run, colours } = this;
    this.summaries = run.tracks.map((track) => summary(track, run.learned));
    this.cue.draw(colours);
    this.target.draw(this.chosen < 0 ? null : this.pairs.targets[this.chosen], colours, colours.ink);
    this.eachTrack((column, track, ink, k) => {
      const found = this.recalled(k);
      column.drawRecalled(found, this.chosen, run.learned, ink, colours);
      column.drawErrors(found.text, this.summaries[k]);
    });
    this.drawWords();
    this.tour.update();
  }

  /** Return what a memory recalls from the cue as it is now, with its error in words. */
  recalled(k) {
    const { memory } = this.run.tracks[k];
    if (this.chosen < 0) return { output: null, text: "–" };
    if (memory.diverged) return { output: null, text: "diverged" };
    const { output, error } = recallFrom(memory, this.cue.values, this.pairs.targets[this.chosen]);
    return { output, text: decimals(error), error };
  }

  drawCharts(now) {
    const { curve, run, baseline, colours, facts, settings, pattern, summaries } = this;
    this.lastCharts = now;
    this.areChartsOld = false;
    const { tracks, learned } = run;
    this.forgetting.draw({ tracks, learned, nPatterns: settings.patterns, baseline, chosen: pattern, colours });
    this.rates.draw({ curve, tracks, summaries, baseline, colours });
    const best = curve.bestRates().map(({ rule, rate, error }) => `${facts.rules[rule].title} ${decimals(error)} at ${formatted(rate)}`);
    const label = best.length ? `Lowest errors by learning rate: ${best.join("; ")}` : "Errors by learning rate";
    update(byId("rates"), null, { "aria-label": label });
  }

  drawWords() {
    const { run, settings, facts } = this;
    const n = run.learned;
    update(byId("count"), `${n} of ${settings.patterns}`);
    Object.assign(byId("learned"), { max: settings.patterns, value: n });
    update(byId("play"), this.isPlaying ? "Pause" : run.isFull ? "Play again" : "Play");
    byId("step").disabled = run.isFull;
    const later = n - 1 - this.chosen;
    const when = later ? `learned ${counted(later, "pattern")} ago` : "learned last";
    update(byId("looking"), n ? `Pattern ${this.chosen + 1}, ${when}` : "Nothing learned yet");
    update(byId("damage"), this.cue.nDamaged ? `with ${counted(this.cue.nDamaged, "unit")} inverted` : "");
    byId("repair").hidden = !this.cue.nDamaged;
    byId("damage-some").disabled = !n;
    byId("newest").hidden = this.pattern === null;
    const picture = settings.stored === "digits" ? `The digit ${this.chosen % 10}` : "A random pattern"; // digits come in turn
    update(byId("target"), null, { "aria-label": n ? picture : "Nothing stored yet" });
    const errors = run.tracks.map(({ rule }, k) => `${facts.rules[rule].title} ${decimals(this.summaries[k]?.all)}`);
    update(byId("forgetting"), null, { "aria-label": `Mean error of all patterns: ${errors.join(", ")}` });
  }

  showScript() {
    this.pause();
    const inverted = this.cue.damaged.flatMap((isDamaged, unit) => (isDamaged ? [unit] : []));
    const pattern = this.pattern === null ? null : this.pattern + 1;
    this.dialog.show(pythonScript(this.settings, this.run.learned, pattern, inverted));
  }
}

function counted(n, noun) {
  return `${n} ${noun}${n === 1 ? "" : "s"}`;
}

new App();
