// Cells, figures and texts that follow the controls. Each says in `data-live` where its number comes from; at the
// setting that the report was made for, the page shows the words that it came with.
const NOTHING = 1e-9;

// `quantity column take`: what a cell shows, and when that is.
function cellOf(loads, binding) {
  const [quantity, column, take] = binding.split(" "), k = Number(column), { limits } = loads.model;
  const when = (sample) => seconds(loads.t[sample]);
  if (quantity === "work") return [number(Math.abs(loads.work(k)[take])), ""];
  const found = loads.statistics(quantity, k);
  switch (take) {
    case "peak": {
      if (Number.isNaN(found.magnitude)) return [NONE, ""];
      const { value, sample } = loads.peak(quantity, k);
      return [number(value), Math.abs(value) < NOTHING ? "" : when(sample)];
    }
    case "maximum": return [number(found.maximum), when(found.maximum_at)];
    case "minimum": return [number(found.minimum), when(found.minimum_at)];
    case "given": return [number(Math.max(found.maximum, 0)), ""];
    case "taken": return [number(Math.max(-found.minimum, 0)), ""];
    case "share": {
      const limit = (quantity === "drive" ? limits.effort : limits.speed)[k];
      return [limit > 0 ? percent(found.magnitude / limit) : NONE, ""];
    }
    default: return [number(found[take]), ""];
  }
}

// A figure: [value, note, alarming, label].
function figureOf(loads, { show, quantity, columns: among }) {
  const { limits, dofs, drive_units: units } = loads.model;
  const at = (sample) => `at ${seconds(loads.t[sample])}`;
  const best = (of) => among.reduce((a, b) => (of(b) > of(a) ? b : a));
  if (show === "share") {
    const share = (k) => (limits.effort[k] > 0 ? loads.statistics("drive", k).magnitude / limits.effort[k] : 0), k = best(share), { value, sample } = loads.peak("drive", k);
    return [percent(share(k)), `${dofs[k]}: ${number(value)} of ${number(limits.effort[k])} ${units[k]}, ${at(sample)}`, share(k) > 1];
  }
  const k = best((column) => loads.statistics(quantity, column).magnitude), { value, sample } = loads.peak(quantity, k);
  if (show === "power") return [`${number(Math.abs(value))} W`, `${dofs[k]}, ${at(sample)}`, false, value >= 0 ? "Most power given" : "Most power taken back"];
  const name = quantity === "drive" ? dofs[k] : loads.model.joints[Math.floor(k / 6)];
  const unit = quantity === "drive" ? units[k] : k % 6 < 2 || k % 6 === 4 ? "N" : "N m";
  return [`${number(value)} ${unit}`, `${name}, ${at(sample)}`, false];
}

class Written {
  constructor() {
    this.cells = [...document.querySelectorAll("td[data-live]")].map((cell) => ({ cell, binding: cell.dataset.live, came: [...cell.childNodes].map((node) => node.cloneNode(true)) }));
    this.tables = [...new Set(this.cells.map(({ cell }) => cell.closest("tbody")))];
    this.byTable = new Map(this.tables.map((table) => [table, this.cells.filter(({ cell }) => cell.closest("tbody") === table)]));
    this.figures = [...document.querySelectorAll(".figure[data-live]")].map((figure) => ({ figure, binding: JSON.parse(figure.dataset.live), came: figure.cloneNode(true) }));
  }

  // As the report was made.
  restore() {
    for (const { cell, came } of this.cells) cell.replaceChildren(...came.map((node) => node.cloneNode(true)));
    for (const { figure, came } of this.figures) {
      figure.className = came.className;
      figure.replaceChildren(...[...came.childNodes].map((node) => node.cloneNode(true)));
    }
  }

  show(loads, verdict) {
    for (const table of this.tables) {
      const own = this.byTable.get(table), found = own.map(({ binding }) => cellOf(loads, binding)), byColumn = new Map();
      own.forEach(({ cell }, k) => byColumn.set(cell.cellIndex, [...(byColumn.get(cell.cellIndex) ?? []), k]));
      for (const rows of byColumn.values()) {
        alignedColumn(rows.map((k) => found[k][0])).forEach((text, i) => write(own[rows[i]].cell, text, found[rows[i]][1]));
      }
    }
    for (const { figure, binding } of this.figures) {
      const [value, note, alarming, label] = binding.show === "verdict" ? verdict.figure(binding.of) : figureOf(loads, binding);
      figure.querySelector(".value").textContent = value;
      figure.querySelector(".note").textContent = note;
      if (label) figure.querySelector(".label").textContent = label;
      figure.classList.toggle("alarming", alarming);
    }
  }
}

function write(cell, text, note) {
  const [words, small] = cell.childNodes;
  if (words?.nodeType === Node.TEXT_NODE && Boolean(small) === Boolean(note) && cell.childNodes.length <= 2) {  // the page is laid out anew for less
    if (words.data !== text) words.data = text;
    if (small && small.textContent !== note) small.firstChild.data = note;
    return;
  }
  const below = note ? [Object.assign(document.createElement("span"), { className: "when", textContent: note })] : [];
  cell.replaceChildren(text, ...below);
}

// A name that may be broken after its underscores, not within words.
function breakable(name) {
  return name.split(/(?<=[_-])|(?<=\.)(?!\d)/).flatMap((part, k) => (k ? [document.createElement("wbr"), part] : [part]));
}
