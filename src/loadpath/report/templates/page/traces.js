// From what a chart holds to what is drawn of it.
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

function colored(value) {
  if (value === "ink") return look().ink;
  if (Array.isArray(value) || ArrayBuffer.isView(value) || value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, key === "y" || key === "x" ? part : colored(part)]));
}

function tracesOf(chart) {
  const traces = chart.data.flatMap((trace) => (trace.type === "stacked" ? stacked(trace) : [colored(trace)]));
  if (chart.x) for (const trace of traces) trace.x ??= chart.x;
  return traces;
}
