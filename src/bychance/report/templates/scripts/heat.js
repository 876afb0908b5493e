// Heat map of the columns with the strongest relations, similar columns side by side.

/** Find the pair of each cell, in either order if only one is listed. Cells without a pair get −1. */
function heatCells() {
  const key = (x, y) => x * data.names.length + y;
  const found = new Map(Array.from(pairs.x, (x, pair) => [key(x, pairs.y[pair]), pair]));
  return data.heat.down.map((x) =>
    data.heat.across.map((y) => found.get(key(x, y)) ?? found.get(key(y, x)) ?? -1),
  );
}

function drawHeat(cells) {
  const { down, across } = data.heat;
  const scores = scoresOf(byId("heat-score").value);
  const narrow = isNarrow("heat-chart");
  const z = cells.map((row) =>
    row.map((pair) => (Number.isFinite(scores[pair]) ? scores[pair] : null)),
  );
  // On a phone, names are short. With many columns only each second or third is named.
  const side = (columns) => {
    const step = narrow ? Math.ceil(columns.length / 30) : 1;
    const named = columns.map((_, k) => k).filter((k) => k % step === 0);
    return {
      tickvals: named,
      ticktext: named.map((k) => label(data.names[columns[k]], narrow ? 11 : 24)),
      ticks: "",
      tickfont: { size: narrow || columns.length > 40 ? 9 : 11 },
      showgrid: false,
    };
  };
  const rowHeight = Math.min(Math.max(360 / down.length, narrow ? 11 : 15), 36);
  byId("heat-chart").style.height = `${down.length * rowHeight + (narrow ? 110 : 180)}px`;
  plot(
    "heat-chart",
    [
      {
        type: "heatmap",
        z,
        customdata: cells,
        hoverinfo: "text",
        xgap: down.length > 40 ? 0 : 1,
        ygap: down.length > 40 ? 0 : 1,
        text: cells.map((row, i) => row.map((pair, j) => heatText(down[i], across[j], pair, scores))),
        zmin: 0,
        zmax: Math.max(...z.flat(), 0) || 1,
        colorscale: [
          [0, color("low")],
          [0.5, color("accent")],
          [1, color("high")],
        ],
        colorbar: { thickness: 10, outlinewidth: 0, len: 0.6, exponentformat: "power", tickfont: { size: 10 } },
        showscale: !narrow,
      },
    ],
    {
      margin: { l: 20, r: 10, t: 10, b: 20 },
      xaxis: { ...side(across), tickangle: narrow ? -90 : -55 },
      yaxis: { ...side(down), autorange: "reversed" },
    },
  );
}

function heatText(x, y, pair, scores) {
  const shown = pair < 0 ? "not listed" : `${score(scores[pair])}, n = ${count(pairs.n[pair])}`;
  return `${label(data.names[x], 50)}<br>${label(data.names[y], 50)}<br>${shown}`;
}

function startHeat() {
  if (!data.heat) return;
  const { down, across, n_down: nDown, n_across: nAcross } = data.heat;
  const isSome = down.length < nDown || across.length < nAcross;
  const which = isSome
    ? `The ${down.length} best-connected of ${count(Math.max(nDown, nAcross))} columns`
    : "All columns";
  byId("heat-remark").textContent =
    `${which}, clustered. Rows explain columns: the cell in row x, column y is x → y. ` +
    "Values below 0 have the shade of 0.";
  const cells = heatCells();
  drawWhenSeen(
    "heat-chart",
    () => drawHeat(cells),
    () => selectOnClick("heat-chart"),
  );
  byId("heat-score").addEventListener("change", () => redraw("heat-chart"));
}
