// Words and numbers beside the picture: the picked body, the stages of the step, the clock. Text is set, never markup.

const byId = (id) => document.getElementById(id);

/** A number with as many digits as are known, and a true minus. */
function shown(value, digits = 3) {
  const text = value.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replace("-", "−");
}

/** What a body is called. */
function nameOf(timeline, body) {
  return timeline.manifest.bodies[body].name ?? `body ${body}`;
}

/** What it does: one or two words. */
function stateOf(timeline, body) {
  if (!timeline.isThere[body]) return "not there";
  if (timeline.manifest.bodies[body].kind === "static") return "static";
  return timeline.isAwake(body) ? "awake" : "asleep";
}

/** The numbers of a body, as pairs of a name and a text. */
function numbersOf(timeline, body) {
  const { kind, mass, shapes } = timeline.manifest.bodies[body];
  const rows = [["name", nameOf(timeline, body)], ["kind", kind], ["state", stateOf(timeline, body)]];
  if (!timeline.isThere[body]) return rows;
  const island = timeline.island(body);
  const velocity = timeline.velocity(body);
  rows.push(["island", island < 0 ? "none" : String(island)]);
  rows.push(["x, y", `${shown(timeline.x(body))}, ${shown(timeline.y(body))} m`]);
  const turn = timeline.angle(body);
  rows.push(["angle", `${shown(turn > Math.PI ? turn - 2 * Math.PI : turn)} rad`]);
  rows.push(["speed", `${shown(Math.hypot(velocity.x, velocity.y), 2)} m/s`]);
  rows.push(["velocity", `${shown(velocity.x, 2)}, ${shown(velocity.y, 2)}`]);
  rows.push(["spin", `${shown(velocity.turn, 2)} rad/s`]);
  if (kind === "dynamic") rows.push(["mass", `${Number(mass.toPrecision(5))} kg`]);
  rows.push(["shapes", String(shapes.length)]);
  return rows;
}

/** A list of terms that keeps its elements while only texts change. */
function fillList(list, rows) {
  while (list.children.length > 2 * rows.length) list.lastChild.remove();
  for (const [index, [name, text]] of rows.entries()) {
    if (list.children.length < 2 * index + 2) {
      list.append(document.createElement("dt"), document.createElement("dd"));
    }
    list.children[2 * index].textContent = name;
    list.children[2 * index + 1].textContent = text;
  }
}

/** The components of the body's entity with their properties, as they are after the last step. Each opens and closes. */
function showParts(timeline, body) {
  const parts = timeline.manifest.bodies[body].parts.map((part) => timeline.manifest.parts[part]);
  const box = byId("picked-parts");
  box.hidden = parts.length === 0;
  if (box.dataset.body === String(body)) return;
  box.dataset.body = body;
  box.replaceChildren(...parts.map(({ name, manager, properties }) => {
    const part = document.createElement("details");
    const title = document.createElement("summary");
    title.textContent = name === manager ? name : `${name} · ${manager}`;
    const list = document.createElement("dl");
    fillList(list, properties);
    part.append(title, list);
    return part;
  }));
}

function showPicked(timeline, body, palette) {
  const isPicked = body >= 0;
  byId("picked-none").hidden = isPicked;
  byId("picked-numbers").hidden = !isPicked;
  byId("follow-row").hidden = !isPicked;
  byId("picked-parts").hidden = true;
  if (!isPicked) return;
  showParts(timeline, body);
  fillList(byId("picked-numbers"), numbersOf(timeline, body));
  const swatch = document.createElement("span");
  swatch.className = "swatch";
  swatch.style.background = css(colorOf(timeline, body, palette));
  byId("picked-numbers").children[1].prepend(swatch);
}

/** The stages of the step that led to a frame, as bars of the step's time. */
function showStages(timeline) {
  const { stages } = timeline.manifest;
  const { step, stages: times } = timeline.times;
  const whole = Math.max(1, step);
  const bars = byId("stage-bars");
  for (const [index, stage] of stages.entries()) {
    if (!bars.children[index]) {
      const bar = document.createElement("div");
      bar.className = "bar";
      bar.append(document.createElement("i"), document.createElement("span"), document.createElement("b"));
      bar.children[1].textContent = stage.replaceAll("_", " ");
      bars.append(bar);
    }
    const [fill, , text] = bars.children[index].children;
    fill.style.width = `${Math.min(100, (100 * times[index]) / whole)}%`;
    text.textContent = `${(times[index] / 1000).toFixed(2)} ms`;
  }
}

/** A bar of a round length, at least 60 pixels long. */
function showScale(camera) {
  const least = 60 / camera.scale;
  const power = 10 ** Math.floor(Math.log10(least));
  const meters = [1, 2, 5, 10].map((factor) => factor * power).find((length) => length >= least);
  byId("scale").style.width = `${meters * camera.scale}px`;
  byId("scale-text").textContent = meters >= 1 ? `${meters} m` : `${Number((100 * meters).toPrecision(1))} cm`;
}

function showClock(timeline) {
  // A recording may begin in the midst of a run; a live world counts its frames from the first step on.
  const { first_step: first, step_seconds: stepSeconds } = timeline.manifest;
  const step = first + timeline.frame;
  const last = first + timeline.firstFrame + Math.max(0, timeline.frameCount - 1);
  const seconds = step * stepSeconds;
  const text = `${step} / ${last} · ${seconds.toFixed(2)} s`;
  byId("clock").textContent = text;
  const scrub = byId("scrub");
  scrub.value = timeline.frame;
  scrub.setAttribute("aria-valuetext", `step ${step} of ${last}, ${seconds.toFixed(1)} seconds`);
}

/** Says something to those who listen instead of look. */
function say(text) {
  byId("said").textContent = text;
}

function showNotice(text) {
  byId("notice").textContent = text;
  byId("notice").hidden = false;
}

function hideNotice() {
  byId("notice").hidden = true;
}
