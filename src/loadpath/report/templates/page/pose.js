// Where links and joints are at an instant, and the arrows of their loads: as sums, or by cause.
const CAUSES = {
  weight: { name: "weight of the robot", color: "#7b4fa3" },
  payload: { name: "weight of the payload", color: "#e08e0b", dash: "dash" },
  acceleration: { name: "acceleration", color: "#0b5cad", dash: "longdash" },
  speed: { name: "speed (centrifugal, Coriolis)", color: "#2e8b57", dash: "dot" },
  spring: { name: "springs", color: "#c2569b", dash: "dashdot" },
};

const pointOf = (poses, at, [x, y, z] = [0, 0, 0]) => [0, 1, 2].map((r) => poses[at + 4 * r] * x + poses[at + 4 * r + 1] * y + poses[at + 4 * r + 2] * z + poses[at + 4 * r + 3]);
const turnedBy = (poses, at, v) => [0, 1, 2].map((r) => poses[at + 4 * r] * v[0] + poses[at + 4 * r + 1] * v[1] + poses[at + 4 * r + 2] * v[2]);

function pose(live, trace) {
  const { model, loads, sample, controls } = live, { links, joints } = model, poses = loads.found.link_poses, start = 16 * links.length * sample;
  const points = [], vectors = { force: [], torque: [] }, frames = [];
  model.skeleton.forEach(({ child, origin, turn }, j) => {
    const at = start + 16 * child;
    const place = pointOf(poses, at, origin);
    frames.push((v) => turnedBy(poses, at, turn ? turn.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]) : v));
    if (!trace.numbers.includes(j)) return;
    points.push(place);
    for (const word of ["force", "torque"]) vectors[word].push(frames[j](loads.found[word].subarray(3 * (joints.length * sample + j), 3 * (joints.length * sample + j) + 3)));
  });
  const payload = model.payload && controls.payload > 0 ? pointOf(poses, start + 16 * model.payload.link_number, model.payload.center) : null;
  const { tau } = loads.found, { n } = model;
  const frame = {
    points, ...vectors, payload, gravity: size(controls.gravity) ? scaled(controls.gravity, 1 / size(controls.gravity)) : null,
    ground: (live.isBase && trace.frames.rest.ground[trace.samples.indexOf(sample)]) || null,
    rods: trace.rods.map(({ links, ends }) => links.map((link, k) => pointOf(poses, start + 16 * link, ends[k]))),
    poses: trace.bodies.map(({ link }) => poses.subarray(start + 16 * link, start + 16 * link + 12)),
    shares: trace.bodies.map(({ drive, limit }) => (limit === null ? null : Math.abs(tau[n * sample + drive]) / limit)),
  };
  if (trace.bent && live.isBase) Object.assign(frame, bentAt(trace, sample), { "bent poses": trace.bent.lines.map(({ link }) => poses.subarray(start + 16 * link, start + 16 * link + 12)) });
  if (live.arrowsBy && live.arrowsBy !== "sum") frame.arrows = byCause(live, trace, frames, live.arrowsBy);
  return frame;
}

// Displacements and stresses at a sample: between those that were sent, in proportion.
function bentAt(trace, sample) {
  const after = trace.samples.findIndex((one) => one >= sample), next = frameAt(trace, after), before = Math.max(after - 1, 0);
  const share = trace.samples[after] === sample ? 1 : (sample - trace.samples[before]) / (trace.samples[after] - trace.samples[before]);
  if (share === 1) return { moved: next.moved, used: next.used };
  const last = frameAt(trace, before), mixed = (a, b) => a + share * (b - a);
  return { moved: last.moved.map((point, i) => point.map((v, k) => mixed(v, next.moved[i][k]))), used: last.used?.map((v, i) => mixed(v, next.used[i])) };
}

// Loads are sums: the same equations without speed, without acceleration, without payload tell what each adds; of any
// result of the equations by its name.
function kindsOf({ model, kernel, loads, controls }, sample, rest = false) {
  const { n, nq } = model, still = new Float64Array(n), none = { ...controls, gravity: [0, 0, 0] };
  const [q, qd, qdd] = [[model.q, nq], [loads.qd, n], [loads.qdd, n]].map(([values, width]) => values.slice(width * sample, width * (sample + 1)));
  const run = (speed, acceleration, setting) => kernel.run({ q, qd: speed, qdd: acceleration, ...inputsOf(setting) }, 1);
  const spring = run(still, still, none), weighs = run(still, still, controls), empty = run(still, still, { ...controls, payload: 0 });
  const moving = rest ? weighs : run(qd, still, controls), all = rest ? weighs : run(qd, qdd, controls);
  const less = (a, b) => (word) => a[word].map((v, k) => v - b[word][k]);
  const parts = { weight: less(empty, spring), payload: less(weighs, empty), acceleration: less(all, moving), speed: less(moving, weighs), spring: (word) => spring[word] };
  return Object.entries(parts).map(([kind, found]) => ({ kind, name: CAUSES[kind].name, found }));
}

function byCause(live, trace, frames, word) {
  const { joints } = live.model, parts = kindsOf(live, live.sample).map(({ kind, found }) => [kind, found(word)]);
  const { scale } = trace.arrows[word], unit = word === "force" ? "N" : "N m";
  return Object.fromEntries(parts.filter(([, values]) => values.some((v) => Math.abs(v) > NOTHING)).map(([kind, values], k) => [kind, {
    ...CAUSES[kind], name: k ? CAUSES[kind].name : `${CAUSES[kind].name} (1 m is ${number(1 / scale)} ${unit})`, scale,
    vectors: trace.numbers.map((j) => frames[j](values.subarray(3 * j, 3 * j + 3))),
  }]));
}
