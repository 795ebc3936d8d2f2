// The verdict at one setting of the controls: limits and the checks of parts that the page can make are made again; those
// that it cannot are shown as they were computed, and say so.
const OWN_LIMITS = "limits", MOST_ROWS = 40, OWN_ROWS = { speed: 2, position: 2 }, NO_EMERGENCIES = ", emergencies not given", SLACK = 1e-9;
const atMost = (used) => (used > 1 && used <= 1 + SLACK ? 1 : used);

class Verdict {
  constructor(loads, checks) {
    this.loads = loads;
    this.rows = checks.map((check) => this.judged(check));
    this.checked = this.rows.filter((row) => !Number.isNaN(row.utilisation)).sort((a, b) => b.utilisation - a.utilisation);
    this.lives = this.rows.filter((row) => Number.isNaN(row.utilisation) && row.life_hours !== null);
    const open = this.rows.filter((row) => Number.isNaN(row.utilisation) && row.life_hours === null);
    this.unsaid = open.filter((row) => row.note.startsWith("not given: "));
    this.missing = open.filter((row) => !this.unsaid.includes(row));
    this.failing = this.checked.filter((row) => row.utilisation > 1);
    this.stale = this.rows.filter((row) => !row.recomputed);
  }

  judged(check) {
    const row = { ...check, recomputed: false };  // infinity is a word there, what is not a number nothing
    for (const key of ["demand", "capacity", "utilisation"]) row[key] = check[key] === null ? NaN : Number(check[key]);
    if (check.life_hours !== null) row.life_hours = Number(check.life_hours);
    if (Number.isNaN(row.utilisation) && row.life_hours === null) return { ...row, recomputed: true };  // not checked, whatever the load
    const made = check.by ? CHECKS[check.by.rule](this.loads, check.by, row) : null;
    if (!made) return row;
    return { ...row, ...made, by: made.by ?? row.by, time: made.sample === null ? null : this.loads.t[made.sample], recomputed: true };
  }

  // Those that are recomputed and exceeded; what was exceeded as computed is grey, and not known now.
  get exceeded() { return this.failing.filter((row) => row.recomputed); }

  // The same words as loadpath.parts.verdict.table.
  outcome() {
    if (this.exceeded.length) return "does not hold";
    if (this.stale.length || this.missing.length) return "not known to hold";
    return `${this.loads.model.basis.sound ? "holds" : "no limit exceeded"}${this.unsaid.length ? NO_EMERGENCIES : ""}`;
  }

  counts() {
    const some = [[this.exceeded.length, "exceeded"], [this.missing.length, "not checked"], [this.unsaid.length, `emergenc${this.unsaid.length === 1 ? "y" : "ies"} not given`], [this.stale.length, "not recomputed (grey)"]];
    const said = some.filter(([count]) => count).map(([count, words]) => `${count} ${words}`), every = this.rows.length;
    const total = `${every} check${every === 1 ? "" : "s"}`;
    return said.length ? `${said.join(", ")} of ${total}` : total;
  }

  over() {
    const { motion, duration } = this.loads.model.basis, { t } = this.loads;
    return duration === null ? motion : `${motion} of ${general(t[t.length - 1] - t[0])} s`;
  }

  sentence() {
    const [worst] = this.checked.filter((row) => row.recomputed), outcome = this.outcome();
    const nearest = worst ? `; worst: ${worst.words}, ${used(worst.utilisation)}` : "";
    const comma = outcome.endsWith(NO_EMERGENCIES) ? "," : "";
    return `${outcome[0].toUpperCase()}${outcome.slice(1)}${comma} over ${this.over()}: ${this.counts()}; ${this.loads.model.basis.rest}${nearest}.`;
  }

  figure(of) {
    const [worst] = this.checked.filter((row) => row.recomputed), { rest, hours } = this.loads.model.basis;
    if (of === "checks") return [this.outcome(), `${this.counts()}; ${this.over()}; ${rest}`, !["holds", "no limit exceeded"].includes(this.outcome())];
    if (of === "limiting") {
      if (!worst) return [NONE, "not recomputed", false];
      return [used(worst.utilisation), `${worst.words}${worst.time === null ? "" : `, ${seconds(worst.time)}`}`, worst.utilisation > 1];
    }
    const lives = this.rows.filter((row) => row.recomputed && row.life_hours !== null && !Number.isNaN(row.life_hours));
    const row = lives.reduce((a, b) => (a && a.life_hours <= b.life_hours ? a : b), null), asked = hours === null ? "" : `; ${number(hours)} h required`;
    return row ? [`${lifeWords(row.life_hours)} h`, `${row.part}, ${row.joint}${asked}`, false] : [NONE, "not recomputed", false];
  }

  // Below the table: how many are left out, and how near to its limit the nearest of them is.
  note() {
    const shown = this.shown(), left = this.checked.filter((row) => !shown.includes(row));
    const more = left.length ? ` ${left.length} more checks are not shown, with ${used(left[0].utilisation)} at most.` : "";
    return `The most utilised first; the time is the instant that decides.${more}`;
  }

  // Rows for the table: those that fail, those of parts, and of the robot's own limits the most utilised.
  shown() {
    const ofKind = {}, found = [];
    for (const row of this.checked) {
      if (row.part === OWN_LIMITS && row.utilisation <= 1) {
        ofKind[row.check] = (ofKind[row.check] ?? 0) + 1;
        if (ofKind[row.check] > (OWN_ROWS[row.check] ?? 6)) continue;
      }
      found.push(row);
    }
    return [...found.slice(0, MOST_ROWS), ...this.lives];
  }
}

// A utilisation, and demand and capacity in the unit that people read: as loadpath.parts.verdict.table has them.
function used(share) {
  if (share > 10) return "over 1000 %";
  const text = `${(100 * share).toFixed(1)} %`;
  return share > 1 && text === "100.0 %" ? "just over 100 %" : text;
}

const ARC_MINUTE = Math.PI / 180 / 60, SMALL_ANGLE = 0.05;
function inShownUnit({ demand, capacity, unit }) {
  if (unit === "Pa") return { demand: demand / 1e6, capacity: capacity / 1e6, unit: "MPa" };
  if (unit === "rad" && Math.abs(capacity) < SMALL_ANGLE) return { demand: demand / ARC_MINUTE, capacity: capacity / ARC_MINUTE, unit: "arcmin" };
  return { demand, capacity, unit };
}

// How a check is made again: its demand, capacity and the sample that decides it.
const CHECKS = {
  effort: (loads, { k }, { capacity }) => largest(loads.column("drive", k), 1, capacity),
  speed: (loads, { v, multiplier }, { capacity }) => largest(loads.column("speed", v), Math.abs(multiplier), capacity),
  // Positions are those of the path, whatever its speed.
  position: (loads, { sample }, { demand, capacity, utilisation }) => ({ demand, capacity, utilisation, sample }),
};

function largest(values, factor, capacity) {
  let demand = -Infinity, sample = 0;
  for (let i = 0; i < values.length; i++) {
    const v = factor * Math.abs(values[i]);
    if (v > demand) { demand = v; sample = i; }
  }
  return { demand, capacity, utilisation: atMost(demand / capacity), sample };
}

// The table of checks and the sentence above it.
class VerdictTable {
  constructor() {
    const body = document.querySelector("table[data-live=checks] tbody");
    this.body = body;
    this.sentence = document.querySelector("p[data-live=sentence]");
    this.note = body?.closest("figure").querySelector(".note");
    this.came = { rows: body ? [...body.children] : [], sentence: this.sentence?.textContent, note: this.note?.textContent };
    this.columns = body ? [...body.closest("table").querySelectorAll("th")].map((head) => head.textContent) : [];
  }

  restore() {
    this.body?.replaceChildren(...this.came.rows);
    if (this.sentence) this.sentence.textContent = this.came.sentence;
    if (this.note) this.note.textContent = this.came.note;
  }

  show(verdict, base, causeOf) {
    if (this.sentence) this.sentence.textContent = verdict.sentence();
    if (!this.body) return;
    if (this.note) this.note.textContent = verdict.note();
    const rows = verdict.shown(), texts = rows.map((row) => this.texts(row));
    for (const column of ["demand", "capacity", "utilisation", "life (h)"]) {
      alignedColumn(texts.map((cells) => cells[column]), true).forEach((text, k) => { texts[k][column] = text; });
    }
    this.body.replaceChildren(...rows.map((row, r) => {
      const line = document.createElement("tr");
      line.classList.toggle("stale", !row.recomputed);
      line.dataset.card = `${row.part} of ${row.joint}: ${row.check}`;  // its heading in narrow windows
      for (const column of this.columns) {
        const cell = document.createElement("td"), words = ["part", "joint", "check", "mostly from"].includes(column);
        cell.dataset.of = column;
        if (words) cell.className = "name";
        if (column === "mostly from") {
          const text = row.recomputed ? causeOf(row) : `as computed for ${base}; not recomputed`;
          cell.replaceChildren(...breakable(text));
        } else if (words) {
          const below = column === "check" && row.note && (!row.recomputed || row.by.rule === "position") ? [Object.assign(document.createElement("span"), { className: "when", textContent: row.note })] : [];
          cell.replaceChildren(...breakable(texts[r][column]), ...below);
        }
        else write(cell, texts[r][column], column === "demand" && row.time !== null ? seconds(row.time) : "");
        line.append(cell);
      }
      return line;
    }));
  }

  texts(row) {
    const life = row.life_hours === null ? NONE : lifeWords(row.life_hours);
    const share = Number.isNaN(row.utilisation) ? NONE : used(row.utilisation), { unit, ...sizes } = inShownUnit(row), [demand, capacity] = compared(sizes.demand, sizes.capacity);
    return { part: row.part, joint: row.joint, check: row.check, demand, capacity, unit, utilisation: share, spread: NONE, "life (h)": life };
  }
}
