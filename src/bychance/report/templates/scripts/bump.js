// Ranks against α: pairs that lead at every α, and pairs that lead only at a lenient α.

/** Convert a rank to its height: the first ranks are evenly spaced, later ones ever closer. */
function bumpHeight(place) {
  const { k } = data.bump;
  return place <= k ? place : k + 1.6 * Math.log2(place / k);
}

function bumpKind(line) {
  const { places, is_stable: isStable, k } = data.bump;
  if (isStable[line]) return "stable";
  return places[line].at(-1) > k || places[line].at(-1) > places[line][0] ? "fall" : "rise";
}

const BUMP_KINDS = {
  stable: { color: "accent", name: "in the top at every α" },
  rise: { color: "rise", name: "rises as α falls" },
  fall: { color: "fall", name: "falls as α falls" },
};

function drawBump() {
  const { pairs: lines, k } = data.bump;
  const narrow = isNarrow("bump-chart");
  const traces = lines.map((pair, line) => bumpTrace(pair, line));
  const step = Math.ceil((38 * data.levels.length) / (byId("bump-chart").clientWidth - (narrow ? 60 : 410)));
  const levels = data.levels.map((_, level) => level).filter((level) => level % step === 0);
  const worst = Math.max(k, ...data.bump.places.flat());
  const ticks = [...Array(k).keys()].map((place) => place + 1);
  for (const further of [20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000]) {
    if (further > k && further <= worst) ticks.push(further);
  }
  plot("bump-chart", [...legendTraces(), ...traces], {
    margin: { l: narrow ? 34 : 200, r: narrow ? 12 : 200, t: 44, b: 44 },
    showlegend: true,
    legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", itemclick: false, itemdoubleclick: false },
    xaxis: {
      tickvals: levels,
      ticktext: levels.map((level) => String(data.levels[level])),
      tickangle: 0,
      title: { text: "α" },
      range: [-0.3, data.levels.length - 0.7],
      showgrid: false,
      automargin: false,
    },
    yaxis: {
      tickvals: ticks.map(bumpHeight),
      ticktext: ticks.map(count),
      range: [bumpHeight(worst) + 0.6, 0.4],
      showticklabels: narrow,
      automargin: false,
    },
    annotations: narrow
      ? []
      : [...bumpLabels(0, "right", -0.12), ...bumpLabels(data.levels.length - 1, "left", 0.12)],
    shapes: [lineAcross("x", state.level, { color: color("mark"), width: 1.5, dash: "dot" })],
  });
}

function legendTraces() {
  return Object.values(BUMP_KINDS).map((kind) => ({
    x: [null],
    y: [null],
    mode: "lines",
    name: kind.name,
    line: { color: color(kind.color), width: 3 },
  }));
}

function bumpTrace(pair, line) {
  const isPicked = pair === state.selected;
  const places = data.bump.places[line];
  const shade = color(BUMP_KINDS[bumpKind(line)].color);
  return {
    x: data.levels.map((_, level) => level),
    y: places.map(bumpHeight),
    mode: "lines+markers",
    line: { color: shade, width: isPicked ? 5 : 2, shape: "spline", smoothing: 0.4 },
    marker: { size: isPicked ? 9 : 6, color: shade },
    opacity: isPicked ? 1 : 0.8,
    meta: { pair },
    showlegend: false,
    hoverinfo: "text",
    text: places.map((place, level) => {
      const where = `place ${count(place)} at α = ${data.levels[level]}`;
      return `${entities(pairName(pair, 80))}<br>${where}, n = ${count(pairs.n[pair])}`;
    }),
  };
}

/** Write ranks and names beside the lines that are among the top ranks at this end. */
function bumpLabels(level, anchor, shift) {
  const { pairs: lines, places, k } = data.bump;
  return lines.flatMap((pair, line) => {
    const place = places[line][level];
    if (place > k) return [];
    const name = entities(pairName(pair, 27));
    return [
      {
        x: level + shift,
        y: bumpHeight(place),
        xanchor: anchor,
        captureevents: true,
        text: anchor === "left" ? `${place}  ${name}` : `${name}  ${place}`,
        font: { color: color(pair === state.selected ? "ink" : "quiet") },
        name: String(pair),
      },
    ];
  });
}

function startBump() {
  const { n_left: left, pairs: lines, k } = data.bump;
  if (!lines.length) {
    byId("bump-chart").parentElement.hidden = true;
    byId("bump-remark").textContent = "No pair could be tested.";
    return;
  }
  byId("bump-remark").textContent =
    `${plural(lines.length, "pair")} ${lines.length === 1 ? "is" : "are"} among the first ${k} at some α` +
    (left ? `; ${count(left)} more, with lower ranks, not drawn.` : ".");
  drawWhenSeen("bump-chart", drawBump, () => {
    selectOnClick("bump-chart");
    byId("bump-chart").on("plotly_clickannotation", ({ annotation }) =>
      change({ selected: Number(annotation.name) }),
    );
  });
}
