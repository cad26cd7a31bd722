// The settings in the address, after "#": those not at their default, and what is selected.

/** Return all settings by name, from the list that Python wrote into the page. */
export function knownSettings(facts) {
  return Object.fromEntries(Object.values(facts.settings).flat().map((setting) => [setting.name, setting]));
}

export function defaultSettings(facts) {
  const settings = Object.values(knownSettings(facts)).map((setting) => [setting.name, valueOf(setting, `${setting.default}`)]);
  return { rules: [...facts.rules_at_start], ...Object.fromEntries(settings) };
}

export const DEFAULT_VIEW = { learned: null, pattern: null, damage: null, tour: null };

/** Return settings and view from the text of an address; invalid values are left at their defaults. */
export function readAddress(text, facts) {
  const given = new URLSearchParams(text);
  const settings = defaultSettings(facts);
  for (const [name, setting] of Object.entries(knownSettings(facts))) {
    const value = given.has(name) ? valueOf(setting, given.get(name)) : null;
    if (value !== null) settings[name] = value;
  }
  const rules = (given.get("rules") ?? "").split(",");
  if (rules.length === settings.rules.length && rules.every((rule) => Object.hasOwn(facts.rules, rule))) settings.rules = rules;
  const view = { ...DEFAULT_VIEW };
  for (const name of ["learned", "pattern", "tour"]) view[name] = wholeNumber(given.get(name));
  if (view.learned !== null) view.learned = Math.min(view.learned, settings.patterns);
  if (!(view.pattern >= 1 && view.pattern <= view.learned)) view.pattern = null;
  if (view.pattern !== null && /^[0-9a-f]{1,64}$/.test(given.get("damage") ?? "")) view.damage = given.get("damage");
  return { settings, view };
}

/** Return the text of an address from which `readAddress` makes the same settings and view. */
export function writeAddress(settings, view, facts) {
  const usual = defaultSettings(facts);
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(settings)) {
    if (`${value}` !== `${usual[name]}`) parts.set(name, value);
  }
  for (const [name, value] of Object.entries(view)) if (value !== null) parts.set(name, value);
  return parts.toString().replaceAll("%2C", ",");
}

function valueOf(setting, text) {
  if (setting.kind === "Choice") {
    if (!Object.hasOwn(setting.options, text)) return null;
    return setting.name === "patterns" ? Number(text) : text;
  }
  if (setting.kind === "Whole") return wholeNumber(text) <= setting.high ? wholeNumber(text) : null;
  if (setting.can_be_automatic && text === "auto") return "auto";
  const number = text.trim() ? Number(text) : NaN;
  const isZero = setting.scale === "log or 0" && number === 0;
  return isZero || (number >= setting.low && number <= setting.high) ? number : null;
}

function wholeNumber(text) {
  return /^\d{1,9}$/.test(text ?? "") ? Number(text) : null;
}

/** Return which units are damaged as hexadecimal digits, the first unit in the lowest bit; null for none. */
export function writeDamage(damaged) {
  const bits = damaged.reduce((sum, isDamaged, unit) => (isDamaged ? sum | (1n << BigInt(unit)) : sum), 0n);
  return bits ? bits.toString(16) : null;
}

export function readDamage(text, nUnits) {
  const bits = text ? BigInt(`0x${text}`) : 0n;
  return Array.from({ length: nUnits }, (_, unit) => Boolean((bits >> BigInt(unit)) & 1n));
}
