// Every number over the motion at one setting of the controls: the robot's own equations, run for all samples, and what
// follows from their results. A quantity has columns: of drives one a degree of freedom, of joints six each.
const RESULTANTS = ["axial_force", "radial_force", "axial_torque", "tilting_moment", "force", "torque"];
const COMPONENTS = ["force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z"];

const times = (values, factor) => (factor === 1 ? values : values.map((v) => v * factor));

class Loads {
  constructor(model, kernel, controls) {
    this.model = model;
    this.kernel = kernel;
    this.controls = controls;
    const s = controls.speed, start = model.t[0];
    this.count = model.t.length;
    this.t = s === 1 ? model.t : model.t.map((t) => start + (t - start) / s);
    this.qd = times(model.qd, s);
    this.qdd = times(model.qdd, s * s);
    this.found = kernel.run({ q: model.q, qd: this.qd, qdd: this.qdd, ...inputsOf(controls) });
    this.columns = new Map();
    this.numbers = new Map();
  }

  // (samples): one column of a quantity.
  column(quantity, k) {
    const key = `${quantity} ${k}`;
    if (!this.columns.has(key)) this.columns.set(key, this.computed(quantity, k));
    return this.columns.get(key);
  }

  computed(quantity, k) {
    const { n, nq } = this.model, joint = Math.floor(k / 6), part = k % 6;
    switch (quantity) {
      case "drive": return this.every(this.found.tau, n, k);
      case "speed": return this.every(this.qd, n, k);
      case "acceleration": return this.every(this.qdd, n, k);
      case "position": return this.every(this.model.q, nq, k);
      case "power": return this.together([["drive", k], ["speed", k]], (tau, qd) => tau * qd);
      case "components": return this.every(part < 3 ? this.found.force : this.found.torque, 3 * this.model.joints.length, 3 * joint + (part % 3));
      case "resultants": return this.resultant(joint, RESULTANTS[part]);
      case "mount": return k < 6 ? this.every(k < 3 ? this.found.base_wrench_force : this.found.base_wrench_torque, 3, k % 3)
        : this.together([["mount", 3 * (k - 6)], ["mount", 3 * (k - 6) + 1]], (x, y) => Math.hypot(x, y));
      default: throw new RangeError(`no quantity '${quantity}'`);
    }
  }

  every(values, width, k) {
    const found = new Float64Array(this.count);
    for (let i = 0; i < this.count; i++) found[i] = values[i * width + k];
    return found;
  }

  together(parts, by) {
    const [a, b] = parts.map(([quantity, k]) => this.column(quantity, k));
    return a.map((v, i) => by(v, b[i]));
  }

  // Parts of a joint's wrench along and across its axis (loadpath.loads.resultants).
  resultant(joint, name) {
    const [x, y, z] = this.model.axes[joint] ?? [NaN, NaN, NaN], start = name.includes("torque") || name === "tilting_moment" ? 3 : 0;
    const [a, b, c] = [0, 1, 2].map((k) => this.column("components", 6 * joint + start + k));
    const found = new Float64Array(this.count);
    for (let i = 0; i < this.count; i++) {
      const along = a[i] * x + b[i] * y + c[i] * z;
      if (name.startsWith("axial")) found[i] = along;
      else if (name === "force" || name === "torque") found[i] = Math.sqrt(a[i] * a[i] + b[i] * b[i] + c[i] * c[i]);
      else {
        const [u, v, w] = [a[i] - along * x, b[i] - along * y, c[i] - along * z];
        found[i] = Math.sqrt(u * u + v * v + w * w);
      }
    }
    return found;
  }

  // How fast a column travels: what it is weighed by in means that catalogues ask for.
  travel(quantity, k) {
    if (quantity === "drive") return this.column("speed", k).map(Math.abs);
    if (quantity !== "components" && quantity !== "resultants") return null;
    const { v, multiplier } = this.model.travel[Math.floor(k / 6)] ?? {};
    return v === undefined ? new Float64Array(this.count) : this.column("speed", v).map((x) => multiplier * Math.abs(x));
  }

  // What a drive gives in the same pose at rest.
  holding(k) {
    const { model } = this, still = new Float64Array(model.n);
    this.atRest ??= this.kernel.run({ q: model.q, qd: still, qdd: still, ...inputsOf(this.controls) }, this.count).tau;
    return this.every(this.atRest, model.n, k);
  }

  // What a torque at a joint accelerates: the diagonal of the mass matrix, from the equations without gravity and speed.
  inertia(k) {
    const { model } = this, still = new Float64Array(model.n), turned = new Float64Array(model.n), setting = inputsOf({ ...this.controls, gravity: [0, 0, 0] });
    turned[k] = 1;
    this.weightless ??= this.kernel.run({ q: model.q, qd: still, qdd: still, ...setting }, this.count).tau;
    this.inertias ??= new Map();
    if (!this.inertias.has(k)) {
      const { tau } = this.kernel.run({ q: model.q, qd: still, qdd: turned, ...setting }, this.count);
      this.inertias.set(k, this.every(tau.map((v, i) => v - this.weightless[i]), model.n, k));
    }
    return this.inertias.get(k);
  }

  // Extremes and means of a column (loadpath.loads.peaks.result).
  statistics(quantity, k) {
    const key = `${quantity} ${k}`;
    const weight = quantity === "mount" ? this.model.equally : this.model.weight;  // that table counts samples, not time
    if (!this.numbers.has(key)) this.numbers.set(key, statisticsOf(this.column(quantity, k), weight, this.travel(quantity, k)));
    return this.numbers.get(key);
  }

  // Of a column its value of largest magnitude, with its sign and its sample.
  peak(quantity, k) {
    const { maximum, minimum, maximum_at, minimum_at } = this.statistics(quantity, k);
    return Math.abs(maximum) >= Math.abs(minimum) ? { value: maximum, sample: maximum_at } : { value: minimum, sample: minimum_at };
  }

  // J that a drive gives, and takes back.
  work(k) {
    const power = this.column("power", k), duration = this.t[this.count - 1] - this.t[0];
    let done = 0, returned = 0;
    for (let i = 0; i < this.count; i++) {
      done += this.model.weight[i] * Math.max(power[i], 0);
      returned += this.model.weight[i] * Math.min(power[i], 0);
    }
    return { done: done * duration, returned: returned * duration };
  }
}

const LIFE_EXPONENT = 3, ROUNDING = 1e-9;

function statisticsOf(values, weight, travel) {
  let maximum = -Infinity, minimum = Infinity, maximum_at = 0, minimum_at = 0, all = 0;
  let sum = 0, magnitude = 0, square = 0, cube = 0, by_travel = 0, travelled = 0;
  for (let i = 0; i < values.length; i++) {
    const v = values[i], w = weight[i], a = Math.abs(v);
    if (v > maximum) { maximum = v; maximum_at = i; }
    if (v < minimum) { minimum = v; minimum_at = i; }
    all += w;
    sum += w * v;
    magnitude += w * a;
    square += w * v * v;
    cube += w * a * v * v;
    if (travel) { by_travel += w * a * v * v * travel[i]; travelled += w * travel[i]; }
  }
  const share = Math.abs(all - 1) < ROUNDING ? 1 : all, unknown = Number.isNaN(sum);
  return {
    maximum: unknown ? NaN : maximum, minimum: unknown ? NaN : minimum, maximum_at, minimum_at,
    magnitude: unknown ? NaN : Math.max(Math.abs(maximum), Math.abs(minimum)),
    mean: sum / share, mean_magnitude: magnitude / share, rms: Math.sqrt(square / share),
    cubic_mean: Math.cbrt(cube / share),
    travel_cubic_mean: travelled > 0 ? (by_travel / travelled) ** (1 / LIFE_EXPONENT) : NaN,
  };
}
