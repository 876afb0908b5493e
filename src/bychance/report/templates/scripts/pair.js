// The selected pair: its values, and its data as points, boxes or a mosaic.

const MOST_BOXES = 10;
const MOST_CELLS = 8;

function showResults() {
  const pair = state.selected;
  if (pair < 0) return;
  const title = byId("pair-title");
  title.replaceChildren(
    element("bdi", shorten(xName(pair), 300)),
    element("bdi", `${arrow(pair)} ${isolated(shorten(yName(pair), 300))}`),
  );
  title.title = shorten(`${xName(pair)} ${arrow(pair)} ${yName(pair)}`, 1000);
  const error = (name, digits = 3) => errorText(pairs[name][pair], digits);
  const at =
    score(data.scores[state.level][pair]) + (state.level === OWN_LEVEL ? error("adjusted_at_se") : "");
  const results = {
    n: count(pairs.n[pair]),
    raw: score(pairs.observed[pair]),
    "by chance": score(pairs.null_mean[pair]),
    adjusted: score(pairs.adjusted[pair]) + error("adjusted_se"),
    "95% limits": limitsText(pair),
    standardized: score(pairs.standardized[pair], 1) + error("standardized_se", 1),
    [`at α = ${data.levels[state.level]}`]: at,
    p: pInWords(pair),
    q: probability(pairs.q_value[pair]),
    measure: data.texts[pairs.measure[pair]] || NONE,
    engine:
      (data.texts[pairs.engine[pair]] || NONE) +
      (pairs.n_resamples[pair] < 0 ? "" : `, ${plural(pairs.n_resamples[pair], "permutation")}`),
  };
  byId("pair-results").replaceChildren(
    ...Object.entries(results).map(([name, value]) => {
      const entry = element("div", "", { class: name });
      entry.append(element("dt", name), element("dd", value, { title: value }));
      return entry;
    }),
  );
  byId("pair-note").textContent = notesOf(pair);
}

/** Write the p-value with its kind, and the factor within which another seed would give it. */
function pInWords(pair) {
  const kind = data.p_kinds[pairs.p_kind[pair]];
  const shown = statedProbability(pairs.p_value[pair], kind);
  if (kind === "exact" || kind === "matched") return `${shown} (${kind})`;
  if (!(pairs.p_se[pair] > 0)) return shown;
  return `${shown}, within a factor of ${(10 ** (2 * pairs.p_se[pair])).toPrecision(2)}`;
}

/** Write the 95% confidence limits of the adjusted value. */
function limitsText(pair) {
  const [low, high] = [pairs.adjusted_low[pair], pairs.adjusted_high[pair]];
  return Number.isFinite(low) ? `${score(low)} to ${score(high)}` : NONE;
}

function drawData() {
  const pair = state.selected;
  const [x, y] = [pairs.x[pair], pairs.y[pair]].map((k) => data.values.columns[k]);
  byId("ranks-label").hidden = !(x?.numbers && y?.numbers);
  if (!x || !y) {
    showNothing(
      "data",
      "The values of these columns are not in the page: it holds those of the best pairs.",
    );
    return;
  }
  const rows = sharedRows(x, y);
  const isSampled = rows.length < pairs.n[pair];
  let remark = isSampled
    ? `A sample: ${count(rows.length)} of ${plural(pairs.n[pair], "row")}. `
    : `${plural(rows.length, "row")}. `;
  if (x.numbers && y.numbers) remark += drawPoints(pair, x, y, rows);
  else if (x.codes && y.codes) remark += drawMosaic(pair, x, y, rows);
  else remark += drawBoxes(pair, x, y, rows);
  byId("data-remark").textContent = remark;
}

/** Remove a chart, and say why in its remark. */
function showNothing(name, text) {
  const chart = byId(`${name}-chart`);
  Plotly.purge(chart);
  chart.replaceChildren();
  byId(`${name}-remark`).textContent = text;
}

function isPresent(column, row) {
  return column.numbers ? !Number.isNaN(column.numbers[row]) : column.codes[row] >= 0;
}

function sharedRows(x, y) {
  const rows = [];
  for (let row = 0; row < data.values.n_sampled; row += 1) {
    if (isPresent(x, row) && isPresent(y, row)) rows.push(row);
  }
  return rows;
}

/** Return the midranks of the values. */
function ranksOf(values) {
  const sorted = Float64Array.from(values).sort();
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2 + 1);
}

function drawPoints(pair, x, y, rows) {
  const isRanks = byId("as-ranks").checked;
  const values = [x, y].map((column) => rows.map((row) => column.numbers[row]));
  const grid = data.grids[pair];
  const lines = (grid ? [grid.x, grid.y] : []).flatMap((cuts, k) =>
    cuts.map((cut) => {
      const at = isRanks ? values[k].filter((value) => value < cut).length + 0.5 : cut;
      return lineAcross("xy"[k], at, { color: color("mark"), width: 1.2 });
    }),
  );
  const unit = isRanks ? " (ranks)" : "";
  plot("data-chart", [pointsOf(...(isRanks ? values.map(ranksOf) : values))], {
    xaxis: { ...axisOf(x, isRanks), title: { text: label(xName(pair), 40) + unit } },
    yaxis: { ...axisOf(y, isRanks), title: { text: label(yName(pair), 30) + unit } },
    shapes: lines,
  });
  return grid ? `Lines: the grid behind MIC, ${grid.x.length + 1} × ${grid.y.length + 1} cells.` : "";
}

/** Return the type of an axis. Dates come as milliseconds since 1970. */
function axisOf(column, isRanks = false) {
  return { type: column.is_date && !isRanks ? "date" : "linear" };
}

/** Return a category number per row and the labels: the most frequent categories, and one for all others. */
function topCategories(column, rows, most) {
  const counts = new Map();
  for (const row of rows) counts.set(column.codes[row], (counts.get(column.codes[row]) ?? 0) + 1);
  const codes = [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a) || a - b);
  const kept = codes.length <= most ? codes : codes.slice(0, most - 1);
  const place = new Map(kept.map((code, k) => [code, k]));
  const labels = kept.map((code) => label(column.labels[code], 16));
  if (kept.length < codes.length) labels.push(`${count(codes.length - kept.length)} others`);
  return {
    labels,
    hasOthers: kept.length < codes.length,
    of: rows.map((row) => place.get(column.codes[row]) ?? kept.length),
  };
}

function drawBoxes(pair, x, y, rows) {
  const [labeled, numeric] = x.codes ? [x, y] : [y, x];
  const [labelName, numberName] = x.codes ? [xName(pair), yName(pair)] : [yName(pair), xName(pair)];
  const categories = topCategories(labeled, rows, MOST_BOXES);
  const traces = categories.labels.map((_, k) => {
    const values = rows.filter((row, i) => categories.of[i] === k).map((row) => numeric.numbers[row]);
    return boxTrace(k, values, {
      name: "",
      width: 0.6,
      boxpoints: rows.length <= 250 ? "all" : "outliers",
      jitter: 0.5,
      pointpos: 0,
      marker: { color: faded(color("accent"), 0.5), size: 4 },
    });
  });
  plot("data-chart", traces, {
    xaxis: { ...namedTicks(categories.labels), title: { text: label(labelName, 40) } },
    yaxis: { ...axisOf(numeric), title: { text: label(numberName, 30) } },
  });
  return "Boxes span the middle half of each category.";
}

function total(numbers) {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** Count the chosen rows by two columns' categories: one list per category of the first. */
function crossed(first, second, chosen) {
  const counts = first.labels.map(() => new Array(second.labels.length).fill(0));
  for (const i of chosen) counts[first.of[i]][second.of[i]] += 1;
  return counts;
}

const SHARES = { tickformat: ".0%", range: [0, 1] };

/** Make bars of the second column's categories, as shares within each category of the first. */
function stackedBars(first, second, counts, settings) {
  return second.labels.map((name, j) => ({
    type: "bar",
    name,
    hoverinfo: "text",
    textposition: "none",
    y: counts.map((cells) => cells[j] / (total(cells) || 1)),
    text: counts.map((cells, k) => `${first.labels[k]}, ${name}: ${count(cells[j])}`),
    marker: {
      color: second.hasOthers && j === second.labels.length - 1 ? color("chance") : SERIES[j],
      opacity: 0.85,
      line: { color: color("surface"), width: 1 },
    },
    ...settings,
  }));
}

function drawMosaic(pair, x, y, rows) {
  const [first, second] = [topCategories(x, rows, MOST_CELLS), topCategories(y, rows, MOST_CELLS)];
  const counts = crossed(first, second, [...rows.keys()]);
  const widths = counts.map((cells) => total(cells) / rows.length);
  const starts = widths.map((_, k) => total(widths.slice(0, k)));
  plot("data-chart", stackedBars(first, second, counts, { x: starts, width: widths, offset: 0 }), {
    barmode: "stack",
    showlegend: true,
    legend: { font: { size: 10 }, traceorder: "normal" },
    xaxis: {
      tickvals: starts.map((start, k) => start + widths[k] / 2),
      ticktext: first.labels,
      title: { text: label(xName(pair), 40) },
      showgrid: false,
      range: [0, 1],
    },
    yaxis: { ...SHARES, title: { text: label(yName(pair), 30) } },
  });
  return "Widths are the shares of the first column’s categories, heights those of the second within them.";
}
