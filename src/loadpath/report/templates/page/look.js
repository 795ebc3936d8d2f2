// Colours of light, dark and paper, and how a chart is laid out in its place.
// On paper all is drawn in the width of a page, and light.
const ON_PAPER = location.hash === "#paper", PAGE_WIDTH = 700;
const darkness = matchMedia("(prefers-color-scheme: dark)");
let printing = ON_PAPER;
const LIGHT = { ink: "#1d2730", soft: "#56646f", grid: "#e6ebef", zero: "#9aa7b2", line: "#d9e0e6", paper: "#ffffff", force: "#d1495b", torque: "#0b5cad" };
const DARK = { ink: "#e4e9ee", soft: "#a3b0bb", grid: "#2b353e", zero: "#6b7883", line: "#36424c", paper: "#151b20", force: "#e8707f", torque: "#6fb1f2" };
const look = () => (darkness.matches && !printing ? DARK : LIGHT);

// Beside the chart a legend would take half of a narrow window: there it goes below, and the chart grows by it.
const NARROW = 640, LINE = 22;
// On paper nobody can scroll a legend: a chart is as high as its names need, with the margins of the layout.
const ON_PAGE = 250, SQUARE = 380, MARGINS = 84;

function fit(place, chart) {
  const named = chart.data.filter((trace) => trace.name).length;
  const below = place.clientWidth < NARROW && !chart.layout.scene;
  const onPage = Math.max(Math.min(parseInt(place.style.height), chart.layout.yaxis?.scaleanchor ? SQUARE : ON_PAGE), MARGINS + LINE * named);
  place.dataset.height ??= ON_PAPER && !chart.layout.scene ? `${onPage}px` : place.style.height;
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
