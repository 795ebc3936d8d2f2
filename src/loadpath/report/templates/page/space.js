// Bodies, lines, points and names in space on a canvas: it turns under the pointer and by arrow keys, needs no graphics card,
// and is drawn in milliseconds, so that the robot can follow the controls.
const DASH = { dot: [2, 4], dash: [9, 5], dashdot: [9, 4, 2, 4], longdash: [14, 5] };

class Space {
  constructor(place, scene) {
    const { x, y, z } = scene.camera.eye;
    this.place = place;
    this.turn = { yaw: Math.atan2(y, x), pitch: Math.atan2(z, Math.hypot(x, y)), zoom: 1 };
    this.low = ["x", "y", "z"].map((key) => scene[`${key}axis`].range[0]);
    this.high = ["x", "y", "z"].map((key) => scene[`${key}axis`].range[1]);
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

  // Where a point of space is in the window.
  projection(width, height) {
    const { yaw, pitch, zoom } = this.turn, middle = this.low.map((v, k) => (v + this.high[k]) / 2);
    const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
    const flat = Math.hypot(this.high[0] - this.low[0], this.high[1] - this.low[1]) / 2, tall = (this.high[2] - this.low[2]) / 2;
    const upright = tall * Math.abs(cp) + flat * Math.abs(sp) * 0.75;
    const top = 30, scale = zoom * Math.min((0.47 * width) / flat, (0.53 * (height - top)) / upright), far = 5 * Math.hypot(flat, tall);
    return (p) => {
      const [x, y, z] = [p[0] - middle[0], p[1] - middle[1], p[2] - middle[2]];
      const near = far / (far - (x * cy * cp + y * sy * cp + z * sp));
      return [width / 2 + scale * near * (y * cy - x * sy), (height + top) / 2 - scale * near * (z * cp - (x * cy + y * sy) * sp), near];
    };
  }

  drawOn(pen, width, height) {
    const colors = look(), at = this.projection(width, height), font = getComputedStyle(document.body).fontFamily;
    this.points = [];
    pen.lineCap = pen.lineJoin = "round";
    this.ground(pen, at, colors, font);
    const taken = [];
    for (const trace of this.place.data) {
      if (trace.mode === "bodies") { this.bodies(pen, trace, at, width, height, colors); continue; }
      const points = trace.x.map((x, k) => (x === null ? null : [x, trace.y[k], trace.z[k]]));
      if (trace.mode === "lines") {
        if (trace.edged) this.path(pen, points, at, { color: colors.paper, width: trace.line.width + 3 });
        this.path(pen, points, at, trace.line);
      } else if (trace.mode === "markers") {
        points.forEach((point, k) => this.marker(pen, at(point), trace, k, colors));
      } else {
        this.names(pen, points.map(at), trace, taken, colors, font);
      }
    }
    this.legend(pen, width, colors, font);
  }

  // The bodies with their shadow on the floor, under all that is drawn after them.
  bodies(pen, { bodies, poses, shares }, at, width, height, colors) {
    const dense = Math.max(pen.getTransform().a, FINE), sheet = new Sheet(Math.round(width * dense), Math.round(height * dense));
    bodies.forEach((body, k) => body.put(poses[k], at, dense, this.low[2]));
    const shadow = numbersOf(colors.zero);
    for (const body of bodies) sheet.shadow(body, shadow);
    bodies.forEach((body, k) => sheet.draw(body, shares[k] === null ? body.color : shadeOf(shares[k])));
    pen.drawImage(sheet.canvas(), 0, 0, width, height);
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
    pen.fillStyle = trace.marker.color;
    pen.beginPath();
    if (trace.marker.symbol === "square") pen.rect(x - r, y - r, 2 * r, 2 * r); else pen.arc(x, y, r, 0, 7);
    pen.fill();
    if (trace.marked === k) { pen.strokeStyle = "#e08e0b"; pen.lineWidth = 4; pen.stroke(); }
    if (trace.text) this.points.push({ x, y, words: trace.text[k], of: trace.of?.[k] });
  }

  // Names next to their points, where no other name is; those without room are shown by the pointer.
  names(pen, places, trace, taken, colors, font) {
    pen.font = `${trace.textfont.size + 1}px ${font}`;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    const order = places.map((_, k) => k).sort((a, b) => (b === trace.marked) - (a === trace.marked));
    for (const k of order) {
      const [x, y] = places[k], wide = pen.measureText(trace.text[k]).width, high = 15;
      const tries = [[11, 0], [-11 - wide, 0], [11, -high], [11, high], [-11 - wide, -high], [-11 - wide, high]];
      const free = tries.map(([dx, dy]) => [x + dx, y + dy]).find(([left, middle]) =>
        taken.every((box) => left > box[0] + box[2] || left + wide < box[0] || Math.abs(middle - box[1]) > high));
      if (!free) continue;
      taken.push([...free, wide]);
      pen.lineWidth = 3;
      pen.strokeStyle = colors.paper;
      pen.strokeText(trace.text[k], ...free);
      pen.fillStyle = colors.ink;
      pen.fillText(trace.text[k], ...free);
    }
  }

  // The floor of the scene with its grid, and the axes of the world.
  ground(pen, at, colors, font) {
    const span = Math.max(this.high[0] - this.low[0], this.high[1] - this.low[1]), step = niceStep(span / 6), z = this.low[2];
    const range = (k) => {
      const found = [];
      for (let v = Math.ceil(this.low[k] / step) * step; v <= this.high[k] + 1e-9; v += step) found.push(v);
      return found;
    };
    const lines = [...range(0).flatMap((x) => [[x, this.low[1], z], [x, this.high[1], z], null]),
      ...range(1).flatMap((y) => [[this.low[0], y, z], [this.high[0], y, z], null])];
    this.path(pen, lines, at, { color: colors.line, width: 1 });
    const corner = [this.low[0], this.low[1], z], long = 0.12 * span;
    pen.font = `12px ${font}`;
    pen.fillStyle = colors.soft;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    ["x", "y", "z"].forEach((name, k) => {
      const end = corner.map((v, i) => v + (i === k ? long : 0)), beyond = corner.map((v, i) => v + (i === k ? 1.25 * long : 0));
      this.path(pen, [corner, end], at, { color: colors.zero, width: 2 });
      const [x, y] = at(beyond);
      pen.fillText(name, x, y);
    });
    this.grid = step;
  }

  legend(pen, width, colors, font) {
    pen.font = `12px ${font}`;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    let x = 4, y = 12;
    const entries = this.place.data.filter((trace) => trace.name && trace.showlegend !== false);
    for (const trace of [...entries, { name: `grid ${number(this.grid)} m` }]) {
      const wide = pen.measureText(trace.name).width + (trace.mode ? 32 : 8);
      if (x + wide > width && x > 4) { x = 4; y += 18; }
      if (trace.mode === "bodies") {
        for (let k = 0; k < 20; k++) { pen.fillStyle = `rgb(${shadeOf(k / 19)})`; pen.fillRect(x + k, y - 5, 1.5, 10); }
      } else if (trace.mode === "lines") {
        this.path(pen, [[x, y], [x + 20, y]], (p) => p, { ...trace.line, width: Math.min(trace.line.width, 5) });
      } else if (trace.mode === "markers") {
        pen.fillStyle = trace.marker.color;
        pen.beginPath();
        if (trace.marker.symbol === "square") pen.rect(x + 6, y - 5, 10, 10); else pen.arc(x + 10, y, 5, 0, 7);
        pen.fill();
      }
      pen.fillStyle = colors.ink;
      pen.fillText(trace.name, x + (trace.mode ? 25 : 4), y);
      x += wide + 10;
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

// 1, 2 or 5 times a power of ten, not below.
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return power * [1, 2, 5, 10].find((m) => m * power >= least * (1 - 1e-9));
}
