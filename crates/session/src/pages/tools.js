// What a pointer does to the world: it drags bodies, pushes them, cuts, blows apart, or drops something new.

const TOOL_KEYS = { 1: "grab", 2: "push", 3: "cut", 4: "explode", 5: "drop", 6: "move" };

/** The handle that turns the selected body is so many pixels from its middle, and so many wide. */
const HANDLE_PIXELS = 56;
const HANDLE_WIDTH = 11;

/** A push gives a body so many meters per second for each meter of the stroke. */
const PUSH_PER_SECOND = 4;

/** An explosion reaches so far, as a share of the picture's smaller side, and pushes with so many newton seconds a meter. */
const EXPLOSION_SHARE = 0.15;
const EXPLOSION_IMPULSE = 8;

class Tools {
  constructor(viewer) {
    this.viewer = viewer;
    this.stroke = null;
    this.name = "grab";
    for (const name of Object.values(TOOL_KEYS)) {
      byId(`tool-${name}`).addEventListener("click", () => this.choose(name));
    }
    byId("drop-what").addEventListener("change", () => this.choose("drop"));
  }

  choose(name) {
    this.name = name;
    for (const other of Object.values(TOOL_KEYS)) {
      byId(`tool-${other}`).setAttribute("aria-pressed", String(other === name));
    }
    byId("world").dataset.tool = name;
    say(name);
  }

  /** Tells what can be dropped. */
  offer(resources) {
    const choice = byId("drop-what");
    const before = choice.value;
    choice.replaceChildren(...resources.map((name) => new Option(name)));
    if (resources.includes(before)) choice.value = before;
    choice.hidden = resources.length === 0;
  }

  /** Begins a stroke at a place of the picture; `null` if the pointer is to move the picture. */
  begin([left, top], isTouch) {
    const { viewer, name } = this;
    const at = viewer.camera.toWorld(left, top);
    const stroke = { tool: name, from: at, to: at, body: -1 };
    if (name === "move") return this.beginMove(stroke, [left, top], isTouch);
    if (name === "grab" || name === "push") {
      const slack = (isTouch ? 14 : 5) / viewer.camera.scale;
      stroke.body = bodyAt(viewer.timeline, viewer.timeline.outlines, viewer.reaches, at, slack);
      const body = viewer.timeline.manifest.bodies[stroke.body];
      if (body?.kind !== "dynamic") return null;
      stroke.entity = viewer.timeline.entities[stroke.body];
    }
    this.stroke = stroke;
    return {
      takesClick: name === "explode" || name === "drop",
      move: (place) => this.move(place),
      end: (isClick) => this.end(isClick),
      cancel: () => this.cancel(),
    };
  }

  /** Where the handle is that turns a body. */
  handleOf(body, angle) {
    const { timeline, camera } = this.viewer;
    const reach = HANDLE_PIXELS / camera.scale;
    return [timeline.x(body) + reach * Math.cos(angle), timeline.y(body) + reach * Math.sin(angle)];
  }

  /** Begins to move a body, or to turn the selected one by its handle. */
  beginMove(stroke, [left, top], isTouch) {
    const { viewer } = this;
    const { timeline, camera, picked } = viewer;
    const slack = (isTouch ? 14 : 5) / camera.scale;
    if (picked >= 0 && timeline.isThere[picked]) {
      const [x, y] = camera.toScreen(...this.handleOf(picked, timeline.angle(picked)));
      stroke.turns = Math.hypot(x - left, y - top) <= HANDLE_WIDTH + (isTouch ? 10 : 2);
    }
    stroke.body = stroke.turns ? picked : bodyAt(timeline, timeline.outlines, viewer.reaches, stroke.from, slack);
    if (stroke.body < 0) return null;
    stroke.entity = timeline.entities[stroke.body];
    stroke.pose = { x: timeline.x(stroke.body), y: timeline.y(stroke.body), angle: timeline.angle(stroke.body) };
    this.stroke = stroke;
    return {
      takesClick: false,
      move: (place) => this.move(place),
      end: (isClick) => this.end(isClick),
      cancel: () => this.cancel(),
    };
  }

  /** Where the stroke would put the body. */
  moved({ from, to, pose, turns }) {
    if (!turns) return { ...pose, x: pose.x + to[0] - from[0], y: pose.y + to[1] - from[1] };
    return { ...pose, angle: Math.atan2(to[1] - pose.y, to[0] - pose.x) };
  }

  /** The pointer has moved, beyond what a click may. */
  move([left, top]) {
    const { viewer, stroke } = this;
    if (!stroke) return;
    stroke.to = viewer.camera.toWorld(left, top);
    if (stroke.tool === "grab") {
      if (!stroke.hasBegun) viewer.act({ act: "grab", entity: stroke.entity, at: stroke.from });
      stroke.hasBegun = true;
      viewer.act({ act: "drag", at: stroke.to });
    }
    viewer.ask();
  }

  end(isClick) {
    const { viewer, stroke } = this;
    this.stroke = null;
    if (!stroke) return;
    const { tool, from, to, entity } = stroke;
    if (tool === "grab" && stroke.hasBegun) viewer.act({ act: "release" });
    if (tool === "push" && !isClick) {
      const { mass } = viewer.timeline.manifest.bodies[stroke.body];
      const impulse = [0, 1].map((axis) => (to[axis] - from[axis]) * PUSH_PER_SECOND * mass);
      viewer.act({ act: "push", entity, at: from, impulse });
    }
    if (tool === "move" && !isClick) {
      // Only what the stroke changes: the page knows poses in quanta.
      const { x, y, angle } = this.moved(stroke);
      viewer.act({ act: "move", entity, ...(stroke.turns ? { angle } : { at: [x, y] }) });
      viewer.select(entity);
    }
    if (tool === "cut" && !isClick) viewer.act({ act: "cut", from, to });
    if (tool === "explode") {
      const { width, height, scale } = viewer.camera;
      const radius = (EXPLOSION_SHARE * Math.min(width, height)) / scale;
      viewer.act({ act: "explode", at: to, radius, impulse: EXPLOSION_IMPULSE });
    }
    if (tool === "drop" && byId("drop-what").value) viewer.act({ act: "drop", resource: byId("drop-what").value, at: to });
    if (tool !== "grab") viewer.inspector.searchSoon();
    viewer.ask();
  }

  /** The pointer means something else after all. */
  cancel() {
    if (this.stroke?.hasBegun) this.viewer.act({ act: "release" });
    this.stroke = null;
    this.viewer.ask();
  }

  /** The stroke as it stands. */
  addLines(lines, palette) {
    const { stroke } = this;
    if (this.name === "move") this.addHandles(lines, palette);
    if (!stroke || (stroke.tool !== "push" && stroke.tool !== "cut")) return;
    const { from, to } = stroke;
    lines.add(from[0], from[1], to[0], to[1], 2, palette.picked);
    lines.add(to[0], to[1], to[0], to[1], stroke.tool === "push" ? 7 : 3, palette.picked);
  }

  /** The handle of the selected body, and where the stroke would put a body. */
  addHandles(lines, palette) {
    const { viewer, stroke } = this;
    const { timeline, picked } = viewer;
    if (stroke?.tool === "move") {
      const { x, y, angle } = this.moved(stroke);
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      for (const shape of timeline.manifest.bodies[stroke.body].shapes) {
        const points = timeline.outlines[shape];
        const corners = [];
        for (let at = 0; at < points.length; at += 2) {
          corners.push([x + cos * points[at] - sin * points[at + 1], y + sin * points[at] + cos * points[at + 1]]);
        }
        lines.loop(corners, 2, palette.picked);
      }
    }
    if (picked < 0 || !timeline.isThere[picked]) return;
    const angle = stroke?.turns ? this.moved(stroke).angle : timeline.angle(picked);
    const handle = this.handleOf(picked, angle);
    lines.add(timeline.x(picked), timeline.y(picked), ...handle, 6, palette.ground);
    lines.add(...handle, ...handle, HANDLE_WIDTH + 4, palette.ground);
    lines.add(timeline.x(picked), timeline.y(picked), ...handle, 2, palette.picked);
    lines.add(...handle, ...handle, HANDLE_WIDTH, palette.picked);
  }
}
