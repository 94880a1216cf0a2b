// Everything that is drawn over the bodies, as lines and dots of a width in pixels: cells, boxes, joints, paths, velocities,
// contacts, and the body that is picked. Both ways of drawing take the same list.

/** A velocity arrow shows how far a body gets in this time. */
const VELOCITY_S = 0.15;

/** Numbers of one line: two ends in meters, the width in pixels. */
const LINE_WIDTH = 5;

class Lines {
  constructor() {
    this.numbers = new Float32Array(LINE_WIDTH * 1024);
    this.colors = [];
  }

  get count() {
    return this.colors.length;
  }

  clear() {
    this.colors.length = 0;
  }

  /** A line; one without length is a square dot. */
  add(x1, y1, x2, y2, width, color) {
    const at = LINE_WIDTH * this.colors.length;
    if (at === this.numbers.length) {
      const larger = new Float32Array(2 * this.numbers.length);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers[at] = x1;
    this.numbers[at + 1] = y1;
    this.numbers[at + 2] = x2;
    this.numbers[at + 3] = y2;
    this.numbers[at + 4] = width;
    this.colors.push(color);
  }

  loop(points, width, color) {
    for (let index = 0; index < points.length; index++) {
      const [from, to] = [points[index], points[(index + 1) % points.length]];
      this.add(from[0], from[1], to[0], to[1], width, color);
    }
  }
}

/** The lines of one frame. `show` says which layers are on. */
function collectLines(lines, { timeline, outlines, camera, palette, show, picked }) {
  lines.clear();
  if (show.fields) addFields(lines, timeline, palette);
  if (show.cells) addCells(lines, timeline, camera, palette);
  if (show.boxes) addBoxes(lines, timeline, palette);
  if (show.joints) addJoints(lines, timeline, camera, palette, show.colors);
  if (show.paths) addPaths(lines, timeline, palette);
  if (show.velocities) addVelocities(lines, timeline, camera, palette);
  if (show.contacts) addContacts(lines, timeline, camera, palette);
  if (show.colors) addColors(lines, timeline, camera, palette);
  if (picked >= 0 && timeline.isThere[picked]) addPicked(lines, timeline, outlines, palette, picked);
}

/** The borders of the zones and fields that act in this frame, and what they draw to or push along. */
function addFields(lines, timeline, palette) {
  for (const field of timeline.manifest.fields) {
    if (timeline.frame < field.from || timeline.frame >= field.to) continue;
    const color = palette.fields[field.kind];
    lines.loop(field.border, 2, color);
    for (const points of field.lines) {
      for (let index = 1; index < points.length; index++) lines.add(...points[index - 1], ...points[index], 1.25, color);
    }
  }
}

function addBoxes(lines, timeline, palette) {
  timeline.eachBox((left, bottom, right, top) => {
    lines.loop([[left, bottom], [right, bottom], [right, top], [left, top]], 1, palette.box);
  });
}

/** Two sides of each leaf of free space that is in sight, so that no side is drawn twice; those that count as wall are
 *  filled, which a dot as wide as the leaf does. */
function addCells(lines, timeline, camera, palette) {
  const [left, top] = camera.toWorld(0, 0);
  const [right, bottom] = camera.toWorld(camera.width, camera.height);
  timeline.eachCell((x, y, width, isWall) => {
    if (x > right || y > top || x + width < left || y + width < bottom) return;
    const pixels = width * camera.scale;
    if (isWall) {
      const [middle, height] = [x + width / 2, y + width / 2];
      lines.add(middle, height, middle, height, pixels, palette.wall);
    }
    // From far away the lines of small leaves would hide all else.
    if (pixels < 3) return;
    lines.add(x, y, x + width, y, 1, palette.cell);
    lines.add(x, y, x, y + width, 1, palette.cell);
  });
}

/** From each agent along its corners; a dot marks the goal, smaller ones the corners. */
function addPaths(lines, timeline, palette) {
  timeline.eachWay((corners) => {
    for (let index = 1; index < corners.length; index++) {
      const [from, to] = [corners[index - 1], corners[index]];
      lines.add(from[0], from[1], to[0], to[1], 2, palette.path);
      lines.add(to[0], to[1], to[0], to[1], index + 1 < corners.length ? 4 : 8, palette.path);
    }
  });
}

function addVelocities(lines, timeline, camera, palette) {
  for (let body = 0; body < timeline.bodyCount; body++) {
    if (!timeline.isThere[body] || !timeline.isAwake(body)) continue;
    const velocity = timeline.velocity(body);
    const [dx, dy] = [VELOCITY_S * velocity.x, VELOCITY_S * velocity.y];
    if (Math.hypot(dx, dy) * camera.scale < 2) continue;
    const [x, y] = timeline.toWorld(body, timeline.manifest.bodies[body].center);
    lines.add(x, y, x + dx, y + dy, 1.25, palette.velocity);
    lines.add(x + dx, y + dy, x + dx, y + dy, 3, palette.velocity);
  }
}

/** A dot where shapes touch and a line along the normal, the longer the harder they push (by powers of two). */
function addContacts(lines, timeline, camera, palette) {
  const pixel = 1 / camera.scale;
  // From far away dots must not hide what they lie on.
  const dot = Math.max(1, Math.min(4, 0.15 * camera.scale));
  const reach = Math.min(1, camera.scale / 20);
  timeline.eachContact((strength, normal, [x, y]) => {
    const length = Math.max(0, strength - 3) * reach * pixel;
    const [dx, dy] = [0.5 * length * Math.cos(normal), 0.5 * length * Math.sin(normal)];
    lines.add(x - dx, y - dy, x + dx, y + dy, 1, palette.contact);
    lines.add(x, y, x, y, dot, palette.contact);
  });
}

/** A dot at each contact point that is solved, in the color of the constraint graph; joints have theirs by their lines. */
function addColors(lines, timeline, camera, palette) {
  const dot = Math.max(2, Math.min(7, 0.25 * camera.scale));
  timeline.eachContact((_strength, _normal, [x, y], color) => {
    if (color > 0) lines.add(x, y, x, y, dot, palette.graphColors[color]);
  });
}

function addPicked(lines, timeline, outlines, palette, body) {
  const { shapes, center } = timeline.manifest.bodies[body];
  for (const shape of shapes) {
    const points = outlines[shape];
    const corners = [];
    for (let at = 0; at < points.length; at += 2) corners.push(timeline.toWorld(body, [points[at], points[at + 1]]));
    lines.loop(corners, 3, palette.picked);
  }
  const [x, y] = timeline.toWorld(body, center);
  lines.add(x, y, x, y, 5, palette.picked);
}
