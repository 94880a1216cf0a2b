// Drawing with Canvas2D, where there is no WebGL2: outlines of one color become one path, up to a size.

/** A path holds the outlines of at most this many bodies: filling one takes longer than in proportion. */
const BODIES_PER_PATH = 64;

class CanvasDrawer {
  static on(canvas) {
    const context = canvas.getContext("2d", { alpha: false });
    return context ? new CanvasDrawer(context) : null;
  }

  constructor(context) {
    this.name = "Canvas2D";
    this.context = context;
    /** By a color of a palette; every palette has its own. */
    this.styles = new Map();
  }

  /** Draws this timeline from now on; to be called again when its manifest has grown. */
  show(timeline) {
    this.timeline = timeline;
  }

  /** Makes nothing: what is drawn is on no card. */
  prepare() {}

  draw({ camera, palette, lines, pictures }) {
    const { context } = this;
    const ratio = context.canvas.width / camera.width;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = css(palette.ground);
    context.fillRect(0, 0, camera.width, camera.height);
    // Outlines as wide as what they go around would hide its color.
    context.lineWidth = Math.max(0.4, Math.min(1, 0.1 * camera.scale));
    this.drawBodies("static", camera, palette);
    if (pictures) this.drawPictures(pictures.bitmaps, pictures.fixed(this.timeline), camera, ratio);
    for (const kind of ["kinematic", "dynamic"]) this.drawBodies(kind, camera, palette);
    if (pictures) this.drawPictures(pictures.bitmaps, pictures.attached(this.timeline), camera, ratio);
    this.drawLines(lines, camera);
  }

  /** Draws the pictures that are in sight. */
  drawPictures(bitmaps, pictures, camera, ratio) {
    const { context } = this;
    context.imageSmoothingEnabled = false;
    for (const picture of pictures) {
      const corners = cornersOf(picture).map(([x, y]) => camera.toScreen(x, y));
      const [lefts, tops] = [0, 1].map((axis) => corners.map((corner) => corner[axis]));
      if (Math.max(...lefts) < 0 || Math.min(...lefts) > camera.width) continue;
      if (Math.max(...tops) < 0 || Math.min(...tops) > camera.height) continue;
      // The image's part becomes the unit square, and that the parallelogram.
      const [from, right, , down] = corners;
      const sides = [right[0] - from[0], right[1] - from[1], down[0] - from[0], down[1] - from[1], ...from];
      context.setTransform(...sides.map((side) => ratio * side));
      context.globalAlpha = picture.opacity;
      context.drawImage(bitmaps[picture.image], ...picture.part, 0, 0, 1, 1);
    }
    context.globalAlpha = 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  /** Draws the bodies of a kind, those of one color together. */
  drawBodies(kind, camera, palette) {
    const { context, timeline } = this;
    const { bodies } = timeline.manifest;
    const byColor = new Map();
    for (let body = 0; body < timeline.bodyCount; body++) {
      if (!timeline.isThere[body] || bodies[body].kind !== kind) continue;
      const color = colorOf(timeline, body, palette);
      const same = byColor.get(color);
      if (same) same.push(body);
      else byColor.set(color, [body]);
    }
    for (const [color, same] of byColor) {
      const { fill, edge } = this.styleOf(color, palette);
      context.fillStyle = fill;
      context.strokeStyle = edge;
      for (let first = 0; first < same.length; first += BODIES_PER_PATH) {
        const end = Math.min(first + BODIES_PER_PATH, same.length);
        context.beginPath();
        for (let index = first; index < end; index++) this.trace(same[index], camera);
        context.fill();
        context.stroke();
      }
    }
  }

  /** The texts of a color and of the color of its edges: made once, as they are needed for each island in each picture. */
  styleOf(color, palette) {
    const known = this.styles.get(color);
    if (known) return known;
    const edge = color.map((part, index) => (index < 3 ? Math.round(palette.edge * part) : part));
    const style = { fill: css(color), edge: css(edge) };
    this.styles.set(color, style);
    return style;
  }

  /** Adds a body's outlines to the path. */
  trace(body, camera) {
    const { context, timeline } = this;
    const { outlines } = timeline;
    const angle = timeline.angle(body);
    const [cos, sin] = [Math.cos(angle) * camera.scale, Math.sin(angle) * camera.scale];
    const left = (timeline.x(body) - camera.x) * camera.scale + camera.width / 2;
    const top = camera.height / 2 - (timeline.y(body) - camera.y) * camera.scale;
    for (const shape of timeline.manifest.bodies[body].shapes) {
      const points = outlines[shape];
      context.moveTo(left + cos * points[0] - sin * points[1], top - sin * points[0] - cos * points[1]);
      for (let at = 2; at < points.length; at += 2) {
        context.lineTo(left + cos * points[at] - sin * points[at + 1], top - sin * points[at] - cos * points[at + 1]);
      }
      context.closePath();
    }
  }

  drawLines(lines, camera) {
    const { context } = this;
    context.lineCap = "square";
    let last = null;
    for (let line = 0; line < lines.count; line++) {
      const [x1, y1, x2, y2, width] = lines.numbers.subarray(LINE_WIDTH * line, LINE_WIDTH * line + LINE_WIDTH);
      const color = lines.colors[line];
      // Lines of one look that follow each other are one path.
      if (last?.color !== color || last.width !== width) {
        if (last) context.stroke();
        context.beginPath();
        context.strokeStyle = css(color);
        context.lineWidth = width;
        last = { color, width };
      }
      const [left, top] = camera.toScreen(x1, y1);
      const [right, bottom] = camera.toScreen(x2, y2);
      context.moveTo(left, top);
      // A square cap needs a line to sit on.
      context.lineTo(right + (x1 === x2 && y1 === y2 ? 0.01 : 0), bottom);
    }
    if (last) context.stroke();
    context.lineCap = "butt";
  }
}
