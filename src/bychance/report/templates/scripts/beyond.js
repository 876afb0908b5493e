// The selected pair beyond covariates: residuals of both columns, and the data within strata.

const MOST_STRATA = 6;

function drawBeyond() {
  const pair = state.selected;
  if (pair < 0 || !data.given) return;
  const [x, y] = [pairs.x[pair], pairs.y[pair]].map((k) => data.values.columns[k]);
  byId("beyond").hidden = !x || !y;
  if (!x || !y) return;
  const rows = sharedRows(x, y);
  const strata = data.values.strata;
  const panels = [];
  if (x.residuals && y.residuals) panels.push(residualPanel(x, y, rows));
  if (strata) panels.push(...strataPanels(x, y, rows, strata));
  if (!panels.length) {
    showNothing("beyond-chart", "beyond-remark", "Residuals are shown for two columns of numbers.");
    return;
  }
  const nColumns = panels.length === 1 ? 1 : 2;
  const nLines = Math.ceil(panels.length / nColumns);
  const layout = { annotations: [], margin: { l: 44, r: 10, t: 24, b: 30 } };
  byId("beyond-chart").style.height = `${Math.max(220, 170 * nLines)}px`;
  const traces = [];
  panels.forEach((panel, k) => {
    const [column, line] = [k % nColumns, Math.floor(k / nColumns)];
    const [left, right] = [(column + 0.06) / nColumns, (column + 0.96) / nColumns];
    const [bottom, top] = [1 - (line + 0.88) / nLines, 1 - (line + 0.1) / nLines];
    const suffix = k === 0 ? "" : k + 1;
    const base = layoutOf({});
    layout[`xaxis${suffix}`] = { ...base.xaxis, domain: [left, right], anchor: `y${suffix}`, ...panel.xaxis };
    layout[`yaxis${suffix}`] = { ...base.yaxis, domain: [bottom, top], anchor: `x${suffix}`, ...panel.yaxis };
    layout.annotations.push({
      text: panel.title,
      x: left,
      y: top,
      xref: "paper",
      yref: "paper",
      xanchor: "left",
      yanchor: "bottom",
      showarrow: false,
      font: { size: 11 },
    });
    for (const trace of panel.traces) traces.push({ ...trace, xaxis: `x${suffix}`, yaxis: `y${suffix}` });
  });
  plot("beyond-chart", traces, layout);
  byId("beyond-remark").textContent = remarkOf(x, y, strata, rows);
}

function residualPanel(x, y, rows) {
  return {
    title: "what is left",
    traces: [pointsOf(rows.map((row) => x.residuals[row]), rows.map((row) => y.residuals[row]))],
    xaxis: {},
    yaxis: {},
  };
}

/** Make one small chart for each of the largest strata, on common axes. */
function strataPanels(x, y, rows, strata) {
  const known = rows.filter((row) => strata.codes[row] >= 0);
  const largest = topCategories(strata, known, MOST_STRATA + 1);
  const n = Math.min(MOST_STRATA, largest.labels.length);
  return largest.labels.slice(0, n).map((name, k) => {
    const inside = known.filter((_, i) => largest.of[i] === k);
    return { title: `${name} (${count(inside.length)})`, ...stratumChart(x, y, inside, known) };
  });
}

function stratumChart(x, y, inside, all) {
  if (x.numbers && y.numbers) return numbersChart(x, y, inside, all);
  const groups = topCategories(x.codes ? x : y, all, MOST_CELLS);
  const isInside = new Set(inside);
  const rowsOf = groups.labels.map((_, k) => all.filter((row, i) => groups.of[i] === k && isInside.has(row)));
  const numeric = x.numbers ? x : y.numbers ? y : null;
  const chart = numeric ? boxesChart(numeric, rowsOf, all) : sharesChart(y, groups.labels, rowsOf, all);
  return { ...chart, xaxis: namedTicks(groups.labels) };
}

function numbersChart(x, y, inside, all) {
  return {
    traces: [pointsOf(inside.map((row) => x.numbers[row]), inside.map((row) => y.numbers[row]))],
    xaxis: { range: rangeOf(all.map((row) => x.numbers[row])) },
    yaxis: { range: rangeOf(all.map((row) => y.numbers[row])) },
  };
}

function boxesChart(numeric, rowsOf, all) {
  return {
    traces: rowsOf.map((rows, k) => boxTrace(k, rows.map((row) => numeric.numbers[row]))),
    yaxis: { range: rangeOf(all.map((row) => numeric.numbers[row])) },
  };
}

/** Stack the shares of y's categories within each group of rows. */
function sharesChart(y, names, rowsOf, all) {
  const categories = topCategories(y, all, MOST_CELLS);
  const numberOf = new Map(all.map((row, i) => [row, categories.of[i]]));
  const share = (rows, isCounted) => rows.filter((row) => isCounted(numberOf.get(row))).length / (rows.length || 1);
  return {
    traces: categories.labels.map((category, j) => ({
      type: "bar",
      x: names.map((_, k) => k),
      y: rowsOf.map((rows) => share(rows, (number) => number === j)),
      base: rowsOf.map((rows) => share(rows, (number) => number < j)),
      text: names.map((name) => `${name}, ${category}`),
      textposition: "none",
      hoverinfo: "text+y",
      marker: { color: SERIES[j % SERIES.length], opacity: 0.85 },
    })),
    yaxis: { range: [0, 1], tickformat: ".0%" },
  };
}

function rangeOf(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low || 1) * 0.05;
  return [low - room, high + room];
}

function remarkOf(x, y, strata, rows) {
  const parts = [];
  if (x.residuals && y.residuals) parts.push("What is left of both columns once the covariates are taken out.");
  if (strata) {
    const n = new Set(rows.filter((row) => strata.codes[row] >= 0).map((row) => strata.codes[row])).size;
    parts.push(n > MOST_STRATA ? `The ${MOST_STRATA} largest of ${count(n)} strata.` : "Each stratum by itself.");
  }
  return parts.join(" ");
}

function startBeyond() {
  if (data.given) drawWhenSeen("beyond-chart", drawBeyond);
}
