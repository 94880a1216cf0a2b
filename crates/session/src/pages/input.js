// From hands to the viewer: buttons, keyboard, mouse, touch. All three ways lead to the same few calls of `Viewer`.

const LAYERS = { c: "contacts", j: "joints", b: "boxes", v: "velocities", q: "cells", r: "paths", g: "fields", o: "colors",
  i: "pictures" };

/** A press that moves less than this many pixels is a click. */
const CLICK_PIXELS = 6;

function listen(viewer) {
  listenToButtons(viewer);
  listenToKeys(viewer);
  listenToPointers(viewer, byId("world"));
  listenToStrip(viewer, byId("strip"));
}

function listenToButtons(viewer) {
  const click = (id, act) => byId(id).addEventListener("click", act);
  click("play", () => viewer.toggle());
  click("step-back", () => viewer.stepBy(-1));
  click("step-on", () => viewer.stepBy(1));
  click("to-start", () => viewer.seek(0));
  click("to-end", () => viewer.seek(Infinity));
  click("fit", () => viewer.fit());
  click("theme", () => viewer.toggleTheme());
  click("keys", () => byId("keys-dialog").showModal());
  byId("scrub").addEventListener("input", (event) => viewer.seek(Number(event.target.value)));
  byId("speed").addEventListener("change", (event) => viewer.setSpeed(Number(event.target.value)));
  byId("follow").addEventListener("change", (event) => viewer.setFollow(event.target.checked));
  for (const layer of Object.values(LAYERS)) {
    byId(`show-${layer}`).addEventListener("change", (event) => viewer.show(layer, event.target.checked));
  }
}

function listenToKeys(viewer) {
  const pan = 60;
  const acts = {
    ArrowLeft: (event) => viewer.stepBy(event.shiftKey ? -10 : -1),
    ArrowRight: (event) => viewer.stepBy(event.shiftKey ? 10 : 1),
    Home: () => viewer.seek(0),
    End: () => viewer.seek(Infinity),
    "[": () => viewer.changeSpeed(-1),
    "]": () => viewer.changeSpeed(1),
    "+": () => viewer.zoom(1.25),
    "=": () => viewer.zoom(1.25),
    "-": () => viewer.zoom(0.8),
    w: () => viewer.pan(0, pan),
    a: () => viewer.pan(pan, 0),
    s: () => viewer.pan(0, -pan),
    d: () => viewer.pan(-pan, 0),
    f: () => viewer.fit(),
    t: () => viewer.toggleTheme(),
    n: () => viewer.pickNeighbor(1),
    p: () => viewer.pickNeighbor(-1),
    l: () => viewer.setFollow(!viewer.following),
    Escape: () => viewer.pick(-1),
    "?": () => byId("keys-dialog").showModal(),
  };
  for (const [key, layer] of Object.entries(LAYERS)) acts[key] = () => viewer.show(layer, !viewer.layers[layer]);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const { target } = event;
    // Controls keep the keys that they answer to themselves.
    if (target.matches("select, input[type=text], input[type=search]")) return;
    if (event.key === " " && target.matches("button, summary, input[role=switch]")) return;
    const act = event.key === " " ? () => viewer.toggle() : acts[event.key] ?? acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act(event);
  });
}

/** One pointer drags the picture, or does what the viewer's stroke does; two pinch; a press that stays where it is picks. */
function listenToPointers(viewer, canvas) {
  const pointers = new Map();
  let traveled = 0;
  let stroke = null;
  /** Whether the last press was for the viewer's tool, of which two are no double click. */
  let tookClick = false;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    if (pointers.size === 0) {
      traveled = 0;
      stroke = event.button === 0 ? viewer.beginStroke(place(event), event.pointerType === "touch") : null;
    } else if (stroke) {
      // Two fingers move the picture.
      stroke.cancel();
      stroke = null;
    }
    pointers.set(event.pointerId, place(event));
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const now = place(event);
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    traveled += Math.hypot(now[0] - before[0], now[1] - before[1]);
    if (other) {
      const spread = (point) => Math.max(10, Math.hypot(point[0] - other[0], point[1] - other[1]));
      viewer.zoom(spread(now) / spread(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
      viewer.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    } else if (stroke) {
      if (traveled > CLICK_PIXELS) stroke.move(now);
    } else if (traveled > CLICK_PIXELS) {
      viewer.pan(now[0] - before[0], now[1] - before[1]);
    }
    pointers.set(event.pointerId, now);
  });
  canvas.addEventListener("pointerup", (event) => {
    const isClick = pointers.size === 1 && traveled <= CLICK_PIXELS;
    pointers.delete(event.pointerId);
    tookClick = stroke?.takesClick ?? false;
    if (stroke) stroke.end(isClick);
    stroke = null;
    if (isClick && !tookClick && event.button === 0) viewer.pickAt(...place(event), event.pointerType === "touch" ? 14 : 5);
  });
  canvas.addEventListener("pointercancel", (event) => {
    pointers.delete(event.pointerId);
    if (stroke) stroke.cancel();
    stroke = null;
  });
  canvas.addEventListener("dblclick", (event) => {
    if (!tookClick) viewer.fit();
    event.preventDefault();
  });
  const onWheel = (event) => {
    event.preventDefault();
    // Lines and pages of a wheel become about as many pixels.
    const pixels = event.deltaY * [1, 16, 400][event.deltaMode];
    viewer.zoom(Math.exp(-0.0015 * pixels), ...place(event));
  };
  canvas.addEventListener("wheel", onWheel, { passive: false });
}

function listenToStrip(viewer, canvas) {
  const seek = (event) => viewer.seek(viewer.strip.frameAt(event.clientX - canvas.getBoundingClientRect().left));
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    seek(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (canvas.hasPointerCapture(event.pointerId)) seek(event);
  });
}
