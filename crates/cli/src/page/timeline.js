// The recording as a film: knows every body, joint and contact at the frame where it stands, and can go to any other.
// The frames only say what changed, so going back starts from a kept state and runs forward again.

/** A state is kept every so many frames: going back then costs at most that many, some milliseconds. */
const KEEP_EVERY = 48;

/** Kept states take at most this many bytes together; a long recording keeps them farther apart. */
const KEPT_BYTES_MAX = 192 * 1024 * 1024;

/** Numbers of one contact in `contacts`: track, point count, strength, normal, then x and y of two points. */
const CONTACT_WIDTH = 8;

/** Numbers of one box of the broad phase in `boxes`: left, bottom, right, top in meters; no numbers (NaN) without a box. */
const BOX_WIDTH = 4;

class Timeline {
  /** `outlines` are those of the shapes, as `outlineOf` makes them. */
  constructor(manifest, frames, outlines) {
    this.manifest = manifest;
    this.outlines = outlines;
    this.reader = new Reader(frames);
    this.frameCount = manifest.figures.step_us.length;
    this.frame = -1;
    this.keepEvery = KEEP_EVERY;
    this.kept = [];

    const bodyCount = manifest.bodies.length;
    this.bodyCount = bodyCount;
    /** How many bodies and joints have appeared; those beyond are yet to come. */
    this.appeared = { bodies: 0, joints: 0 };
    this.isThere = new Uint8Array(bodyCount);
    this.jointIsThere = new Uint8Array(manifest.joints.length);
    /** How hard each joint is strained. */
    this.strain = new Uint8Array(manifest.joints.length);
    /** Bit 0: awake. Above: the island's number plus one, or 0. */
    this.status = new Uint32Array(bodyCount);
    /** x, y, angle of each body, in quanta, and how far each moved in the last step. */
    this.place = new Int32Array(3 * bodyCount);
    this.motion = new Int32Array(3 * bodyCount);
    this.contacts = new Int32Array(0);
    /** Which body and outline each box is of: all solid shapes of all bodies, in the order of bodies. */
    this.boxOwners = manifest.bodies.flatMap((body, track) => body.shapes.map((shape) => [track, shape]));
    this.boxes = new Float32Array(BOX_WIDTH * this.boxOwners.length).fill(NaN);
    /** How far each box reached beyond its shape when it was made, in quanta. */
    this.margins = new Int32Array(BOX_WIDTH * this.boxOwners.length);
    /** Leaves of free space: twice the locational code, plus one for those that count as wall; ascending. Never changed
     *  in place, so that kept states may share it; nor are the paths below. */
    this.cells = [];
    /** Of each agent the corners before it, as x, y, x, y in quanta of points. */
    this.paths = manifest.agents.map(() => []);
    /** Used while a frame is read: who moves in it, and who was awake before it. */
    this.movers = new Uint32Array(bodyCount);
    this.wasAwake = new Uint8Array(bodyCount);
    this.go(0);
  }

  /** Goes to a frame; a number beyond the ends goes to the end. */
  go(wanted) {
    const target = Math.max(0, Math.min(this.frameCount - 1, Math.round(wanted)));
    if (target < this.frame) {
      this.restore(this.kept[Math.floor(target / this.keepEvery)]);
    } else {
      const nearest = this.kept[Math.floor(target / this.keepEvery)];
      if (nearest && nearest.frame > this.frame) this.restore(nearest);
    }
    while (this.frame < target) this.readFrame();
    return this.frame;
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

  /** Meters per second of the center of mass, and radians per second, over the last step. */
  velocity(body) {
    const { quanta, step_seconds: seconds } = this.manifest;
    const turn = (this.motion[3 * body + 2] * 2 * Math.PI) / quanta.turn;
    const angle = this.angle(body);
    const [cx, cy] = this.manifest.bodies[body].center;
    // The center moves with the origin and turns about it.
    const dx = (Math.cos(angle) - Math.cos(angle - turn)) * cx - (Math.sin(angle) - Math.sin(angle - turn)) * cy;
    const dy = (Math.sin(angle) - Math.sin(angle - turn)) * cx + (Math.cos(angle) - Math.cos(angle - turn)) * cy;
    return {
      x: (this.motion[3 * body] / quanta.position + dx) / seconds,
      y: (this.motion[3 * body + 1] / quanta.position + dy) / seconds,
      turn: turn / seconds,
    };
  }

  /** Calls back for each point of each touching contact: strength, angle of the normal and place, both in the world. */
  eachContact(visit) {
    const { quanta } = this.manifest;
    for (let at = 0; at < this.contacts.length; at += CONTACT_WIDTH) {
      const count = this.contacts[at + 1];
      if (count === 0) continue;
      const track = this.contacts[at];
      const normal = (this.contacts[at + 3] * 2 * Math.PI) / quanta.normal + this.angle(track);
      for (let point = 0; point < count; point++) {
        const local = [4, 5].map((part) => this.contacts[at + part + 2 * point] / quanta.point);
        visit(this.contacts[at + 2], normal, this.toWorld(track, local));
      }
    }
  }

  readFrame() {
    this.readBodies();
    this.readJoints();
    this.readContacts();
    this.readBoxes();
    this.readCells();
    this.readWays();
    this.frame++;
    const index = this.frame / this.keepEvery;
    if (Number.isInteger(index) && !this.kept[index]) this.keep(index);
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
    });
    const changed = [];
    this.reader.ascending((joint) => changed.push(joint));
    for (const joint of changed) this.strain[joint] = this.reader.number();
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

  keep(index) {
    const copy = {
      frame: this.frame,
      at: this.reader.at,
      appeared: { ...this.appeared },
      isThere: this.isThere.slice(),
      jointIsThere: this.jointIsThere.slice(),
      strain: this.strain.slice(),
      status: this.status.slice(),
      place: this.place.slice(),
      motion: this.motion.slice(),
      contacts: this.contacts.slice(),
      boxes: this.boxes.slice(),
      margins: this.margins.slice(),
      cells: this.cells,
      paths: this.paths.slice(),
    };
    this.kept[index] = copy;
    const bodies = copy.place.byteLength * 2 + copy.status.byteLength;
    const bytes = bodies + copy.contacts.byteLength + copy.boxes.byteLength * 2;
    if (bytes * this.kept.length > KEPT_BYTES_MAX) {
      this.kept = this.kept.filter((_, place) => place % 2 === 0);
      this.keepEvery *= 2;
    }
  }

  restore(copy) {
    this.frame = copy.frame;
    this.reader.at = copy.at;
    this.appeared = { ...copy.appeared };
    this.contacts = copy.contacts.slice();
    this.cells = copy.cells;
    this.paths = copy.paths.slice();
    const arrays = ["isThere", "jointIsThere", "strain", "status", "place", "motion", "boxes", "margins"];
    for (const name of arrays) this[name].set(copy[name]);
  }
}
