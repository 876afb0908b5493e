// Pairs that are listed, in their order, and their download as CSV. Ranks come from Python, so that both orders
// agree exactly.

/** Sort pairs by rank. */
function byPlace(places) {
  const order = new Uint32Array(N_PAIRS);
  if (N_PAIRS === data.n_pairs) {
    for (let pair = 0; pair < N_PAIRS; pair += 1) order[places[pair] - 1] = pair;
    return order;
  }
  return order.map((_, pair) => pair).sort((a, b) => places[a] - places[b]);
}

const FROM_PLACES = new Set(["observed", "adjusted", "standardized", "level", "p_value"]);

/** Position of each column name in the alphabet. */
const nameOrder = (() => {
  const collator = new Intl.Collator("en", { numeric: true });
  const sorted = data.names.map((_, k) => k).sort((a, b) => collator.compare(data.names[a], data.names[b]));
  const places = new Uint32Array(sorted.length);
  sorted.forEach((k, place) => {
    places[k] = place;
  });
  return places;
})();

/** Sort all pairs by a heading. Ties keep their order, and missing values come last in both directions. */
function bySort({ key, isDescending }, places) {
  if (FROM_PLACES.has(key)) {
    const best = byPlace(placesOf(key));
    const isReversed = key === "p_value" ? isDescending : !isDescending;
    return isReversed ? knownReversed(best, figuresOf(key)) : best;
  }
  const figures = sortable(key);
  const direction = isDescending ? -1 : 1;
  return byPlace(places).sort((a, b) => {
    const [first, second] = [figures(a), figures(b)];
    if (Number.isNaN(first) || Number.isNaN(second)) return Number.isNaN(first) - Number.isNaN(second);
    return direction * (first - second) || places[a] - places[b];
  });
}

function knownReversed(best, figures) {
  const known = best.filter((pair) => !Number.isNaN(figures[pair]));
  const unknown = best.filter((pair) => Number.isNaN(figures[pair]));
  const all = new Uint32Array(best.length);
  all.set(known.reverse());
  all.set(unknown, known.length);
  return all;
}

function sortable(key) {
  if (key === "names")
    return (pair) => nameOrder[pairs.x[pair]] * data.names.length + nameOrder[pairs.y[pair]];
  if (key === "place") return (pair) => placesOf(state.order)[pair];
  return (pair) => pairs[key][pair];
}

/** Return a function that tests if a pair passes the filters. */
function filter() {
  const words = state.search.toLowerCase().split(/\s+/).filter(Boolean);
  const names = data.names.map((name) => name.toLowerCase());
  const hits = words.map((word) => names.map((name) => name.includes(word)));
  const engine = state.engine === "" ? -1 : data.texts.indexOf(state.engine);
  return (pair) =>
    !(state.isFolded && pairs.is_duplicate[pair]) &&
    !pairs.is_said[pair] &&
    pairs.n[pair] >= state.minN &&
    // A pair without a q-value passes only if no limit is set.
    (state.maxQ === Infinity || pairs.q_value[pair] < state.maxQ) &&
    (engine < 0 || pairs.engine[pair] === engine) &&
    (state.note === "" ||
      (notesOf(pair) !== "") === (state.note === "yes")) &&
    hits.every((hit) => hit[pairs.x[pair]] || hit[pairs.y[pair]]);
}

let listed = new Uint32Array(0);

/** Recompute the listed pairs. */
function list() {
  const places = placesOf(state.order);
  const all = state.sort ? bySort(state.sort, places) : byPlace(places);
  listed = all.filter(filter());
}

const CSV_FIGURES = [
  "observed",
  "adjusted",
  "standardized",
  "adjusted_at",
  "p_value",
  "q_value",
];
const CSV_NULL = ["null_mean", "null_std"];
const CSV_ERRORS = ["adjusted_se", "standardized_se", "adjusted_at_se", "adjusted_low", "adjusted_high"];
const CSV_NAMES = [
  "rank",
  "x",
  "y",
  "measure",
  "n",
  "sign",
  "alpha",
  ...CSV_FIGURES,
  "p_kind",
  "p_se",
  ...CSV_NULL,
  "engine",
  "n_resamples",
  ...CSV_ERRORS,
  "note",
];

function csv() {
  const lines = [CSV_NAMES.join(",")];
  for (const pair of listed) lines.push(csvValues(pair).map(csvCell).join(","));
  return `${lines.join("\r\n")}\r\n`;
}

function csvValues(pair) {
  const figure = (name) => (name === "adjusted_at" ? data.scores[state.level] : pairs[name])[pair];
  // The error of `adjusted_at` is known only at the ranking's own alpha.
  const error = (name) => (name === "adjusted_at_se" && state.level !== OWN_LEVEL ? NaN : pairs[name][pair]);
  return [
    placesOf(state.order)[pair],
    inert(xName(pair)),
    inert(yName(pair)),
    inert(data.texts[pairs.measure[pair]]),
    pairs.n[pair],
    pairs.sign[pair] === 2 ? "" : pairs.sign[pair],
    data.levels[state.level],
    ...CSV_FIGURES.map((name) => figureText(figure(name), name.endsWith("value") ? 15 : 7)),
    data.p_kinds[pairs.p_kind[pair]],
    ...["p_se", ...CSV_NULL].map((name) => figureText(pairs[name][pair], 7)),
    data.texts[pairs.engine[pair]],
    pairs.n_resamples[pair] < 0 ? "" : pairs.n_resamples[pair],
    ...CSV_ERRORS.map((name) => figureText(error(name), 7)),
    data.texts[pairs.note[pair]],
  ];
}

/** Format a number with the digits of its type, or return an empty text for NaN. */
function figureText(value, most) {
  if (Number.isNaN(value)) return "";
  return Number.isFinite(value)
    ? String(Number(value.toPrecision(most)))
    : String(value).replace("Infinity", "inf");
}

/** Return the name with an apostrophe before it if a spreadsheet would take it for a formula. */
function inert(name) {
  return Object.hasOwn(data.inert, name) ? data.inert[name] : name;
}

function csvCell(value) {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function download() {
  const link = element("a", "", { download: "bychance-pairs.csv" });
  link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv;charset=utf-8" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
