// The selected pair given covariates: residuals of both columns, and the data within strata.

const MOST_STRATA = 6;

function drawGiven() {
  const pair = state.selected;
  const [x, y] = [pairs.x[pair], pairs.y[pair]].map((k) => data.values.columns[k]);
  byId("given").hidden = !x || !y;
  if (!x || !y) return;
  const [rows, strata] = [sharedRows(x, y), data.values.strata];
  const [panels, remarks] = [[], []];
  if (x.residuals && y.residuals) {
    const residuals = [x, y].map((column) => rows.map((row) => column.residuals[row]));
    panels.push({ title: "what is left", traces: [pointsOf(...residuals)] });
    remarks.push("What is left of both columns once the covariates are taken out.");
  }
  if (strata) {
    const known = rows.filter((row) => strata.codes[row] >= 0);
    const n = new Set(known.map((row) => strata.codes[row])).size;
    panels.push(...strataPanels(x, y, known, strata));
    remarks.push(n > MOST_STRATA ? `The ${MOST_STRATA} largest of ${count(n)} strata.` : "Each stratum by itself.");
  }
  if (panels.length) drawPanels(panels, remarks.join(" "));
  else showNothing("given", "Residuals are shown for two columns of numbers.");
}

/** Draw small charts side by side, two in a line. */
function drawPanels(panels, remark) {
  const columns = Math.min(panels.length, 2);
  const lines = Math.ceil(panels.length / columns);
  byId("given-chart").style.height = `${Math.max(220, 170 * lines)}px`;
  const numbers = panels.map((_, k) => (k === 0 ? "" : k + 1)); // of Plotly's axes: x, x2, x3, …
  const axes = panels.flatMap((panel, k) => [
    [`xaxis${numbers[k]}`, panel.xaxis ?? {}],
    [`yaxis${numbers[k]}`, panel.yaxis ?? {}],
  ]);
  plot(
    "given-chart",
    panels.flatMap(({ traces }, k) =>
      traces.map((trace) => ({ ...trace, xaxis: `x${numbers[k]}`, yaxis: `y${numbers[k]}` })),
    ),
    {
      ...Object.fromEntries(axes),
      grid: { rows: lines, columns, pattern: "independent", xgap: 0.2, ygap: 0.25 },
      barmode: "stack",
      margin: { l: 44, r: 10, t: 24, b: 30 },
      annotations: panels.map(({ title }, k) => ({
        text: title,
        x: 0,
        y: 1,
        xref: `x${numbers[k]} domain`,
        yref: `y${numbers[k]} domain`,
        xanchor: "left",
        yanchor: "bottom",
      })),
    },
  );
  byId("given-remark").textContent = remark;
}

/** Make one small chart for each of the largest strata, on common axes. */
function strataPanels(x, y, rows, strata) {
  const largest = topCategories(strata, rows, MOST_STRATA + 1);
  return largest.labels.slice(0, MOST_STRATA).map((name, k) => {
    const inside = [...rows.keys()].filter((i) => largest.of[i] === k);
    return { title: `${name} (${count(inside.length)})`, ...stratumChart(x, y, rows, inside) };
  });
}

/** Chart the rows at positions `inside`, on axes that hold all rows. */
function stratumChart(x, y, rows, inside) {
  const [across, up] = [x, y].map((column) => column.numbers && rows.map((row) => column.numbers[row]));
  const pick = (values, chosen) => chosen.map((i) => values[i]);
  if (across && up) {
    return {
      traces: [pointsOf(pick(across, inside), pick(up, inside))],
      xaxis: { ...axisOf(x), range: rangeOf(across) },
      yaxis: { ...axisOf(y), range: rangeOf(up) },
    };
  }
  const groups = topCategories(x.codes ? x : y, rows, MOST_CELLS);
  const xaxis = namedTicks(groups.labels);
  const numbers = across ?? up;
  if (numbers) {
    const yaxis = { ...axisOf(across ? x : y), range: rangeOf(numbers) };
    const boxes = groups.labels.map((_, k) => pick(numbers, inside.filter((i) => groups.of[i] === k)));
    return { traces: boxes.map((values, k) => boxTrace(k, values)), xaxis, yaxis };
  }
  const categories = topCategories(y, rows, MOST_CELLS);
  const counts = crossed(groups, categories, inside);
  return { traces: stackedBars(groups, categories, counts), xaxis, yaxis: SHARES };
}
