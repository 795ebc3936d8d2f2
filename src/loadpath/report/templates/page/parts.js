// Checks of parts, made again: a signal of the loads, recorded as steps from the part's own lines in Python, and its
// reduction over the samples (loadpath.parts.part, loadpath.report.live.recording).
const OPERATIONS = {
  add: (a, b) => a + b, subtract: (a, b) => a - b, multiply: (a, b) => a * b, divide: (a, b) => a / b, power: (a, b) => a ** b,
  absolute: Math.abs, negative: (a) => -a, sqrt: Math.sqrt, square: (a) => a * a, maximum: (a, b) => Math.max(a, b), minimum: (a, b) => Math.min(a, b), sign: Math.sign,
  hypot: (a, b) => Math.hypot(a, b), equal: (a, b) => a === b, bitwise_and: (a, b) => a && b, invert: (a) => !a,
  less: (a, b) => a < b, less_equal: (a, b) => a <= b, greater: (a, b) => a > b, greater_equal: (a, b) => a >= b,
  where: (test, yes, no) => (test ? yes : no),
};
const NO_NUMBERS = { inf: Infinity, "-inf": -Infinity, nan: NaN };

// A row of numbers between its points, level before the first and `beyond` the last (numpy.interp).
function between(x, at, values, beyond) {
  const last = at.length - 1;
  if (!(x <= at[last])) return Number.isNaN(x) ? NaN : beyond;
  if (x <= at[0]) return values[0];
  let k = 1;
  while (at[k] < x) k++;
  if (at[k] === x) return values[k];
  return ((values[k] - values[k - 1]) / (at[k] - at[k - 1])) * (x - at[k - 1]) + values[k - 1];
}

// (samples) of recorded steps, or a number that is the same in all; `named` are columns or numbers beside the loads.
function signalOf(loads, by, steps, named = {}) {
  const found = [];
  const value = (part) => (typeof part === "number" ? part : Array.isArray(part) ? found[part[0]] : NO_NUMBERS[part] ?? named[part] ?? leaf(loads, by, part));
  for (const [name, ...parts] of steps) found.push(stepOf(name, parts, value));
  return found[found.length - 1];
}

function stepOf(name, parts, value) {
  const first = value(parts[0]), each = (of) => (typeof first === "number" ? of(first) : first.map(of));
  if (name === "interp") return each((x) => between(x, parts[1], parts[2], parts[3]));
  if (name === "step") return first.map((x, i) => (i ? x - first[i - 1] : 0));
  const of = OPERATIONS[name], values = [first, ...parts.slice(1).map(value)], long = values.find((v) => typeof v !== "number");
  if (!long) return Number(of(...values));
  const [a, b, c] = values.map((v) => (typeof v === "number" ? new Float64Array(long.length).fill(v) : v));
  return long.map((_, i) => Number(of(a[i], b?.[i], c?.[i])));
}

function leaf(loads, { joint, v, multiplier }, name) {
  if (COMPONENTS.includes(name)) return loads.column("components", 6 * joint + COMPONENTS.indexOf(name));
  if (RESULTANTS.includes(name)) return loads.column("resultants", 6 * joint + RESULTANTS.indexOf(name));
  if (name === "t") return loads.t;
  if (name === "holding") return loads.holding(v);
  if (name === "inertia") return loads.inertia(v);
  const along = v === null ? new Float64Array(loads.count) : loads.column(name, v);
  return name === "drive" || multiplier === 1 ? along : along.map((x) => multiplier * x);
}

const usedOf = (demand, capacity) => (capacity > 0 ? demand / capacity : demand > 0 ? Infinity : 0);
const indexOfMost = (values) => values.reduce((best, value, i) => (value > values[best] ? i : best), 0);

CHECKS.part = (loads, by, row) => {
  const { factor, exponent, reduction } = by, x = signalOf(loads, by, by.signal), { weight } = loads.model, pace = loads.controls.speed;
  const made = (demand, sample, capacity = row.capacity) => ({ demand, capacity, utilisation: usedOf(demand, capacity), sample });
  if (typeof x === "number") return made(factor * x, null);
  const all = weight.reduce((sum, w) => sum + w, 0), squares = (values) => values.map((v, i) => weight[i] * v * v);
  const limitAt = (against) => signalOf(loads, by, by.limit, { against });
  if (reduction === "largest") {
    if (by.limit) {
      const limits = limitAt(signalOf(loads, by, by.against)), sample = indexOfMost(x.map((v, i) => usedOf(v, limits[i])));
      return made(factor * x[sample], sample, limits[sample]);
    }
    const sample = indexOfMost(x);
    return made(factor * Math.max(x[sample], 0), sample);
  }
  if (reduction === "rms") {
    const of = squares(x), rms = (values) => Math.sqrt(values.reduce((sum, v) => sum + v, 0) / all);
    return made(factor * rms(of), indexOfMost(of), by.limit ? limitAt(rms(squares(signalOf(loads, by, by.against)))) : row.capacity);
  }
  if (reduction === "longest") return made(factor * longestAbove(x, loads.t), null);
  if (reduction === "temperature") {
    const { ambient, limit } = by.thermal, rises = repeatedRises(by.thermal, loads.t, x), sample = indexOfMost(rises);
    return { demand: ambient + rises[sample], capacity: limit, utilisation: rises[sample] / (limit - ambient), sample };
  }
  const travel = leaf(loads, by, "speed").map(Math.abs);
  if (reduction === "average") return made((factor * x.reduce((sum, v, i) => sum + weight[i] * v, 0)) / all, indexOfMost(travel));
  const worn = x.map((v, i) => weight[i] * travel[i] * v ** exponent), turned = travel.reduce((sum, n, i) => sum + weight[i] * n, 0);
  if (!turned) return null;
  const mean = factor * (worn.reduce((sum, v) => sum + v, 0) / turned) ** (1 / exponent);
  if (reduction === "mean") return made(mean, indexOfMost(worn));
  if (!Number.isFinite(row.life_hours) || !(row.demand > 0) || !(mean > 0)) return null;
  // The same travel lasts fewer hours at a higher speed.
  return { ...made(mean, indexOfMost(worn), row.capacity * pace ** (-1 / exponent)), life_hours: (row.life_hours * (row.demand / mean) ** exponent) / pace };
};

// Of several places, as the carriages of a guide, the one with the largest demand.
CHECKS.among = (loads, by, row) => {
  const every = by.of.map((one) => ({ ...CHECKS.part(loads, one, row), check: one.check }));
  if (every.some((one) => one.demand === undefined)) return null;
  const most = every.reduce((best, one) => (one.demand > best.demand ? one : best));
  return { ...most, by: by.of[every.indexOf(most)], words: row.words.replace(row.check, most.check) };
};

// s, the longest time without a break above zero: from its first sample to the first one after it.
function longestAbove(values, t) {
  let longest = 0, began = null;
  values.forEach((v, i) => {
    if (v > 0) began ??= t[i];
    if (began !== null) longest = Math.max(longest, t[i] - began);
    if (!(v > 0)) began = null;
  });
  return longest;
}

// A rule that does not give what Python found is not used: its check then stays as it was computed.
const NEARLY_NOTHING = 1e-12;  // of a capacity
function trustedChecks(loads, checks) {
  const some = loads.model.kept < loads.model.samples;
  return checks.map((check) => {
    if (!["part", "among"].includes(check.by?.rule)) return check;
    if (some) return check.by.over_time ? { ...check, by: null } : check;
    const [row] = new Verdict(loads, [check]).rows, near = (a, b) => (a === b) || Math.abs(a - b) <= TRUSTED * Math.max(Math.abs(a), Math.abs(b)) || (Number.isNaN(a) && b === null);
    const nothing = Math.abs(row.demand - check.demand) <= NEARLY_NOTHING * Math.abs(check.capacity);
    const infinite = check.utilisation === "Infinity" && row.utilisation === Infinity;
    const same = row.recomputed && row.check === check.check && (nothing || infinite || (near(row.demand, check.demand) && near(row.utilisation, check.utilisation)));
    return same ? check : { ...check, by: null };
  });
}
