// Draws each chart when it comes near the window: a robot of forty joints has hundreds of them.
const places = [...document.querySelectorAll(".chart")];
const chartOf = (place) => charts[Number(place.dataset.chart)];
const robotOf = (chart) => chart.data.find((trace) => trace.type === "robot");
const inWindow = new Set();  // places that are seen, or nearly

// Texts for Plotly have their tags escaped; a canvas shows what it is given.
const unescaped = (text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

function draw(place) {
  const chart = chartOf(place);
  place.dataset.drawn = place.dataset.chart;
  if (robotOf(chart)) return drawRobot(place, chart);
  delete place.dataset.outdated;
  const shown = live?.redrawn(chart) ?? chart;
  live?.note(place, chart);
  const layout = layoutOf(shown, fit(place, shown), place);
  const drawn = Plotly.react(place, tracesOf(shown), layout,
    { responsive: !ON_PAPER, displaylogo: false, displayModeBar: ON_PAPER ? false : undefined, modeBarButtonsToRemove: ["select2d", "lasso2d"] });
  return drawn.then(() => { place.dispatchEvent(new Event("drawn")); return layout.scene ? picture(place) : undefined; });
}

function drawRobot(place, chart) {
  const trace = robotOf(chart), first = !place.space;
  delete place.dataset.outdated;
  place.space ??= new Space(place, chart.layout.scene);
  const step = printing ? chart.start : Number(place.dataset.step ?? chart.start);
  const asCame = printing && (live?.isBase ?? true);  // paper has the instant that the report was made with
  const frame = (asCame ? null : live?.frame(trace)) ?? sentFrame(trace, step, place.dataset.arrows);
  place.space.show(robot({ ...trace, names: trace.names.map(unescaped) }, frame, live?.marked(trace) ?? -1));
  if (!asCame) live?.caption(place);
  if (first) place.dispatchEvent(new Event("drawn"));
  return first || printing ? picture(place) : undefined;
}

// What is drawn in three dimensions does not get onto paper: a picture of it does, in the colours of paper.
async function picture(place) {
  if (darkness.matches && !printing) return;
  const image = new Image(), height = Math.min(place.clientHeight, 520);
  image.className = "printed";
  image.alt = "";
  image.src = place.space ? place.space.image(PAGE_WIDTH, height) : await Plotly.toImage(place, { format: "png", width: PAGE_WIDTH, height, scale: 2 });
  place.parentElement.querySelector(".printed")?.remove();
  place.before(image);
}

const isOutdated = (place) => place.dataset.drawn !== place.dataset.chart || place.dataset.outdated !== undefined;
const drawAll = () => Promise.all(places.filter(isOutdated).map(draw));
const again = () => { for (const place of places) if (place.dataset.drawn) draw(place); };

function watch() {
  const near = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting) inWindow.add(target); else inWindow.delete(target);
      if (isIntersecting && isOutdated(target)) draw(target);
    }
  }, { rootMargin: "300px" });
  places.forEach((place) => near.observe(place));

  for (const select of document.querySelectorAll("figure.choice select")) {
    select.addEventListener("change", () => {
      const place = select.closest("figure").querySelector(".chart");
      place.dataset.chart = select.value;
      draw(place);
    });
  }
  if (!live) for (const slider of document.querySelectorAll(".slider input")) sentPlayer(slider);
  darkness.addEventListener("change", again);
  let wide = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === wide) return;
    wide = window.innerWidth;
    for (const place of places) {
      if (!place.dataset.drawn || place.space) continue;
      const chart = charts[Number(place.dataset.drawn)];
      if (!chart.layout.scene) Plotly.relayout(place, { legend: layoutOf(chart, fit(place, chart), place).legend });
    }
  });
  window.addEventListener("beforeprint", () => {
    printing = true;
    live?.sayAll();
    if (darkness.matches) again();
    drawAll();
    for (const place of places) if (place.space) draw(place);  // its picture is of the setting that is shown
  });
  window.addEventListener("afterprint", () => { printing = ON_PAPER; if (darkness.matches) again(); });
}
