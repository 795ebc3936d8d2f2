// Numbers as the tables show them: the same words as loadpath.report.blocks makes.
const NONE = "\u2013", MINUS = "\u2212", FIGURE_SPACE = "\u2007", POINT_SPACE = "\u2008";
const TOO_LONG = 1e12;

function general(value, digits = 4) {
  if (value === 0) return "0";
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  const exponent = Number(power);
  const trimmed = (text) => (text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text);
  if (exponent < -4 || exponent >= digits) {
    return `${trimmed(mantissa)}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  return trimmed(value.toFixed(Math.max(digits - 1 - exponent, 0)));
}

function number(value) {
  if (Number.isNaN(value)) return NONE;
  if (Math.abs(value) < 1e-9) return "0";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : `${MINUS}inf`;
  const text = Math.abs(value) >= 9999.5 && Math.abs(value) < TOO_LONG ? Math.round(value).toLocaleString("en-US") : general(value);
  return text.replaceAll("-", MINUS);
}

const seconds = (time) => (Math.abs(time) < 100 ? `${time.toFixed(3)} s` : `${general(time, 5)} s`);
const percent = (share) => (Number.isFinite(share) ? `${(100 * share).toFixed(0)} %` : NONE);

// Columns of numbers are padded so that their decimal points stand below each other (loadpath.report.page.aligned).
const WRITTEN = /^([\u2212+]?[0-9,]+)(\.[0-9]+)?([^0-9.]*)$/;
const valueOf = (match) => Number(`${match[1]}${match[2] ?? ""}`.replace("\u2212", "-").replaceAll(",", ""));
const DECIMALS = 3, SMALL = 1e-3, FOUR = 4;

function alignedColumn(texts, mixed = false) {
  const whole = !texts.some((text) => WRITTEN.exec(text)?.[2]), full = whole ? texts : texts.map(filled);
  const sizes = full.map((text) => WRITTEN.exec(text)).filter(Boolean).map((match) => Math.abs(valueOf(match)));
  const largest = Math.max(0, ...sizes);
  const coarse = mixed ? full : full.map((text) => {
    const match = WRITTEN.exec(text);
    if (!match || (match[2] ?? "").length <= 1 + DECIMALS || Math.abs(valueOf(match)) > SMALL * largest) return text;
    const short = valueOf(match).toFixed(DECIMALS);
    return (Number(short) ? short.replace("-", MINUS) : "0") + match[3];
  });
  const found = coarse.map((text) => WRITTEN.exec(text));
  const places = Math.max(0, ...found.map((match) => (match?.[2] ?? "").length));
  return coarse.map((text, k) => {
    const match = found[k];
    if (!match || !places) return text;
    const missing = places - (match[2] ?? "").length;
    const blank = match[2] ? FIGURE_SPACE.repeat(missing) : POINT_SPACE + FIGURE_SPACE.repeat(missing - 1);
    return `${match[1]}${match[2] ?? ""}${blank}${match[3]}`;
  });
}

// A number with the zeros that its four digits ended with.
function filled(text) {
  const match = WRITTEN.exec(text);
  if (!match || match[3] || !valueOf(match)) return text;
  const whole = match[1].replace(/[+\u2212,]/g, ""), decimals = (match[2] ?? ".").slice(1), small = whole === "0";
  const leading = small ? decimals.length - decimals.replace(/^0+/, "").length : 0;
  const missing = FOUR + leading - (small ? 0 : whole.length) - decimals.length;
  return missing > 0 ? `${match[1]}${match[2] ?? "."}${"0".repeat(missing)}` : text;
}

// Demand and capacity with as many digits as tell them apart, and lives (loadpath.digits).
const lifeWords = (hours) => (hours === Infinity ? "unlimited" : number(hours));
function compared(demand, capacity) {
  let shown = number(demand), limit = capacity === Infinity ? "no limit" : number(capacity);
  if (!Number.isFinite(demand) || !(Math.abs(demand - capacity) > 1e-9 * Math.max(Math.abs(demand), 1e-9))) return [shown, limit];
  for (let digits = 5; digits <= 10 && shown === limit; digits++) {
    [shown, limit] = [demand, capacity].map((value) => {
      if (!value || Math.abs(value) >= TOO_LONG) return general(value, digits).replaceAll("-", MINUS);
      const places = Math.max(digits - 1 - Math.floor(Math.log10(Math.abs(value))), 0);
      return value.toLocaleString("en-US", { minimumFractionDigits: 0, maximumFractionDigits: places }).replaceAll("-", MINUS);
    });
  }
  return [shown, limit];
}
