// The table: only the rows in sight exist, so that many thousands scroll as well as ten.

// Python names and explains the results.
const HEADINGS = [
  { key: "place", text: "#" },
  { key: "names", text: data.target === null ? "pair" : "column" },
  ...Object.entries(data.headings).map(([key, text]) => ({ key, text, isDescending: !key.endsWith("value") })),
];
const SIGNS = { 1: "+", "-1": "−", 0: "0", 2: "" };
const ROW = data.target === null ? 42 : 34;
const OVERSCAN = 6;
const PRINTED_ROWS = 40;
const SPECIMEN = "Number_of_women (per 1000, 2010) all ages"; // about as wide as names are

const scroller = byId("scroller");
const table = byId("table");
const body = byId("rows");
const above = spacer();
const below = spacer();
const pool = [];
let nameRoom = 28;
const largest = pairs.observed.reduce((most, value) => (value > most ? value : most), 0);

function spacer() {
  const row = element("tr", "", { class: "spacer", role: "presentation" });
  row.append(element("td"));
  return row;
}

function makeTable() {
  table.style.setProperty("--row", `${ROW}px`);
  for (const heading of HEADINGS) {
    const cell = element("th", "", { class: heading.key, scope: "col" });
    const button = element("button", heading.text, { type: "button" });
    button.title = data.meanings[heading.text] ?? "";
    button.addEventListener("click", () => sortBy(heading));
    cell.append(button);
    byId("headings").append(cell);
  }
  body.append(above, below);
  scroller.addEventListener("scroll", renderRows, { passive: true });
  new ResizeObserver(fitNames).observe(scroller);
  body.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-pair]");
    if (row) change({ selected: Number(row.dataset.pair) });
  });
  body.addEventListener("change", (event) => toggleTick(Number(event.target.closest("tr").dataset.pair)));
  table.addEventListener("keydown", followKey);
}

/** Measure the room for names. Long names lose their middle, since many differ only at their ends. */
function fitNames() {
  const ruler = document.createElement("canvas").getContext("2d");
  const { fontSize, fontFamily } = getComputedStyle(table);
  ruler.font = `${fontSize} ${fontFamily}`;
  const character = (1.08 * ruler.measureText(SPECIMEN).width) / SPECIMEN.length;
  const width = byId("headings").querySelector(".names").clientWidth;
  nameRoom = Math.max(8, Math.floor((width - 16) / character));
  renderRows();
}

/** Sort by a heading in its own direction, then the other way, then return to the chosen order. */
function sortBy({ key, isDescending = false }) {
  const { sort } = state;
  if (sort?.key !== key) change({ sort: { key, isDescending } });
  else if (sort.isDescending === isDescending) change({ sort: { key, isDescending: !isDescending } });
  else change({ sort: null });
}

function markHeadings() {
  table.dataset.order = state.order;
  const key = state.sort?.key ?? state.order;
  const isDescending = state.sort ? state.sort.isDescending : key !== "p_value";
  HEADINGS.forEach((heading, k) => {
    const cell = byId("headings").cells[k];
    if (heading.key === key) cell.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
    else cell.removeAttribute("aria-sort");
  });
}

function renderRows() {
  const isPrinted = scroller.dataset.printed === "yes";
  const first = isPrinted ? 0 : Math.max(0, Math.floor(scroller.scrollTop / ROW) - OVERSCAN);
  const room = isPrinted ? PRINTED_ROWS : Math.ceil(scroller.clientHeight / ROW) + 2 * OVERSCAN;
  const last = Math.min(listed.length, first + room);
  while (pool.length < last - first) pool.push(makeRow());
  const rows = pool.slice(0, last - first);
  for (const row of pool.slice(last - first)) row.remove();
  rows.forEach((row, k) => {
    fillRow(row, listed[first + k], first + k);
    if (!row.isConnected) below.before(row);
  });
  above.firstChild.style.height = `${first * ROW}px`;
  below.firstChild.style.height = isPrinted ? "0px" : `${(listed.length - last) * ROW}px`;
  table.setAttribute("aria-rowcount", listed.length + 1);
  markActive();
}

function makeRow() {
  const row = element("tr", "", { role: "row" });
  for (const { key } of HEADINGS) {
    const cell = element("td", "", { class: key, role: "gridcell" });
    if (key === "names") cell.append(element("bdi"), ...(data.target === null ? [element("bdi")] : []));
    if (key === "place") cell.append(makeTick());
    row.append(cell);
  }
  return row;
}

/** Make a box to tick before the rank. The space bar ticks it too. */
function makeTick() {
  const label = element("label");
  label.append(element("input", "", { type: "checkbox", tabindex: -1 }), element("span"));
  return label;
}

function fillTick(cell, pair) {
  const [box, place] = cell.firstChild.children;
  box.checked = state.ticked.has(pair);
  box.setAttribute("aria-label", `Tick ${pairName(pair, 400)}`);
  place.textContent = count(placesOf(state.order)[pair]);
}

function fillRow(row, pair, position) {
  row.dataset.pair = pair;
  row.id = `pair-${pair}`;
  row.setAttribute("aria-rowindex", position + 2);
  row.setAttribute("aria-selected", pair === state.selected);
  row.className = pairs.q_value[pair] < data.fdr_level ? "" : "unsure";
  HEADINGS.forEach(({ key }, k) => {
    const cell = row.cells[k];
    if (key === "names") fillNames(cell, pair);
    else if (key === "place") fillTick(cell, pair);
    else cell.textContent = cellText(key, pair);
    if (key === "observed") fillBar(cell, pair);
  });
}

function fillNames(cell, pair) {
  cell.children[0].textContent = shorten(xName(pair), nameRoom);
  if (data.target === null) {
    cell.children[1].textContent = shorten(yName(pair), nameRoom - 2);
    cell.children[1].dataset.arrow = arrow(pair);
  }
  cell.toggleAttribute("data-noted", notesOf(pair) !== "");
  cell.title = [pairName(pair, 400), notesOf(pair)].filter(Boolean).join("\n");
}

function fillBar(cell, pair) {
  const share = (value) => `${(100 * Math.min(Math.max(value / largest || 0, 0), 1)).toFixed(1)}%`;
  cell.style.setProperty("--observed-end", share(pairs.observed[pair]));
  cell.style.setProperty("--chance-end", share(Math.min(pairs.null_mean[pair], pairs.observed[pair])));
}

function cellText(key, pair) {
  if (key === "n") return count(pairs.n[pair]);
  if (key === "sign") return SIGNS[pairs.sign[pair]];
  if (key === "p_value") return statedProbability(pairs.p_value[pair], data.p_kinds[pairs.p_kind[pair]]);
  if (key === "q_value") return probability(pairs.q_value[pair]);
  return aligned(key, scoresOf(key)[pair]);
}

/** Format a score with the digits of its column, set by the largest score. */
function aligned(key, value) {
  if (!Number.isFinite(value)) return NONE;
  const most = key === "standardized" ? Infinity : largest;
  if (most > 0 && most < 0.01) return value.toExponential(1).replaceAll("-", "−");
  return value.toFixed(most >= 100 ? 1 : 3).replace("-", "−");
}

function markActive() {
  const row = byId(`pair-${state.selected}`);
  if (row?.isConnected) table.setAttribute("aria-activedescendant", row.id);
  else table.removeAttribute("aria-activedescendant");
}

const STEPS = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };

/** Move the selection by the arrow keys and their like, and tick the selected pair by the space bar. */
function followKey(event) {
  if (event.target !== table || !listed.length) return;
  if (event.key === " ") toggleTick(state.selected);
  else if (event.key in STEPS) {
    const here = listed.indexOf(state.selected);
    const there = here < 0 ? 0 : Math.min(Math.max(here + STEPS[event.key], 0), listed.length - 1);
    reveal(there);
    change({ selected: listed[there] });
  } else return;
  event.preventDefault();
}

/** Scroll as little as needed to show a row. */
function reveal(position) {
  const head = table.tHead.offsetHeight;
  const top = position * ROW;
  const room = scroller.clientHeight - head - ROW;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (top > scroller.scrollTop + room) scroller.scrollTop = top - room;
}
