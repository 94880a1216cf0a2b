// Joints as what they do: a pin, a rod, a slack or taut rope, a spring as a zigzag, a rail with its stops, a weld's cross,
// a motor's arrow, a rope over wheels, the redder the harder they are strained. `draw/joints.rs` of physics draws the same.

/** Sizes in pixels, and how far a rail without stops is drawn either way in meters. */
const MARKS = { pin: 5, tooth: 4, arrow: 8, cross: 4, stop: 5, railM: 1, teeth: 10, pieces: 12 };

class JointSketch {
  constructor(lines, color, pixel) {
    Object.assign(this, { lines, color, pixel });
  }

  line(...points) {
    for (let index = 1; index < points.length; index++) {
      const [from, to] = [points[index - 1], points[index]];
      this.lines.add(from[0], from[1], to[0], to[1], 1.4, this.color);
    }
  }

  pin([x, y]) {
    this.lines.add(x, y, x, y, MARKS.pin, this.color);
  }

  zigzag(from, to) {
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const reach = (MARKS.tooth * this.pixel) / (Math.hypot(dx, dy) || 1);
    const at = (share, side) => [from[0] + share * dx - side * reach * dy, from[1] + share * dy + side * reach * dx];
    const points = [from, at(0.1, 0)];
    for (let tooth = 0; tooth < MARKS.teeth; tooth++) {
      points.push(at(0.1 + (0.8 * (tooth + 0.5)) / MARKS.teeth, tooth % 2 === 0 ? 1 : -1));
    }
    this.line(...points, at(0.9, 0), to);
  }

  /** A rod, a spring, or a rope that hangs through as far as it is too long. */
  between({ spring, limit, motor }, from, to) {
    if (spring) return this.zigzag(from, to);
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const apart = dx * dx + dy * dy;
    const slack = limit ? limit[1] * limit[1] - apart : 0;
    if (slack <= 0.02 * apart || motor !== 0 || slack > 1e8) return this.line(from, to);
    const sag = 0.43 * Math.sqrt(slack);
    const points = [];
    for (let piece = 0; piece <= MARKS.pieces; piece++) {
      const share = piece / MARKS.pieces;
      points.push([from[0] + share * dx, from[1] + share * dy - 4 * sag * share * (1 - share)]);
    }
    this.line(...points);
  }

  dashes(from, to) {
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    const count = Math.max(1, Math.min(100, Math.floor(Math.hypot(dx, dy) / (8 * this.pixel))));
    const at = (share) => [from[0] + share * dx, from[1] + share * dy];
    for (let dash = 0; dash < count; dash++) this.line(at((dash + 0.25) / count), at((dash + 0.75) / count));
  }

  circle([x, y], radius) {
    const points = [];
    for (let piece = 0; piece <= MARKS.pieces; piece++) {
      const angle = (2 * Math.PI * piece) / MARKS.pieces;
      points.push([x + radius * Math.cos(angle), y + radius * Math.sin(angle)]);
    }
    this.line(...points);
  }

  rail(limit, from, axis) {
    const reach = limit ?? [-MARKS.railM, MARKS.railM];
    const ends = reach.map((way) => [from[0] + way * axis[0], from[1] + way * axis[1]]);
    this.line(...ends);
    if (!limit) return;
    const stop = MARKS.stop * this.pixel;
    for (const [x, y] of ends) {
      this.line([x + stop * axis[1], y - stop * axis[0]], [x - stop * axis[1], y + stop * axis[0]]);
    }
  }

  /** An arrow about a point, the way a motor turns. */
  arrowAbout(motor, [x, y]) {
    if (motor === 0) return;
    const radius = MARKS.arrow * this.pixel;
    const at = (share) => {
      const angle = 4.2 * share * motor;
      return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
    };
    const arc = [];
    for (let piece = 0; piece <= MARKS.pieces; piece++) arc.push(at(piece / MARKS.pieces));
    this.line(...arc);
    const tip = at(1);
    const [outX, outY] = [tip[0] - x, tip[1] - y];
    const [backX, backY] = [outY * motor * 0.45, -outX * motor * 0.45];
    const wing = (side) => [tip[0] + backX + side * 0.4 * outX, tip[1] + backY + side * 0.4 * outY];
    this.line(wing(1), tip, wing(-1));
  }

  /** An arrow along an axis, the way a motor pushes. */
  arrowAlong(motor, [x, y], axis) {
    if (motor === 0) return;
    const size = MARKS.arrow * this.pixel;
    const [alongX, alongY] = [axis[0] * size * motor, axis[1] * size * motor];
    const tip = [x + 2 * alongX, y + 2 * alongY];
    const wing = (side) => [
      tip[0] - 0.6 * alongX - side * size * axis[1],
      tip[1] - 0.6 * alongY + side * size * axis[0],
    ];
    this.line([x, y], tip);
    this.line(wing(0.4), tip, wing(-0.4));
  }
}

/** All joints that are there. */
function addJoints(lines, timeline, camera, palette) {
  const { joints, bodies } = timeline.manifest;
  const pixel = 1 / camera.scale;
  for (let track = 0; track < timeline.appeared.joints; track++) {
    const joint = joints[track];
    if (!timeline.jointIsThere[track] || !joint.bodies.every((body) => timeline.isThere[body])) continue;
    const color = palette.strain[timeline.strain[track]];
    addJoint(new JointSketch(lines, color, pixel), timeline, joint, bodies);
  }
}

function addJoint(sketch, timeline, joint, bodies) {
  const [a, b] = joint.bodies;
  const [from, to] = joint.bodies.map((body, end) => timeline.toWorld(body, joint.anchors[end]));
  const middle = (body) => timeline.toWorld(body, bodies[body].center);
  const arm = (body, at) => {
    if (bodies[body].kind === "dynamic") sketch.line(middle(body), at);
  };
  const angle = timeline.angle(a) + joint.angle;
  const axis = [Math.cos(angle), Math.sin(angle)];
  switch (joint.kind) {
    case "Filter":
      return;
    case "Distance":
      sketch.between(joint, from, to);
      sketch.pin(from);
      break;
    case "Prismatic":
      arm(b, to);
      sketch.rail(joint.limit, from, axis);
      sketch.arrowAlong(joint.motor, to, axis);
      if (joint.spring) sketch.zigzag(from, to);
      break;
    case "Wheel": {
      const chassis = middle(a);
      const up = (chassis[0] - to[0]) * axis[0] + (chassis[1] - to[1]) * axis[1];
      const top = [to[0] + up * axis[0], to[1] + up * axis[1]];
      sketch.line(chassis, top);
      if (joint.spring) sketch.zigzag(top, to);
      else sketch.line(top, to);
      sketch.arrowAbout(joint.motor, to);
      break;
    }
    case "RigidWeld": {
      const reach = MARKS.cross * sketch.pixel;
      const corner = (x, y) => [to[0] + x * reach, to[1] + y * reach];
      sketch.line(corner(1, 1), corner(-1, 1), corner(-1, -1), corner(1, -1), corner(1, 1));
      sketch.line(corner(-1, -1), corner(1, 1));
      sketch.line(corner(-1, 1), corner(1, -1));
      return;
    }
    case "Weld": {
      arm(a, from);
      arm(b, to);
      const reach = MARKS.cross * sketch.pixel;
      for (const side of [1, -1]) {
        sketch.line([to[0] - reach, to[1] - side * reach], [to[0] + reach, to[1] + side * reach]);
      }
      sketch.line(from, to);
      return;
    }
    case "Motor": {
      if (joint.spring) sketch.zigzag(from, to);
      else sketch.line(from, to);
      const reach = MARKS.cross * sketch.pixel;
      const corner = (x, y) => [from[0] + x * reach, from[1] + y * reach];
      sketch.line(corner(1, 0), corner(0, 1), corner(-1, 0), corner(0, -1), corner(1, 0));
      break;
    }
    case "Pogo": {
      const length = (to[0] - from[0]) * axis[0] + (to[1] - from[1]) * axis[1];
      const foot = [to[0] - length * axis[0], to[1] - length * axis[1]];
      if (joint.spring) sketch.zigzag(foot, to);
      else sketch.line(foot, to);
      const half = MARKS.stop * sketch.pixel;
      sketch.line(
        [foot[0] - half * axis[1], foot[1] + half * axis[0]],
        [foot[0] + half * axis[1], foot[1] - half * axis[0]],
      );
      break;
    }
    case "Mover":
      if (joint.heading) sketch.arrowAlong(1, to, joint.heading);
      break;
    case "Gear":
    case "Rack":
      sketch.dashes(from, to);
      return;
    case "Pulley": {
      const [overFrom, overTo] = joint.wheels;
      sketch.line(from, overFrom, overTo, to);
      for (const wheel of joint.wheels) sketch.circle(wheel, MARKS.stop * sketch.pixel);
      sketch.pin(from);
      break;
    }
    case "Generic":
      sketch.line(from, to);
      arm(a, from);
      arm(b, to);
      sketch.arrowAbout(joint.motor, to);
      break;
    default:
      arm(a, from);
      arm(b, to);
      sketch.arrowAbout(joint.motor, from);
  }
  sketch.pin(to);
}
