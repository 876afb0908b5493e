// Parts shared by all charts: colors from the style sheet, and drawing when a chart comes into sight or the
// theme changes.

const SERIES = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999"];
const drawings = new Map(); // element → { draw, isSeen }

function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Add transparency to a color: #rrggbb → rgba(). */
function faded(hex, opacity) {
  const [red, green, blue] = [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
  return `rgba(${red},${green},${blue},${opacity})`;
}

/** Return Plotly's defaults for the page: its fonts and colors. */
function theme() {
  const axis = {
    gridcolor: color("line"),
    showline: true,
    linecolor: color("line"),
    zerolinecolor: color("chance"),
    zeroline: false,
    tickfont: { size: 11 },
    title: { font: { size: 12 }, standoff: 8 },
    exponentformat: "power",
    automargin: true,
    fixedrange: true,
  };
  return {
    font: { family: color("sans"), size: 12, color: color("quiet") },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    margin: { l: 48, r: 12, t: 10, b: 40 },
    showlegend: false,
    hovermode: "closest",
    dragmode: false,
    hoverlabel: {
      bgcolor: color("surface"),
      bordercolor: color("line"),
      font: { color: color("ink"), size: 12 },
    },
    annotationdefaults: { showarrow: false, font: { size: 11 } },
    xaxis: axis,
    yaxis: axis,
  };
}

function plot(id, traces, layout) {
  const config = { displayModeBar: false, responsive: true };
  return Plotly.react(byId(id), traces, { ...layout, template: { layout: theme() } }, config);
}

/** Make a trace of points with a mark and further settings of Plotly. */
function pointsTrace(x, y, marker, settings = {}) {
  return { type: "scatter", mode: "markers", x, y, marker, ...settings };
}

/** Make the points of two columns' values. */
function pointsOf(x, y) {
  return pointsTrace(x, y, pointMarker(x.length, 400), { hoverinfo: "x+y" });
}

/** Make the mark of many points, which overlap, or of few. */
function pointMarker(n, many) {
  return n > many
    ? { color: faded(color("accent"), 0.38), size: 5 }
    : { color: faded(color("accent"), 0.65), size: 7 };
}

/** Make a line across the whole chart at a value of the x or the y axis. */
function lineAcross(axis, at, line) {
  const other = axis === "x" ? "y" : "x";
  return {
    type: "line",
    [`${axis}ref`]: axis,
    [`${axis}0`]: at,
    [`${axis}1`]: at,
    [`${other}ref`]: "paper",
    [`${other}0`]: 0,
    [`${other}1`]: 1,
    line,
  };
}

/** Make one box of a box plot, at place k of the x axis. */
function boxTrace(k, values, settings = {}) {
  return {
    type: "box",
    x0: k,
    y: values,
    hoverinfo: "y",
    boxpoints: false,
    line: { color: color("accent"), width: 1.3 },
    fillcolor: faded(color("accent"), 0.12),
    ...settings,
  };
}

/** Name the places 0, 1, … of an axis. */
function namedTicks(names) {
  return { tickvals: names.map((_, k) => k), ticktext: names, showgrid: false };
}

/** Draw a chart when it first comes near the view, then call `listen`. `redraw` repeats only what was drawn. */
function drawWhenSeen(id, draw, listen = () => {}) {
  drawings.set(id, { draw, isSeen: false });
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      drawings.get(id).isSeen = true;
      draw();
      listen();
    },
    { rootMargin: "300px" },
  );
  observer.observe(byId(id));
}

function redraw(...ids) {
  for (const id of ids) if (drawings.get(id)?.isSeen) drawings.get(id).draw();
}

function redrawAll() {
  redraw(...drawings.keys());
}

/** Select a pair when its point in the chart is clicked. */
function selectOnClick(id) {
  byId(id).on("plotly_click", ({ points: [point] }) => {
    const pair = point.data.meta?.pair ?? point.customdata;
    if (Number.isInteger(pair)) change({ selected: pair });
  });
}

/** Return the smallest and the largest value. */
function extent(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

/** Return the range of an axis, with some room around the values. */
function rangeOf(values) {
  const [low, high] = extent(values);
  const room = (high - low || 1) * 0.05;
  return [low - room, high + room];
}

function isNarrow(id) {
  return byId(id).clientWidth < 640;
}

/** Return ticks for an axis of log10(n), labeled with n. */
function logTicks(low, high) {
  const ticks = [];
  for (let power = Math.floor(low); power <= high; power += 1) {
    for (const step of high - low > 2.2 ? [1] : [1, 2, 5]) {
      const place = power + Math.log10(step);
      if (place >= low - 0.02 && place <= high + 0.02) ticks.push(place);
    }
  }
  return { tickvals: ticks, ticktext: ticks.map((tick) => count(Math.round(10 ** tick))) };
}
