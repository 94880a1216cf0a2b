// What part of the world is in sight: a center in meters and CSS pixels per meter. y points up in the world, down on the
// screen.

const SCALE_MIN = 0.02;
const SCALE_MAX = 4000;

/** At most this share of the bodies counts as strays on each side, by where their origins are, so that one that flew off
 *  does not make all tiny and a large one in the middle is seen whole. */
const STRAY_SHARE = 0.002;

class Camera {
  constructor() {
    this.x = 0;
    this.y = 0;
    this.scale = 10;
    this.width = 1;
    this.height = 1;
  }

  toScreen(x, y) {
    return [this.width / 2 + (x - this.x) * this.scale, this.height / 2 - (y - this.y) * this.scale];
  }

  toWorld(left, top) {
    return [this.x + (left - this.width / 2) / this.scale, this.y - (top - this.height / 2) / this.scale];
  }

  /** Moves what is seen by pixels. */
  pan(right, down) {
    this.x -= right / this.scale;
    this.y += down / this.scale;
  }

  /** Zooms so that the place under a pixel stays there. */
  zoom(factor, left = this.width / 2, top = this.height / 2) {
    const [x, y] = this.toWorld(left, top);
    this.scale = Math.max(SCALE_MIN, Math.min(SCALE_MAX, this.scale * factor));
    const [newX, newY] = this.toWorld(left, top);
    this.x += x - newX;
    this.y += y - newY;
  }

  /** Shows what moves; if nothing does, what there is. */
  fit(timeline, reaches) {
    const all = [...Array(timeline.bodyCount).keys()].filter((body) => timeline.isThere[body]);
    const moving = all.filter((body) => timeline.manifest.bodies[body].kind !== "static");
    const bodies = moving.length > 0 ? moving : all;
    if (bodies.length === 0) return;
    const side = (place, sign) => {
      const outward = [...bodies].sort((a, b) => sign * (place(a) - place(b)));
      const kept = outward.slice(0, outward.length - Math.floor(STRAY_SHARE * outward.length));
      return kept.reduce((most, body) => Math.max(most, sign * place(body) + reaches[body]), -Infinity) * sign;
    };
    const x = (body) => timeline.x(body);
    const y = (body) => timeline.y(body);
    const [left, right, bottom, top] = [side(x, -1), side(x, 1), side(y, -1), side(y, 1)];
    this.x = (left + right) / 2;
    this.y = (bottom + top) / 2;
    const margin = 1.08;
    const scale = Math.min(this.width / (margin * (right - left)), this.height / (margin * (top - bottom)));
    this.scale = Math.max(SCALE_MIN, Math.min(SCALE_MAX, scale));
  }
}
