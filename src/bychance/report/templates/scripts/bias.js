// Rows against score for all pairs: points if there are few, else shades for the number of pairs.

const MOST_POINTS = 2500;
const BIAS = { "raw-chart": "observed", "adjusted-chart": "adjusted" };

function drawBias(id) {
  const scores = pairs[BIAS[id]];
  const known = knownPairs(scores);
  const range = biasRange(known);
  const isDense = known.length > MOST_POINTS;
  const ring = { symbol: "circle-open", size: 14, color: color("ink"), line: { width: 2.5 } };
  const traces = [
    isDense ? densityTrace(known, scores, range) : pointTrace(known, scores),
    averageTrace(known, scores, range),
    scoredPoints([...state.ticked], scores, { size: 8, color: color("mark") }),
    scoredPoints([state.selected], scores, ring),
  ];
  plot(id, traces, {
    margin: { l: 44, r: 12, t: 14, b: 42 },
    // On a touch screen a drag scrolls the page, so no box is drawn.
    dragmode: matchMedia("(pointer: coarse)").matches ? false : "select",
    newselection: { line: { color: color("mark"), width: 1.5, dash: "dot" } },
    selections: [],
    xaxis: {
      title: { text: "rows that both columns have (log scale)" },
      range: [range[0] - 0.03, range[1] + 0.03],
      ...logTicks(...range),
      showgrid: false,
    },
    yaxis: {
      range: biasHeights(known),
      zeroline: true,
      title: { text: data.measure.length < 30 ? label(data.measure) : "" },
    },
  });
}

function logN(pair) {
  return Math.log10(pairs.n[pair]);
}

function isKnown(pair, scores) {
  return Number.isFinite(scores[pair]) && pairs.n[pair] > 0;
}

function knownPairs(scores) {
  return [...pairs.n.keys()].filter((pair) => isKnown(pair, scores));
}

function biasRange(known) {
  const [low, high] = extent(known.map(logN));
  return low < high ? [low, high] : [low - 0.3, high + 0.3];
}

/** Set one range of scores for both charts, so that they can be compared. */
function biasHeights(known) {
  return rangeOf([0, ...known.flatMap((pair) => [pairs.observed[pair] || 0, pairs.adjusted[pair] || 0])]);
}

/** Return the number of the bin, of n equal ones, that holds a value. */
function binOf(value, [low, high], n) {
  return Math.min(n - 1, Math.floor(((value - low) / (high - low)) * n));
}

function pointTrace(known, scores) {
  return scoredPoints(known, scores, pointMarker(known.length, 300), {
    customdata: known,
    hoverinfo: "text",
    text: known.map(
      (pair) => `${entities(pairName(pair, 80))}<br>n = ${count(pairs.n[pair])}, ${score(scores[pair])}`,
    ),
  });
}

/** Mark pairs at their number of rows and their score. */
function scoredPoints(chosen, scores, marker, settings = { hoverinfo: "skip" }) {
  const known = chosen.filter((pair) => isKnown(pair, scores));
  const [x, y] = [known.map(logN), known.map((pair) => scores[pair])];
  return pointsTrace(x, y, marker, settings);
}

function densityTrace(known, scores, range) {
  const [columns, rows] = [56, 44];
  const heights = biasHeights(known);
  const counts = Array.from({ length: rows }, () => new Array(columns).fill(0));
  for (const pair of known) {
    counts[binOf(scores[pair], heights, rows)][binOf(logN(pair), range, columns)] += 1;
  }
  const centers = ([low, high], n) => Array.from({ length: n }, (_, k) => low + ((k + 0.5) * (high - low)) / n);
  return {
    type: "heatmap",
    x: centers(range, columns),
    y: centers(heights, rows),
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
function averageTrace(known, scores, range) {
  const bins = 14;
  const sums = Array.from({ length: bins }, () => ({ n: 0, x: 0, y: 0 }));
  for (const pair of known) {
    const sum = sums[binOf(logN(pair), range, bins)];
    sum.n += 1;
    sum.x += logN(pair);
    sum.y += scores[pair];
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
    const scores = pairs[BIAS[id]];
    const isWithin = (pair) => {
      const x = logN(pair);
      return left <= x && x <= right && bottom <= scores[pair] && scores[pair] <= top;
    };
    change({ ticked: new Set(knownPairs(scores).filter(isWithin)) });
  });
}

function startBias() {
  for (const id of Object.keys(BIAS)) {
    const draw = () => drawBias(id);
    drawWhenSeen(id, draw, () => {
      selectOnClick(id);
      tickInBox(id);
    });
  }
  const known = knownPairs(pairs.observed);
  const hasLine = averageTrace(known, pairs.observed, biasRange(known)).x.length > 1;
  byId("bias-remark").textContent =
    (hasLine ? "The line is the average of pairs with about as many rows. " : "") +
    `The ring is the selected pair; a box drawn around points ticks them.${N_PAIRS > MOST_POINTS ? " Stronger color: more pairs." : ""}`;
}
