// What there is to see at one moment: every body, joint, contact, box, cell and path. Frames, from a recording or from a live
// world, say what changed; this reads them and answers what the drawing asks.

/** Numbers of one contact in `contacts`: track, point count, strength, normal, then x and y of two points. */
const CONTACT_WIDTH = 8;

/** Numbers of one box of the broad phase in `boxes`: left, bottom, right, top in meters; no numbers (NaN) without a box. */
const BOX_WIDTH = 4;

/** An array with room for so many numbers: the same, or a larger one with the same beginning. */
function withRoom(array, count, fill = 0) {
  if (array.length >= count) return array;
  const larger = new array.constructor(Math.max(count, 2 * array.length)).fill(fill);
  larger.set(array);
  return larger;
}

/** The same lists in lists with other numbers, in their order. */
function withNumbers(value, next) {
  if (typeof value === "number") return next();
  return Array.isArray(value) ? value.map((part) => withNumbers(part, next)) : value;
}

class State {
  /** `outlines` are those of the shapes, as `outlineOf` makes them. */
  constructor(manifest, outlines) {
    this.manifest = manifest;
    this.outlines = outlines;
    this.reader = new Reader(new Uint8Array(0));
    this.bodyCount = 0;
    /** How many bodies and joints have appeared; those beyond are yet to come. */
    this.appeared = { bodies: 0, joints: 0 };
    this.isThere = new Uint8Array(0);
    this.jointIsThere = new Uint8Array(0);
    /** How hard each joint is strained. */
    this.strain = new Uint8Array(0);
    /** The anchors of joints that have other ones than when they appeared. Those of a joint are never changed in place. */
    this.movedAnchors = new Map();
    /** The angles and symbols of joints whose numbers have changed since they appeared; never changed in place, either. */
    this.movedMarks = new Map();
    /** The color in the constraint graph plus one, or 0, of each contact's place and of each joint. */
    this.contactColors = new Uint8Array(0);
    this.jointColors = new Uint8Array(0);
    /** Bit 0: awake. Above: the island's number plus one, or 0. */
    this.status = new Uint32Array(0);
    /** x, y, angle of each body, in quanta, and how far each moved in the last step. */
    this.place = new Int32Array(0);
    this.motion = new Int32Array(0);
    this.contacts = new Int32Array(0);
    /** Which body and outline each box is of: all solid shapes of all bodies, in the order of bodies. */
    this.boxOwners = [];
    this.boxes = new Float32Array(0);
    /** How far each box reached beyond its shape when it was made, in quanta. */
    this.margins = new Int32Array(0);
    /** Leaves of free space: twice the locational code, plus one for those that count as wall; ascending. Never changed
     *  in place, so that kept states may share it; nor are the paths below. */
    this.cells = [];
    /** Of each agent the corners before it, as x, y, x, y in quanta of points. */
    this.paths = [];
    /** Of each grid of tiles, for each kind of tile by its number, the numbers of cells where cells of the kind begin and where
     * they end, in turns, ascending. Never
     *  changed in place: another list tells that some cell has changed. */
    this.tiles = [];
    /** Used while a frame is read: who moves in it, and who was awake before it. */
    this.movers = new Uint32Array(0);
    this.wasAwake = new Uint8Array(0);
    this.grow();
  }

  /** Makes room for all that the manifest tells of. */
  grow() {
    const { bodies, joints, agents } = this.manifest;
    for (let body = this.bodyCount; body < bodies.length; body++) {
      for (const shape of bodies[body].shapes) this.boxOwners.push([body, shape]);
    }
    this.bodyCount = bodies.length;
    for (const name of ["isThere", "status", "movers", "wasAwake"]) this[name] = withRoom(this[name], bodies.length);
    for (const name of ["place", "motion"]) this[name] = withRoom(this[name], 3 * bodies.length);
    for (const name of ["jointIsThere", "strain", "jointColors"]) this[name] = withRoom(this[name], joints.length);
    this.boxes = withRoom(this.boxes, BOX_WIDTH * this.boxOwners.length, NaN);
    this.margins = withRoom(this.margins, BOX_WIDTH * this.boxOwners.length);
    while (this.paths.length < agents.length) this.paths.push([]);
  }

  x(body) {
    return this.place[3 * body] / this.manifest.quanta.position;
  }

  y(body) {
    return this.place[3 * body + 1] / this.manifest.quanta.position;
  }

  /** Radians. */
  angle(body) {
    return (this.place[3 * body + 2] * 2 * Math.PI) / this.manifest.quanta.turn;
  }

  isAwake(body) {
    return (this.status[body] & 1) === 1;
  }

  /** Whether the body will not be there again. */
  isGone() {
    return false;
  }

  /** The number of the body's island, or -1. */
  island(body) {
    return (this.status[body] >>> 1) - 1;
  }

  /** Where a point of a body's frame is in the world. */
  toWorld(body, point) {
    const angle = this.angle(body);
    const cos = Math.cos(angle);
    const sin = Math.sin(angle);
    return [
      this.x(body) + cos * point[0] - sin * point[1],
      this.y(body) + sin * point[0] + cos * point[1],
    ];
  }

  /** Meters per second of the center of mass, and radians per second, over steps: one, that of the last frame. */
  velocity(body, { motion, steps } = { motion: this.motion, steps: 1 }) {
    const { quanta, step_seconds: stepSeconds } = this.manifest;
    const seconds = steps * stepSeconds;
    // A body that is newer than these steps has not moved in them.
    const [right, up, turned] = [0, 1, 2].map((part) => motion[3 * body + part] ?? 0);
    const turn = (turned * 2 * Math.PI) / quanta.turn;
    const angle = this.angle(body);
    const [cx, cy] = this.manifest.bodies[body].center;
    // The center moves with the origin and turns about it.
    const dx = (Math.cos(angle) - Math.cos(angle - turn)) * cx - (Math.sin(angle) - Math.sin(angle - turn)) * cy;
    const dy = (Math.sin(angle) - Math.sin(angle - turn)) * cx + (Math.cos(angle) - Math.cos(angle - turn)) * cy;
    return {
      x: (right / quanta.position + dx) / seconds,
      y: (up / quanta.position + dy) / seconds,
      turn: turn / seconds,
    };
  }

  /** Calls back for each point of each touching contact: strength, angle of the normal and place, both in the world, and the
   *  color plus one, or 0. */
  eachContact(visit) {
    const { quanta } = this.manifest;
    for (let at = 0; at < this.contacts.length; at += CONTACT_WIDTH) {
      const count = this.contacts[at + 1];
      if (count === 0) continue;
      const track = this.contacts[at];
      const normal = (this.contacts[at + 3] * 2 * Math.PI) / quanta.normal + this.angle(track);
      for (let point = 0; point < count; point++) {
        const local = [4, 5].map((part) => this.contacts[at + part + 2 * point] / quanta.point);
        visit(this.contacts[at + 2], normal, this.toWorld(track, local), this.contactColors[at / CONTACT_WIDTH] ?? 0);
      }
    }
  }

  /** Reads what changed with a frame. All that the frame brings anew is in the manifest. */
  readFrame() {
    this.readBodies();
    this.readJoints();
    this.readContacts();
    this.readBoxes();
    this.readCells();
    this.readWays();
    this.readColors();
    this.readTiles();
  }

  readBodies() {
    const { reader, status, place, motion } = this;
    const firstNew = this.appeared.bodies;
    const end = firstNew + reader.number();
    for (let part = 3 * firstNew; part < 3 * end; part++) place[part] = reader.signed();
    this.appeared.bodies = end;
    reader.ascending((body) => {
      this.isThere[body] = 0;
      status[body] = 0;
    });

    // Who was awake moves in this frame, and so does who is awake now; newcomers do not.
    const { movers, wasAwake } = this;
    for (let body = 0; body < firstNew; body++) wasAwake[body] = status[body] & 1;
    const changed = [];
    reader.ascending((body) => changed.push(body));
    for (const body of changed) status[body] = reader.number();
    let moverCount = 0;
    for (let body = 0; body < firstNew; body++) {
      if (this.isThere[body] && (wasAwake[body] | (status[body] & 1))) movers[moverCount++] = body;
      else motion[3 * body] = motion[3 * body + 1] = motion[3 * body + 2] = 0;
    }
    for (let part = 0; part < 3; part++) {
      for (let index = 0; index < moverCount; index++) {
        const at = 3 * movers[index] + part;
        const step = (motion[at] + reader.signed()) | 0;
        motion[at] = part === 2 ? (step << 16) >> 16 : step;
        place[at] = part === 2 ? (place[at] + step) & 0xffff : (place[at] + step) | 0;
      }
    }
    for (let index = 0; index < moverCount; index++) {
      const body = movers[index];
      if ((status[body] & 1) === 0) motion.fill(0, 3 * body, 3 * body + 3);
    }
    const jumped = [];
    reader.ascending((body) => jumped.push(body));
    for (const body of jumped) for (let part = 0; part < 3; part++) place[3 * body + part] = reader.signed();
    for (let body = firstNew; body < end; body++) this.isThere[body] = 1;
  }

  readJoints() {
    for (let count = this.reader.number(); count > 0; count--) this.jointIsThere[this.appeared.joints++] = 1;
    this.reader.ascending((joint) => {
      this.jointIsThere[joint] = 0;
      this.movedAnchors.delete(joint);
      this.movedMarks.delete(joint);
    });
    const changed = [];
    this.reader.ascending((joint) => changed.push(joint));
    for (const joint of changed) this.strain[joint] = this.reader.number();
    const moved = [];
    this.reader.ascending((joint) => moved.push(joint));
    const part = () => this.reader.signed() / this.manifest.quanta.position;
    for (const joint of moved) this.movedAnchors.set(joint, [[part(), part()], [part(), part()]]);
    const renumbered = [];
    this.reader.ascending((joint) => renumbered.push(joint));
    for (const joint of renumbered) {
      // How many numbers follow is as many as the symbols have.
      this.reader.number();
      const { angles, symbols } = this.manifest.joints[joint];
      this.movedMarks.set(joint, { angles: withNumbers(angles, part), symbols: withNumbers(symbols, part) });
    }
  }

  /** The angles of a joint's frame in both bodies, and the symbols by which it is drawn. */
  marksOf(joint) {
    return this.movedMarks.get(joint) ?? this.manifest.joints[joint];
  }

  /** The anchors of a joint in the frames of its bodies. */
  anchorsOf(joint) {
    return this.movedAnchors.get(joint) ?? this.manifest.joints[joint].anchors;
  }

  readContacts() {
    const { reader } = this;
    const changed = [];
    reader.ascending((place) => changed.push(CONTACT_WIDTH * place));
    const end = (changed.at(-1) ?? 0) + CONTACT_WIDTH;
    if (end > this.contacts.length) {
      const larger = new Int32Array(2 * end);
      larger.set(this.contacts);
      this.contacts = larger;
    }
    for (const at of changed) this.readContact(at);
  }

  readContact(at) {
    const { reader, contacts } = this;
    const head = reader.byte();
    const count = head & 3;
    if (count === 0) {
      contacts.fill(0, at, at + CONTACT_WIDTH);
      return;
    }
    if (head & 4) contacts[at] = reader.number();
    contacts[at + 1] = count;
    contacts[at + 2] = head >>> 3;
    contacts[at + 3] = reader.byte();
    for (let part = 4; part < 4 + 2 * count; part++) contacts[at + part] += reader.signed();
    contacts.fill(0, at + 4 + 2 * count, at + CONTACT_WIDTH);
  }

  readBoxes() {
    const { reader, boxes, margins, outlines } = this;
    const changed = [];
    reader.ascending((place) => changed.push(place));
    for (const place of changed) {
      const at = BOX_WIDTH * place;
      if (reader.number() === 0) {
        boxes.fill(NaN, at, at + BOX_WIDTH);
        continue;
      }
      const [body, shape] = this.boxOwners[place];
      const tight = boxOf(outlines[shape], this.angle(body));
      const origin = [this.x(body), this.y(body)];
      for (let side = 0; side < BOX_WIDTH; side++) {
        margins[at + side] += reader.signed();
        const beyond = margins[at + side] / this.manifest.quanta.box;
        boxes[at + side] = origin[side % 2] + tight[side] + (side < 2 ? -beyond : beyond);
      }
    }
  }

  readCells() {
    const gone = new Set();
    this.reader.ascending((cell) => gone.add(cell));
    const came = [];
    this.reader.ascending((cell) => came.push(cell));
    if (gone.size + came.length === 0) return;
    const stayed = this.cells.filter((cell) => !gone.has(cell));
    this.cells = [...stayed, ...came].sort((a, b) => a - b);
  }

  readWays() {
    const { reader, paths } = this;
    // An agent without a path yet is as one that is not there: how many are new need not be kept.
    reader.number();
    reader.ascending((agent) => {
      paths[agent] = [];
    });
    const changed = [];
    reader.ascending((agent) => changed.push(agent));
    for (const agent of changed) {
      const stay = reader.number();
      const fresh = [];
      let [x, y] = [0, 0];
      for (let count = reader.number(); count > 0; count--) {
        x += reader.signed();
        y += reader.signed();
        fresh.push(x, y);
      }
      paths[agent] = [...fresh, ...paths[agent].slice(paths[agent].length - 2 * stay)];
    }
  }

  readColors() {
    const { reader } = this;
    const changed = [];
    reader.ascending((place) => changed.push(place));
    this.contactColors = withRoom(this.contactColors, (changed.at(-1) ?? -1) + 1);
    for (const place of changed) this.contactColors[place] = reader.number();
    changed.length = 0;
    reader.ascending((joint) => changed.push(joint));
    for (const joint of changed) this.jointColors[joint] = reader.number();
  }

  readTiles() {
    const { reader } = this;
    const fresh = reader.number();
    const [gone, changed] = [[], []];
    reader.ascending((grid) => gone.push(grid));
    reader.ascending((grid) => changed.push(grid));
    if (fresh + gone.length + changed.length === 0) return;
    const tiles = [...this.tiles, ...Array(fresh).fill([])];
    for (const grid of gone) tiles[grid] = [];
    for (const grid of changed) {
      const kinds = tiles[grid].slice();
      const now = [];
      reader.ascending((kind) => now.push(kind));
      for (const kind of now) {
        const bounds = new Set(kinds[kind]);
        reader.ascending((bound) => {
          if (!bounds.delete(bound)) bounds.add(bound);
        });
        kinds[kind] = [...bounds].sort((a, b) => a - b);
      }
      tiles[grid] = kinds;
    }
    this.tiles = tiles;
  }

  /** Calls back with column and row of each cell with a tile of a kind, of the entity of this name. */
  eachTile(name, kind, visit) {
    for (const [grid, kinds] of this.tiles.entries()) {
      const { name: own, width } = this.manifest.grids[grid];
      if (own !== name) continue;
      const bounds = kinds[kind] ?? [];
      for (let place = 0; place < bounds.length; place += 2) {
        for (let cell = bounds[place]; cell < bounds[place + 1]; cell++) visit(cell % width, Math.floor(cell / width));
      }
    }
  }

  /** Calls back with left, bottom, width and whether it counts as wall for each leaf of free space, large ones first. */
  eachCell(visit) {
    if (!this.manifest.cells) return;
    const { corner, size } = this.manifest.cells;
    for (const cell of this.cells) {
      const code = cell >>> 1;
      const depth = (31 - Math.clz32(code)) >>> 1;
      let [x, y] = [0, 0];
      for (let level = 0; level < depth; level++) {
        x |= ((code >>> (2 * level)) & 1) << level;
        y |= ((code >>> (2 * level + 1)) & 1) << level;
      }
      const width = size / 2 ** depth;
      visit(corner[0] + x * width, corner[1] + y * width, width, (cell & 1) === 1);
    }
  }

  /** Calls back with the corners of each agent's path, as pairs of meters, from where the agent is. */
  eachWay(visit) {
    const { agents, quanta } = this.manifest;
    for (const [agent, way] of this.paths.entries()) {
      if (way.length === 0) continue;
      const corners = [];
      const { body } = agents[agent];
      // One without a body has its own place as the first corner.
      if (body !== null) corners.push(this.toWorld(body, this.manifest.bodies[body].center));
      for (let at = 0; at < way.length; at += 2) corners.push([way[at] / quanta.point, way[at + 1] / quanta.point]);
      visit(corners);
    }
  }

  /** Calls back with left, bottom, right and top of each box that the broad phase keeps for a body that is there. */
  eachBox(visit) {
    for (let place = 0; place < this.boxOwners.length; place++) {
      const at = BOX_WIDTH * place;
      if (this.isThere[this.boxOwners[place][0]] && !Number.isNaN(this.boxes[at])) {
        visit(this.boxes[at], this.boxes[at + 1], this.boxes[at + 2], this.boxes[at + 3]);
      }
    }
  }
}
