// Numbers and names as text, and elements made of text: nothing from the data is ever parsed as markup.

const NONE = "—";

/** An element with text and attributes; the text is text whatever it holds. */
function element(tag, text = "", attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

/** A score with as many digits as its size asks for. */
function score(value, digits = 3) {
  if (!Number.isFinite(value)) return NONE;
  const size = Math.abs(value);
  let text;
  if (size >= 1e5 || (size > 0 && size < 0.5 * 10 ** -digits)) text = value.toExponential(1);
  else text = value.toFixed(size >= 100 ? 1 : digits);
  return text.replace("-", "−");
}

function probability(value) {
  if (!Number.isFinite(value)) return NONE;
  if (value === 0) return "<1e−300";
  return value >= 0.0001 ? value.toFixed(4) : value.toExponential(0).replace("-", "−");
}

function count(value) {
  return value.toLocaleString("en-US");
}

function plural(value, noun) {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** A long name without its middle; characters stay whole. */
function shorten(name, width) {
  if (name.length <= width) return name;
  const characters = Array.from(name.length > 4 * width ? name.slice(0, 2 * width) + name.slice(-2 * width) : name);
  if (characters.length <= width) return characters.join("");
  const tail = Math.floor((width - 1) / 2);
  return `${characters.slice(0, width - 1 - tail).join("")}…${characters.slice(characters.length - tail).join("")}`;
}

/** A name for Plotly, which would take some markup in labels for styling: entities stand for < > &. */
function label(name, width = 28) {
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
  return shorten(name.replace(/\s+/g, " "), width).replace(/[&<>]/g, (character) => entities[character]);
}
