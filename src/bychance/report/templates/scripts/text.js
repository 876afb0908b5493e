// Numbers and names as text, and elements made of text. Nothing from the data is ever parsed as markup.

const NONE = "—";

/** Make an element with attributes and text, which is never parsed as markup. */
function element(tag, text = "", attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

/** Format a score with enough digits for its size: 0.0006 beside 0.003, without powers of ten. */
function score(value, digits = 3) {
  if (!Number.isFinite(value)) return NONE;
  const size = Math.abs(value);
  let text;
  if (size >= 1e5 || (size > 0 && size < 1e-6)) text = value.toExponential(1);
  else if (size > 0 && size < 0.5 * 10 ** -digits) text = value.toFixed(Math.ceil(-Math.log10(size)));
  else text = value.toFixed(size >= 100 ? 1 : digits);
  return text.replaceAll("-", "−");
}

/** Format a Monte Carlo error, or return an empty text if it is too small to show. */
function errorText(value, digits = 3) {
  return value >= 0.5 * 10 ** -digits ? ` (MC ${value.toFixed(digits)})` : "";
}

function probability(value) {
  if (!Number.isFinite(value)) return NONE;
  if (value === 0) return "<1e−300";
  return value >= 0.0001 ? value.toFixed(4) : value.toExponential(0).replace("-", "−");
}

/** Format a p-value as Python does: two digits if sampled, and bounds rounded up after "<". */
function statedProbability(value, kind) {
  if (!(value > 0) || !["bound", "monte carlo", "sequential", "splitting"].includes(kind)) return probability(value);
  const step = 10 ** (Math.floor(Math.log10(value)) - 1);
  const shown = kind === "bound" ? Math.ceil(value / step - 1e-9) * step : value;
  const digits = Number(shown.toPrecision(2));
  const text = digits >= 0.0001 ? String(digits) : digits.toExponential().replace("-", "−");
  return (kind === "bound" ? "<" : "") + text;
}

function count(value) {
  return value.toLocaleString("en-US");
}

function plural(value, noun) {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** Escape characters of a name that could reverse or hide the text beside it. */
function visible(name) {
  const steering = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
  return name.replace(steering, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Shorten a long name by leaving out its middle. Characters stay whole. */
function shorten(name, width) {
  // Only the ends of a very long name are needed.
  const ends = name.length > 4 * width ? name.slice(0, 2 * width) + name.slice(-2 * width) : name;
  const characters = Array.from(visible(ends));
  if (characters.length <= width) return characters.join("");
  const tail = Math.floor((width - 1) / 2);
  const [head, end] = [characters.slice(0, width - 1 - tail), characters.slice(characters.length - tail)];
  return `${head.join("")}…${end.join("")}`;
}

/** Isolate a name that runs from right to left from the text around it. */
function isolated(name) {
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(name) ? `\u2068${name}\u2069` : name;
}

/** Escape < > & for Plotly, which takes some markup in labels for styling. */
function entities(text) {
  const names = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
  return text.replace(/[&<>]/g, (character) => names[character]);
}

/** Shorten and escape a name for Plotly. */
function label(name, width = 28) {
  return entities(isolated(shorten(name, width)));
}
