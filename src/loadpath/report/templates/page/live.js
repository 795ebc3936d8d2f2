// The page answers: a change of the controls goes through the robot's equations to every chart, table and verdict.
const STILL = 350;  // ms without a change, after which Plotly draws again
const same = (a, b) => a.payload === b.payload && a.speed === b.speed && a.gravity.every((g, k) => g === b.gravity[k]);

class Live {
  constructor(model, kernel) {
    this.model = model;
    this.kernel = kernel;
    this.base = { payload: model.base.payload, speed: 1, gravity: [...model.base.gravity] };
    this.controls = this.base;
    this.loads = new Loads(model, kernel, this.base);
    this.written = new Written();
    this.table = new VerdictTable();
    model.checks = trustedChecks(this.loads, model.checks);
    this.verdict = new Verdict(this.loads, model.checks);
    this.causes = new Causes(this);
    this.sample = model.start;
    this.followsWorst = true;
    this.markedJoint = -1;
    this.queue = [];
    this.unsaid = new Set();  // places of charts by cause whose sentence is of another setting
  }

  get isBase() { return same(this.controls, this.base); }

  // Words for the setting that the report was made for.
  get baseWords() { return settingWords(this.base, this.model); }

  set(controls) {
    this.controls = { ...this.controls, ...controls };
    this.loads = new Loads(this.model, this.kernel, this.controls);
    this.verdict = new Verdict(this.loads, this.model.checks);
    this.causes.forget();
    if (this.followsWorst) this.sample = worst(this).sample;
    this.redraw();  // before tables are written: it asks for sizes, and the page would be laid out twice
    if (this.isBase) {
      this.written.restore();
      this.table.restore();
    } else {
      this.written.show(this.loads, this.verdict);
      this.table.show(this.verdict, this.baseWords, (row) => this.causes.ofCheck(row));
    }
    markStale(this);
    linkRows();
    if (!this.causes.kernel) return;
    for (const place of places) if (chartOf(place).live?.quantity === "causes" && !inWindow.has(place)) this.unsaid.add(place);
    if (this.isBase) this.sayAll();
    for (const place of this.unsaid) sentenceBelow(place)?.classList.add("stale");
  }

  redraw() {
    for (const place of places) {
      if (!place.dataset.drawn) continue;
      const chart = chartOf(place);
      if (!chart.live && !robotOf(chart)) continue;
      if (!inWindow.has(place)) { place.dataset.outdated = ""; continue; }
      if (robotOf(chart)) { drawRobot(place, chart); continue; }
      const shown = this.redrawn(chart);
      if (shown.x) quick(place, shown);
      this.note(place, chart);
      if (!this.queue.includes(place)) this.queue.push(place);
    }
    this.marks();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.settle(), STILL);
  }

  // Plotly draws what was drawn quickly, chart by chart, unless a control moves again.
  settle() {
    const place = this.queue.shift();
    if (!place) {
      const [next] = this.unsaid;
      if (next) { this.note(next, chartOf(next)); this.waiting = setTimeout(() => this.settle(), 0); }
      return;
    }
    Promise.resolve(draw(place)).then(() => slow(place)).then(() => this.marks());
    this.waiting = setTimeout(() => this.settle(), 20);
  }

  // A chart with the numbers of this setting; as it came, at the one that the report was made for.
  redrawn(chart) {
    if (!chart.live || this.isBase) return chart.live ? { ...chart, x: chart.x } : chart;
    const { quantity, columns: among = [], per } = chart.live;
    if (quantity === "causes") return this.causes.chart(chart);
    const { colors, dashes, limits } = this.model;
    const limit = { effort: limits.effort, speed: limits.speed }[per];
    const curves = among.map(({ column }) => {
      const values = this.loads.column(quantity, column);
      return limit ? values.map((v) => (100 * Math.abs(v)) / limit[column]) : values;
    });
    const most = Math.max(200, Math.min(POINTS, Math.floor(ALL_POINTS / Math.max(curves.length, 1))));
    const [x, drawn] = envelope(this.loads.t, curves, most);
    const data = among.map(({ name }, k) => ({
      type: "scatter", mode: "lines", y: drawn[k], name,
      line: { color: colors[k % colors.length], width: 2, dash: dashes[Math.floor(k / colors.length) % dashes.length] },
    }));
    return { ...chart, data, x };
  }

  // The sentence below a chart by cause; without the equations by cause it stays as it came, and its figure is grey.
  note(place, chart) {
    this.unsaid.delete(place);
    if (chart.live?.quantity !== "causes" || !this.causes.kernel) return;
    const words = sentenceBelow(place);
    if (!words) return;
    words.classList.remove("stale");
    words.dataset.came ??= words.textContent;
    const said = this.isBase && chart.live.component === chart.live.shown ? words.dataset.came : this.causes.sentence(chart);
    if (words.textContent !== said) words.textContent = said;
  }

  sayAll() { for (const place of [...this.unsaid]) this.note(place, chartOf(place)); }

  // The robot of the picture at the instant that is shown.
  frame(trace) { return pose(this, trace); }

  marked(trace) { return trace.numbers ? trace.numbers.indexOf(this.markedJoint) : -1; }

  showRobot(place = places.find((one) => one.dataset.drawn && robotOf(chartOf(one)))) {
    if (place) drawRobot(place, chartOf(place));
  }

  // What stands over the picture: when it is, and why that instant.
  caption(place) {
    const figure = place.closest("figure"), found = worst(this);
    figure.querySelector(".slider output").textContent = seconds(this.loads.t[this.sample]);
    figure.querySelector(".slider input").value = this.sample;
    const title = figure.querySelector("figcaption");
    title.dataset.came ??= title.textContent;
    const when = this.sample === found.sample ? `, ${found.words}` : "";
    title.textContent = this.isBase && this.sample === this.model.start ? title.dataset.came : `The robot at ${seconds(this.loads.t[this.sample])}${when}`;
  }

  goTo(sample, follows = false) {
    this.sample = Math.max(0, Math.min(this.loads.count - 1, Math.round(sample)));
    this.followsWorst = follows;
    this.showRobot();
    this.marks();
  }

  // The sample nearest to a time.
  at(time) { return nearestTime(this.loads.t, time); }

  // A line at the instant of the picture in every chart over time that is seen.
  marks() {
    const time = this.loads.t[this.sample];
    for (const place of inWindow) {
      const box = place._fullLayout?._size;
      if (!box || !chartOf(place).live) continue;
      let line = place.querySelector(":scope > i.instant");
      if (!line) place.append(line = Object.assign(document.createElement("i"), { className: "instant" }));
      const [from, to] = place.quickRange ?? place._fullLayout.xaxis.range, share = (time - from) / (to - from || 1);
      line.hidden = !(share >= 0 && share <= 1);
      Object.assign(line.style, { left: `${box.l + share * box.w}px`, top: `${box.t}px`, height: `${box.h}px` });
    }
  }

  // A joint is shown in the picture, in tables and among curves.
  mark(joint) {
    if (joint === this.markedJoint) return;
    this.markedJoint = joint;
    this.showRobot();
    for (const row of document.querySelectorAll("tr[data-joint]")) row.classList.toggle("marked", joint >= 0 && Number(row.dataset.joint) === joint);
    for (const place of inWindow) {
      const among = chartOf(place)?.live?.columns;
      if (!among || !place.calcdata) continue;
      const curves = place.querySelectorAll(".scatterlayer .trace");
      const own = place.data.map((trace) => jointOf(this.model, unescaped(trace.name ?? "")));
      curves.forEach((curve, k) => { curve.style.opacity = joint >= 0 && own.includes(joint) && own[k] !== joint ? 0.18 : ""; });
    }
  }
}

const sentenceBelow = (place) => place.parentElement.querySelector(".note");

// A joint by its own name or that of one of its degrees of freedom.
function jointOf(model, name) {
  const found = model.joints.indexOf(name);
  return found >= 0 ? found : model.joints.indexOf(name.slice(0, name.lastIndexOf(".")));
}

// The instant that the picture shows first: the one with the largest utilisation, and why (loadpath.report.overview).
function worst({ loads, model, verdict }) {
  const parts = verdict.checked.filter((row) => row.recomputed && row.sample !== null && row.is_load);
  if (model.parts && parts.length) {
    const row = parts[0];
    return { sample: row.sample, words: `when the utilisation is largest: ${row.words}, ${used(row.utilisation)}` };
  }
  const share = (k) => (model.limits.effort[k] > 0 ? loads.statistics("drive", k).magnitude / model.limits.effort[k] : 0);
  const k = model.dofs.map((_, i) => i).reduce((a, b) => (share(b) > share(a) ? b : a), 0);
  if (model.dofs.length && share(k) > 0) {
    const { value, sample } = loads.peak("drive", k), of = `${number(Math.abs(value))} of ${number(model.limits.effort[k])} ${model.drive_units[k]}`;
    return { sample, words: `when the drive of '${model.dofs[k]}' needs most of its limit, ${percent(share(k))} (${of})` };
  }
  const moment = (j) => loads.statistics("resultants", 6 * j + 5).magnitude;
  const j = model.joints.map((_, i) => i).reduce((a, b) => (moment(b) > moment(a) ? b : a), 0), { value, sample } = loads.peak("resultants", 6 * j + 5);
  return { sample, words: `when '${model.joints[j]}' carries the largest moment, ${number(value)} N m` };
}

// What the page cannot compute says so, and is grey, as soon as the controls leave the setting that it was made for.
function markStale({ isBase, baseWords }) {
  const words = `As computed for ${baseWords}; not recomputed.`;
  const page = document.documentElement.classList;
  if (page.contains("moved") === !isBase) return;
  page.toggle("moved", !isBase);
  for (const block of document.querySelectorAll("[data-fixed]")) {
    block.classList.toggle("stale", !isBase);
    let said = block.querySelector(":scope > .said");
    if (!said) {
      said = Object.assign(document.createElement(block.matches(".figure, header, ul, span") ? "span" : "p"), { className: "said" });
      block.prepend(said);
    }
    said.textContent = isBase ? "" : words;
    said.hidden = isBase;
  }
}
