// The robot at one instant: links as bodies, joints as points with names, forces and torques as arrows.
const plus = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const size = (a) => Math.hypot(...a);
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const columns = (points) => Object.fromEntries(["x", "y", "z"].map((key, k) => [key, points.map((p) => (p === null ? null : p[k]))]));

// One instant of those that a page is sent (loadpath.report.bodies.sent_frames).
const unpackedFrames = new WeakMap();
function frameAt(trace, step) {
  const { frames } = trace;
  if (!unpackedFrames.has(frames)) unpackedFrames.set(frames, Object.fromEntries(Object.entries(frames.numbers).map(([key, { values }]) => [key, new Float32Array(bytesOf(values).buffer)])));
  const all = unpackedFrames.get(frames), found = {};
  for (const [key, { shape }] of Object.entries(frames.numbers)) {
    const long = shape.reduce((a, b) => a * b, 1);
    found[key] = nested(all[key].subarray(long * step, long * (step + 1)), shape);
  }
  for (const [key, values] of Object.entries(frames.rest)) found[key] = values[step];
  return { ...found, payload: trace.payload?.[step] };
}

// With the arrows of the total, or of every cause.
function sentFrame(trace, step, word = "sum") {
  const frame = frameAt(trace, step);
  if (word === "sum") return frame;
  const causes = trace.causes.filter((cause) => frame[`${word} by ${cause}`]?.some((vector) => size(vector) > 1e-12));
  const { scale, name } = trace.arrows[word];
  frame.arrows = Object.fromEntries(causes.map((cause, k) => [cause, {
    ...(OF_CAUSES[cause] ?? { color: "#56646f" }), scale, name: k ? cause : `${cause} (${name})`, vectors: frame[`${word} by ${cause}`],
  }]));
  return frame;
}
const OF_CAUSES = {
  gravity: { color: "#0072b2" }, inertial: { color: "#e69f00", dash: "longdash" }, centrifugal: { color: "#009e73", dash: "dot" },
  coriolis: { color: "#cc79a7", dash: "dashdot" }, friction: { color: "#7f7f7f" }, base: { color: "#882255" },
  external: { color: "#b8a800" }, payload: { color: "#56b4e9", dash: "dash" }, pull: { color: "#d55e00" },
};

function nested(values, [count, ...inner]) {
  if (!inner.length) return Array.from(values);
  const long = inner.reduce((a, b) => a * b, 1);
  return Array.from({ length: count }, (_, k) => nested(values.subarray(long * k, long * (k + 1)), inner));
}

function arrow(start, vector, head, heads = 1) {
  const tip = plus(start, vector), along = vector.map((v) => v / size(vector));
  const least = along.map(Math.abs).indexOf(Math.min(...along.map(Math.abs)));
  let aside = cross(along, [0, 1, 2].map((k) => Number(k === least)));
  aside = aside.map((v) => v / size(aside));
  const barbs = [aside, cross(along, aside)].flatMap((side) => [1, -1].map((sign) => plus(plus(tip, along, -head), side, 0.4 * sign * head)));
  const more = heads > 1 ? barbs.flatMap((barb) => [plus(tip, along, -0.7 * head), plus(barb, along, -0.7 * head), null]) : [];
  return [start, tip, null, ...barbs.flatMap((barb) => [tip, barb, null]), ...more];
}

// `frame` has points, by the keys of `trace.arrows` a vector for each joint, and for each body where it is and the share
// of its drive's limit.
function robot(trace, frame, marked = -1) {
  const colors = look();
  const words = trace.names.map((name, k) => [name, `force ${number(size(frame.force[k]))} N`, `torque ${number(size(frame.torque[k]))} N m`]);
  const moving = trace.names.map((_, k) => k).filter((k) => trace.moves[k]);
  const named = moving.filter((k) => trace.named[k] || k === marked);
  const limited = trace.bodies.some(({ limit }) => limit !== null), bent = frame.moved ? bentLines(trace.bent, frame) : null;
  const traces = [{
    mode: "bodies", bodies: bodiesOf(trace), poses: frame.poses, shares: frame.shares, bent,
    rods: frame.rods.filter(([start, end]) => size(plus(start, end, -1)) > 1e-9), radius: 0.011 * trace.size,
    name: bent ? (frame.used ? "stress, of yield strength" : "") : limited ? "of each drive's limit" : "", scaled: bent ? Boolean(frame.used) : limited, also: bent ? trace.bent.name : "",
  }];
  if (trace.path) traces.push({ mode: "lines", ...columns(trace.path), name: trace.path_name, line: { color: TRAIL, width: 2 } });
  for (const closes of [false, true]) {
    const those = moving.filter((k) => (trace.closes?.[k] ?? false) === closes);
    if (!those.length) continue;
    traces.push({ mode: "markers", ...columns(those.map((k) => frame.points[k])), name: closes ? "joints that close loops" : "joints", text: those.map((k) => words[k]),
      of: those, marker: { color: closes ? CLOSES : colors.ink, size: 4, symbol: closes ? "diamond" : undefined }, marked: those.indexOf(marked) });
  }
  for (const [kind, { scale, name, color, dash, vectors }] of Object.entries(frame.arrows ?? trace.arrows)) {
    const lines = [];
    (vectors ?? frame[kind]).forEach((vector, k) => {
      const drawn = vector.map((v) => v * scale);
      if (size(drawn) > 0.01 * trace.size * 0.25) lines.push(...arrow(frame.points[k], drawn, 0.035 * trace.size, kind === "torque" ? 2 : 1));
    });
    traces.push({ mode: "lines", ...columns(lines), name, edged: true, line: { color: color ?? colors[kind], width: 4, dash } });
  }
  if (frame.payload) {
    traces.push({ mode: "markers", ...columns([frame.payload]), name: "payload", marker: { color: "#e08e0b", size: 7, symbol: "square" } });
  }
  const edge = frame.edge ?? trace.ring;
  if (edge) {
    const ring = [...edge, edge[0]], tips = frame.ground?.tips;
    traces.unshift({ mode: "lines", ...columns(ring), name: "support polygon", line: { color: tips ? BEYOND : STANDS, width: 3 } });
  }
  if (frame.outside) {
    const lines = frame.outside.flatMap(([at, force]) => (size(force) > 0.002 * trace.size ? arrow(at, force, 0.035 * trace.size) : []));
    traces.push({ mode: "lines", ...columns(lines), name: trace.outside_name, edged: true, line: { color: BEYOND, width: 4 } });
  }
  if (frame.ground) traces.push(...ground(frame.ground, trace.size));
  if (frame.gravity) traces.push({ mode: "way", way: frame.gravity, name: "gravity's direction", line: { color: colors.soft, width: 3, dash: "dot" } });
  traces.push(
    { mode: "text", ...columns(named.map((k) => frame.points[k])), text: labelsOf(trace, frame, named), of: named,
      marked: named.indexOf(marked), textfont: { size: 11, color: colors.ink }, showlegend: false },
  );
  return traces;
}

// What stands next to the joints: without what all names begin with; of mechanisms, the force as well.
function labelsOf({ names, carries }, frame, named) {
  const shown = named.map((k) => names[k]), first = shown[0] ?? "", shared = shown.length < 2 ? 0 : [...first].findIndex((letter, k) => shown.some((name) => name[k] !== letter));
  const cut = shared > 0 ? first.slice(0, shared).search(/[_. -][^_. -]*$/) + 1 : 0;
  return named.map((k) => (carries ? `${names[k].slice(cut)} ${number(size(frame.force[k]))} N` : names[k].slice(cut)));
}

// The arm where it bends to: points on their links, and how far they are displaced, many times as large.
function bentLines({ factor, lines }, frame) {
  let from = 0;
  return lines.map(({ points, radius, beam }, k) => {
    const moved = frame.moved.slice(from, from + points.length), used = frame.used?.slice(from, from + points.length);
    from += points.length;
    return { radius, shares: beam ? used : null, line: points.map((point, i) => plus(pointOf(frame["bent poses"][k], 0, point), moved[i], factor)) };
  });
}

// The force of the ground on every wheel, as an arrow from where it acts, and the zero-moment point.
const STEEL = [93, 107, 119], CLOSES = "#aa4499", TRAIL = "#e08e0b", STANDS = "#0072b2", PRESSURE = "#56b4e9", BALANCE = "#009e73";
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
