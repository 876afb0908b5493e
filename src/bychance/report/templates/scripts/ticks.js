// Pairs that the reader ticks, a lower bound on how many are related, and the page's link, which keeps the ticks.

const LINKED = "#ticked=";

/** Return true if the pair was tested. A null with a single value is not a test. */
function isTested(pair) {
  return !(pairs.null_std[pair] === 0 && pairs.p_value[pair] === 1);
}

/** Keep one row for each pair of columns: the direction with the smaller p-value. */
function onePerPair(rows) {
  const best = new Map();
  for (const row of rows) {
    const key = [pairs.x[row], pairs.y[row]].sort((a, b) => a - b).join();
    if (!best.has(key) || pairs.p_value[row] < pairs.p_value[best.get(key)]) best.set(key, row);
  }
  return [...best.values()];
}

/** Return closed testing's bound for any selection: the largest 1 − u + #{weight·p ≤ u·alpha} over u. */
function atLeast(selection) {
  const { weight, alpha } = data.guarantee;
  const counts = new Uint32Array(selection.length + 1);
  for (const pair of selection) {
    const weighted = weight * pairs.p_value[pair];
    let place = Math.max(1, Math.floor(weighted / alpha));
    if (weighted > place * alpha) place += 1;
    if (place < counts.length && isTested(pair)) counts[place] += 1;
  }
  let [most, below] = [0, 0];
  for (let u = 1; u < counts.length; u += 1) {
    below += counts[u];
    most = Math.max(most, 1 - u + below);
  }
  return most;
}

function boundText(least, n) {
  const among = plural(n, data.target === null ? "pair" : "column");
  const promise = `${Math.round(100 * data.guarantee.level)}% confidence, for any selection you make`;
  if (!least) return `none of ${among} is surely related (${promise}).`;
  return `at least ${count(least)} of ${among} ${least === 1 ? "is" : "are"} related (${promise}).`;
}

function showTicked() {
  const { ticked } = state;
  const chosen = onePerPair(ticked);
  const text = ticked.size
    ? `Ticked: ${boundText(atLeast(chosen), chosen.length)}`
    : "Tick rows, or draw a box around points under Bias, to see how many of them are related at least.";
  byId("ticked-bound").textContent = text;
  byId("boxed-bound").textContent = ticked.size ? text : "";
  byId("untick").hidden = !ticked.size;
}

/** Show the bound for all pairs above 0 at the slider's α, listed or not, as Python computed it. */
function showAbove() {
  const { least, n } = data.above[state.level];
  byId("above-bound").textContent = `Above 0 at α = ${data.levels[state.level]}: ${boundText(least, n)}`;
}

function toggleTick(pair) {
  const ticked = new Set(state.ticked);
  if (!ticked.delete(pair)) ticked.add(pair);
  change({ ticked });
}

/** Write numbers as runs: 1, 2, 3, 7 → "1-3.7". */
function asRuns(numbers) {
  const runs = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(".");
}

/** Read the ticked pairs from the page's link, without numbers that name no pair. */
function linkedTicks() {
  const ticked = new Set();
  if (!location.hash.startsWith(LINKED)) return ticked;
  for (const run of location.hash.slice(LINKED.length).split(".")) {
    if (!/^\d+(-\d+)?$/.test(run)) continue;
    const [first, last = first] = run.split("-").map(Number);
    for (let pair = first; pair <= Math.min(last, N_PAIRS - 1); pair += 1) ticked.add(pair);
  }
  return ticked;
}

function keepInLink() {
  const { ticked } = state;
  if (!ticked.size && !location.hash.startsWith(LINKED)) return;
  const page = location.href.split("#")[0];
  history.replaceState(null, "", ticked.size ? page + LINKED + asRuns(ticked) : page);
}

/** Follow a changed link: one with ticks replaces them, one to a part of the page keeps them. */
function followLink() {
  if (location.hash.startsWith(LINKED)) change({ ticked: linkedTicks() });
  else keepInLink();
}

function startTicks() {
  state.ticked = linkedTicks();
  on(["ticked"], () => {
    showTicked();
    keepInLink();
    renderRows();
  });
  on(["level"], showAbove);
  byId("untick").addEventListener("click", () => change({ ticked: new Set() }));
  addEventListener("hashchange", followLink);
  showTicked();
  showAbove();
}
