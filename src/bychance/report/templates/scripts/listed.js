// Pairs that are listed, in their order, and their download as CSV. Ranks come from Python, so that both orders
// agree exactly.

/** Sort pairs by rank. Pairs that are not listed leave no place. */
function byPlace(places) {
  const order = new Int32Array(data.n_pairs).fill(-1);
  for (let pair = 0; pair < N_PAIRS; pair += 1) order[places[pair] - 1] = pair;
  return order.filter((pair) => pair >= 0);
}

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
  const value = sortable(key);
  const direction = isDescending ? -1 : 1;
  return byPlace(places).sort((a, b) => {
    const [first, second] = [value(a), value(b)];
    if (Number.isNaN(first) || Number.isNaN(second)) return Number.isNaN(first) - Number.isNaN(second);
    return direction * (first - second) || places[a] - places[b];
  });
}

/** Return a function from a pair to the number that sorts it. Scores sort by their ranks from Python. */
function sortable(key) {
  if (key === "names")
    return (pair) => nameOrder[pairs.x[pair]] * data.names.length + nameOrder[pairs.y[pair]];
  if (key === "place") return (pair) => placesOf(state.order)[pair];
  const [scores, ranks] = [scoresOf(key), placesOf(key)];
  if (!ranks) return (pair) => scores[pair];
  const best = key === "p_value" ? 1 : -1;
  return (pair) => (Number.isNaN(scores[pair]) ? NaN : best * ranks[pair]);
}

/** Return a function that tests if a pair passes the filters. */
function filter() {
  const { search, minN, maxQ, engine, note, isFolded } = state.filters;
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const names = data.names.map((name) => name.toLowerCase());
  const hits = words.map((word) => names.map((name) => name.includes(word)));
  return (pair) =>
    !(isFolded && pairs.is_duplicate[pair]) &&
    !pairs.is_said[pair] &&
    pairs.n[pair] >= minN &&
    // A pair without a q-value passes only if no threshold is set.
    (maxQ === "" || pairs.q_value[pair] < maxQ) &&
    (engine === "" || data.texts[pairs.engine[pair]] === engine) &&
    (note === "" || (notesOf(pair) !== "") === (note === "yes")) &&
    hits.every((hit) => hit[pairs.x[pair]] || hit[pairs.y[pair]]);
}

let listed = new Uint32Array(0);

/** Recompute the listed pairs. */
function list() {
  const places = placesOf(state.order);
  const all = state.sort ? bySort(state.sort, places) : byPlace(places);
  listed = all.filter(filter());
}

function csv() {
  const lines = [Object.keys(csvRecord(0)), ...Array.from(listed, (pair) => Object.values(csvRecord(pair)))];
  return lines.map((cells) => `${cells.map(csvCell).join(",")}\r\n`).join("");
}

/** Return the values of a pair by the names of their columns in the CSV. */
function csvRecord(pair) {
  const numbers = (...names) => Object.fromEntries(names.map((name) => [name, numberText(pairs[name][pair])]));
  return {
    rank: placesOf(state.order)[pair],
    x: inert(xName(pair)),
    y: inert(yName(pair)),
    measure: inert(data.texts[pairs.measure[pair]]),
    n: pairs.n[pair],
    sign: pairs.sign[pair] === 2 ? "" : pairs.sign[pair],
    alpha: data.levels[state.level],
    ...numbers("observed", "adjusted", "standardized"),
    adjusted_at: numberText(data.scores[state.level][pair]),
    p_value: numberText(pairs.p_value[pair], 15),
    q_value: numberText(pairs.q_value[pair], 15),
    p_kind: data.p_kinds[pairs.p_kind[pair]],
    ...numbers("p_se", "null_mean", "null_std"),
    engine: data.texts[pairs.engine[pair]],
    n_resamples: pairs.n_resamples[pair] < 0 ? "" : pairs.n_resamples[pair],
    ...numbers("adjusted_se", "standardized_se"),
    // The error of `adjusted_at` is known only at the ranking's own alpha.
    adjusted_at_se: state.level === OWN_LEVEL ? numberText(pairs.adjusted_at_se[pair]) : "",
    ...numbers("adjusted_low", "adjusted_high"),
    note: data.texts[pairs.note[pair]],
  };
}

/** Format a number with the digits of its type, or return an empty text for NaN. */
function numberText(value, digits = 7) {
  if (Number.isNaN(value)) return "";
  return String(Number(value.toPrecision(digits))).replace("Infinity", "inf");
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
