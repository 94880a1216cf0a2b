// From a shape's core and radius to the outline that is drawn: straight edges, and arcs around the core's corners.

/** A full turn of an arc has this many edges: round enough at a few hundred pixels. */
const EDGES_PER_TURN = 28;

/** The outline of a shape as x, y, x, y and so on, counter-clockwise, convex; two points for a line without width. */
function outlineOf({ core, radius }) {
  const count = core.length / 2;
  if (radius === 0) return Float32Array.from(core);
  if (count === 1) return Float32Array.from(arc(core[0], core[1], radius, 0, 2 * Math.PI));
  const points = [];
  for (let corner = 0; corner < count; corner++) {
    const before = edgeNormal(core, (corner + count - 1) % count);
    const turn = edgeNormal(core, corner) - before;
    // Normals of a convex core turn left; the difference of two angles may be a whole turn off.
    const swept = ((turn % (2 * Math.PI)) + 2 * Math.PI) % (2 * Math.PI);
    points.push(...arc(core[2 * corner], core[2 * corner + 1], radius, before, swept));
  }
  return Float32Array.from(points);
}

/** The angle of the outward normal of the edge that starts at a corner. */
function edgeNormal(core, corner) {
  const next = (2 * corner + 2) % core.length;
  return Math.atan2(core[2 * corner] - core[next], core[next + 1] - core[2 * corner + 1]);
}

/** Points of an arc, both ends included unless it is a whole turn. */
function arc(x, y, radius, start, swept) {
  const edges = Math.max(1, Math.round((EDGES_PER_TURN * swept) / (2 * Math.PI)));
  const isWhole = swept >= 2 * Math.PI;
  const points = [];
  for (let index = 0; index < edges + (isWhole ? 0 : 1); index++) {
    const angle = start + (swept * index) / edges;
    points.push(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
  }
  return points;
}

/** The smallest circle about a body's origin that holds all its outlines. */
function reachOf(body, outlines) {
  let reach = 0;
  for (const shape of body.shapes) {
    const points = outlines[shape];
    for (let at = 0; at < points.length; at += 2) reach = Math.max(reach, Math.hypot(points[at], points[at + 1]));
  }
  return reach;
}

/** Left, bottom, right and top of an outline turned by an angle about its body's origin. */
function boxOf(points, angle) {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const box = [Infinity, Infinity, -Infinity, -Infinity];
  for (let at = 0; at < points.length; at += 2) {
    const x = cos * points[at] - sin * points[at + 1];
    const y = sin * points[at] + cos * points[at + 1];
    box[0] = Math.min(box[0], x);
    box[1] = Math.min(box[1], y);
    box[2] = Math.max(box[2], x);
    box[3] = Math.max(box[3], y);
  }
  return box;
}
