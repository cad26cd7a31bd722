// Sliders and lists, made from the settings that Python wrote into the page.

const N_POSITIONS = 200;

/** Make controls of all settings of some groups; `change(name, value)` is called when one is moved. */
export function makeControls(container, groups, change) {
  const controls = {};
  for (const [title, settings] of Object.entries(groups)) {
    const group = element("fieldset", {}, element("legend", {}, title));
    for (const setting of settings) {
      if (setting.kind === "Whole") continue;
      const make = setting.kind === "Choice" ? makeList : makeSlider;
      controls[setting.name] = make(setting, (value) => change(setting.name, value));
      group.append(controls[setting.name].row);
    }
    container.append(group);
  }
  return controls;
}

function makeList(setting, change) {
  const options = Object.entries(setting.options).map(([value, title]) => element("option", { value }, title));
  const select = element("select", { id: `setting-${setting.name}` }, ...options);
  const valueOf = (text) => (setting.name === "patterns" ? Number(text) : text);
  select.addEventListener("change", () => change(valueOf(select.value)));
  const row = rowOf(setting, select);
  return { row, input: select, show: (value) => (select.value = value) };
}

/** Make a slider, with a box for "automatic" where that is possible: moving the slider unchecks it. */
export function makeSlider(setting, change) {
  const positions = positionsOf(setting);
  const input = element("input", { id: `setting-${setting.name}`, type: "range", min: 0, max: positions.length - 1, step: 1 });
  const output = element("output", { for: input.id });
  const row = rowOf(setting, input, output);
  const box = setting.can_be_automatic ? element("input", { type: "checkbox", id: `automatic-${setting.name}` }) : null;
  if (box) row.append(element("label", { class: "automatic", for: box.id }, box, " automatic"));
  const show = (value) => {
    const isAutomatic = value === "auto";
    if (!isAutomatic) input.value = nearest(positions, value);
    const text = isAutomatic ? "automatic" : formatted(value);
    output.textContent = text;
    input.setAttribute("aria-valuetext", text);
    input.classList.toggle("idle", isAutomatic);
    if (box) box.checked = isAutomatic;
  };
  const move = () => {
    const value = positions[Number(input.value)];
    show(value);
    change(value);
  };
  input.addEventListener("input", move);
  box?.addEventListener("change", () => (box.checked ? (show("auto"), change("auto")) : move()));
  if (setting.can_be_automatic) input.value = nearest(positions, 0.1);
  return { row, input, show };
}

function rowOf(setting, control, output = null) {
  const label = element("label", { for: control.id }, setting.title);
  const row = element("div", { class: "setting", "data-setting": setting.name }, label);
  if (output) row.append(output);
  row.append(control);
  if (setting.note) {
    const note = element("small", { id: `note-${setting.name}` }, setting.note);
    control.setAttribute("aria-describedby", note.id);
    row.append(note);
  }
  return row;
}

/** Return the values of a slider from left to right, with two digits on logarithmic scales. */
function positionsOf({ scale, low, high }) {
  if (scale === "linear") {
    return Array.from({ length: Math.round((high - low) / 0.01) + 1 }, (_, k) => Number((low + k * 0.01).toFixed(2)));
  }
  const value = (k) => Number((low * (high / low) ** (k / N_POSITIONS)).toPrecision(2));
  const values = [...new Set(Array.from({ length: N_POSITIONS + 1 }, (_, k) => value(k)))];
  return scale === "log or 0" ? [0, ...values] : values;
}

function nearest(positions, value) {
  const distances = positions.map((position) => Math.abs(position - value));
  return distances.indexOf(Math.min(...distances));
}

export function formatted(value) {
  return `${Number(value.toPrecision(3))}`;
}

/** Return a new element; attributes by name, children as nodes or text. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Set text and attributes of an element if they have changed: untouched pages need no layout. */
export function update(node, text, attributes = {}) {
  if (text !== null && node.textContent !== text) node.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    if (node.getAttribute(name) !== `${value}`) node.setAttribute(name, value);
  }
}
