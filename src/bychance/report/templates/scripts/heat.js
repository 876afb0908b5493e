// Heat map of the columns with the strongest relations, similar columns side by side.

/** Find the pair of two columns, in either order if the measure is symmetric. Return −1 if there is none. */
const pairAt = (() => {
  let positions;
  return (x, y) => {
    positions ??= new Map(
      Array.from(pairs.x, (column, pair) => [column * data.names.length + pairs.y[pair], pair]),
    );
    const width = data.names.length;
    return positions.get(x * width + y) ?? (data.is_square ? positions.get(y * width + x) : undefined) ?? -1;
  };
})();

function drawHeat() {
  const { down, across } = data.heat;
  const figures = figuresOf(byId("heat-figure").value);
  const narrow = isNarrow("heat-chart");
  const cells = down.map((x) => across.map((y) => (x === y ? -1 : pairAt(x, y))));
  const z = cells.map((row) =>
    row.map((pair) => (pair < 0 || !Number.isFinite(figures[pair]) ? null : figures[pair])),
  );
  const most = Math.max(...z.flat().filter((value) => value !== null), 0);
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
        text: cells.map((row, i) => row.map((pair, j) => heatText(down[i], across[j], pair, figures))),
        zmin: 0,
        zmax: most || 1,
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

function heatText(x, y, pair, figures) {
  const figure = pair < 0 ? "not listed" : `${score(figures[pair])}, n = ${count(pairs.n[pair])}`;
  return `${label(data.names[x], 50)}<br>${label(data.names[y], 50)}<br>${figure}`;
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
  drawWhenSeen("heat-chart", () => {
    const isFirst = !byId("heat-chart").data;
    drawHeat();
    if (isFirst) selectOnClick("heat-chart");
  });
  byId("heat-figure").addEventListener("change", () => redraw("heat-chart"));
}
