// The bar of controls: payload, speed of the motion, direction of gravity; and the player of the picture.
const MOUNTS = { floor: [0, 0], wall: [90, 0], ceiling: [180, 0] };
const EARTH = 9.81;

function settingWords({ payload, speed, gravity }, model) {
  const words = model.payload ? [`payload ${number(payload)} kg`] : [];
  return [...words, `speed ${(100 * speed).toFixed(0)} %`, mountWords(gravity)].join(", ");
}

function mountWords(gravity) {
  const strength = size(gravity), tilt = strength ? (Math.acos(Math.max(-1, Math.min(1, -gravity[2] / strength))) * 180) / Math.PI : 0;
  if (!strength) return "no gravity";
  if (tilt < 1e-4) return "on the floor";
  if (tilt > 180 - 1e-4) return "on the ceiling";
  const towards = ((Math.atan2(gravity[1], gravity[0]) * 180) / Math.PI + 360) % 360;
  const side = `gravity towards ${towards.toFixed(0)}\u00b0 of its x`;
  return Math.abs(tilt - 90) < 1e-4 ? `on a wall, ${side}` : `tilted by ${tilt.toFixed(0)}\u00b0, ${side}`;
}

function gravityOf(tilt, towards, strength) {
  const [a, b] = [(tilt * Math.PI) / 180, (towards * Math.PI) / 180];
  const clean = (v) => (Math.abs(v) < 1e-15 ? 0 : v);
  return [clean(Math.sin(a) * Math.cos(b)), clean(Math.sin(a) * Math.sin(b)), clean(-Math.cos(a))].map((v) => strength * v);
}

class Bar {
  constructor(live) {
    this.live = live;
    this.form = document.querySelector("form.controls");
    if (!this.form) return;
    this.form.hidden = false;
    const { payload, exactly, speed, mount, tilt, towards } = this.form.elements;
    this.strength = size(live.base.gravity) || EARTH;
    const send = (change) => { live.set(change); this.say(); };
    payload?.addEventListener("input", () => { exactly.value = Number(Number(payload.value).toPrecision(4)); send({ payload: Number(payload.value) }); });
    exactly?.addEventListener("input", () => {
      if (!exactly.validity.valid || exactly.value === "") return;
      payload.value = exactly.value;
      send({ payload: Number(exactly.value) });
    });
    speed.addEventListener("input", () => send({ speed: Number(speed.value) / 100 }));
    mount.addEventListener("change", () => {
      if (mount.value === "made") this.lean(live.base.gravity);
      else if (mount.value in MOUNTS) [tilt.value, towards.value] = [MOUNTS[mount.value][0], towards.value];
      this.form.classList.toggle("leaning", mount.value === "wall" || mount.value === "tilted");
      this.form.classList.toggle("tilted", mount.value === "tilted");
      send({ gravity: this.gravity() });
    });
    for (const input of [tilt, towards]) input.addEventListener("input", () => send({ gravity: this.gravity() }));
    this.form.addEventListener("reset", (event) => { event.preventDefault(); this.follow(live.base); send(live.base); });
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.follow(live.base);
    this.say();
    const nav = document.querySelector("nav"), page = document.documentElement.style;
    const below = () => {
      const above = getComputedStyle(nav).position === "sticky" ? nav.offsetHeight : 0;
      page.setProperty("--nav", `${above}px`);
      page.setProperty("--bar", `${above + this.form.offsetHeight}px`);
    };
    new ResizeObserver(below).observe(nav);
    new ResizeObserver(below).observe(this.form);
  }

  gravity() {
    const { mount, tilt, towards } = this.form.elements;
    return mount.value === "made" ? [...this.live.base.gravity] : gravityOf(Number(tilt.value), Number(towards.value), this.strength);
  }

  lean(gravity) {
    const { tilt, towards } = this.form.elements, strength = size(gravity) || 1;
    tilt.value = (Math.acos(Math.max(-1, Math.min(1, -gravity[2] / strength))) * 180) / Math.PI;
    towards.value = ((Math.atan2(gravity[1], gravity[0]) * 180) / Math.PI + 360) % 360;
  }

  // The controls show a setting that was not made by them.
  follow({ payload, speed, gravity }) {
    if (!this.form) return;
    const fields = this.form.elements;
    if (fields.payload) [fields.payload.value, fields.exactly.value] = [payload, Number(payload.toPrecision(4))];
    fields.speed.value = 100 * speed;
    const made = gravity.every((g, k) => g === this.live.base.gravity[k]);
    fields.mount.value = made ? "made" : "tilted";
    this.form.classList.toggle("tilted", !made);
    this.form.classList.toggle("leaning", !made);
    this.lean(gravity);
    this.say();
  }

  say() {
    const { controls, isBase, model } = this.live, f = this.form;
    f.querySelector("[data-says=speed]").textContent = `${(100 * controls.speed).toFixed(0)} %`;
    f.querySelector("[data-says=tilt]").textContent = `${Number(f.elements.tilt.value).toFixed(0)}\u00b0`;
    f.querySelector("[data-says=towards]").textContent = `${Number(f.elements.towards.value).toFixed(0)}\u00b0`;
    const some = model.kept < model.samples && !isBase ? ` Numbers are of ${model.kept.toLocaleString("en-US")} of ${model.samples.toLocaleString("en-US")} samples.` : "";
    f.querySelector("[data-says=now]").textContent = isBase ? "" : `${settingWords(controls, model)}.${some}`;
    f.querySelector("button").disabled = isBase;
  }
}
