// Joints by the symbols of what they do, the redder the harder they are strained. Physics says which symbols a joint has
// (`draw/symbols.rs`), and draws the same in pictures (`draw/joints.rs`).

/** Sizes in pixels; how far a rail without stops is drawn either way in meters; and numbers of teeth and of pieces. */
const MARKS = {
  pin: 5, tooth: 4, arrow: 8, cross: 4, stop: 5, range: 18, coil: 6, springMin: 2, railM: 1, teeth: 10, comb: 4, pieces: 12,
  arcPieces: 24,
};

const turnedBy = (angle) => [Math.cos(angle), Math.sin(angle)];

/** One joint: the functions are named as its symbols, and called with their numbers. */
class JointSketch {
  constructor(lines, timeline, track, color, pixel) {
    Object.assign(this, { lines, timeline, color, pixel });
    this.joint = timeline.manifest.joints[track];
    this.marks = timeline.marksOf(track);
    this.anchors = timeline.anchorsOf(track).map((anchor, end) => timeline.toWorld(this.joint.bodies[end], anchor));
  }

  /** The rotation of the joint frame in a body of both. */
  frame(end) {
    return this.timeline.angle(this.joint.bodies[end]) + this.marks.angles[end];
  }

  center(end) {
    const body = this.joint.bodies[end];
    return this.timeline.toWorld(body, this.timeline.manifest.bodies[body].center);
  }

  isDynamic(end) {
    return this.timeline.manifest.bodies[this.joint.bodies[end]].kind === "dynamic";
  }

  point(name) {
    const [a, b] = this.anchors;
    const axis = turnedBy(this.frame(0));
    const nearest = (from, to) => {
      const length = (to[0] - from[0]) * axis[0] + (to[1] - from[1]) * axis[1];
      return [from[0] + length * axis[0], from[1] + length * axis[1]];
    };
    switch (name) {
      case "a": return a;
      case "b": return b;
      case "centerA": return this.center(0);
      case "corner": return nearest(a, b);
      case "footOfA": return nearest(b, a);
      case "footOfCenterA": return nearest(b, this.center(0));
    }
    throw new Error(`no point of a joint: ${name}`);
  }

  direction(name) {
    const axis = turnedBy(this.frame(0));
    switch (name) {
      case "along": return axis;
      case "across": return [-axis[1], axis[0]];
      case "between": {
        const [[ax, ay], [bx, by]] = this.anchors;
        const length = Math.hypot(bx - ax, by - ay);
        return length > 0 ? [(bx - ax) / length, (by - ay) / length] : [1, 0];
      }
      default: return name;
    }
  }

  line(...points) {
    for (let index = 1; index < points.length; index++) {
      const [from, to] = [points[index - 1], points[index]];
      this.lines.add(from[0], from[1], to[0], to[1], 1.4, this.color);
    }
  }

  /** A line through so many pieces' ends, of which `place` tells by their shares of the whole. */
  curve(pieces, place) {
    this.line(...Array.from({ length: pieces + 1 }, (_, piece) => place(piece / pieces)));
  }

  /** A closed line around a point. */
  corners(at, corners) {
    const [x, y] = this.point(at);
    const reach = MARKS.cross * this.pixel;
    this.line(...[...corners, corners[0]].map(([dx, dy]) => [x + dx * reach, y + dy * reach]));
  }

  circle([x, y], radius) {
    this.curve(MARKS.arcPieces, (share) => {
      const [cos, sin] = turnedBy(2 * Math.PI * share);
      return [x + radius * cos, y + radius * sin];
    });
  }

  arms() {
    for (const end of [0, 1]) if (this.isDynamic(end)) this.line(this.center(end), this.anchors[end]);
  }

  armB() {
    if (this.isDynamic(1)) this.line(this.center(1), this.anchors[1]);
  }

  softArms() {
    for (const end of [0, 1]) if (this.isDynamic(end)) this.zigzag(this.center(end), this.anchors[end]);
  }

  rod(ends) {
    this.line(...ends.map((end) => this.point(end)));
  }

  spring(ends) {
    this.zigzag(...ends.map((end) => this.point(end)));
  }

  zigzag(from, to) {
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const length = Math.hypot(dx, dy);
    if (length < MARKS.springMin * this.pixel) return;
    const reach = (MARKS.tooth * this.pixel) / length;
    const at = (share, side) => [from[0] + share * dx - side * reach * dy, from[1] + share * dy + side * reach * dx];
    const points = [from, at(0.1, 0)];
    for (let tooth = 0; tooth < MARKS.teeth; tooth++) {
      points.push(at(0.1 + (0.8 * (tooth + 0.5)) / MARKS.teeth, tooth % 2 === 0 ? 1 : -1));
    }
    this.line(...points, at(0.9, 0), to);
  }

  /** A rope that hangs through as far as it is too long. */
  rope(length) {
    const [from, to] = this.anchors;
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const apart = dx * dx + dy * dy;
    const slack = length * length - apart;
    if (slack <= 0.02 * apart) return this.line(from, to);
    const sag = 0.43 * Math.sqrt(slack);
    this.curve(MARKS.pieces, (share) => [from[0] + share * dx, from[1] + share * dy - 4 * sag * share * (1 - share)]);
  }

  dashes() {
    const [from, to] = this.anchors;
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const count = Math.max(1, Math.min(100, Math.floor(Math.hypot(dx, dy) / (8 * this.pixel))));
    const at = (share) => [from[0] + share * dx, from[1] + share * dy];
    for (let dash = 0; dash < count; dash++) this.line(at((dash + 0.25) / count), at((dash + 0.75) / count));
  }

  wheels(wheels) {
    this.line(this.anchors[0], ...wheels, this.anchors[1]);
    for (const wheel of wheels) this.circle(wheel, MARKS.stop * this.pixel);
  }

  ends(direction, limit) {
    const [[x, y], [dx, dy]] = [this.anchors[0], this.direction(direction)];
    return limit.map((way) => [x + way * dx, y + way * dy]);
  }

  rail(direction, limit) {
    this.line(...this.ends(direction, limit ?? [-MARKS.railM, MARKS.railM]));
    if (limit) this.stops(direction, limit);
  }

  stops(direction, limit) {
    const stop = MARKS.stop * this.pixel;
    const [dx, dy] = this.direction(direction);
    for (const [x, y] of this.ends(direction, limit)) this.line([x + stop * dy, y - stop * dx], [x - stop * dy, y + stop * dx]);
  }

  /** An arrow along a direction or against it. */
  push(at, direction, sign) {
    const [x, y] = this.point(at);
    const size = MARKS.arrow * this.pixel;
    const axis = this.direction(direction);
    const [alongX, alongY] = [axis[0] * size * sign, axis[1] * size * sign];
    const tip = [x + 2 * alongX, y + 2 * alongY];
    const wing = (side) => [tip[0] - 0.6 * alongX - side * size * axis[1], tip[1] - 0.6 * alongY + side * size * axis[0]];
    this.line([x, y], tip);
    this.line(wing(0.4), tip, wing(-0.4));
  }

  /** An arrow about a point. */
  turn(about, sign) {
    const [x, y] = this.point(about);
    const radius = MARKS.arrow * this.pixel;
    const at = (share) => {
      const [cos, sin] = turnedBy(4.2 * share * sign);
      return [x + radius * cos, y + radius * sin];
    };
    this.curve(MARKS.pieces, at);
    const tip = at(1);
    const [outX, outY] = [tip[0] - x, tip[1] - y];
    const [backX, backY] = [outY * sign * 0.45, -outX * sign * 0.45];
    const wing = (side) => [tip[0] + backX + side * 0.4 * outX, tip[1] + backY + side * 0.4 * outY];
    this.line(wing(1), tip, wing(-1));
  }

  /** The arc of the angles that the limits allow, a stop at each end, and the hand that moves between them. */
  range([lower, upper]) {
    const [x, y] = this.anchors[0];
    // The first body turns the other way in the frame of the second.
    const [hand, sign] = this.isDynamic(0) && !this.isDynamic(1) ? [0, -1] : [1, 1];
    const [centerX, centerY] = this.center(hand);
    const isApart = centerX !== x || centerY !== y;
    const arm = isApart ? Math.atan2(centerY - y, centerX - x) : this.frame(hand);
    const now = this.frame(1) - this.frame(0);
    const rim = (angle, share) => {
      const [cos, sin] = turnedBy(arm + sign * (angle - now));
      const radius = share * MARKS.range * this.pixel;
      return [x + radius * cos, y + radius * sin];
    };
    const swept = Math.min(upper - lower, 2 * Math.PI);
    this.curve(MARKS.arcPieces, (share) => rim(lower + swept * share, 1));
    this.line([x, y], rim(now, 1));
    if (swept < 2 * Math.PI) for (const end of [lower, upper]) this.line(rim(end, 0.7), rim(end, 1.3));
  }

  /** A spiral of two turns. */
  coil(about) {
    const [x, y] = this.point(about);
    this.curve(MARKS.arcPieces, (share) => {
      const radius = (0.3 + 0.7 * share) * MARKS.coil * this.pixel;
      const [cos, sin] = turnedBy(4 * Math.PI * share);
      return [x + radius * cos, y + radius * sin];
    });
  }

  pin(at) {
    const [x, y] = this.point(at);
    this.lines.add(x, y, x, y, MARKS.pin, this.color);
  }

  cross(at) {
    const [x, y] = this.point(at);
    const reach = MARKS.cross * this.pixel;
    for (const side of [1, -1]) this.line([x - reach, y - side * reach], [x + reach, y + side * reach]);
  }

  diamond(at) {
    this.corners(at, [[1, 0], [0, 1], [-1, 0], [0, -1]]);
  }

  square(at) {
    this.corners(at, [[1, 1], [-1, 1], [-1, -1], [1, -1]]);
  }

  /** A plate across the joint's axis. */
  plate(at) {
    const [[x, y], [dx, dy]] = [this.point(at), this.direction("along")];
    const half = MARKS.stop * this.pixel;
    this.line([x - half * dy, y + half * dx], [x + half * dy, y - half * dx]);
  }

  /** A pinion, and the comb of its rack: a line along the second frame with teeth towards the pinion. */
  pinion(radius) {
    const [[x, y], [dx, dy]] = [this.anchors[0], turnedBy(this.frame(1))];
    this.circle([x, y], Math.abs(radius));
    const place = (along, depth) => [
      x + radius * (dy * (1 + depth) + dx * along),
      y + radius * (-dx * (1 + depth) + dy * along),
    ];
    this.line(place(-1, 0.2), place(1, 0.2));
    for (let tooth = -MARKS.comb; tooth <= MARKS.comb; tooth++) {
      this.line(place(tooth / MARKS.comb, 0.2), place(tooth / MARKS.comb, 0));
    }
  }
}

/** All joints that are there, in the colors of their strain or, if `byColor`, of the constraint graph. */
function addJoints(lines, timeline, camera, palette, byColor) {
  const { joints } = timeline.manifest;
  const pixel = 1 / camera.scale;
  for (let track = 0; track < timeline.appeared.joints; track++) {
    const { bodies } = joints[track];
    if (!timeline.jointIsThere[track] || !bodies.every((body) => timeline.isThere[body])) continue;
    const color = byColor ? palette.graphColors[timeline.jointColors[track]] : palette.strain[timeline.strain[track]];
    const sketch = new JointSketch(lines, timeline, track, color, pixel);
    for (const [symbol, ...numbers] of sketch.marks.symbols) sketch[symbol](...numbers);
  }
}
