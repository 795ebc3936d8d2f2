// What loads a check most, at any setting: the slopes of its signal along the six components of the joint's wrench, times
// what each cause adds to them. Factors of catalogues (X, Y) are as they are at that instant, as in Python.
const SLOPES = {
  add: () => [1, 1], subtract: () => [1, -1], multiply: (a, b) => [b, a], divide: (a, b) => [1 / b, -a / (b * b)],
  power: (a, b) => [b * a ** (b - 1), 0], absolute: (a) => [Math.sign(a)], negative: () => [-1], square: (a) => [2 * a],
  sqrt: (a) => [a > 0 ? 0.5 / Math.sqrt(a) : 0], maximum: (a, b) => (a >= b ? [1, 0] : [0, 1]), minimum: (a, b) => (a <= b ? [1, 0] : [0, 1]),
  hypot: (a, b) => { const long = Math.hypot(a, b) || 1; return [a / long, b / long]; }, where: (test) => (test ? [0, 1, 0] : [0, 0, 1]),
};

// Six slopes of a signal at a sample; null of one that no wrench changes.
function slopesOf(loads, by, sample) {
  const found = [], constant = (value) => ({ value, slopes: null });
  const argument = (part) => {
    if (typeof part === "number") return constant(part);
    if (Array.isArray(part)) return found[part[0]];
    if (part in NO_NUMBERS) return constant(NO_NUMBERS[part]);
    return { value: leaf(loads, by, part)[sample], slopes: leafSlopes(loads, by, part, sample) };
  };
  for (const [name, ...parts] of by.signal) {
    if (name === "interp" || name === "step") { found.push(constant(name === "interp" ? between(argument(parts[0]).value, ...parts.slice(1)) : 0)); continue; }
    const values = parts.map(argument), plain = values.map(({ value }) => value), slopes = SLOPES[name]?.(...plain) ?? [];
    const sum = slopes.reduce((total, slope, k) => {
      if (!slope || !values[k].slopes) return total;
      return values[k].slopes.map((part, c) => slope * part + (total?.[c] ?? 0));
    }, null);
    found.push({ value: Number(OPERATIONS[name](...plain)), slopes: sum });
  }
  return found[found.length - 1].slopes;
}

function leafSlopes(loads, { joint }, name, sample) {
  const unit = COMPONENTS.map((component) => Number(component === name));
  if (unit.includes(1)) return unit;
  if (!RESULTANTS.includes(name)) return null;
  const axis = loads.model.axes[joint] ?? [NaN, NaN, NaN], start = name.includes("torque") || name === "tilting_moment" ? 3 : 0;
  const vector = [0, 1, 2].map((k) => loads.column("components", 6 * joint + start + k)[sample]);
  const along = vector.reduce((sum, v, k) => sum + v * axis[k], 0), across = vector.map((v, k) => v - along * axis[k]), long = size(across) || 1;
  const three = name.startsWith("axial") ? axis : across.map((v) => v / long);
  return start ? [0, 0, 0, ...three] : [...three, 0, 0, 0];
}

// The cause that adds most to a check; nothing of one that is no load.
function mainCause(causes, { by, along, sample, unit, demand }) {
  if (sample === null || sample === undefined || !by || !demand) return "";
  const { model, loads } = causes.live, most = (parts) => parts.reduce((best, part) => (Math.abs(part.value) > Math.abs(best.value) ? part : best), { name: "", value: 0 }).name;
  if (along === "drive" || along === "gear" || along === "holding") {
    const joint = by.rule === "effort" ? model.joints.indexOf(model.dofs[by.k]) : by.joint;
    if (joint < 0 || joint === undefined) return "";
    return most(causes.ofDrive(joint, sample, along === "holding").filter(({ kind }) => along !== "gear" || kind !== "rotor"));
  }
  if (by.rule !== "part") return "";
  const slopes = slopesOf(loads, by, sample);
  return slopes ? most(causes.ofJoint(by.joint, sample).map(({ name, six }) => ({ name, value: six.reduce((sum, v, c) => sum + v * slopes[c], 0) }))) : "";
}
