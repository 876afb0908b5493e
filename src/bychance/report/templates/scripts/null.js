// Null distribution of the selected pair, from its quantiles at the page's levels of α.

/** Return the quantiles q(1 − α) = observed − adjusted at α with their probabilities, in ascending order. */
function quantilesOf(pair) {
  const draws = pairs.n_resamples[pair];
  const least = draws < 0 ? 0 : 1 / (draws + 1);
  return data.levels
    .map((alpha, level) => ({
      probability: 1 - alpha,
      value: pairs.observed[pair] - data.scores[level][pair],
    }))
    .filter(({ probability, value }) => probability <= 1 - least && Number.isFinite(value));
}

/** Interpolate the null's probability below a value linearly between neighboring quantiles. */
function shareBelow(points, value) {
  if (value >= points.at(-1).value) return points.at(-1).probability;
  const next = points.findIndex((point) => point.value > value);
  if (next <= 0) return 0;
  const [low, high] = [points[next - 1], points[next]];
  return (
    low.probability + ((high.probability - low.probability) * (value - low.value)) / (high.value - low.value)
  );
}

/** Return bars of equal width with the null's probability in each, narrow if the observed value is far away. */
function nullBars(points, observed) {
  const [low, high] = [points[0].value, points.at(-1).value];
  const far = Math.max(high, observed) - Math.min(low, observed);
  const n = Math.min(Math.max(Math.round((60 * (high - low)) / far), 6), 36);
  const width = (high - low) / n;
  return Array.from({ length: n }, (_, k) => {
    const start = low + k * width;
    // The first bar begins just below its quantile, so that an atom there counts.
    const reached = k === 0 ? points[0].probability : shareBelow(points, start);
    return { start, width, mass: shareBelow(points, k === n - 1 ? high : start + width) - reached };
  });
}

function drawNull() {
  const pair = state.selected;
  const points = quantilesOf(pair);
  if (points.length < 2 || points[0].value === points.at(-1).value) {
    showNothing(
      "null",
      points.length === 1
        ? "The page has too few values of α to draw it."
        : data.texts[pairs.note[pair]] || "This pair has no null that varies.",
    );
    return;
  }
  const bars = nullBars(points, pairs.observed[pair]);
  plot(
    "null-chart",
    [
      {
        type: "bar",
        x: bars.map((bar) => bar.start),
        width: bars.map((bar) => bar.width),
        offset: 0,
        y: bars.map((bar) => bar.mass),
        hoverinfo: "text",
        textposition: "none",
        text: bars.map(({ start, width, mass }) => {
          const share = `${(100 * mass).toPrecision(2)}% of chance`;
          return `${score(start)} to ${score(start + width)}: ${share}`;
        }),
        marker: { color: faded(color("chance"), 0.55), line: { width: 0 } },
      },
    ],
    {
      bargap: 0,
      margin: { l: 12, r: 12, t: 40, b: 36 },
      xaxis: { title: { text: label(data.texts[pairs.measure[pair]]) }, showgrid: false },
      yaxis: { visible: false, rangemode: "tozero" },
      ...nullMarks(pair),
    },
  );
  const at = pairs.observed[pair] - data.scores[state.level][pair];
  byId("null-remark").textContent =
    `Gray: how often chance gives each value${partShown(points)}. Its mean is ` +
    `${score(pairs.null_mean[pair])}; it passes ${score(at)} with probability at most ` +
    `${data.levels[state.level]}; observed: ${score(pairs.observed[pair])}.`;
}

/** Say which share of the null the bars show, if the page's levels leave out a visible part. */
function partShown(points) {
  const [low, high] = [points[0].probability, points.at(-1).probability];
  return high - low > 0.98 ? "" : `, from its ${percent(low)} to its ${percent(high)} quantile`;
}

function percent(share) {
  return `${Number((100 * share).toFixed(2))}%`;
}

/** Draw labeled vertical lines at the mean, the quantile at α, and the observed value. */
function nullMarks(pair) {
  const marks = [
    { at: pairs.null_mean[pair], text: "mean", shade: color("quiet"), dash: "dash", row: 0 },
    {
      at: pairs.observed[pair] - data.scores[state.level][pair],
      text: `α = ${data.levels[state.level]}`,
      shade: color("mark"),
      dash: "solid",
      row: 1,
    },
    { at: pairs.observed[pair], text: "observed", shade: color("accent"), dash: "solid", row: 2 },
  ].filter(({ at }) => Number.isFinite(at));
  return {
    shapes: marks.map(({ at, shade, dash }) => lineAcross("x", at, { color: shade, width: 2, dash })),
    // Labels stand one above the other, so that near values stay readable.
    annotations: marks.map(({ at, text, shade, row }) => ({
      x: at,
      xref: "x",
      y: 1,
      yref: "paper",
      yanchor: "bottom",
      yshift: 12 * (2 - row),
      text,
      font: { color: shade },
    })),
  };
}
