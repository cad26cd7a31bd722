// The paper's story in six steps, each with one sentence and one thing to do.

const RANDOM = { cues: "random", stored: "random", patterns: 100, activity: 0.5, activation: "sigmoid", learning_rate: "auto" };
const PLAIN = { ...RANDOM, correlation: 0, weight_decay: 0, centering: "mean", rules: ["hebbian_descent", "gradient_descent", "hebb", "covariance"] };

/** `start` holds the settings of a step, `learned` how many patterns are learned by then; `ask` names what to use. */
export const STEPS = [
  {
    title: "One look each",
    sentence: "Four memories are shown the same cue and picture at the same moment, once, and have to bring back the picture whenever the cue returns.",
    task: "Press Play and watch the walls fill: a picture fades with the error of what is recalled.",
    start: { ...PLAIN, stored: "digits" },
    learned: 0,
    ask: "#play",
    act: (app) => app.play(),
    isDone: (app) => app.run.learned >= 20,
  },
  {
    title: "Why Hebb’s rule fails on correlated patterns",
    sentence: "Hebb’s rule adds up all it is shown without looking at what it already knows, so whatever cues share is added again and again until it drowns the rest.",
    task: "Move Correlation up to 0.3: Hebb’s wall fades, while Hebbian-descent, which learns only its errors, keeps what is recent.",
    start: PLAIN,
    learned: 100,
    ask: "[data-setting=correlation]",
    act: (app) => app.change("correlation", 0.3),
    isDone: (app) => app.settings.correlation >= 0.25,
  },
  {
    title: "Why centering",
    sentence: "Units that are on in many cues pull every output along; subtracting the mean of the cues leaves only what tells them apart.",
    task: "Set Centering to “mean of all cues” and see the walls come back; the covariance rule, which centers by itself, needs it least.",
    start: { ...PLAIN, centering: "none" },
    learned: 100,
    ask: "[data-setting=centering]",
    act: (app) => app.change("centering", "mean"),
    isDone: (app) => app.settings.centering !== "none",
  },
  {
    title: "Why the derivative hurts",
    sentence: "Gradient descent multiplies each error by the slope of the unit, so where a unit is flat it learns nothing, however wrong it is; Hebbian-descent leaves the slope out.",
    task: "Set Units to “step”, which is flat everywhere: gradient descent learns nothing at all.",
    start: PLAIN,
    learned: 100,
    ask: "[data-setting=activation]",
    act: (app) => app.change("activation", "step"),
    isDone: (app) => app.settings.activation === "step",
  },
  {
    title: "How to forget",
    sentence: "Hebbian-descent makes room for what is new by letting the oldest fade first, while Hebb’s rule keeps old and new alike and forgets only if its weights decay.",
    task: "Move Weight decay up to 0.02: now Hebb’s rule forgets gradually, too.",
    start: PLAIN,
    learned: 100,
    ask: "[data-setting=weight_decay]",
    act: (app) => app.change("weight_decay", 0.02),
    isDone: (app) => app.settings.weight_decay >= 0.01,
  },
  {
    title: "From a damaged cue",
    sentence: "What was stored is spread over all connections, so a cue that is partly wrong still brings back its picture.",
    task: "Drag over the cue to invert some of its units, and compare what the four memories recall.",
    start: { ...PLAIN, stored: "digits" },
    learned: 100,
    pattern: 98,
    ask: "#cue",
    act: (app) => app.damageSome(),
    isDone: (app) => app.cue.nDamaged >= 5,
  },
];

/** The panel that leads through the steps. */
export class Tour {
  constructor(panel, app) {
    Object.assign(this, { panel, app, step: null, wasDone: false });
    this.part = (name) => panel.querySelector(`[data-tour=${name}]`);
    document.getElementById("take-tour").addEventListener("click", () => this.go(1));
    this.part("next").addEventListener("click", () => this.go(this.step === STEPS.length ? null : this.step + 1));
    this.part("back").addEventListener("click", () => this.go(this.step - 1));
    this.part("end").addEventListener("click", () => this.go(null));
    this.part("act").addEventListener("click", () => STEPS[this.step - 1].act(app));
  }

  /** Go to a step, from 1, or leave the tour with null; settings are those of the step unless `keep`. */
  go(step, { keep = false } = {}) {
    this.step = step >= 1 && step <= STEPS.length ? step : null;
    this.wasDone = false;
    const current = STEPS[this.step - 1];
    this.panel.hidden = !current;
    this.mark(false);
    if (current) {
      this.part("count").textContent = `${this.step} of ${STEPS.length}`;
      for (const name of ["title", "sentence", "task"]) this.part(name).textContent = current[name];
      this.part("back").disabled = this.step === 1;
      this.part("next").textContent = this.step === STEPS.length ? "Finish" : "Next";
      this.asked = document.querySelector(current.ask);
      this.showAsked();
      if (!keep) this.app.present(current);
      if (!keep) this.part("title").focus({ preventScroll: true });
    }
    this.update();
    this.app.saveAddress();
  }

  /** Frame what the step asks for, and the word that unfolds it; or remove the frame. */
  mark(isAsked) {
    this.asked?.classList.toggle("asked", isAsked);
    this.asked?.closest("details")?.querySelector("summary").classList.toggle("asked", isAsked);
  }

  /** Scroll the settings to what the step asks for. */
  showAsked() {
    if (this.step !== null && this.asked.closest("details")?.open) this.asked.scrollIntoView({ block: "nearest" });
  }

  /** Mark the step as done once what it asks for has happened. */
  update() {
    if (this.step === null) return;
    const isDone = STEPS[this.step - 1].isDone(this.app);
    if (isDone && !this.wasDone) this.part("done").textContent = "✓ Done.";
    if (!isDone) this.part("done").textContent = "";
    this.part("next").classList.toggle("main", isDone);
    this.part("act").hidden = isDone;
    this.mark(!isDone);
    this.wasDone = isDone;
  }
}
