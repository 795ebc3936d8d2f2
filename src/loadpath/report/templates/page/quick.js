// Curves on a canvas over a chart while a control moves: Plotly takes 20 to 80 ms a chart, this one or two. At rest
// Plotly draws the chart again, in the same box.
const POINTS = 900, ALL_POINTS = 24000;

function quick(place, chart) {
  const box = place._fullLayout?._size;
  if (!box) return;
  let canvas = place.querySelector(":scope > canvas.quick");
  if (!canvas) {
    canvas = document.createElement("canvas");
    canvas.className = "quick";
    place.append(canvas);
  }
  const { clientWidth: width, clientHeight: height } = place, dense = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * dense);
  canvas.height = Math.round(height * dense);
  const pen = canvas.getContext("2d"), colors = look();
  pen.scale(dense, dense);
  const x = [chart.x[0], chart.x[chart.x.length - 1]], y = rangeOf(chart);
  const across = (v) => box.l + ((v - x[0]) / (x[1] - x[0] || 1)) * box.w, up = (v) => box.t + box.h - ((v - y[0]) / (y[1] - y[0] || 1)) * box.h;
  place.quickRange = x;
  frameOf(pen, box, x, y, across, up, colors);
  pen.save();
  pen.beginPath();
  pen.rect(box.l, box.t, box.w, box.h);
  pen.clip();
  pen.lineJoin = "round";
  const stack = chart.data.filter((trace) => trace.type === "stacked");
  for (const sign of [1, -1]) stackOf(pen, stack, sign, chart.x, across, up);
  for (const trace of chart.data) {
    if (trace.type === "stacked") continue;
    pen.beginPath();
    let down = false;
    for (let k = 0; k < chart.x.length; k++) {
      if (!Number.isFinite(trace.y[k])) { down = false; continue; }
      if (down) pen.lineTo(across(chart.x[k]), up(trace.y[k])); else pen.moveTo(across(chart.x[k]), up(trace.y[k]));
      down = true;
    }
    pen.strokeStyle = trace.line.color === "ink" ? colors.ink : trace.line.color;
    pen.lineWidth = trace.line.width;
    pen.setLineDash(DASH[trace.line.dash] ?? []);
    pen.stroke();
  }
  pen.restore();
  place.classList.add("moving");
}

function slow(place) {
  place.querySelector(":scope > canvas.quick")?.remove();
  place.classList.remove("moving");
  delete place.quickRange;
}

function rangeOf(chart) {
  let low = Infinity, high = -Infinity;
  const stack = chart.data.filter((trace) => trace.type === "stacked");
  for (const trace of chart.data) {
    if (trace.type === "stacked") continue;
    for (const v of trace.y) { if (v < low) low = v; if (v > high) high = v; }
  }
  for (let k = 0; stack.length && k < chart.x.length; k++) {
    let above = 0, below = 0;
    for (const { y } of stack) { if (y[k] > 0) above += y[k]; else below += y[k]; }
    if (above > high) high = above;
    if (below < low) low = below;
  }
  if (!(high > low)) return Number.isFinite(low) ? [low - 1, high + 1] : [-1, 1];
  const room = 0.055 * (high - low);
  return [low - room, high + room];
}

function frameOf(pen, box, x, y, across, up, colors) {
  pen.font = `13px ${getComputedStyle(document.body).fontFamily}`;
  pen.lineWidth = 1;
  const rule = (from, to, color) => { pen.strokeStyle = color; pen.beginPath(); pen.moveTo(...from); pen.lineTo(...to); pen.stroke(); };
  const ticks = ([low, high], about) => {
    const step = niceStep((high - low) / about || 1), found = [];
    for (let k = Math.ceil(low / step); k * step <= high; k++) found.push([k * step, k === 0 ? "0" : (k * step).toFixed(Math.max(0, -Math.floor(Math.log10(step)))).replace("-", MINUS)]);
    return found;
  };
  pen.fillStyle = colors.ink;
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const [v, text] of ticks(y, box.h / 48)) {
    rule([box.l, up(v)], [box.l + box.w, up(v)], v === 0 ? colors.zero : colors.grid);
    pen.fillText(text, box.l - 4, up(v));
  }
  pen.textAlign = "center";
  pen.textBaseline = "top";
  for (const [v, text] of ticks(x, box.w / 90)) {
    rule([across(v), box.t], [across(v), box.t + box.h], v === 0 ? colors.zero : colors.grid);
    pen.fillText(text, across(v), box.t + box.h + 5);
  }
}

function stackOf(pen, traces, sign, times, across, up) {
  const base = new Float64Array(times.length);
  for (const { y, color } of traces) {
    pen.beginPath();
    pen.moveTo(across(times[0]), up(base[0]));
    for (let k = 1; k < times.length; k++) pen.lineTo(across(times[k]), up(base[k]));
    for (let k = times.length - 1; k >= 0; k--) {
      base[k] += sign > 0 ? Math.max(y[k], 0) : Math.min(y[k], 0);
      pen.lineTo(across(times[k]), up(base[k]));
    }
    pen.closePath();
    pen.fillStyle = color;
    pen.fill();
  }
}

// The smallest and largest of each stretch of long curves, at its first and last time (loadpath.plotting.envelope).
function envelope(t, curves, most) {
  const count = t.length;
  if (count <= most) return [t, curves];
  const stretches = Math.floor(most / 2), firsts = [];
  for (let k = 0; k < stretches; k++) firsts.push(Math.round((k * count) / stretches));
  const times = new Float64Array(2 * stretches), drawn = curves.map(() => new Float64Array(2 * stretches));
  firsts.forEach((first, k) => {
    const last = (k + 1 < stretches ? firsts[k + 1] : count) - 1;
    times[2 * k] = t[first];
    times[2 * k + 1] = t[last];
    curves.forEach((y, c) => {
      let low = Infinity, high = -Infinity;
      for (let i = first; i <= last; i++) { if (y[i] < low) low = y[i]; if (y[i] > high) high = y[i]; }
      const rises = y[last] >= y[first];
      drawn[c][2 * k] = rises ? low : high;
      drawn[c][2 * k + 1] = rises ? high : low;
    });
  });
  return [times, drawn];
}
