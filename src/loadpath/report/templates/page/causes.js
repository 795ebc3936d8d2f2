// Loads by cause at one setting of the controls: the robot's equations term by term, at the samples that a chart shows.
const MOST_PARTS = 6;
const escaped = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

class Causes {
  constructor(live) {
    this.live = live;
    this.found = new Map();
    this.kernel = null;
  }

  async load(packedKernel) {
    if (packedKernel) this.kernel = await loadpath.load(await loadpath.unpack(packedKernel));
    else for (const place of places) if (chartOf(place).live?.quantity === "causes") place.closest("figure").dataset.fixed = "";
  }

  forget() { this.found.clear(); }

  // The equations at some samples; `rest`: in the same poses without motion.
  at(samples, rest = false) {
    const key = `${samples.join()}${rest}`;
    if (!this.found.has(key)) {
      const { model, loads, controls } = this.live, { n, nq } = model;
      const some = (values, width) => {
        const picked = new Float64Array(samples.length * width);
        samples.forEach((sample, i) => picked.set(values.subarray(width * sample, width * (sample + 1)), width * i));
        return picked;
      };
      const still = new Float64Array(n), moving = rest ? { qd: still, qdd: still } : { qd: some(loads.qd, n), qdd: some(loads.qdd, n) };
      this.found.set(key, this.kernel.run({ q: some(model.q, nq), ...moving, ...inputsOf(controls) }, samples.length));
    }
    return this.found.get(key);
  }

  // What a component of a joint's load, or its drive, is the sum of: {kind, name, values} for each cause.
  parts(joint, component, samples, rest = false) {
    const { values, friction, rotor } = this.at(samples, rest), { terms, dofs, joints, n, drives } = this.live.model, found = new Map(), width = 6 * terms.length;
    const add = (kind, name, of) => {
      const part = found.get(name) ?? { kind, name, values: new Float64Array(samples.length) };
      for (let i = 0; i < samples.length; i++) part.values[i] += of(i);
      found.set(name, part);
    };
    if (component !== "drive") {
      const c = COMPONENTS.indexOf(component);
      terms.forEach(([of, kind, name], row) => { if (of === joint) add(kind, name, (i) => values[i * width + 6 * row + c]); });
      return [...found.values()];
    }
    const k = dofs.indexOf(joints[joint]), { along, rubs, turns, wound } = drives[k];
    for (const { joint: moved, column } of along) {
      terms.forEach(([of, kind, name], row) => {
        if (of === moved) add(kind, name, (i) => column.reduce((sum, part, c) => (part ? sum + values[i * width + 6 * row + c] * part : sum), 0));
      });
    }
    if (rubs) add("friction", `friction ${dofs[k]}`, (i) => friction[i * n + k]);
    if (turns) add("rotor", `rotor ${dofs[k]}`, (i) => rotor[i * n + k]);
    if (wound) {
      const whole = rest ? this.live.loads.holding(k) : this.live.loads.column("drive", k), others = [...found.values()];
      add("spring", `spring ${dofs[k]}`, (i) => whole[samples[i]] - others.reduce((sum, part) => sum + part.values[i], 0));
    }
    return [...found.values()];
  }

  // The samples of a joint's chart, with the one where its component is largest now.
  samples({ joint, component }) {
    const { model, loads } = this.live, { count } = loads, rows = model.windows[joint];
    const peak = component === "drive" ? loads.peak("drive", model.dofs.indexOf(model.joints[joint])).sample : loads.peak("components", 6 * joint + COMPONENTS.indexOf(component)).sample;
    let shift = 0;
    if (peak < rows[0] || peak > rows[rows.length - 1]) {
      shift = Math.round(peak - (rows[0] + rows[rows.length - 1]) / 2);
      shift = Math.max(-rows[0], Math.min(count - 1 - rows[rows.length - 1], shift));
    }
    return [...new Set([...rows.map((row) => row + shift), peak])].sort((a, b) => a - b);
  }

  chart(chart) {
    if (!this.kernel) return chart;
    const { joint, component } = chart.live, samples = this.samples(chart.live), parts = this.parts(joint, component, samples), { hues } = this.live.model;
    const data = largestParts(parts).map(({ kind, name, values }, k, all) => {
      const rank = all.slice(0, k).filter((other) => other.kind === kind).length;
      const color = `hsl(${hues[kind] ?? 210}, ${Math.max(70 - 9 * rank, 30)}%, ${Math.min(38 + 9 * rank, 82)}%)`;
      return { type: "stacked", y: [...values], name: escaped(name), color };
    });
    const sum = samples.map((_, i) => parts.reduce((total, part) => total + part.values[i], 0));
    data.push({ type: "scatter", mode: "lines", y: sum, name: "sum", line: { color: "ink", width: 2 } });
    return { ...chart, data, x: samples.map((sample) => this.live.loads.t[sample]) };
  }

  // The peak in words: how much, when, and the three causes that add most there.
  sentence(chart) {
    if (!this.kernel) return "";
    const { joint, component, unit, words } = chart.live, samples = this.samples(chart.live), parts = this.parts(joint, component, samples);
    const sum = samples.map((_, i) => parts.reduce((total, part) => total + part.values[i], 0));
    const at = sum.reduce((best, v, i) => (Math.abs(v) > Math.abs(sum[best]) ? i : best), 0);
    const top = parts.map(({ name, values }) => ({ name, value: values[at] })).filter(({ value }) => Math.abs(value) > NOTHING)
      .sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, 3).map(({ name, value }) => `${name} (${value > 0 ? "+" : ""}${number(value)})`);
    if (!top.length) return `No ${words} with these loads.`;
    return `Largest ${words}: ${number(sum[at])} ${unit} at ${seconds(this.live.loads.t[samples[at]])}; most of it from ${top.join("; ")}.`;
  }

  // What a drive gives at a sample, by cause: {kind, name, value}.
  ofDrive(joint, sample, rest) {
    const { model } = this.live;
    if (this.kernel) return this.parts(joint, "drive", [sample], rest).map(({ kind, name, values }) => ({ kind, name, value: values[0] }));
    const k = model.dofs.indexOf(model.joints[joint]);
    return this.byKind(sample, rest).map(({ kind, name, found }) => ({ kind, name, value: found("tau")[k] }));
  }

  // The six components of a joint's wrench at a sample, by cause: {name, six}.
  ofJoint(joint, sample) {
    const { terms } = this.live.model, found = new Map();
    if (!this.kernel) {
      return this.byKind(sample).map(({ name, found: of }) => ({ name, six: ["force", "torque"].flatMap((word) => [...of(word).subarray(3 * joint, 3 * joint + 3)]) }));
    }
    const { values } = this.at([sample]);
    terms.forEach(([of, , name], row) => {
      if (of !== joint) return;
      const six = found.get(name) ?? [0, 0, 0, 0, 0, 0];
      found.set(name, six.map((v, c) => v + values[6 * row + c]));
    });
    return [...found].map(([name, six]) => ({ name, six }));
  }

  // Where the equations by cause are too long for the page: weight, payload, acceleration and speed, by leaving them out.
  byKind(sample, rest = false) {
    const key = `kinds ${sample} ${rest}`;
    if (!this.found.has(key)) this.found.set(key, kindsOf(this.live, sample, rest));
    return this.found.get(key);
  }

  ofCheck(row) { return mainCause(this, row); }
}

// The largest parts, and what is left of each kind as one (loadpath.report.charts.stacked).
function largestParts(parts) {
  const most = (part) => part.values.reduce((high, v) => Math.max(high, Math.abs(v)), 0);
  const seen = parts.filter((part) => most(part) > 0).sort((a, b) => most(b) - most(a)), shown = seen.slice(0, MOST_PARTS), left = seen.slice(MOST_PARTS);
  for (const kind of new Set(left.map((part) => part.kind))) {
    const others = left.filter((part) => part.kind === kind);
    const values = others[0].values.map((_, i) => others.reduce((sum, part) => sum + part.values[i], 0));
    shown.push({ kind, name: others.length === 1 ? others[0].name : `${others.length} other ${kind}`, values });
  }
  return shown;
}
