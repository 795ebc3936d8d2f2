// Names of the arguments of the robot's equations.
function inputsOf({ payload, gravity }) {
  const { payload: carried } = live_model;
  return { ...(carried ? { [carried.argument]: [payload] } : {}), gravity };
}
let live_model = null;

// What users' own scripts and tests read and set: see "From a script" in the documentation of the report.
async function woken() {
  const text = packed("live");
  if (!text || ON_PAPER || typeof WebAssembly === "undefined") return null;
  const model = JSON.parse(await unpacked(text));
  live_model = model;
  for (const key of ["t", "q", "qd", "qdd", "weight"]) model[key] = floats(model[key]);
  model.equally = new Float64Array(model.t.length).fill(1 / model.t.length);
  let kernel;
  try {
    kernel = await loadpath.load(await loadpath.unpack(model.kernel));
  } catch (problem) {
    sayWhyNot(`This browser cannot run the robot's equations (${problem.message}): the numbers are as computed.`);
    return null;
  }
  const found = new Live(model, kernel);
  await found.causes.load(model.by_cause);
  const off = disagreement(found);
  if (off > TRUSTED) {
    sayWhyNot(`The equations give other numbers in this browser (by ${off.toExponential(1)}): they are shown as computed.`);
    return null;
  }
  live = found;
  const bar = new Bar(found);
  livePlayer(found);
  linkRows();
  linkCharts();
  markStale(found);
  Object.defineProperties(window.loadpath, Object.getOwnPropertyDescriptors(script(found, bar)));
  return found;
}

// The page has the peak forces of the drives as Python computed them: so it knows that its equations are the same.
const TRUSTED = 1e-9;

function disagreement({ model, loads }) {
  if (model.kept < model.samples) return 0;
  const largest = Math.max(...model.peaks.map(Math.abs), 1e-300);
  return Math.max(0, ...model.peaks.map((peak, k) => Math.abs(peak - loads.peak("drive", k).value) / largest));
}

function sayWhyNot(words) {
  const place = document.querySelector(".why-not") ?? document.querySelector("main").appendChild(document.createElement("p"));
  place.className = "why-not";
  place.textContent = words;
}

function script(live, bar) {
  const { model } = live;
  const place = (name, quantity) => {
    if (["drive", "speed", "acceleration", "power"].includes(quantity)) return [quantity, known(model.dofs, name, "degree of freedom")];
    for (const [key, names] of [["components", COMPONENTS], ["resultants", RESULTANTS]]) {
      if (names.includes(quantity)) return [key, 6 * known(model.joints, name, "joint") + names.indexOf(quantity)];
    }
    throw new RangeError(`no quantity '${quantity}'`);
  };
  return {
    set: (controls) => { live.set(checked(controls, model)); bar.follow(live.controls); },
    goTo: (sample) => live.goTo(sample),
    get controls() { return structuredClone(live.controls); },
    base: structuredClone(live.base),
    joints: [...model.joints],
    drives: [...model.dofs],
    get sample() { return live.sample; },
    get times() { return live.loads.t.slice(); },
    series: (name, quantity) => live.loads.column(...place(name, quantity)).slice(),
    statistics: (name, quantity) => ({ ...live.loads.statistics(...place(name, quantity)) }),
    work: (name) => live.loads.work(known(model.dofs, name, "degree of freedom")),
    get mount() { return Array.from({ length: 8 }, (_, k) => ({ ...live.loads.statistics("mount", k) })); },
    get checks() {
      return live.verdict.rows.map((row) => {
        const { part, joint, check, demand, capacity, unit, utilisation, life_hours, time, recomputed } = row;
        return { part, joint, check, demand, capacity, unit, utilisation, life_hours, time, recomputed, cause: recomputed ? live.causes.ofCheck(row) : "" };
      });
    },
    causes: (joint, component, sample) => live.causes.parts(known(model.joints, joint, "joint"), component, [sample]).map(({ name, values }) => ({ name, value: values[0] })),
  };
}

// What a script asks for, if it can be.
function checked(controls, model) {
  const { payload, speed, gravity, ...others } = controls, wrong = (words) => { throw new RangeError(words); };
  const [other] = Object.keys(others), carried = payload !== undefined && payload !== model.base.payload;
  if (other !== undefined) wrong(`no control '${other}': there are payload, speed, gravity`);
  if (carried && !model.payload) wrong(`no control for the payload: ${model.no_payload}`);
  if (carried && !(Number.isFinite(payload) && payload >= 0)) wrong(`payload is ${payload}: expected kg, 0 or more`);
  if (speed !== undefined && !(Number.isFinite(speed) && speed > 0)) wrong(`speed is ${speed}: expected a factor above 0`);
  if (gravity !== undefined && !(gravity?.length === 3 && [...gravity].every(Number.isFinite))) wrong(`gravity is ${gravity}: expected three numbers, m/s\u00b2`);
  return { ...controls, ...(gravity ? { gravity: [...gravity] } : {}) };
}

function known(names, name, what) {
  const found = names.indexOf(name);
  if (found < 0) throw new RangeError(`no ${what} '${name}': there are ${names.join(", ")}`);
  return found;
}
