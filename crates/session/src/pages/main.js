// The replay page: a recording that is in the page, played, stepped through and looked at.

class Replay extends Viewer {
  constructor(manifest, frames) {
    super(new Timeline(manifest, frames, manifest.shapes.map(outlineOf)), manifest.figures);
    this.speed = 1;
    /** The frame with its fraction, while it plays. */
    this.position = 0;
    this.lastTick = 0;
  }

  start() {
    const { manifest, frameCount } = this.timeline;
    byId("about").textContent = `${manifest.bodies.length} bodies · ${this.drawer.name} · Tombolo ${manifest.version}`;
    byId("scrub").max = frameCount - 1;
    const remarks = manifest.remarks ?? [];
    if (manifest.frames_made > frameCount) {
      const steps = `${frameCount - 1} of ${manifest.frames_made - 1} steps`;
      remarks.push(`The recording was full: it holds the first ${steps}.`);
    }
    if (remarks.length > 0) showNotice(remarks.join(" "));
    offerGraphs(manifest.graphs);
    super.start();
    this.offerLayers();
  }

  advance(now) {
    if (!this.playing) return;
    // A page that was out of sight must not jump when it is seen again.
    const seconds = Math.min(0.1, (now - this.lastTick) / 1000);
    this.lastTick = now;
    this.position += (seconds * this.speed) / this.timeline.manifest.step_seconds;
    const last = this.timeline.frameCount - 1;
    this.timeline.go(Math.floor(Math.min(this.position, last)));
    if (this.position >= last) this.pause();
    else this.ask();
  }

  play() {
    if (this.timeline.frame === this.timeline.frameCount - 1) this.timeline.go(0);
    this.position = this.timeline.frame;
    this.lastTick = performance.now();
    this.setPlaying(true);
  }

  pause() {
    this.setPlaying(false);
    say(`paused at step ${this.timeline.manifest.first_step + this.timeline.frame}`);
  }

  /** Goes to a frame, and on playing from there if it plays. */
  seek(frame) {
    this.position = this.timeline.go(frame);
    this.ask();
  }

  setSpeed(speed) {
    this.speed = speed;
    byId("speed").value = String(speed);
  }
}

try {
  const [manifest, frames, pictures] = await Promise.all(["manifest", "frames", "pictures"].map(bytesOf));
  const viewer = new Replay(JSON.parse(new TextDecoder().decode(manifest)), frames);
  viewer.start();
  viewer.showPictures(await picturesOf(pictures));
  // For the browser's console: `replay.timeline.place`, `replay.seek(100)` and so on.
  globalThis.replay = viewer;
} catch (error) {
  showNotice(`This recording cannot be shown here: ${error.message}`);
  throw error;
}
