// Controls → state, texts about the state, and the start of the page: the table first, then the charting library,
// and each chart when it comes into sight.

function startControls() {
  const slider = byId("alpha");
  slider.value = state.level;
  slider.addEventListener("input", () => change({ level: Number(slider.value), order: "adjusted_at", sort: null }));
  for (const radio of document.getElementsByName("order")) {
    radio.addEventListener("change", () => change({ order: radio.value, sort: null }));
  }
  const form = document.querySelector(".filters");
  form.addEventListener("input", followFilters);
  form.addEventListener("reset", () => setTimeout(followFilters)); // once the fields are reset
  form.addEventListener("submit", (event) => event.preventDefault());
  byId("as-ranks").addEventListener("change", () => redraw("data-chart"));
  byId("download").addEventListener("click", download);
  byId("copy").addEventListener("click", copyCommand);
}

function followFilters() {
  const value = (id) => byId(id).value;
  change({
    filters: {
      search: value("search"),
      minN: Number(value("min-n")),
      maxQ: value("max-q"),
      engine: value("engine"),
      note: value("has-note"),
      isFolded: byId("fold").checked,
    },
  });
}

async function copyCommand() {
  const button = byId("copy");
  getSelection().selectAllChildren(byId("command"));
  try {
    await navigator.clipboard.writeText(byId("command").textContent);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Selected";
  }
}

/** Set slider and buttons from the state. */
function showControls() {
  const alpha = data.levels[state.level];
  byId("alpha-shown").textContent = `= ${alpha}`;
  byId("alpha").setAttribute("aria-valuetext", `alpha ${alpha}`);
  for (const radio of document.getElementsByName("order")) radio.checked = radio.value === state.order;
}

let leaders = [];
let filtered;

function leads(pair) {
  return data.bump.pairs.length ? `${pairName(pair, 60)} leads` : "no pair could be tested";
}

/** Say which pairs are not listed, since their ranks are skipped. */
function foldedText() {
  const total = (flags) => flags.reduce((sum, is) => sum + is, 0);
  const n = state.filters.isFolded ? total(pairs.is_duplicate) : 0;
  const nSaid = total(pairs.is_said);
  return (
    (n ? `; ${plural(n, "near-duplicate")} folded: their ranks are skipped` : "") +
    (nSaid ? `; ${count(nSaid)} the same in both directions, listed once as ↔` : "")
  );
}

/** Announce the new order, and how many leaders are new if the filters did not change. */
function announce() {
  const now = Array.from(listed.slice(0, 10));
  const nNew = state.filters === filtered ? now.filter((pair) => !leaders.includes(pair)).length : 0;
  const what = state.order === "adjusted_at" ? `At α = ${data.levels[state.level]}` : data.orders[state.order];
  const first = now.length ? leads(now[0]) : "no pair passes the filters";
  const moved =
    leaders.length && nNew ? `; ${nNew} of the first ${now.length} ${nNew === 1 ? "is" : "are"} new` : "";
  byId("announcement").textContent = `${what}: ${first}${moved}.`;
  byId("count").textContent =
    listed.length === N_PAIRS
      ? plural(N_PAIRS, "pair")
      : `${count(listed.length)} of ${plural(N_PAIRS, "pair")}${foldedText()}`;
  leaders = now;
  filtered = state.filters;
}

function refreshList() {
  list();
  scroller.scrollTop = 0;
  showControls();
  markHeadings();
  renderRows();
  announce();
  if (state.selected < 0 && listed.length) change({ selected: listed[0] });
}

/** Follow the slider: the table at once, the charts after it rests for a moment. */
const followLevel = (() => {
  let timer;
  return () => {
    showResults();
    clearTimeout(timer);
    timer = setTimeout(() => {
      redraw("bump-chart", "null-chart");
      if (data.heat && byId("heat-score").value === "adjusted_at") redraw("heat-chart");
    }, 60);
  };
})();

function followSelection() {
  renderRows();
  showResults();
  redraw("data-chart", "given-chart", "null-chart", "bump-chart", ...Object.keys(BIAS));
}

function followTheme() {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
  const print = matchMedia("print");
  print.addEventListener("change", () => followPrint(print.matches));
  // Some browsers lay out the pages before they report the change.
  addEventListener("beforeprint", () => followPrint(true));
  addEventListener("afterprint", () => followPrint(false));
}

let opened = [];

/** Open all folded parts for printing, and fold them again afterwards. */
function unfold(isPrinted) {
  if (isPrinted) opened = [...opened, ...document.querySelectorAll("details:not([open])")];
  for (const part of opened) part.open = isPrinted;
  if (!isPrinted) opened = [];
}

function followPrint(isPrinted) {
  scroller.dataset.printed = isPrinted ? "yes" : "no";
  unfold(isPrinted);
  for (const drawing of drawings.values()) drawing.isSeen ||= isPrinted;
  renderRows();
  redrawAll();
  for (const id of drawings.keys()) if (byId(id).data) Plotly.Plots.resize(byId(id));
}

async function loadLibrary() {
  const code = new TextDecoder().decode(await bytesOf("library"));
  const script = element("script", code);
  document.head.append(script);
}

makeTable();
startControls();
startTicks();
on(["order", "level", "sort", "filters"], refreshList);
followFilters();
showResults();
on(["order"], showResults);
on(["level"], followLevel);
performance.mark("interactive");
await new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
});
await loadLibrary();
drawWhenSeen("data-chart", drawData);
drawWhenSeen("null-chart", drawNull);
if (data.given) drawWhenSeen("given-chart", drawGiven);
startBump();
startBias();
startHeat();
on(["selected"], followSelection);
on(["ticked"], () => redraw(...Object.keys(BIAS)));
followTheme();
performance.mark("charts");
document.documentElement.dataset.ready = "yes";
