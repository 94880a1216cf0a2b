// The recording as a film: knows what there is at the frame where it stands, and can go to any other. The frames only say
// what changed, so going back starts from a kept state and runs forward again.

/** A state is kept every so many frames: going back then costs at most that many, some milliseconds. */
const KEEP_EVERY = 48;

/** Kept states take at most this many bytes together; a long recording keeps them farther apart. */
const KEPT_BYTES_MAX = 192 * 1024 * 1024;

class Timeline extends State {
  /** `outlines` are those of the shapes, as `outlineOf` makes them. */
  constructor(manifest, frames, outlines) {
    super(manifest, outlines);
    this.reader = new Reader(frames);
    this.frameCount = manifest.figures.step_us.length;
    this.firstFrame = 0;
    this.frame = -1;
    this.keepEvery = KEEP_EVERY;
    this.kept = [];
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
    while (this.frame < target) this.advance();
    return this.frame;
  }

  /** How long the step of this frame took, in microseconds, and its stages. */
  get times() {
    const { figures } = this.manifest;
    return { step: figures.step_us[this.frame], stages: figures.stage_us[this.frame] };
  }

  /** Goes to the next frame. */
  advance() {
    this.readFrame();
    this.frame++;
    const index = this.frame / this.keepEvery;
    if (Number.isInteger(index) && !this.kept[index]) this.keep(index);
  }

  keep(index) {
    const copy = {
      frame: this.frame,
      at: this.reader.at,
      appeared: { ...this.appeared },
      isThere: this.isThere.slice(),
      jointIsThere: this.jointIsThere.slice(),
      strain: this.strain.slice(),
      movedAnchors: new Map(this.movedAnchors),
      movedMarks: new Map(this.movedMarks),
      contactColors: this.contactColors.slice(),
      jointColors: this.jointColors.slice(),
      status: this.status.slice(),
      place: this.place.slice(),
      motion: this.motion.slice(),
      contacts: this.contacts.slice(),
      boxes: this.boxes.slice(),
      margins: this.margins.slice(),
      cells: this.cells,
      paths: this.paths.slice(),
      tiles: this.tiles,
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
    this.movedAnchors = new Map(copy.movedAnchors);
    this.movedMarks = new Map(copy.movedMarks);
    this.contactColors = copy.contactColors.slice();
    this.cells = copy.cells;
    this.paths = copy.paths.slice();
    this.tiles = copy.tiles;
    const arrays = ["isThere", "jointIsThere", "strain", "jointColors", "status", "place", "motion", "boxes", "margins"];
    for (const name of arrays) this[name].set(copy[name]);
  }
}
