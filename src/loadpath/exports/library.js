/** The smaller of two numbers, or the one that is a number. */
function fmin(a, b) {
  return b < a || a !== a ? b : a;
}

/** The larger of two numbers, or the one that is a number. */
function fmax(a, b) {
  return b > a || a !== a ? b : a;
}

/** The size of a with the sign of b. */
function copysign(a, b) {
  return Math.abs(a) * (b < 0 || Object.is(b, -0) ? -1 : 1);
}

/** A power, 1 of 1 and of -1 where JavaScript gives NaN. */
function pow(a, b) {
  return a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : Math.pow(a, b);
}

/** What is left of a after whole multiples of b, with the sign of a. */
function fmod(a, b) {
  return a % b;
}

/** a - n b with n the integer nearest to a / b, the even one of two. */
function remainder(a, b) {
  const size = Math.abs(b);
  if (size === Infinity && Math.abs(a) < Infinity) return a;
  const twice = Math.abs(a) % (2 * size);
  if (twice !== twice) return NaN;
  const half = size / 2;
  const rest = twice > half ? (twice - size >= half ? twice - size - size : twice - size) : twice;
  return a < 0 || Object.is(a, -0) ? -rest : rest;
}

/** The error function: a series of positive terms, and beyond 3 the continued fraction of its complement. */
function erf(x) {
  const size = Math.abs(x);
  if (x !== x || x === 0) return x;
  if (size > 6) return Math.sign(x);
  const bell = Math.exp(-x * x) / Math.sqrt(Math.PI);
  if (size < 3) {
    let sum = 1;
    let term = 1;
    for (let n = 1; term > 1e-17 * sum; n++) {
      term *= (2 * x * x) / (2 * n + 1);
      sum += term;
    }
    return 2 * x * bell * sum;
  }
  let fraction = 0;
  for (let n = 60; n > 0; n--) fraction = n / 2 / (size + fraction);
  return Math.sign(x) * (1 - bell / (size + fraction));
}
