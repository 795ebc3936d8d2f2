// How hot a winding gets when a motion is repeated for good: exact over every interval between samples, with copper's
// resistance growing with temperature (loadpath.parts.motors.thermal, whose lines these are).
function repeatedRises({ c, a11, a12, a21, a22, copper, grown }, t, loss) {
  const { expm1, exp, sqrt, abs } = Math, count = t.length, rows = new Float64Array(3 * count);
  const integral = (rate, dt) => (abs(rate * dt) < 1e-12 ? dt : expm1(rate * dt) / rate);
  let [p, q, r, s, b1, b2] = [1, 0, 0, 1, 0, 0];  // rises at a sample: [[p, q], [r, s]] of those at the start, and b
  for (let i = 0; i < count; i++) {
    const dt = i ? t[i] - t[i - 1] : 0, mean = i ? 0.5 * (loss[i] + loss[i - 1]) : loss[0];
    const first = a11 + mean * copper * c, m = 0.5 * (first + a22), half = 0.5 * (first - a22), d = sqrt(half * half + a12 * a21);
    const low = m - d, high = m + d, spread = (exp(high * dt) * -expm1(-2 * d * dt)) / (2 * d), middle = 0.5 * (exp(high * dt) + exp(low * dt));
    const toHigh = integral(high, dt), toLow = integral(low, dt), kept = (toHigh - toLow) / (2 * d), heat = mean * grown * c;
    const [A, B, C, D] = [middle + spread * half, spread * a12, spread * a21, middle - spread * half];
    [p, q, r, s] = [A * p + B * r, A * q + B * s, C * p + D * r, C * q + D * s];
    [b1, b2] = [A * b1 + B * b2 + (0.5 * (toHigh + toLow) + kept * half) * heat, C * b1 + D * b2 + kept * a21 * heat];
    rows.set([p, q, b1], 3 * i);
  }
  // It settles if what the whole motion makes of a rise is less than the rise: eigenvalues below one.
  const trace = p + s, determinant = p * s - q * r, root = sqrt(Math.max(trace * trace / 4 - determinant, 0));
  if (!(t[count - 1] > t[0])) return new Float64Array(count).fill(NaN);
  if (Math.max(abs(trace / 2 + root), abs(trace / 2 - root)) >= 1) return new Float64Array(count).fill(Infinity);
  const [u, v, w, z] = [1 - p, -q, -r, 1 - s], whole = u * z - v * w, start = [(z * b1 - v * b2) / whole, (u * b2 - w * b1) / whole];
  return Float64Array.from({ length: count }, (_, i) => rows[3 * i] * start[0] + rows[3 * i + 1] * start[1] + rows[3 * i + 2]);
}
