"use strict";
// Draws each chart when it comes near the window: a robot of forty joints has hundreds of them.
(async () => {
  const packed = (id) => document.getElementById(id).textContent.trim();
  async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }
  const places = [...document.querySelectorAll(".chart")];
  if (typeof DecompressionStream === "undefined") {
    for (const place of places) place.textContent = "This chart needs a browser of 2023 or later.";
    return;
  }
  const charts = JSON.parse(await unpacked(packed("charts")));
  const ready = () => { document.documentElement.dataset.ready = ""; };
  if (!charts.length) return ready();
  const program = document.createElement("script");
  program.textContent = await unpacked(packed("plotly"));
  document.head.append(program);

  // On paper all is drawn in the width of a page, and light.
  const ON_PAPER = location.hash === "#paper", PAGE_WIDTH = 700;
  const darkness = matchMedia("(prefers-color-scheme: dark)");
  let printing = ON_PAPER;
  const LIGHT = { ink: "#1d2730", grid: "#e6ebef", zero: "#9aa7b2", line: "#d9e0e6", paper: "#ffffff" };
  const DARK = { ink: "#e4e9ee", grid: "#2b353e", zero: "#6b7883", line: "#36424c", paper: "#151b20" };
  const look = () => (darkness.matches && !printing ? DARK : LIGHT);
  const FORCE = "#d1495b", TORQUE = () => (look() === DARK ? "#6fb1f2" : "#0b5cad");

  // Beside the chart a legend would take half of a narrow window: there it goes below, and the chart grows by it.
  const NARROW = 640, LINE = 22;

  function fit(place, chart) {
    const named = chart.data.filter((trace) => trace.name).length;
    const below = place.clientWidth < NARROW && !chart.layout.scene;
    place.dataset.height ??= ON_PAPER && !chart.layout.scene ? `${Math.min(parseInt(place.style.height), 250)}px` : place.style.height;
    place.style.height = below ? `calc(${place.dataset.height} + ${LINE * Math.min(named, 16)}px)` : place.dataset.height;
    if (chart.layout.scene) return { orientation: "h", x: 0, y: 1, yanchor: "bottom" };
    return below ? { orientation: "h", x: 0, y: 0, yref: "container", yanchor: "bottom" } : { orientation: "v", x: 1.01, y: 1 };
  }

  function layoutOf(chart, legend, place) {
    const colors = look();
    const axis = { gridcolor: colors.grid, zerolinecolor: colors.zero, linecolor: colors.line, automargin: true };
    const layout = structuredClone(chart.layout);
    for (const key of Object.keys(layout)) if (/^[xy]axis/.test(key)) layout[key] = { ...axis, ...layout[key] };
    if (layout.scene) {
      const narrow = place.clientWidth < NARROW;
      for (const key of ["xaxis", "yaxis", "zaxis"]) {
        layout.scene[key] = { gridcolor: colors.line, zerolinecolor: colors.zero, showbackground: false, nticks: narrow ? 4 : 7, ...layout.scene[key] };
      }
      if (narrow && layout.scene.camera) for (const key of "xyz") layout.scene.camera.eye[key] *= 1.35;
    } else {
      layout.xaxis = { ...axis, ...layout.xaxis };
      layout.yaxis = { ...axis, ...layout.yaxis };
    }
    for (const note of layout.annotations ?? []) if (note.bgcolor) note.bgcolor = "rgba(128,128,128,0.12)";
    return {
      font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: colors.ink },
      showlegend: true, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      // Room on top for the buttons, which would hide the first name of the legend.
      margin: layout.scene ? { l: 0, r: 0, t: 50, b: 0 } : { l: 60, r: 10, t: 30, b: 44 },
      hovermode: "x unified", hoverlabel: { namelength: -1, bgcolor: colors.paper, font: { color: colors.ink } },
      modebar: { bgcolor: "rgba(0,0,0,0)", color: colors.zero, activecolor: colors.ink },
      ...(ON_PAPER ? { width: PAGE_WIDTH } : {}),
      ...layout, legend: { ...legend, tracegroupgap: 0, font: { size: 12 }, ...(layout.scene ? {} : layout.legend) },
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

  // The robot at one of its instants: links as lines, joints as points with names, forces and torques as arrows.
  const plus = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
  const size = (a) => Math.hypot(...a);
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const columns = (points) => Object.fromEntries(["x", "y", "z"].map((key, k) => [key, points.map((p) => (p === null ? null : p[k]))]));

  function arrow(start, vector, head) {
    const tip = plus(start, vector), along = vector.map((v) => v / size(vector));
    const least = along.map(Math.abs).indexOf(Math.min(...along.map(Math.abs)));
    let aside = cross(along, [0, 1, 2].map((k) => Number(k === least)));
    aside = aside.map((v) => v / size(aside));
    const barbs = [aside, cross(along, aside)].flatMap((side) => [1, -1].map((sign) => plus(plus(tip, along, -head), side, 0.4 * sign * head)));
    return [start, tip, null, ...barbs.flatMap((barb) => [tip, barb, null])];
  }

  const number = (value) => Number(value.toPrecision(4)).toLocaleString("en");

  function robot(trace, step) {
    const frame = trace.frames[step], colors = look();
    const bones = [];
    for (let k = 0; k < frame.lines.length; k += 3) bones.push(frame.lines[k], frame.lines[k + 1], frame.lines[k + 2], null);
    const words = trace.names.map((name, k) => `${name}<br>force ${number(size(frame.force[k]))} N<br>torque ${number(size(frame.torque[k]))} N m`);
    const moving = trace.names.map((_, k) => k).filter((k) => trace.moves[k]);
    const named = moving.filter((k) => trace.named[k]);
    const traces = [
      { type: "scatter3d", mode: "lines", ...columns(bones), name: "links", hoverinfo: "skip", line: { color: colors.zero, width: 9 } },
      { type: "scatter3d", mode: "markers", ...columns(moving.map((k) => frame.points[k])), name: "joints", text: moving.map((k) => words[k]),
        hoverinfo: "text", marker: { color: colors.ink, size: 5 } },
      { type: "scatter3d", mode: "text", ...columns(named.map((k) => frame.points[k])), text: named.map((k) => trace.names[k]),
        textposition: "middle right", textfont: { size: 11, color: colors.ink }, hoverinfo: "skip", showlegend: false },
    ];
    for (const [kind, color] of [["force", FORCE], ["torque", TORQUE()]]) {
      const { scale, name } = trace.arrows[kind], lines = [], texts = [];
      frame[kind].forEach((vector, k) => {
        const drawn = vector.map((v) => v * scale);
        if (!(size(drawn) > 0.01 * trace.size * 0.25)) return;
        const part = arrow(frame.points[k], drawn, 0.035 * trace.size);
        lines.push(...part);
        texts.push(...part.map(() => words[k]));
      });
      traces.push({ type: "scatter3d", mode: "lines", ...columns(lines), name, text: texts, hoverinfo: "text", line: { color, width: 5 } });
    }
    if (trace.payload) {
      traces.push({ type: "scatter3d", mode: "markers", ...columns([trace.payload[step]]), name: "payload", hoverinfo: "name",
        marker: { color: "#e08e0b", size: 7, symbol: "square" } });
    }
    return traces;
  }

  function colored(value) {
    if (value === "ink") return look().ink;
    if (Array.isArray(value) || value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, key === "y" || key === "x" ? part : colored(part)]));
  }

  function tracesOf(chart, step) {
    const traces = chart.data.flatMap((trace) => trace.type === "stacked" ? stacked(trace) : trace.type === "robot" ? robot(trace, step) : [colored(trace)]);
    if (chart.x) for (const trace of traces) trace.x ??= chart.x;
    return traces;
  }

  function draw(place) {
    const chart = charts[Number(place.dataset.chart)];
    const step = printing ? chart.start : Number(place.dataset.step ?? chart.start);
    place.dataset.drawn = place.dataset.chart;
    const layout = layoutOf(chart, fit(place, chart), place);
    const kept = place._fullLayout?.scene?.camera;  // where the reader has turned it to
    if (layout.scene && kept && place.dataset.step !== undefined && !printing) layout.scene.camera = structuredClone(place.layout.scene.camera);
    const drawn = Plotly.react(place, tracesOf(chart, step), layout,
      { responsive: !ON_PAPER, displaylogo: false, displayModeBar: ON_PAPER ? false : undefined, modeBarButtonsToRemove: ["select2d", "lasso2d"] });
    return layout.scene && place.dataset.step === undefined ? drawn.then(() => picture(place)) : drawn;
  }

  // What is drawn in three dimensions does not get onto paper: a picture of it does, in the colours of paper.
  async function picture(place) {
    const image = new Image();
    image.className = "printed";
    image.alt = "";
    const light = !(darkness.matches && !printing);
    if (!light) return;
    image.src = await Plotly.toImage(place, { format: "png", width: PAGE_WIDTH, height: Math.min(place.clientHeight, 520), scale: 2 });
    place.parentElement.querySelector(".printed")?.remove();
    place.before(image);
  }

  const drawAll = () => Promise.all(places.filter((place) => place.dataset.drawn !== place.dataset.chart).map(draw));
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
  for (const slider of document.querySelectorAll(".slider input")) {
    const instants = slider.dataset.instants.split("|");
    slider.addEventListener("input", () => {
      const place = slider.closest("figure").querySelector(".chart");
      place.dataset.step = slider.value;
      slider.nextElementSibling.textContent = instants[Number(slider.value)];
      draw(place);
    });
  }
  const again = () => { for (const place of places) if (place.dataset.drawn) draw(place); };
  darkness.addEventListener("change", again);
  let wide = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === wide) return;
    wide = window.innerWidth;
    for (const place of places) {
      if (!place.dataset.drawn) continue;
      const chart = charts[Number(place.dataset.drawn)];
      if (!chart.layout.scene) Plotly.relayout(place, { legend: layoutOf(chart, fit(place, chart), place).legend });
    }
  });
  window.addEventListener("beforeprint", () => { printing = true; if (darkness.matches) again(); drawAll(); });
  window.addEventListener("afterprint", () => { printing = ON_PAPER; if (darkness.matches) again(); });
  if (["#all", "#paper"].includes(location.hash)) await drawAll();
  ready();
})();
