// The listed pairs as CSV, under the names of `Ranking.to_frame()`.

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
  // Errors at other levels than the ranking's own are not known.
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

/** As many digits as the page knows; nothing where there is no figure. */
function figureText(value, most) {
  if (Number.isNaN(value)) return "";
  return Number.isFinite(value)
    ? String(Number(value.toPrecision(most)))
    : String(value).replace("Infinity", "inf");
}

/** A name that a spreadsheet would take for a formula, with an apostrophe before it. */
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
