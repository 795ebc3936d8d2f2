// Bodies in space without a graphics card: triangles are filled row by row, the nearest wins.
const FINE = 2;  // points of the picture for one of the window, at least: smooth edges
const SHARP = Math.cos(0.6);  // faces that turn by less are one round surface
const LIGHT_FROM = [-0.35, -0.55, 0.76];  // in the world
const USED = ["#c6d0d9", "#d3d3b8", "#e6cf83", "#efbd4c", "#ea9d2c", "#dd7a1a"];  // as loadpath.drawing.colors
const BEYOND = "#a8003c";
const numbersOf = (color) => [1, 3, 5].map((k) => parseInt(color.slice(k, k + 2), 16));

// From grey at 0 to amber at 1, beyond 1 crimson, as in the viewer.
function shadeOf(share) {
  if (share > 1) return numbersOf(BEYOND);
  const at = Math.max(0, share) * (USED.length - 1), k = Math.min(Math.floor(at), USED.length - 2), part = at - k;
  const [low, high] = [numbersOf(USED[k]), numbersOf(USED[k + 1])];
  return low.map((v, i) => Math.round(v + part * (high[i] - v)));
}

const unpackedBodies = new WeakMap();
function bodiesOf(trace) {
  if (!unpackedBodies.has(trace.bodies)) unpackedBodies.set(trace.bodies, trace.bodies.map((sent) => new Body(sent)));
  return unpackedBodies.get(trace.bodies);
}

class Body {
  constructor({ low, step, wide, points, triangles, color, opacity, link }) {
    const places = new Uint16Array(bytesOf(points).buffer);
    this.points = Float64Array.from(places, (v, k) => low[k % 3] + v * step[k % 3]);
    this.triangles = new (wide ? Uint32Array : Uint16Array)(bytesOf(triangles).buffer);
    Object.assign(this, { color, opacity, stands: link === 0 });
    this.normals = this.normalsOfCorners();
    this.seen = new Float64Array(this.points.length);  // on the picture, and how near
    this.fallen = new Float64Array(this.points.length);  // its shadow
    this.light = new Float64Array(this.normals.length / 3);
  }

  // A normal for each corner of each triangle: the mean of those around its point that are not across an edge.
  normalsOfCorners() {
    const { points: p, triangles: t } = this, faces = new Float64Array(t.length), units = new Float64Array(t.length);
    const around = new Float64Array(p.length), corners = new Float64Array(3 * t.length);
    for (let k = 0; k < t.length; k += 3) {
      const [a, b, c] = [3 * t[k], 3 * t[k + 1], 3 * t[k + 2]];
      const normal = cross([0, 1, 2].map((i) => p[b + i] - p[a + i]), [0, 1, 2].map((i) => p[c + i] - p[a + i])), long = size(normal) || 1;
      for (let i = 0; i < 3; i++) {
        faces[k + i] = normal[i];
        units[k + i] = normal[i] / long;
        for (const corner of [a, b, c]) around[corner + i] += normal[i];
      }
    }
    for (let k = 0; k < t.length; k++) {
      const face = 3 * Math.floor(k / 3), point = 3 * t[k];
      const long = Math.hypot(around[point], around[point + 1], around[point + 2]) || 1;
      const along = (around[point] * units[face] + around[point + 1] * units[face + 1] + around[point + 2] * units[face + 2]) / long;
      for (let i = 0; i < 3; i++) corners[3 * k + i] = along > SHARP ? around[point + i] / long : units[face + i];
    }
    return corners;
  }

  // Where it is on the picture; `pose` has the rows of rotation and place.
  put(pose, at, dense, floor) {
    const { points, normals, seen, fallen, light } = this;
    for (let k = 0; k < points.length; k += 3) {
      const p = pointOf(pose, 0, [points[k], points[k + 1], points[k + 2]]), [x, y, near] = at(p);
      seen[k] = x * dense; seen[k + 1] = y * dense; seen[k + 2] = near;
      const [u, v] = at([p[0], p[1], floor]);
      fallen[k] = u * dense; fallen[k + 1] = v * dense;
    }
    // The light is turned into the frame of the body. Meshes may be inside out: both sides are lit.
    const [a, b, c] = [0, 1, 2].map((i) => pose[i] * LIGHT_FROM[0] + pose[4 + i] * LIGHT_FROM[1] + pose[8 + i] * LIGHT_FROM[2]);
    for (let k = 0; k < light.length; k++) light[k] = a * normals[3 * k] + b * normals[3 * k + 1] + c * normals[3 * k + 2];
  }
}

// A tube along points in the world, with a share at each of them.
const SIDES = 14;
class Tube {
  constructor(line, radius, shares, at, dense, floor) {
    const count = line.length, corners = count * SIDES + 2;
    this.seen = new Float64Array(3 * corners);
    this.fallen = new Float64Array(3 * corners);
    this.light = new Float64Array(corners);
    this.used = shares ? new Float64Array(corners) : null;
    let aside = null;
    const put = (k, point, normal, share) => {
      const [x, y, near] = at(point), [u, v] = at([point[0], point[1], floor]);
      this.seen.set([x * dense, y * dense, near], 3 * k);
      this.fallen.set([u * dense, v * dense, 0], 3 * k);
      this.light[k] = normal[0] * LIGHT_FROM[0] + normal[1] * LIGHT_FROM[1] + normal[2] * LIGHT_FROM[2];
      if (shares) this.used[k] = share;
    };
    line.forEach((point, i) => {
      const way = plus(line[Math.min(i + 1, count - 1)], line[Math.max(i - 1, 0)], -1), along = scaled(way, 1 / (size(way) || 1));
      if (!aside) aside = [0, 1, 2].map((k) => Number(k === along.map(Math.abs).indexOf(Math.min(...along.map(Math.abs)))));
      aside = plus(aside, along, -dot(aside, along));
      aside = scaled(aside, 1 / (size(aside) || 1));
      const across = cross(along, aside);
      for (let j = 0; j < SIDES; j++) {
        const turn = (2 * Math.PI * j) / SIDES, normal = plus(scaled(aside, Math.cos(turn)), across, Math.sin(turn));
        put(i * SIDES + j, plus(point, normal, radius), normal, shares?.[i]);
      }
      if (i === 0) put(corners - 2, point, scaled(along, -1), shares?.[i]);
      if (i === count - 1) put(corners - 1, point, along, shares?.[i]);
    });
    const triangles = [];
    for (let j = 0; j < SIDES; j++) {
      const next = (j + 1) % SIDES, last = (count - 1) * SIDES;
      for (let low = 0; low < last; low += SIDES) triangles.push(low + j, low + next, low + SIDES + j, low + next, low + SIDES + next, low + SIDES + j);
      triangles.push(next, j, corners - 2, last + j, last + next, corners - 1);
    }
    this.triangles = Uint32Array.from(triangles);
  }
}

class Sheet {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.image = new ImageData(width, height);
    this.near = new Float32Array(width * height);
  }

  canvas() {
    const sheet = document.createElement("canvas");
    sheet.width = this.width;
    sheet.height = this.height;
    sheet.getContext("2d").putImageData(this.image, 0, 0);
    return sheet;
  }

  // Triangles with shares of their own at their corners.
  drawShaded({ seen, triangles, light, used }, plain) {
    const { near } = this, ink = this.image.data;
    this.fill(seen, triangles, (at, k, u, v, w) => {
      const [a, b, c] = [triangles[k], triangles[k + 1], triangles[k + 2]];
      const depth = u * seen[3 * a + 2] + v * seen[3 * b + 2] + w * seen[3 * c + 2];
      if (depth <= near[at]) return;
      near[at] = depth;
      const share = used ? u * used[a] + v * used[b] + w * used[c] : NaN, color = Number.isFinite(share) ? shadeOf(share) : plain;
      const lit = 0.68 + 0.34 * (u * light[a] + v * light[b] + w * light[c]), glow = Math.max(0, lit - 0.9) * 160, i = 4 * at;
      for (let c = 0; c < 3; c++) ink[i + c] = color[c] * lit + glow;
      ink[i + 3] = 255;
    });
  }

  shadow({ fallen, triangles }, [r, g, b]) {
    const color = (70 << 24) | (b << 16) | (g << 8) | r, ink = new Uint32Array(this.image.data.buffer);
    this.fill(fallen, triangles, (at) => { ink[at] = color; });
  }

  draw({ seen, triangles, light, opacity }, [r, g, b], share = 1) {
    const { near } = this, ink = this.image.data, part = opacity * share, full = Math.round(255 * part);
    this.fill(seen, triangles, (at, k, u, v, w, side) => {
      const depth = u * seen[3 * triangles[k] + 2] + v * seen[3 * triangles[k + 1] + 2] + w * seen[3 * triangles[k + 2] + 2];
      if (depth <= near[at]) return;
      near[at] = depth;
      const lit = 0.68 + 0.34 * side * (u * light[k] + v * light[k + 1] + w * light[k + 2]);
      const glow = Math.max(0, lit - 0.9) * 160;
      const i = 4 * at, under = part < 1 && share === 1 && ink[i + 3] === 255 ? 1 - part : 0;  // what shines through
      ink[i] = (r * lit + glow) * (1 - under) + under * ink[i];
      ink[i + 1] = (g * lit + glow) * (1 - under) + under * ink[i + 1];
      ink[i + 2] = (b * lit + glow) * (1 - under) + under * ink[i + 2];
      ink[i + 3] = under ? 255 : full;
    });
  }

  // Every point of every triangle, with what it has of the three corners.
  fill(points, triangles, put) {
    const { width, height } = this;
    for (let k = 0; k < triangles.length; k += 3) {
      const [a, b, c] = [3 * triangles[k], 3 * triangles[k + 1], 3 * triangles[k + 2]];
      const [ax, ay, bx, by, cx, cy] = [points[a], points[a + 1], points[b], points[b + 1], points[c], points[c + 1]];
      const twice = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
      if (!(Math.abs(twice) > 1e-9)) continue;
      const side = twice < 0 ? 1 : -1;  // seen from outside or from inside
      const left = Math.max(0, Math.ceil(Math.min(ax, bx, cx) - 0.5)), right = Math.min(width - 1, Math.floor(Math.max(ax, bx, cx) - 0.5));
      const top = Math.max(0, Math.ceil(Math.min(ay, by, cy) - 0.5)), bottom = Math.min(height - 1, Math.floor(Math.max(ay, by, cy) - 0.5));
      for (let y = top; y <= bottom; y++) {
        for (let x = left; x <= right; x++) {
          const u = ((bx - x - 0.5) * (cy - y - 0.5) - (cx - x - 0.5) * (by - y - 0.5)) / twice;
          const v = ((cx - x - 0.5) * (ay - y - 0.5) - (ax - x - 0.5) * (cy - y - 0.5)) / twice;
          if (u >= 0 && v >= 0 && u + v <= 1) put(y * width + x, k, u, v, 1 - u - v, side);
        }
      }
    }
  }
}
