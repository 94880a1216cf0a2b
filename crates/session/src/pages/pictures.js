// Pictures of a map's tiles: parts of images, each stretched, flipped and turned to a parallelogram. What stays where it is
// lies over static bodies and below all others; what goes with a body lies over it. The picture of a tile is there while its
// cell has a tile.

/** What the page shows of a map's tiles; made by `picturesOf`. */
class Pictures {
  /** `bitmaps` are the images, `null` for one that the browser cannot read. */
  constructor({ looks, grids, fixed, attached }, bitmaps) {
    this.bitmaps = bitmaps;
    const picture = ([look, x, y, cell]) => ({ ...looks[look], x, y, cell: cell && [grids[cell[0]], cell[1], cell[2]] });
    const isSeen = ({ image }) => bitmaps[image] !== null;
    this.all = fixed.map(picture).filter(isSeen);
    /** Those of each entity that has any, in the frame of its body. */
    this.byName = new Map();
    for (const [name, ...rest] of attached) {
      const own = picture(rest);
      if (!isSeen(own)) continue;
      if (!this.byName.has(name)) this.byName.set(name, []);
      this.byName.get(name).push(own);
    }
    this.forget();
  }

  get isEmpty() {
    return this.all.length + this.byName.size === 0;
  }

  /** Forgets which bodies were looked at: those of another timeline come. */
  forget() {
    this.lookedAt = 0;
    this.carriers = [];
    this.tiles = null;
  }

  /** Looks at the bodies that are new in a timeline's manifest. */
  grow({ manifest: { bodies } }) {
    for (; this.lookedAt < bodies.length; this.lookedAt++) {
      const own = this.byName.get(bodies[this.lookedAt].name);
      if (own) this.carriers.push([this.lookedAt, own]);
    }
  }

  /** The pictures that stay where they are: the same list while no cell has lost or got a tile. */
  fixed(timeline) {
    if (this.tiles !== timeline.tiles) {
      this.tiles = timeline.tiles;
      this.shown = this.all.filter((picture) => isInPlace(picture, timeline));
    }
    return this.shown;
  }

  /** The pictures of the bodies that are there, in the world. */
  attached(timeline) {
    const placed = [];
    for (const [body, own] of this.carriers) {
      if (!timeline.isThere[body]) continue;
      const angle = timeline.angle(body);
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      const turned = ([x, y]) => [cos * x - sin * y, sin * x + cos * y];
      for (const picture of own) {
        if (!isInPlace(picture, timeline)) continue;
        const [x, y] = timeline.toWorld(body, [picture.x, picture.y]);
        placed.push({ ...picture, x, y, right: turned(picture.right), down: turned(picture.down) });
      }
    }
    return placed;
  }
}

/** Whether a picture is of no cell, or of one that has a tile. */
function isInPlace({ cell }, timeline) {
  return !cell || timeline.hasTile(...cell);
}

/** The pictures in JSON as `crates/cli/src/map_pictures.rs` writes it. */
async function picturesOf(bytes) {
  const told = JSON.parse(new TextDecoder().decode(bytes));
  return new Pictures(told, await Promise.all(told.images.map(bitmapOf)));
}

/** An image with its transparency multiplied in; `null` if the browser cannot read it. */
async function bitmapOf({ kind, base64 }) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  try {
    return await createImageBitmap(new Blob([bytes], { type: kind }), { premultiplyAlpha: "premultiply" });
  } catch {
    return null;
  }
}

/** The corners of a picture in the world: upper left, upper right, lower right, lower left. */
function cornersOf({ x, y, right, down }) {
  return [
    [x, y],
    [x + right[0], y + right[1]],
    [x + right[0] + down[0], y + right[1] + down[1]],
    [x + down[0], y + down[1]],
  ];
}
