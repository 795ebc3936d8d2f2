"use strict";
// Draws each chart when it comes near the window: a robot of forty joints has hundreds of them.
(() => {
  const charts = JSON.parse(document.getElementById("charts").textContent);
  const font = { family: getComputedStyle(document.body).fontFamily, size: 13, color: "#1d2730" };
  const axis = { gridcolor: "#e6ebef", zerolinecolor: "#9aa7b2", linecolor: "#d9e0e6", automargin: true };

  // Beside the chart a legend would take half of a narrow window: there it goes below, and the chart grows by it.
  const NARROW = 640, LINE = 22;

  function fit(place, chart) {
    const named = chart.data.filter((trace) => trace.name).length;
    const below = place.clientWidth < NARROW && !chart.layout.scene;
    place.dataset.height ??= place.style.height;
    place.style.height = below ? `calc(${place.dataset.height} + ${LINE * Math.min(named, 16)}px)` : place.dataset.height;
    return below ? { orientation: "h", x: 0, y: 0, yref: "container", yanchor: "bottom" } : { orientation: "v", x: 1.01, y: 1 };
  }

  function layoutOf(chart, legend) {
    const layout = structuredClone(chart.layout);
    for (const key of Object.keys(layout)) if (/^[xy]axis/.test(key)) layout[key] = { ...axis, ...layout[key] };
    layout.xaxis = { ...axis, ...layout.xaxis };
    layout.yaxis = { ...axis, ...layout.yaxis };
    return {
      font, showlegend: true, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      // Room on top for the buttons, which would hide the first name of the legend.
      margin: { l: 60, r: 10, t: 30, b: 44 }, hovermode: "x unified", hoverlabel: { namelength: -1 },
      modebar: { bgcolor: "rgba(255,255,255,0.7)", color: "#9aa7b2", activecolor: "#1d2730" },
      legend: { ...legend, tracegroupgap: 0, font: { size: 12 } }, ...layout,
    };
  }

  // A part of a sum: what pushes up and what pushes down are stacked apart; the pointer shows the value itself.
  function stacked({ y, name, color }) {
    const shared = { type: "scatter", name, legendgroup: name };
    const side = (values, stackgroup) => ({
      ...shared, mode: "lines", y: values, stackgroup, fillcolor: color, line: { width: 0, color },
      hoverinfo: "skip", showlegend: stackgroup === "up",
    });
    const value = { ...shared, mode: "lines", y, line: { width: 0, color }, hoverinfo: "name+y", showlegend: false };
    return [side(y.map((v) => Math.max(v, 0)), "up"), side(y.map((v) => Math.min(v, 0)), "down"), value];
  }

  function tracesOf(chart) {
    const traces = structuredClone(chart.data).flatMap((trace) => (trace.type === "stacked" ? stacked(trace) : [trace]));
    if (chart.x) for (const trace of traces) trace.x ??= chart.x;
    return traces;
  }

  function draw(place) {
    const chart = charts[Number(place.dataset.chart)];
    place.dataset.drawn = place.dataset.chart;
    const drawn = Plotly.react(place, tracesOf(chart), layoutOf(chart, fit(place, chart)),
      { responsive: true, displaylogo: false, modeBarButtonsToRemove: ["select2d", "lasso2d"] });
    return chart.layout.scene ? drawn.then(() => picture(place)) : drawn;
  }

  // What is drawn in three dimensions does not get onto paper: a picture of it does.
  async function picture(place) {
    const image = new Image();
    image.className = "printed";
    image.alt = "";
    image.src = await Plotly.toImage(place, { format: "png", width: 700, height: place.clientHeight, scale: 2 });
    place.parentElement.querySelector(".printed")?.remove();
    place.before(image);
  }

  const places = [...document.querySelectorAll(".chart")];
  const drawAll = () => places.forEach((place) => { if (place.dataset.drawn !== place.dataset.chart) draw(place); });
  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (entry.isIntersecting) { near.unobserve(entry.target); draw(entry.target); }
    }
  }, { rootMargin: "600px" });
  places.forEach((place) => near.observe(place));

  for (const select of document.querySelectorAll("figure.choice select")) {
    select.addEventListener("change", () => {
      const place = select.closest("figure").querySelector(".chart");
      place.dataset.chart = select.value;
      draw(place);
    });
  }
  let wide = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === wide) return;
    wide = window.innerWidth;
    for (const place of places) {
      if (place.dataset.drawn) Plotly.relayout(place, { legend: layoutOf(charts[Number(place.dataset.drawn)], fit(place, charts[Number(place.dataset.drawn)])).legend });
    }
  });
  window.addEventListener("beforeprint", drawAll);
  if (location.hash === "#all") drawAll();
})();
