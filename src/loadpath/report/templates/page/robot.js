// The robot at one instant: links as lines, joints as points with names, forces and torques as arrows.
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

// `frame` has lines (three points a link), points, and by the keys of `trace.arrows` a vector for each joint.
function robot(trace, frame, marked = -1) {
  const colors = look(), bones = [];
  for (let k = 0; k < frame.lines.length; k += 3) bones.push(frame.lines[k], frame.lines[k + 1], frame.lines[k + 2], null);
  const words = trace.names.map((name, k) => [name, `force ${number(size(frame.force[k]))} N`, `torque ${number(size(frame.torque[k]))} N m`]);
  const moving = trace.names.map((_, k) => k).filter((k) => trace.moves[k]);
  const named = moving.filter((k) => trace.named[k] || k === marked);
  const traces = [
    { type: "scatter3d", mode: "lines", ...columns(bones), name: "links", line: { color: colors.zero, width: 9 }, shadow: true },
    { type: "scatter3d", mode: "markers", ...columns(moving.map((k) => frame.points[k])), name: "joints", text: moving.map((k) => words[k]),
      of: moving, marker: { color: colors.ink, size: 5 }, marked: moving.indexOf(marked) },
    { type: "scatter3d", mode: "text", ...columns(named.map((k) => frame.points[k])), text: named.map((k) => trace.names[k]),
      marked: named.indexOf(marked), textfont: { size: 11, color: colors.ink }, showlegend: false },
  ];
  for (const [kind, { scale, name, color, dash, vectors }] of Object.entries(frame.arrows ?? trace.arrows)) {
    const lines = [];
    (vectors ?? frame[kind]).forEach((vector, k) => {
      const drawn = vector.map((v) => v * scale);
      if (size(drawn) > 0.01 * trace.size * 0.25) lines.push(...arrow(frame.points[k], drawn, 0.035 * trace.size));
    });
    traces.push({ type: "scatter3d", mode: "lines", ...columns(lines), name, line: { color: color ?? colors[kind], width: 4, dash } });
  }
  if (frame.payload) {
    traces.push({ type: "scatter3d", mode: "markers", ...columns([frame.payload]), name: "payload", marker: { color: "#e08e0b", size: 7, symbol: "square" } });
  }
  if (frame.gravity) traces.push({ type: "scatter3d", mode: "lines", ...columns(frame.gravity), name: "gravity's direction", line: { color: colors.soft, width: 3, dash: "dot" } });
  return traces;
}
