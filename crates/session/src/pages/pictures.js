// Pictures of a map's tiles: parts of images, each stretched, flipped and turned to a parallelogram. What stays where it is
// lies over static bodies and below all others; what goes with a body lies over it. The picture of a tile is there while its
// cell has the kind of tile that it had at first. A cell of another kind has the picture of the first cell of that kind.

/** As many pictures as a map has at most: cells beyond that show none. */
const PICTURES_MAX = 2 ** 18;

/** More than a map's grid has columns or rows. */
const GRID_SIDE_MAX = 2 ** 25;

/** What the page shows of a map's tiles; made by `picturesOf`. */
class Pictures {
  /** `bitmaps` are the images, `null` for one that the browser cannot read. */
  constructor({ looks, grids, fixed, attached }, bitmaps) {
    this.bitmaps = bitmaps;
    const picture = ([look, x, y, cell]) => ({ ...looks[look], x, y, cell });
    const isSeen = ({ image }) => bitmaps[image] !== null;
    this.all = new CellPictures(fixed.map(picture).filter(isSeen), grids);
    const byName = new Map();
    for (const [name, ...rest] of attached) {
      const own = picture(rest);
      if (!isSeen(own)) continue;
      if (!byName.has(name)) byName.set(name, []);
      byName.get(name).push(own);
    }
    /** Those of each entity that has any, in the frame of its body. */
    this.byName = new Map([...byName].map(([name, own]) => [name, new CellPictures(own, grids)]));
    this.forget();
  }

  get isEmpty() {
    return this.all.isEmpty && this.byName.size === 0;
  }

  /** Forgets which bodies were looked at: those of another timeline come. */
  forget() {
    this.lookedAt = 0;
    this.carriers = [];
    this.all.forget();
    for (const own of this.byName.values()) own.forget();
  }

  /** Looks at the bodies that are new in a timeline's manifest. */
  grow({ manifest: { bodies } }) {
    for (; this.lookedAt < bodies.length; this.lookedAt++) {
      const own = this.byName.get(bodies[this.lookedAt].name);
      if (own) this.carriers.push([this.lookedAt, own]);
    }
  }

  /** The pictures that stay where they are: the same list while no tile has changed. */
  fixed(timeline) {
    return this.all.seen(timeline);
  }

  /** The pictures of the bodies that are there, in the world. */
  attached(timeline) {
    const placed = [];
    for (const [body, own] of this.carriers) {
      if (!timeline.isThere[body]) continue;
      const angle = timeline.angle(body);
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      const turned = ([x, y]) => [cos * x - sin * y, sin * x + cos * y];
      for (const picture of own.seen(timeline)) {
        const [x, y] = timeline.toWorld(body, [picture.x, picture.y]);
        placed.push({ ...picture, x, y, right: turned(picture.right), down: turned(picture.down) });
      }
    }
    return placed;
  }
}

/** Pictures in one frame, some of them of cells. */
class CellPictures {
  /** `cell` of a picture is the number of its grid, column, row, and kind of its tile at first; `null` for none. */
  constructor(pictures, grids) {
    this.pictures = pictures;
    this.grids = grids;
    /** For each grid that has any, for each kind the pictures of the first cell of the kind. */
    this.firsts = new Map();
    /** The kinds at first of the cells of each grid that have pictures of their own, by place. */
    this.pictured = grids.map(() => new Map());
    /** The kinds of each grid's tiles when they were seen first; those of cells without pictures are known from here only. */
    this.atFirst = null;
    for (const picture of pictures) {
      if (!picture.cell) continue;
      const [grid, column, row, kind] = picture.cell;
      this.pictured[grid].set(row * GRID_SIDE_MAX + column, kind);
      if (!this.firsts.has(grid)) this.firsts.set(grid, new Map());
      const kinds = this.firsts.get(grid);
      if (!kinds.has(kind)) kinds.set(kind, []);
      const known = kinds.get(kind);
      const isOfFirst = known.length === 0 || (known[0].cell[1] === column && known[0].cell[2] === row);
      if (isOfFirst) known.push(picture);
    }
    this.forget();
  }

  get isEmpty() {
    return this.pictures.length === 0;
  }

  forget() {
    this.tiles = null;
  }

  /** The pictures that are seen: the same list while no tile has changed. */
  seen(timeline) {
    if (this.tiles !== timeline.tiles) {
      this.tiles = timeline.tiles;
      this.shown = this.find(timeline);
    }
    return this.shown;
  }

  find(timeline) {
    const kinds = this.grids.map(({ name }, grid) => this.kindsOf(timeline, grid, name));
    this.atFirst ??= kinds;
    const seen = this.pictures.filter(({ cell }) => {
      if (!cell) return true;
      const [grid, column, row, kind] = cell;
      return (kinds[grid].get(row * GRID_SIDE_MAX + column) ?? 0) === kind;
    });
    for (const [grid, firsts] of this.firsts) {
      const { next: [right, up] } = this.grids[grid];
      for (const [place, kind] of kinds[grid]) {
        // As it was at first: it has its own picture, or had none.
        if (kind === (this.pictured[grid].get(place) ?? this.atFirst[grid].get(place))) continue;
        const [column, row] = [place % GRID_SIDE_MAX, Math.floor(place / GRID_SIDE_MAX)];
        for (const first of firsts.get(kind) ?? []) {
          if (seen.length >= PICTURES_MAX) return seen;
          const [columns, rows] = [column - first.cell[1], row - first.cell[2]];
          seen.push({ ...first, x: first.x + columns * right - rows * up, y: first.y + columns * up + rows * right });
        }
      }
    }
    return seen;
  }

  /** The kinds of a grid's tiles, by place. */
  kindsOf(timeline, grid, name) {
    const kinds = new Map();
    for (const kind of this.firsts.get(grid)?.keys() ?? []) {
      timeline.eachTile(name, kind, (column, row) => kinds.set(row * GRID_SIDE_MAX + column, kind));
    }
    return kinds;
  }
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
