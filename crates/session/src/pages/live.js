// A live world, as the frames of its session tell.

/** What is known before a world begins. */
const NO_WORLD = {
  scene: "", version: "", first_step: 0, step_seconds: 1 / 60, quanta: { position: 1, turn: 1, point: 1, normal: 1, box: 1 },
  shapes: [], bodies: [], joints: [], agents: [], grids: [], fields: [], cells: null, parts: [], graphs: [], stages: [],
};

/** Velocities are sent in these parts of a meter, or radian, per second. */
const VELOCITY_PARTS = 1024;

/** The columns of the strip, in the order in which the session sends them. */
const LIVE_COLUMNS = ["step_us", "islands", "awake", "constraints"];

/** The world as the last frame left it. */
class LiveState extends State {
  constructor(manifest) {
    super(manifest, []);
    /** The entity of each body, by its handle's number. */
    this.entities = [];
    this.figures = Object.fromEntries(LIVE_COLUMNS.map((column) => [column, []]));
    /** The step where the world stands, and the oldest one that it can go back to. */
    this.frame = 0;
    this.firstFrame = 0;
    this.times = { step: 0, stages: [] };
    /** The velocities of awake bodies, where the world stands. */
    this.velocities = null;
    /** The motion of each body over the steps of the last frame that made any. */
    this.stepped = { motion: this.motion.slice(), steps: 1 };
  }

  get frameCount() {
    return this.figures.step_us.length;
  }

  /** Takes in a frame, and what stands before it. */
  take(head, bytes) {
    const { manifest } = this;
    for (const shape of head.shapes ?? []) this.outlines.push(outlineOf(shape));
    // One by one: a first frame may have more than a call has arguments.
    for (const list of ["shapes", "bodies", "joints", "agents", "grids"]) {
      for (const one of head[list] ?? []) manifest[list].push(one);
    }
    for (const entity of head.entities ?? []) this.entities.push(entity);
    if (head.fields) manifest.fields = head.fields.map((field) => ({ ...field, from: 0, to: Infinity }));
    manifest.cells = head.cells ?? manifest.cells;
    this.grow();
    this.reader = new Reader(bytes);
    this.readFrame();
    this.velocities = this.reader.at < bytes.length ? this.readVelocities() : null;
    if (head.steps > 0) this.stepped = { motion: this.motion.slice(), steps: head.steps };
    this.takeRows(head);
    this.frame = head.step;
    this.times = { step: this.figures.step_us[head.step - head.oldest] ?? 0, stages: head.stage_us };
  }

  /** As the session tells while the world stands; else over the last frame that made steps. */
  velocity(body) {
    if (this.velocities) return this.velocities.get(body) ?? { x: 0, y: 0, turn: 0 };
    return super.velocity(body, this.stepped);
  }

  readVelocities() {
    const { reader } = this;
    const part = () => reader.signed() / VELOCITY_PARTS;
    const velocities = new Map();
    for (let count = reader.number(); count > 0; count--) {
      velocities.set(reader.number(), { x: part(), y: part(), turn: part() });
    }
    return velocities;
  }

  /** A body that is gone does not return: if the world goes back there, another one comes. */
  isGone(body) {
    return !this.isThere[body];
  }

  takeRows({ oldest, newest, rows_from: from, rows }) {
    const gone = Math.min(this.frameCount, oldest - this.firstFrame);
    this.firstFrame = oldest;
    for (const [place, column] of LIVE_COLUMNS.entries()) {
      const values = this.figures[column];
      values.splice(0, gone);
      values.length = Math.min(values.length, from - oldest, newest - oldest + 1);
      for (const row of rows) values.push(row[place]);
    }
  }

  /** The body of an entity that is there, or -1. */
  bodyOf(entity) {
    for (let body = this.bodyCount - 1; body >= 0; body--) {
      if (this.isThere[body] && this.entities[body] === entity) return body;
    }
    return -1;
  }
}
