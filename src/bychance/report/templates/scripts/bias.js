// Rows against score for all pairs: points if there are few, else shades for the number of pairs.

const MOST_POINTS = 2500;
const BIAS = { "raw-chart": "observed", "adjusted-chart": "adjusted" };

function drawBias(id) {
  const figures = pairs[BIAS[id]];
  const known = knownPairs(figures);
  const [low, high] = biasRange(known);
  const isDense = known.length > MOST_POINTS;
  const isScored = (pair) => Number.isFinite(figures[pair]) && pairs.n[pair] > 0;
  const ring = { symbol: "circle-open", size: 14, color: color("ink"), line: { width: 2.5 } };
  const traces = [
    isDense ? densityTrace(known, figures, low, high) : pointTrace(known, figures),
    averageTrace(known, figures, low, high),
    scoredPoints([...state.ticked].filter(isScored), figures, { size: 8, color: color("mark") }),
    scoredPoints([state.selected].filter(isScored), figures, ring),
  ];
  plot(id, traces, {
    margin: { l: 44, r: 12, t: 14, b: 42 },
    // On a touch screen a drag scrolls the page, so no box is drawn.
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "select",
    newselection: { line: { color: color("mark"), width: 1.5, dash: "dot" } },
    selections: [],
    xaxis: {
      title: { text: "rows that both columns have (log scale)" },
      range: [low - 0.03, high + 0.03],
      ...logTicks(low, high),
      showgrid: false,
    },
    yaxis: {
      range: biasHeights(known),
      zeroline: true,
      title: { text: data.measure.length < 30 ? label(data.measure) : "" },
    },
  });
}

function knownPairs(figures) {
  const known = [];
  for (let pair = 0; pair < N_PAIRS; pair += 1)
    if (Number.isFinite(figures[pair]) && pairs.n[pair] > 0) known.push(pair);
  return known;
}

function biasRange(known) {
  let [low, high] = [Infinity, -Infinity];
  for (const pair of known) {
    low = Math.min(low, pairs.n[pair]);
    high = Math.max(high, pairs.n[pair]);
  }
  if (low >= high) return [Math.log10(Math.max(low / 2, 1)) || 0, Math.log10(high * 2) || 1];
  return [Math.log10(low), Math.log10(high)];
}

/** Set one range of scores for both charts, so that they can be compared. */
function biasHeights(known) {
  let [low, high] = [0, 0];
  for (const pair of known) {
    low = Math.min(low, pairs.adjusted[pair] || 0);
    high = Math.max(high, pairs.observed[pair] || 0, pairs.adjusted[pair] || 0);
  }
  return [low - 0.04 * (high - low), high + 0.04 * (high - low)];
}

function pointTrace(known, figures) {
  return scoredPoints(known, figures, pointMarker(known.length, 300), {
    customdata: known,
    hoverinfo: "text",
    text: known.map(
      (pair) => `${entities(pairName(pair, 80))}<br>n = ${count(pairs.n[pair])}, ${score(figures[pair])}`,
    ),
  });
}

/** Mark pairs at their number of rows and their score. */
function scoredPoints(chosen, figures, marker, settings = { hoverinfo: "skip" }) {
  const x = chosen.map((pair) => Math.log10(pairs.n[pair]));
  const y = chosen.map((pair) => figures[pair]);
  return pointsTrace(x, y, marker, settings);
}

function densityTrace(known, figures, low, high) {
  const [columns, rows] = [56, 44];
  const [bottom, top] = biasHeights(known);
  const counts = Array.from({ length: rows }, () => new Array(columns).fill(0));
  for (const pair of known) {
    const column = Math.min(
      columns - 1,
      Math.floor(((Math.log10(pairs.n[pair]) - low) / (high - low)) * columns),
    );
    const row = Math.min(rows - 1, Math.floor(((figures[pair] - bottom) / (top - bottom)) * rows));
    counts[row][column] += 1;
  }
  return {
    type: "heatmap",
    x0: low + (high - low) / columns / 2,
    dx: (high - low) / columns,
    y0: bottom + (top - bottom) / rows / 2,
    dy: (top - bottom) / rows,
    z: counts.map((line) => line.map((n) => (n ? Math.log10(n) + 0.4 : null))),
    showscale: false,
    hoverinfo: "text",
    text: counts.map((line) => line.map((n) => plural(n, "pair"))),
    colorscale: [
      [0, faded(color("accent"), 0.12)],
      [1, color("high")],
    ],
  };
}

/** Average the scores of pairs with similar numbers of rows. */
function averageTrace(known, figures, low, high) {
  const bins = 14;
  const sums = Array.from({ length: bins }, () => ({ n: 0, x: 0, y: 0 }));
  for (const pair of known) {
    const x = Math.log10(pairs.n[pair]);
    const sum = sums[Math.min(bins - 1, Math.floor(((x - low) / (high - low)) * bins))];
    sum.n += 1;
    sum.x += x;
    sum.y += figures[pair];
  }
  const full = sums.filter(({ n }) => n >= 3);
  return {
    type: "scatter",
    mode: "lines",
    x: full.map((sum) => sum.x / sum.n),
    y: full.map((sum) => sum.y / sum.n),
    line: { color: color("mark"), width: 3 },
    hoverinfo: "text",
    text: full.map((sum) => `average of ${plural(sum.n, "pair")}: ${score(sum.y / sum.n)}`),
  };
}

/** Tick exactly the pairs in the box that the reader draws. */
function tickInBox(id) {
  byId(id).on("plotly_selected", (event) => {
    if (!event?.range) return;
    const [[left, right], [bottom, top]] = [event.range.x, event.range.y].map((ends) =>
      [...ends].sort((a, b) => a - b),
    );
    const figures = pairs[BIAS[id]];
    const isWithin = (pair) => {
      const x = Math.log10(pairs.n[pair]);
      return left <= x && x <= right && bottom <= figures[pair] && figures[pair] <= top;
    };
    change({ ticked: new Set(knownPairs(figures).filter(isWithin)) });
  });
}

function startBias() {
  for (const id of Object.keys(BIAS)) {
    drawWhenSeen(id, () => {
      const isFirst = !byId(id).data;
      drawBias(id);
      if (!isFirst) return;
      selectOnClick(id);
      tickInBox(id);
    });
  }
  const known = knownPairs(pairs.observed);
  const hasLine = averageTrace(known, pairs.observed, ...biasRange(known)).x.length > 1;
  byId("bias-remark").textContent =
    (hasLine ? "The line is the average of pairs with about as many rows. " : "") +
    `The ring is the selected pair; a box drawn around points ticks them.${N_PAIRS > MOST_POINTS ? " Stronger color: more pairs." : ""}`;
}
