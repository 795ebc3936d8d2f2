"use strict";

/**
 * One array that a kernel takes or gives: its name, and its shape for one state ([] for a number).
 * @typedef {{name: string, shape: number[], size: number}} Operand
 */

// A batch goes through the module's memory in blocks of about so many bytes.
const BLOCK_BYTES = 1 << 20;
const DOUBLE = 8;
const PAGE = 65536;

// What the modules import; the functions that JavaScript lacks stand below.
const MATH = {
  ...Object.fromEntries(
    "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp log log1p expm1 hypot"
      .split(" ").map((name) => [name, Math[name]]),
  ),
  pow, fmod, remainder, erf,
};

/** A quantity of a robot, ready to run. */
class Kernel {
  constructor(instance, about) {
    const sized = ({ name, shape }) => ({ name, shape, size: shape.reduce((a, b) => a * b, 1) });
    /** @type {Operand[]} */
    this.inputs = about.inputs.map(sized);
    /** @type {Operand[]} */
    this.outputs = about.outputs.map(sized);
    /** What the module says of itself: quantity, robot, version of Loadpath. */
    this.about = about;
    this._run = instance.exports.run;
    this._memory = instance.exports.memory;
  }

  /**
   * Computes a batch of states.
   * @param {Object<string, Float64Array | number[] | number>} inputs by name: the states one after the other, or one
   *   for all of them
   * @param {number} [count] number of states; by default as many as the longest input has
   * @param {Object<string, Float64Array>} [results] arrays to write into, by name; by default new ones
   * @returns {Object<string, Float64Array>} by name: the states one after the other
   */
  run(inputs, count, results = {}) {
    const known = this.inputs.map((operand) => operand.name);
    for (const name of Object.keys(inputs)) {
      if (!known.includes(name)) throw new TypeError(`there is no input '${name}': expected ${known.join(", ")}`);
    }
    const given = this.inputs.map((operand) => asNumbers(operand, inputs[operand.name]));
    const states = count ?? Math.max(0, ...this.inputs.map(({ size }, k) => given[k].length / size || 0), this._still);
    if (!Number.isInteger(states) || states < 0) {
      throw new RangeError(`count is ${states}: expected a whole number of states`);
    }
    const fixed = this.inputs.map((operand, k) => isFixed(operand, given[k], states));
    const found = this.outputs.map(({ name, size }) => {
      const room = results[name] ?? new Float64Array(states * size);
      if (!(room instanceof Float64Array) || room.length !== states * size) {
        throw new RangeError(`result '${name}' is no Float64Array of ${states * size} numbers`);
      }
      return room;
    });
    this._blocks(given, fixed, found, states);
    return Object.fromEntries(this.outputs.map(({ name }, k) => [name, found[k]]));
  }

  /** One state, if no input has any number. */
  get _still() {
    return this.inputs.every(({ size }) => size === 0) ? 1 : 0;
  }

  _blocks(given, fixed, found, states) {
    const bytes = DOUBLE * [...this.inputs, ...this.outputs].reduce((sum, { size }) => sum + size, 0);
    const most = Math.min(states, 2 * Math.max(1, Math.floor(BLOCK_BYTES / (2 * bytes + 1))));
    if (!most) return;
    let end = this.about.heap;
    const reserve = (length) => {
      const at = end;
      end += DOUBLE * length;
      return at;
    };
    const from = this.inputs.map(({ size }, k) => reserve(fixed[k] ? size : most * size));
    const to = this.outputs.map(({ size }) => reserve(most * size));
    const missing = end - this._memory.buffer.byteLength;
    if (missing > 0) this._memory.grow(Math.ceil(missing / PAGE));
    const memory = new Float64Array(this._memory.buffer);
    const places = this.inputs.flatMap(({ size }, k) => [from[k], fixed[k] ? 0 : DOUBLE * size]);
    for (let first = 0; first < states; first += most) {
      const some = Math.min(most, states - first);
      this.inputs.forEach(({ size }, k) => {
        if (!fixed[k]) memory.set(given[k].subarray(first * size, (first + some) * size), from[k] / DOUBLE);
        else if (first === 0) memory.set(given[k], from[k] / DOUBLE);
      });
      this._run(some, ...places, ...to);
      this.outputs.forEach(({ size }, k) => {
        const at = to[k] / DOUBLE;
        found[k].set(memory.subarray(at, at + some * size), first * size);
      });
    }
  }
}

function asNumbers({ name }, value) {
  if (value === undefined) throw new TypeError(`input '${name}' is missing`);
  if (value instanceof Float64Array) return value;
  const listed = typeof value === "number" ? [value] : Array.from(value);
  if (!listed.every((entry) => typeof entry === "number")) {
    throw new TypeError(`input '${name}' has an entry that is no number`);
  }
  return Float64Array.from(listed);
}

/** Whether an input is one for all states. */
function isFixed({ name, size }, array, states) {
  if (array.length === states * size) return false;
  if (array.length === size) return true;
  throw new RangeError(`input '${name}' has ${array.length} numbers: expected ${size} for all states, or ` +
    `${states} times ${size}`);
}

/**
 * Makes a module ready to run.
 * @param {BufferSource | Response | Promise<Response>} source its bytes, or what `fetch` gives for its address
 * @returns {Promise<Kernel>}
 */
async function load(source) {
  let bytes = await source;
  if (typeof Response !== "undefined" && bytes instanceof Response) {
    if (!bytes.ok) throw new Error(`${bytes.url}: ${bytes.status} ${bytes.statusText}`);
    bytes = await bytes.arrayBuffer();
  }
  const module = await WebAssembly.compile(bytes);
  const [section] = WebAssembly.Module.customSections(module, "loadpath");
  if (section === undefined) throw new TypeError("this module has no section 'loadpath': it was not made by Loadpath");
  const about = JSON.parse(new TextDecoder().decode(section));
  return new Kernel(await WebAssembly.instantiate(module, { math: MATH }), about);
}

/**
 * Bytes that stand in a page as text.
 * @param {string} text gzip in base64
 * @returns {Promise<ArrayBuffer>}
 */
async function unpack(text) {
  const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
