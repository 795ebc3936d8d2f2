// The verdict at one setting of the controls: limits and the checks of parts that the page can make are made again; those
// that it cannot are shown as they were computed, and say so.
const OWN_LIMITS = "limits", MOST_ROWS = 40, OWN_ROWS = { speed: 2, position: 2 }, SLACK = 1e-9;
const atMost = (used) => (used > 1 && used <= 1 + SLACK ? 1 : used);

class Verdict {
  constructor(loads, checks) {
    this.loads = loads;
    this.rows = checks.map((check) => this.judged(check));
    this.checked = this.rows.filter((row) => !Number.isNaN(row.utilisation)).sort((a, b) => b.utilisation - a.utilisation);
    this.lives = this.rows.filter((row) => Number.isNaN(row.utilisation) && row.life_hours !== null);
    this.missing = this.rows.filter((row) => Number.isNaN(row.utilisation) && row.life_hours === null);
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
    return { ...row, ...made, time: made.sample === null ? null : this.loads.t[made.sample], recomputed: true };
  }

  sentence() {
    const { rows, checked, failing, missing, stale } = this, count = rows.length;
    const also = stale.length ? ` ${stale.length === 1 ? "1 check is" : `${stale.length} checks are`} not recomputed for these loads, and grey.` : "";
    const fails = failing.filter((row) => row.recomputed);
    if (fails.length) return `Does not hold: ${fails.length} of ${count} checks exceed their limits, most of all ${rowWords(fails[0])} with ${percent(fails[0].utilisation)}.${also}`;
    if (stale.length === count - missing.length) return `Not known to hold: no check is recomputed for these loads; ${count === 1 ? "it is" : `all ${count} are`} as computed, and grey.`;
    if (stale.length) return `Not known to hold: the ${count - stale.length - missing.length} checks that are recomputed hold.${also}`;
    if (missing.length) return `Not known to hold: ${missing.length} of ${count} checks could not be made; the others hold.`;
    return `Holds: all ${count} checks. Most utilised is ${rowWords(checked[0])}, ${percent(checked[0].utilisation)}.`;
  }

  figure(of) {
    const current = this.checked.filter((row) => row.recomputed), fails = current.filter((row) => row.utilisation > 1);
    if (of === "checks") {
      const word = fails.length ? "does not hold" : this.stale.length || this.missing.length ? "not known" : "holds";
      const also = this.stale.length ? `, ${this.stale.length} not recomputed` : "";
      return [word, `${fails.length} exceeded, ${this.missing.length} not checked${also}, of ${this.rows.length}`, word !== "holds"];
    }
    if (of === "limiting") {
      const row = current[0];
      if (!row) return [NONE, "not recomputed", false];
      return [percent(row.utilisation), `${rowWords(row)}${row.time === null ? "" : `, ${seconds(row.time)}`}`, row.utilisation > 1];
    }
    const lives = this.rows.filter((row) => row.recomputed && row.life_hours !== null && !Number.isNaN(row.life_hours));
    const row = lives.reduce((a, b) => (a && a.life_hours <= b.life_hours ? a : b), null);
    return row ? [`${number(row.life_hours)} h`, `${row.part}, ${row.joint}`, false] : [NONE, "not recomputed", false];
  }

  // Below the table: how many are left out, and how near to its limit the nearest of them is.
  note() {
    const shown = this.shown(), left = this.checked.filter((row) => !shown.includes(row));
    const more = left.length ? ` ${left.length} more checks are not shown, with ${percent(left[0].utilisation)} at most.` : "";
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

// A speed or a position that is near its limit loads nothing.
const isLoad = (row) => row.part !== OWN_LIMITS || !["speed", "position"].includes(row.check);
const rowWords = (row) => (row.part === OWN_LIMITS ? `the ${row.check} limit of '${row.joint}'` : `${row.check} of ${row.part} at '${row.joint}'`);

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
    const rows = verdict.shown(), texts = rows.map((row) => this.texts(row)), explained = rows.filter(isLoad).slice(0, WITH_CAUSES);
    for (const column of ["demand", "capacity", "utilisation", "life (h)"]) {
      alignedColumn(texts.map((cells) => cells[column])).forEach((text, k) => { texts[k][column] = text; });
    }
    this.body.replaceChildren(...rows.map((row, r) => {
      const line = document.createElement("tr");
      line.classList.toggle("stale", !row.recomputed);
      for (const column of this.columns) {
        const cell = document.createElement("td"), words = ["part", "joint", "check", "mostly from"].includes(column);
        cell.dataset.of = column;
        if (words) cell.className = "name";
        if (column === "mostly from") {
          const text = row.recomputed ? (explained.includes(row) ? causeOf(row) : "") : `as computed for ${base}; not recomputed`;
          cell.replaceChildren(...breakable(text));
        } else if (words) cell.replaceChildren(...breakable(texts[r][column]));
        else write(cell, texts[r][column], column === "demand" && row.time !== null ? seconds(row.time) : "");
        line.append(cell);
      }
      return line;
    }));
  }

  texts(row) {
    const life = row.life_hours === null ? NONE : number(row.life_hours);
    const share = Number.isNaN(row.utilisation) ? NONE : percent(row.utilisation);
    return { part: row.part, joint: row.joint, check: row.check, demand: number(row.demand), capacity: number(row.capacity), unit: row.unit, utilisation: share, "life (h)": life };
  }
}
