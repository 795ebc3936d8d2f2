// Checks of parts, made again: a signal of the loads, recorded from the part's own lines in Python, and its reduction
// over the samples (loadpath.parts.part).
const OPERATIONS = {
  add: (a, b) => a + b, subtract: (a, b) => a - b, multiply: (a, b) => a * b, divide: (a, b) => a / b, power: (a, b) => a ** b,
  absolute: Math.abs, negative: (a) => -a, sqrt: Math.sqrt, square: (a) => a * a, maximum: Math.max, minimum: Math.min, sign: Math.sign,
  less: (a, b) => a < b, less_equal: (a, b) => a <= b, greater: (a, b) => a > b, greater_equal: (a, b) => a >= b,
  where: (test, yes, no) => (test ? yes : no),
};

// (samples) of an expression; what occurs twice is computed once.
function signalOf(loads, by) {
  const known = new Map();
  const value = (expression) => {
    if (typeof expression === "number") return expression;
    const key = JSON.stringify(expression);
    if (!known.has(key)) known.set(key, Array.isArray(expression) ? operation(expression) : leaf(loads, by, expression));
    return known.get(key);
  };
  const operation = ([name, ...parts]) => {
    const of = OPERATIONS[name], values = parts.map(value), long = values.find((v) => typeof v !== "number");
    if (!long) return Number(of(...values));
    const [a, b, c] = values.map((v) => (typeof v === "number" ? new Float64Array(long.length).fill(v) : v));
    return long.map((_, i) => Number(of(a[i], b?.[i], c?.[i])));
  };
  return value(by.signal);
}

function leaf(loads, { joint, v, multiplier }, name) {
  if (COMPONENTS.includes(name)) return loads.column("components", 6 * joint + COMPONENTS.indexOf(name));
  if (RESULTANTS.includes(name)) return loads.column("resultants", 6 * joint + RESULTANTS.indexOf(name));
  if (name === "holding") return loads.holding(v);
  const along = v === null ? new Float64Array(loads.count) : loads.column(name, v);
  return name === "drive" || multiplier === 1 ? along : along.map((x) => multiplier * x);
}

CHECKS.part = (loads, by, row) => {
  const { factor, exponent, reduction } = by, x = signalOf(loads, by), { weight } = loads.model, pace = loads.controls.speed;
  const most = (values) => values.reduce((best, value, i) => (value > values[best] ? i : best), 0);
  const made = (demand, sample, capacity = row.capacity) => ({ demand, capacity, utilisation: demand / capacity, sample });
  if (reduction === "largest") { const sample = most(x); return made(factor * Math.max(x[sample], 0), sample); }
  const all = weight.reduce((sum, w) => sum + w, 0);
  if (reduction === "rms") { const squares = x.map((v, i) => weight[i] * v * v); return made(factor * Math.sqrt(squares.reduce((sum, v) => sum + v, 0) / all), most(squares)); }
  const travel = leaf(loads, by, "speed").map(Math.abs);
  if (reduction === "average") return made((factor * x.reduce((sum, v, i) => sum + weight[i] * v, 0)) / all, most(travel));
  const worn = x.map((v, i) => weight[i] * travel[i] * v ** exponent), turned = travel.reduce((sum, n, i) => sum + weight[i] * n, 0);
  if (!turned) return null;
  const mean = factor * (worn.reduce((sum, v) => sum + v, 0) / turned) ** (1 / exponent);
  if (reduction === "mean") return made(mean, most(worn));
  if (!Number.isFinite(row.life_hours) || !(row.demand > 0) || !(mean > 0)) return null;
  // The same travel lasts fewer hours at a higher speed.
  return { ...made(mean, most(worn), row.capacity * pace ** (-1 / exponent)), life_hours: (row.life_hours * (row.demand / mean) ** exponent) / pace };
};

// A rule that does not give what Python found is not used: its check then stays as it was computed.
function trustedChecks(loads, checks) {
  return checks.map((check) => {
    if (check.by?.rule !== "part") return check;
    const [row] = new Verdict(loads, [check]).rows, near = (a, b) => (a === b) || Math.abs(a - b) <= TRUSTED * Math.max(Math.abs(a), Math.abs(b)) || (Number.isNaN(a) && b === null);
    const same = row.recomputed && near(row.demand, check.demand) && near(row.utilisation, check.utilisation);
    return same || loads.model.kept < loads.model.samples ? check : { ...check, by: null };
  });
}
