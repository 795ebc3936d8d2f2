// Play, pause, time and pace of a picture that moves, and what its arrows show. `clock` knows its instants: how many, when
// each is, which is shown, and how to show another.
const PACES = [0.1, 0.25, 0.5, 1, 2, 4], FASTEST_TURN = 16;

let isPlaying = false;  // pictures are coarser then

function player(slider, clock, choices, choose) {
  const label = slider.closest(".slider"), row = document.createElement("div"), button = document.createElement("button");
  row.className = "player";
  button.type = "button";
  label.before(row);
  row.append(button, label);
  slider.max = clock.count - 1;
  slider.value = clock.sample();
  const pace = chooser(row, "speed", PACES.map((times) => [String(times), `${times}\u00d7`]), "1");
  if (choices.length > 1) {
    const arrows = chooser(row, "arrows", choices, choices[0][0]);
    arrows.addEventListener("change", () => choose(arrows.value));
  }
  let playing = null;
  const stop = () => {
    cancelAnimationFrame(playing);
    button.textContent = "\u25b6 play";
    if (playing !== null) { isPlaying = false; clock.redraw(); }
    playing = null;
  };
  const play = () => {
    isPlaying = true;
    button.textContent = "\u2759\u2759 pause";
    const end = clock.time(clock.count - 1);
    if (clock.sample() >= clock.count - 1) clock.show(0);
    let before = performance.now(), time = clock.time(clock.sample());
    const step = (now) => {
      time += ((now - before) / 1000) * Number(pace.value);
      before = now;
      if (time >= end && clock.again && end > clock.time(0)) time = clock.time(0) + ((time - clock.time(0)) % (end - clock.time(0)));
      clock.show(clock.at(time));
      if (time >= end || playing === null) return stop();
      playing = requestAnimationFrame(step);
    };
    playing = requestAnimationFrame(step);
  };
  stop();
  button.addEventListener("click", () => (playing !== null ? stop() : play()));
  slider.addEventListener("input", stop);
  return { play, stop };
}

function chooser(row, words, options, shown) {
  const label = document.createElement("label"), choice = document.createElement("select");
  label.textContent = `${words} `;
  for (const [value, text] of options) choice.append(new Option(text, value, false, value === shown));
  label.append(choice);
  row.append(label);
  return choice;
}

// The row of a rising list that is nearest to a time.
function nearestTime(t, time) {
  let low = 0, high = t.length - 1;
  while (high - low > 1) { const middle = (low + high) >> 1; if (t[middle] <= time) low = middle; else high = middle; }
  return time - t[low] <= t[high] - time ? low : high;
}

const BOTH = [["sum", "force and torque"]], BY_CAUSE = [...BOTH, ["force", "force by cause"], ["torque", "torque by cause"]];

// Of the instants that were sent with the page.
function sentPlayer(slider) {
  const place = slider.closest("figure").querySelector(".chart"), trace = robotOf(chartOf(place)), instants = slider.dataset.instants.split("|");
  const t = trace?.times ?? instants.map((_, k) => k / 10), shown = () => Number(place.dataset.step ?? slider.value);
  const show = (step) => {
    if (String(step) === place.dataset.step) return;
    place.dataset.step = slider.value = step;
    slider.nextElementSibling.textContent = instants[step];
    draw(place);
  };
  slider.addEventListener("input", () => show(Number(slider.value)));
  const clock = { count: instants.length, time: (k) => t[k], at: (time) => nearestTime(t, time), sample: shown, show, redraw: () => draw(place), again: document.body.classList.contains("alone") };
  const made = player(slider, clock, trace?.causes?.length ? BY_CAUSE : BOTH, (value) => { place.dataset.arrows = value; draw(place); });
  return clock.again && !matchMedia("(prefers-reduced-motion: reduce)").matches ? made.play() : made;
}

// Of a page that computes every instant anew.
function livePlayer(live) {
  const slider = document.querySelector(".slider input");
  if (!slider) return;
  slider.addEventListener("input", () => live.goTo(Number(slider.value)));
  const clock = { count: live.loads.count, time: (k) => live.loads.t[k], at: (time) => live.at(time), sample: () => live.sample, show: (k) => live.goTo(k), redraw: () => live.showRobot(), again: false };
  player(slider, clock, BY_CAUSE, (value) => { live.arrowsBy = value; live.showRobot(); });
}
