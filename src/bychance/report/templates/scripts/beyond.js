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
  if (x.residuals && y.residuals) panels.push(residualPanel(pair, x, y, rows));
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

function residualPanel(pair, x, y, rows) {
  return {
    title: "what is left",
    traces: [points(rows.map((row) => x.residuals[row]), rows.map((row) => y.residuals[row]))],
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
  if (x.numbers && y.numbers) {
    return {
      traces: [points(inside.map((row) => x.numbers[row]), inside.map((row) => y.numbers[row]))],
      xaxis: { range: rangeOf(all.map((row) => x.numbers[row])) },
      yaxis: { range: rangeOf(all.map((row) => y.numbers[row])) },
    };
  }
  const labeled = x.codes ? x : y;
  const categories = topCategories(labeled, all, MOST_CELLS);
  const place = new Map(all.map((row, i) => [row, categories.of[i]]));
  const ticks = { tickvals: categories.labels.map((_, k) => k), ticktext: categories.labels, showgrid: false };
  const numeric = x.numbers ? x : y.numbers ? y : null;
  if (numeric) {
    return {
      traces: categories.labels.map((_, k) => ({
        type: "box",
        x0: k,
        y: inside.filter((row) => place.get(row) === k).map((row) => numeric.numbers[row]),
        hoverinfo: "y",
        boxpoints: false,
        line: { color: color("accent"), width: 1.2 },
        fillcolor: faded(color("accent"), 0.12),
      })),
      xaxis: ticks,
      yaxis: { range: rangeOf(all.map((row) => numeric.numbers[row])) },
    };
  }
  return { ...sharesChart(y, inside, all, categories, place), xaxis: ticks };
}

/** Stack the shares of the second column's categories within each category of the first. */
function sharesChart(y, inside, all, categories, place) {
  const second = topCategories(y, all, MOST_CELLS);
  const other = new Map(all.map((row, i) => [row, second.of[i]]));
  const totals = categories.labels.map((_, k) => inside.filter((row) => place.get(row) === k).length);
  return {
    traces: second.labels.map((name, j) => ({
      type: "bar",
      x: categories.labels.map((_, k) => k),
      y: totals.map((total, k) =>
        total ? inside.filter((row) => place.get(row) === k && other.get(row) === j).length / total : 0,
      ),
      base: totals.map((total, k) =>
        total ? inside.filter((row) => place.get(row) === k && other.get(row) < j).length / total : 0,
      ),
      text: categories.labels.map((first) => `${first}, ${name}`),
      textposition: "none",
      hoverinfo: "text+y",
      marker: { color: SERIES[j % SERIES.length], opacity: 0.85 },
    })),
    yaxis: { range: [0, 1], tickformat: ".0%" },
  };
}

function points(x, y) {
  return {
    x,
    y,
    type: "scatter",
    mode: "markers",
    hoverinfo: "x+y",
    marker: { color: faded(color("accent"), x.length > 400 ? 0.4 : 0.65), size: x.length > 400 ? 4 : 5 },
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
