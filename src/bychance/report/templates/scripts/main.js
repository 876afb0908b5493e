// The table first, since it answers at once; then the charting library, and each chart as it comes into sight.

function refreshList() {
  list();
  scroller.scrollTop = 0;
  showControls();
  markHeadings();
  renderRows();
  announce();
  if (state.selected < 0 && listed.length) change({ selected: listed[0] });
}

/** Charts wait until the slider rests for a moment: the table does not. */
const followLevel = (() => {
  let timer;
  return () => {
    showFigures();
    clearTimeout(timer);
    timer = setTimeout(() => {
      moveBumpCursor();
      redraw("null-chart");
      if (data.heat && byId("heat-figure").value === "level") redraw("heat-chart");
    }, 60);
  };
})();

function followSelection() {
  renderRows();
  showFigures();
  redraw("data-chart", "beyond-chart", "null-chart", "bump-chart", ...Object.keys(BIAS));
}

function followTheme() {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
  const print = matchMedia("print");
  print.addEventListener("change", () => followPrint(print.matches));
  // Some browsers lay the sheets out before they tell of the change.
  addEventListener("beforeprint", () => followPrint(true));
  addEventListener("afterprint", () => followPrint(false));
}

let opened = [];

/** Paper unfolds what the reader folded. */
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
on(["order", "level", "sort", "search", "minN", "maxQ", "engine", "note", "isFolded"], refreshList);
refreshList();
showFigures();
on(["order"], showFigures);
on(["level"], followLevel);
performance.mark("interactive");
await new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
});
await loadLibrary();
startPair();
startBeyond();
startNull();
startBump();
startBias();
startHeat();
on(["selected"], followSelection);
on(["ticked"], () => redraw(...Object.keys(BIAS)));
followTheme();
performance.mark("charts");
document.documentElement.dataset.ready = "yes";
