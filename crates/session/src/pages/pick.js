// Which body is at a place.

/** The body whose outline holds a place in the world, or the nearest within some meters; -1 for none. Bodies that move come
 *  before those that do not, as they are drawn above them. */
function bodyAt(timeline, outlines, reaches, [x, y], slack) {
  let best = -1;
  let bestScore = Infinity;
  for (let body = 0; body < timeline.bodyCount; body++) {
    if (!timeline.isThere[body]) continue;
    const [dx, dy] = [x - timeline.x(body), y - timeline.y(body)];
    if (Math.hypot(dx, dy) > reaches[body] + slack) continue;
    const distance = distanceTo(timeline, outlines, body, dx, dy);
    if (distance > slack) continue;
    const isStatic = timeline.manifest.bodies[body].kind === "static";
    const score = Math.max(0, distance) + (isStatic ? 2 * slack : 0);
    // Of bodies that overlap the later is drawn above.
    if (score <= bestScore) [best, bestScore] = [body, score];
  }
  return best;
}

/** Meters from a place, given from the body's origin, to its outlines; negative inside. */
function distanceTo(timeline, outlines, body, dx, dy) {
  const angle = timeline.angle(body);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [x, y] = [cos * dx + sin * dy, cos * dy - sin * dx];
  const nearer = (least, shape) => Math.min(least, outlineDistance(outlines[shape], x, y));
  return timeline.manifest.bodies[body].shapes.reduce(nearer, Infinity);
}

function outlineDistance(points, x, y) {
  let inside = points.length > 4;
  let nearest = Infinity;
  for (let at = 0; at < points.length; at += 2) {
    const next = (at + 2) % points.length;
    const [edgeX, edgeY] = [points[next] - points[at], points[next + 1] - points[at + 1]];
    const [fromX, fromY] = [x - points[at], y - points[at + 1]];
    if (edgeX * fromY - edgeY * fromX < 0) inside = false;
    const square = edgeX * edgeX + edgeY * edgeY;
    const along = square > 0 ? Math.max(0, Math.min(1, (edgeX * fromX + edgeY * fromY) / square)) : 0;
    nearest = Math.min(nearest, Math.hypot(fromX - along * edgeX, fromY - along * edgeY));
  }
  return inside ? -nearest : nearest;
}

/** The next body that can move after one, in a direction; the first or last for -1. */
function neighbor(timeline, body, direction) {
  const count = timeline.bodyCount;
  const start = body >= 0 ? body : direction > 0 ? -1 : count;
  for (let index = 1; index <= count; index++) {
    const candidate = (((start + direction * index) % count) + count) % count;
    if (timeline.isThere[candidate] && timeline.manifest.bodies[candidate].kind !== "static") return candidate;
  }
  return -1;
}
