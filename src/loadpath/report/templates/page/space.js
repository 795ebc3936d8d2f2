// Bodies, lines, points and names in space on a canvas: it turns under the pointer and by arrow keys, needs no graphics card,
// and is drawn in milliseconds, so that the robot can follow the controls.
const DASH = { dot: [2, 4], dash: [9, 5], dashdot: [9, 4, 2, 4], longdash: [14, 5] };

const BAR = 40, GHOST = 0.3;
const STAYS = 1.5;  // of a name that stays where it was: it does not jump while the robot moves

class Space {
  constructor(place, scene) {
    const { x, y, z } = scene.camera.eye;
    this.place = place;
    this.turn = { yaw: Math.atan2(y, x), pitch: Math.atan2(z, Math.hypot(x, y)), zoom: 1 };
    this.low = ["x", "y", "z"].map((key) => scene[`${key}axis`].range[0]);
    this.high = ["x", "y", "z"].map((key) => scene[`${key}axis`].range[1]);
    this.reach = scene.reach;  // points at the rim of what is to be in view
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", "The robot with the loads of its joints; arrow keys turn it, + and - change its size");
    this.words = document.createElement("div");
    this.words.className = "pointed";
    this.words.hidden = true;
    place.replaceChildren(this.canvas, this.words);
    place.classList.add("space");
    this.onpoint = null;
    this.put = new Map();  // where the name of each joint stood last
    this.bare = false;  // a small picture: without legend and axes
    this.listen();
    new ResizeObserver(() => this.paint()).observe(place);
  }

  show(traces) {
    this.place.data = traces;
    this.paint();
  }

  paint() {
    const { clientWidth: width, clientHeight: height } = this.place;
    if (!this.place.data || !width) return;
    const dense = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * dense) || this.canvas.height !== Math.round(height * dense)) {
      this.canvas.width = Math.round(width * dense);
      this.canvas.height = Math.round(height * dense);
    }
    const pen = this.canvas.getContext("2d");
    pen.setTransform(dense, 0, 0, dense, 0, 0);
    pen.clearRect(0, 0, width, height);
    this.drawOn(pen, width, height);
  }

  // A picture for paper.
  image(width, height, scale = 2) {
    const sheet = document.createElement("canvas");
    sheet.width = width * scale;
    sheet.height = height * scale;
    const pen = sheet.getContext("2d");
    pen.scale(scale, scale);
    pen.fillStyle = look().paper;
    pen.fillRect(0, 0, width, height);
    this.drawOn(pen, width, height);
    return sheet.toDataURL("image/png");
  }

  // Where a point of space is in the window: all that is to be seen just fits, below the legend.
  projection(width, height, top) {
    const { yaw, pitch, zoom } = this.turn, { low, high } = this, middle = low.map((v, k) => (v + high[k]) / 2);
    const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
    const far = 2.5 * Math.hypot(...low.map((v, k) => high[k] - v)) || 1;
    const seen = (p) => {
      const [x, y, z] = [p[0] - middle[0], p[1] - middle[1], p[2] - middle[2]];
      const near = far / (far - (x * cy * cp + y * sy * cp + z * sp));
      return [near * (y * cy - x * sy), near * (z * cp - (x * cy + y * sy) * sp), near];
    };
    const rim = this.reach.map(seen);
    const [left, right, bottom, up] = [[0, Math.min], [0, Math.max], [1, Math.min], [1, Math.max]].map(([k, most]) => most(...rim.map((one) => one[k])));
    const room = width < NARROW ? 0.86 : 0.8, scale = zoom * Math.min((room * width) / (right - left || 1), (0.9 * (height - top)) / (up - bottom || 1));
    const [u, v] = [width / 2 - (scale * (left + right)) / 2, (height + top) / 2 + (scale * (bottom + up)) / 2];
    return (p) => {
      const [x, y, near] = seen(p);
      return [u + scale * x, v - scale * y, near];
    };
  }

  drawOn(pen, width, height) {
    const colors = look(), font = getComputedStyle(document.body).fontFamily, spots = [], legend = this.bare ? { rows: [], high: 8 } : this.legend(pen, width, font);
    const at = this.projection(width, height, legend.high);
    this.points = [];
    pen.lineCap = pen.lineJoin = "round";
    this.ground(pen, at, colors);
    if (!this.bare) spots.push(...this.triad(pen, height, colors, font));
    for (const trace of this.place.data) {
      if (trace.mode === "way") continue;
      if (trace.mode === "bodies") { this.bodies(pen, trace, at, width, height, colors); continue; }
      const points = trace.x.map((x, k) => (x === null ? null : [x, trace.y[k], trace.z[k]]));
      if (trace.mode === "lines") {
        if (trace.edged) { this.path(pen, points, at, { color: colors.paper, width: trace.line.width + 3 }); spots.push(...alongLines(points, at)); }
        this.path(pen, points, at, trace.line);
      } else if (trace.mode === "markers") {
        points.forEach((point, k) => { this.marker(pen, at(point), trace, k, colors); spots.push(at(point)); });
      } else {
        this.names(pen, points.map(at), trace, spots, [width, height, legend.high], colors, font);
      }
    }
    this.drawLegend(pen, legend, colors, font);
  }

  // The bodies with their shadow on the floor, under all that is drawn after them; of an arm that bends the bodies are
  // where it would be, and the arm itself stands before them.
  bodies(pen, { bodies, poses, shares, bent, rods, radius }, at, width, height, colors) {
    const dense = Math.max(pen.getTransform().a, isPlaying ? 1 : FINE), made = () => new Sheet(Math.round(width * dense), Math.round(height * dense));
    const floor = this.low[2], shadow = numbersOf(colors.zero), sheet = made();
    bodies.forEach((body, k) => body.put(poses[k], at, dense, floor));
    const tubes = (bent ?? []).map(({ line, radius: wide, shares: used }) => new Tube(line, wide, used, at, dense, floor));
    const between = bent ? [] : rods.map((ends) => new Tube(ends, radius, null, at, dense, floor));
    for (const body of bent ? tubes : [...bodies, ...between]) sheet.shadow(body, shadow);
    const clearLast = bodies.map((_, k) => k).sort((a, b) => bodies[b].opacity - bodies[a].opacity);
    for (const [body, k] of clearLast.map((k) => [bodies[k], k])) sheet.draw(body, bent || !Number.isFinite(shares[k] ?? NaN) ? body.color : shadeOf(shares[k]), bent && !body.stands ? GHOST : 1);
    for (const tube of between) sheet.drawShaded(tube, STEEL);
    pen.drawImage(sheet.canvas(), 0, 0, width, height);
    if (!bent) return;
    const front = made();
    for (const tube of tubes) front.drawShaded(tube, STEEL);
    pen.drawImage(front.canvas(), 0, 0, width, height);
  }

  path(pen, points, at, { color, width, dash }) {
    pen.beginPath();
    let down = false;
    for (const point of points) {
      if (point === null) { down = false; continue; }
      const [x, y] = at(point);
      if (down) pen.lineTo(x, y); else pen.moveTo(x, y);
      down = true;
    }
    pen.strokeStyle = color;
    pen.lineWidth = width;
    pen.setLineDash(DASH[dash] ?? []);
    pen.stroke();
    pen.setLineDash([]);
  }

  marker(pen, [x, y], trace, k, colors) {
    const r = trace.marker.size * (trace.marked === k ? 1.6 : 1);
    pen.beginPath();
    markShape(pen, trace.marker.symbol, x, y, r);
    pen.strokeStyle = trace.marked === k ? "#e08e0b" : colors.paper;
    pen.lineWidth = trace.marked === k ? 6 : 2.5;
    pen.stroke();
    pen.fillStyle = trace.marker.color;
    pen.fill();
    if (trace.text) this.points.push({ x, y, words: trace.text[k], of: trace.of?.[k] });
  }

  // Names near their points, each where it hides no other name, no joint and no arrow; a thin line leads to those that
  // stand apart. Without any room a name is left to the pointer.
  names(pen, places, trace, spots, [width, height, top], colors, font) {
    pen.font = `${trace.textfont.size + 1}px ${font}`;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    const high = 16, taken = [], order = places.map((_, k) => k).sort((a, b) => (b === trace.marked) - (a === trace.marked) || places[a][1] - places[b][1]);
    for (const k of order) {
      const [x, y] = places[k], wide = pen.measureText(trace.text[k]).width + 4;
      const near = spots.filter(([u, v]) => Math.abs(u - x) < wide + 100 && Math.abs(v - y) < 112), before = this.put.get(trace.of[k]);
      let best = null;
      for (const far of [13, 26, 44, 66, 92]) {
        if (best && best.cost <= far / 12 - STAYS) break;
        for (let turn = 0; turn < 16; turn++) {
          const stays = before === 16 * far + turn ? STAYS : 0;
          const [cos, sin] = [Math.cos((turn * Math.PI) / 8), Math.sin((turn * Math.PI) / 8)];
          const box = [x + far * cos - (cos < -0.1 ? wide : cos < 0.1 ? wide / 2 : 0), y + far * sin - high / 2, wide, high];
          if (box[0] < 2 || box[0] + wide > width - 2 || box[1] < top || box[1] + high > height - 2) continue;
          const base = far / 12 + (Math.abs(sin) > 0.75 ? 0.6 : 0) + (cos < 0 ? 0.3 : 0) - stays;
          if ((best && base >= best.cost) || taken.some((other) => overlap(box, other, 2))) continue;
          const hidden = near.reduce((sum, [u, v]) => sum + (u > box[0] - 4 && u < box[0] + wide + 4 && v > box[1] - 3 && v < box[1] + high + 3), 0);
          const cost = base + 6 * hidden;
          if (!best || cost < best.cost) best = { cost, box, far, cos, sin, at: 16 * far + turn };
        }
      }
      if (!best || best.cost > 60) continue;
      const { box, far, cos, sin } = best, middle = box[1] + high / 2;
      taken.push(box);
      this.put.set(trace.of[k], best.at);
      if (far > 20) this.path(pen, [[x + 6 * cos, y + 6 * sin], [x + (far - 2) * cos, y + (far - 2) * sin]], (p) => p, { color: colors.soft, width: 1 });
      pen.lineWidth = 4;
      pen.strokeStyle = colors.paper;
      pen.strokeText(trace.text[k], box[0] + 2, middle);
      pen.fillStyle = colors.ink;
      pen.fillText(trace.text[k], box[0] + 2, middle);
    }
    this.labels = taken;
  }

  // The floor of the scene with its grid.
  ground(pen, at, colors) {
    const span = Math.max(this.high[0] - this.low[0], this.high[1] - this.low[1]), step = gridOf(this.low, this.high), z = this.low[2];
    const range = (k) => {
      const found = [];
      for (let v = Math.ceil(this.low[k] / step) * step; v <= this.high[k] + 1e-9 * step; v += step) found.push(v);
      return found;
    };
    const lines = [...range(0).flatMap((x) => [[x, this.low[1], z], [x, this.high[1], z], null]),
      ...range(1).flatMap((y) => [[this.low[0], y, z], [this.high[0], y, z], null])];
    this.path(pen, lines, at, { color: colors.line, width: 1 });
  }

  // The directions of the world's axes, in the corner.
  triad(pen, height, colors, font) {
    const { yaw, pitch } = this.turn, [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)], foot = [46, height - 40];
    const ways = { x: [-sy, cy * sp], y: [cy, sy * sp], z: [0, -cp] };
    pen.font = `12px ${font}`;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (const [name, [u, v]] of Object.entries(ways)) {
      this.path(pen, [foot, [foot[0] + 24 * u, foot[1] + 24 * v]], (p) => p, { color: colors.zero, width: 2 });
      pen.fillStyle = colors.soft;
      pen.fillText(name, foot[0] + 34 * u, foot[1] + 34 * v);
    }
    const { way, line } = this.place.data.find(({ mode }) => mode === "way") ?? {};
    if (way) {
      const [u, v] = [0, 1].map((k) => way[0] * ways.x[k] + way[1] * ways.y[k] + way[2] * ways.z[k]), tip = [foot[0] + 30 * u, foot[1] + 30 * v];
      const barb = (turn) => [tip[0] - 8 * (u * Math.cos(turn) - v * Math.sin(turn)), tip[1] - 8 * (v * Math.cos(turn) + u * Math.sin(turn))];
      this.path(pen, [foot, tip], (p) => p, line);
      this.path(pen, [barb(0.5), tip, barb(-0.5)], (p) => p, { ...line, dash: undefined });
    }
    return [[0, 0], ...Object.values(ways)].flatMap(([u, v]) => [0.5, 1, 1.4].map((s) => [foot[0] + 24 * s * u, foot[1] + 24 * s * v]));
  }

  // What stands above the picture, in rows.
  legend(pen, width, font) {
    pen.font = `12px ${font}`;
    const entries = this.place.data.flatMap((trace) => (trace.also ? [trace, { name: trace.also }] : [trace])).filter((trace) => trace.name && trace.showlegend !== false), rows = [];
    let x = 4, y = 12;
    const step = gridOf(this.low, this.high);
    for (const trace of [...entries, { name: step < 0.1 ? `grid ${number(1000 * step)} mm` : `grid ${number(step)} m` }]) {
      const mark = trace.scaled ? BAR + 68 : trace.mode && !(trace.mode === "bodies") ? 26 : 0, wide = mark + 6 + pen.measureText(trace.name).width;
      if (x + wide > width && x > 4) { x = 4; y += 19; }
      rows.push({ trace, x, y, mark });
      x += wide + 12;
    }
    return { rows, high: y + 14 };
  }

  drawLegend(pen, { rows }, colors, font) {
    pen.font = `12px ${font}`;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    for (const { trace, x, y, mark } of rows) {
      pen.fillStyle = colors.ink;
      if (trace.scaled) {
        pen.fillText("0", x, y);
        for (let k = 0; k < BAR; k++) { pen.fillStyle = `rgb(${shadeOf(k / (BAR - 1))})`; pen.fillRect(x + 10 + k, y - 5, 1.5, 10); }
        pen.fillStyle = BEYOND;
        pen.fillRect(x + 10 + BAR, y - 5, 9, 10);
        pen.fillStyle = colors.ink;
        pen.fillText("100 %", x + BAR + 22, y);
      } else if (trace.mode === "lines" || trace.mode === "way") {
        this.path(pen, [[x, y], [x + 20, y]], (p) => p, { ...trace.line, width: Math.min(trace.line.width, 5) });
      } else if (trace.mode === "markers") {
        pen.beginPath();
        markShape(pen, trace.marker.symbol, x + 10, y, 5);
        pen.fillStyle = trace.marker.color;
        pen.fill();
      }
      pen.fillStyle = colors.ink;
      pen.fillText(trace.name, x + mark, y);
    }
  }

  listen() {
    const canvas = this.canvas;
    let held = null;
    canvas.addEventListener("pointerdown", (event) => { held = [event.clientX, event.clientY]; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointerup", () => { held = null; });
    canvas.addEventListener("pointermove", (event) => {
      if (!held) return this.point(event);
      this.turned((held[0] - event.clientX) * 0.008, (event.clientY - held[1]) * 0.008);
      held = [event.clientX, event.clientY];
    });
    canvas.addEventListener("pointerleave", () => { this.words.hidden = true; this.onpoint?.(-1); });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return;  // the page scrolls
      event.preventDefault();
      this.zoomed(Math.exp(-0.002 * event.deltaY));
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => {
      const turn = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
      if (turn) this.turned(...turn);
      else if (event.key === "+" || event.key === "-") this.zoomed(event.key === "+" ? 1.1 : 1 / 1.1);
      else return;
      event.preventDefault();
    });
  }

  turned(yaw, pitch) {
    this.turn.yaw += yaw;
    this.turn.pitch = Math.max(-1.5, Math.min(1.5, this.turn.pitch + pitch));
    this.paint();
  }

  zoomed(factor) {
    this.turn.zoom = Math.max(0.4, Math.min(6, this.turn.zoom * factor));
    this.paint();
  }

  // What the pointer is on: the nearest point with words.
  point(event) {
    const box = this.canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
    const near = this.points.map((point) => ({ point, far: Math.hypot(point.x - x, point.y - y) })).sort((a, b) => a.far - b.far)[0];
    const found = near && near.far < 16 ? near.point : null;
    this.words.hidden = !found;
    if (found) {
      this.words.replaceChildren(...found.words.map((line) => Object.assign(document.createElement("span"), { textContent: line })));
      this.words.style.left = `${Math.min(found.x + 14, box.width - 160)}px`;
      this.words.style.top = `${found.y + 10}px`;
    }
    this.onpoint?.(found?.of ?? -1);
  }
}

const gridOf = (low, high) => niceStep(Math.max(high[0] - low[0], high[1] - low[1]) / 6);
const overlap = (a, b, room) => a[0] < b[0] + b[2] + room && b[0] < a[0] + a[2] + room && a[1] < b[1] + b[3] + room && b[1] < a[1] + a[3] + room;

// Places along the lines of arrows, that names may not hide.
function alongLines(points, at) {
  const found = [];
  points.forEach((point, k) => {
    if (point === null || !points[k + 1]) return;
    const [a, b] = [at(point), at(points[k + 1])], steps = Math.min(12, Math.ceil(Math.hypot(b[0] - a[0], b[1] - a[1]) / 8));
    for (let i = 0; i <= steps; i++) found.push([a[0] + (i / (steps || 1)) * (b[0] - a[0]), a[1] + (i / (steps || 1)) * (b[1] - a[1])]);
  });
  return found;
}

function markShape(pen, symbol, x, y, r) {
  if (symbol === "square") pen.rect(x - r, y - r, 2 * r, 2 * r);
  else if (symbol === "diamond") { pen.moveTo(x, y - 1.35 * r); pen.lineTo(x + 1.35 * r, y); pen.lineTo(x, y + 1.35 * r); pen.lineTo(x - 1.35 * r, y); pen.closePath(); }
  else pen.arc(x, y, r, 0, 7);
}

// 1, 2 or 5 times a power of ten, not below.
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((m) => m * power >= least * (1 - 1e-9));
}
