// The page's own data (base 64 → gzip → a JSON header and typed arrays, see html.py), and what the reader has chosen.

const ARRAYS = {
  f4: Float32Array,
  f8: Float64Array,
  i1: Int8Array,
  i2: Int16Array,
  i4: Int32Array,
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
};

/** Decode and decompress the text of an element. */
async function bytesOf(id) {
  const text = byId(id).textContent;
  const packed = Uint8Array.fromBase64
    ? Uint8Array.fromBase64(text)
    : Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** Read the summary with its typed arrays. A two-dimensional array becomes a list of rows. */
async function unpack(id) {
  const buffer = await bytesOf(id);
  const length = new DataView(buffer).getUint32(0, true);
  const header = new TextDecoder().decode(new Uint8Array(buffer, 4, length));
  const start = Math.ceil((4 + length) / 8) * 8;
  return JSON.parse(header, (key, value) => (value?.$array ? arrayAt(buffer, start, value.$array) : value));
}

function arrayAt(buffer, start, [type, offset, length, width]) {
  const array = new ARRAYS[type](buffer, start + offset, length);
  if (!width) return array;
  return Array.from({ length: length / width }, (_, k) => array.subarray(k * width, (k + 1) * width));
}

const data = await unpack("data");
const pairs = data.pairs;
const N_PAIRS = pairs.n.length;
const OWN_LEVEL = data.levels.indexOf(data.alpha);

const state = {
  order: data.by,
  level: OWN_LEVEL,
  sort: null, // { key, isDescending } after a click on a heading
  filters: {}, // as in the form above the table, never changed in place
  selected: -1,
  ticked: new Set(), // never changed in place
};

const listeners = new Map();

/** Call `listener` whenever one of these parts of the state changes. */
function on(parts, listener) {
  for (const part of parts) listeners.set(part, [...(listeners.get(part) ?? []), listener]);
}

function change(changes) {
  const changed = Object.keys(changes).filter((part) => state[part] !== changes[part]);
  Object.assign(state, changes);
  const called = new Set(changed.flatMap((part) => listeners.get(part) ?? []));
  for (const listener of called) listener();
}

function xName(pair) {
  return data.names[pairs.x[pair]];
}

function yName(pair) {
  return data.names[pairs.y[pair]];
}

/** Join the note and the advice on a pair. */
function notesOf(pair) {
  return [data.texts[pairs.note[pair]], data.advice[pair]].filter(Boolean).join("; ");
}

/** Return ↔ if both directions of the measure are one number, else →. */
function arrow(pair) {
  return pairs.is_both[pair] ? "↔" : "→";
}

/** Write both names in one line, or only x if there is a target. */
function pairName(pair, width = 60) {
  if (data.target !== null) return isolated(shorten(xName(pair), width));
  const half = Math.floor((width - 3) / 2);
  return `${isolated(shorten(xName(pair), half))} ${arrow(pair)} ${isolated(shorten(yName(pair), half))}`;
}

/** Return the scores that this order sorts by, for all pairs. */
function scoresOf(order) {
  return order === "adjusted_at" ? data.scores[state.level] : pairs[order];
}

function placesOf(order) {
  return order === "adjusted_at" ? data.places.levels[state.level] : data.places[order];
}
