// The robot at one instant: links as bodies, joints as points with names, forces and torques as arrows.
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

// `frame` has points, by the keys of `trace.arrows` a vector for each joint, and for each body where it is and the share
// of its drive's limit.
function robot(trace, frame, marked = -1) {
  const colors = look();
  const words = trace.names.map((name, k) => [name, `force ${number(size(frame.force[k]))} N`, `torque ${number(size(frame.torque[k]))} N m`]);
  const moving = trace.names.map((_, k) => k).filter((k) => trace.moves[k]);
  const named = moving.filter((k) => trace.named[k] || k === marked);
  const traces = [
    { mode: "lines", ...columns(frame.rods.flatMap(([start, end]) => [start, end, null])), line: { color: ROD, width: 7 } },
    { mode: "bodies", bodies: bodiesOf(trace), poses: frame.poses, shares: frame.shares,
      name: trace.bodies.some(({ limit }) => limit !== null) ? "drive, 0 to 100 % of its limit" : "" },
    { mode: "markers", ...columns(moving.map((k) => frame.points[k])), name: "joints", text: moving.map((k) => words[k]),
      of: moving, marker: { color: colors.ink, size: 5 }, marked: moving.indexOf(marked) },
  ];
  for (const [kind, { scale, name, color, dash, vectors }] of Object.entries(frame.arrows ?? trace.arrows)) {
    const lines = [];
    (vectors ?? frame[kind]).forEach((vector, k) => {
      const drawn = vector.map((v) => v * scale);
      if (size(drawn) > 0.01 * trace.size * 0.25) lines.push(...arrow(frame.points[k], drawn, 0.035 * trace.size));
    });
    traces.push({ mode: "lines", ...columns(lines), name, edged: true, line: { color: color ?? colors[kind], width: 4, dash } });
  }
  if (frame.payload) {
    traces.push({ mode: "markers", ...columns([frame.payload]), name: "payload", marker: { color: "#e08e0b", size: 7, symbol: "square" } });
  }
  if (trace.ring) {
    const ring = [...trace.ring, trace.ring[0]], tips = frame.ground?.tips;
    traces.unshift({ mode: "lines", ...columns(ring), name: "support polygon", line: { color: tips ? BEYOND : STANDS, width: 3 } });
  }
  if (frame.ground) traces.push(...ground(frame.ground, trace.size));
  if (frame.gravity) traces.push({ mode: "lines", ...columns(frame.gravity), name: "gravity's direction", line: { color: colors.soft, width: 3, dash: "dot" } });
  traces.push(
    { mode: "text", ...columns(named.map((k) => frame.points[k])), text: named.map((k) => trace.names[k]),
      marked: named.indexOf(marked), textfont: { size: 11, color: colors.ink }, showlegend: false },
  );
  return traces;
}

// The force of the ground on every wheel, as an arrow from where it acts, and the zero-moment point.
const ROD = "#33414d", STANDS = "#0072b2", PRESSURE = "#56b4e9", BALANCE = "#009e73";
function ground({ at, force, name, tips, zero_moment_point: point }, long) {
  const lines = [];
  at.forEach((end, k) => {
    if (end.every(Number.isFinite) && force[k].every(Number.isFinite) && size(force[k]) > 0.002 * long) {
      lines.push(...arrow(end, force[k], 0.035 * long));
    }
  });
  const traces = [{ mode: "lines", ...columns(lines), name, edged: true, line: { color: PRESSURE, width: 4 } }];
  if (point.every(Number.isFinite)) {
    traces.push({ mode: "markers", ...columns([point]), name: "zero-moment point", marker: { color: tips ? BEYOND : BALANCE, size: 6 } });
  }
  return traces;
}
