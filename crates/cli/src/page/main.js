// The viewer: what is shown, at which frame, and when it is drawn. Nothing is drawn while nothing changes.

/** While it plays, numbers change this often, in milliseconds; faster they can't be read. */
const NUMBERS_EVERY_MS = 100;

class Viewer {
  constructor(manifest, frames) {
    this.outlines = manifest.shapes.map(outlineOf);
    this.timeline = new Timeline(manifest, frames, this.outlines);
    this.reaches = manifest.bodies.map((body) => reachOf(body, this.outlines));
    this.camera = new Camera();
    this.lines = new Lines();
    this.strip = new Strip(byId("strip"), manifest.figures);
    this.drawer = drawerOn(byId("world"), this.timeline, this.outlines);
    if (!this.drawer) throw new Error("there is no way to draw");
    this.layers = { contacts: false, joints: true, boxes: false, velocities: false, paths: false, cells: false, fields: false };
    this.picked = -1;
    this.following = false;
    /** Until someone pans or zooms, everything is kept in sight when the window changes. */
    this.hasMovedCamera = false;
    this.playing = false;
    this.speed = 1;
    /** The frame with its fraction, while it plays. */
    this.position = 0;
    this.lastTick = 0;
    this.lastNumbers = 0;
    this.isAsked = false;
    /** Frames drawn since the page was opened, and the milliseconds that the last one took. */
    this.drawn = 0;
    this.drawMs = 0;
  }

  start() {
    const { manifest, frameCount } = this.timeline;
    byId("scene").textContent = manifest.scene;
    byId("about").textContent = `${manifest.bodies.length} bodies · ${this.drawer.name} · Tombolo ${manifest.version}`;
    byId("scrub").max = frameCount - 1;
    if (manifest.frames_made > frameCount) {
      const steps = `${frameCount - 1} of ${manifest.frames_made - 1} steps`;
      showNotice(`The recording was full: it holds the first ${steps}.`);
    }
    if (manifest.agents.length > 0) {
      this.offer("paths", "What of its way lies before each agent");
      this.show("paths", true);
    }
    if (manifest.fields.length > 0) {
      this.offer("fields", "Where wind, fluids and gravity of places act");
      this.show("fields", true);
    }
    offerGraphs(manifest.graphs);
    if (manifest.cells) {
      const fit = `an agent fits with ${manifest.cells.clearance} m around its middle`;
      this.offer("cells", `Leaves of the quadtree in which paths are found: where ${fit}, and filled where it does not`);
    }
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => this.setTheme(dark.matches ? "dark" : "light"));
    this.setTheme(dark.matches ? "dark" : "light");
    this.resize();
    this.fit();
    new ResizeObserver(() => this.resize()).observe(byId("stage"));
    new ResizeObserver(() => this.resize()).observe(byId("strip-frame"));
    const canvas = byId("world");
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      this.drawer.prepare();
      this.ask();
    });
    listen(this);
  }

  /** Asks for one drawing at the screen's next chance. */
  ask() {
    if (this.isAsked) return;
    this.isAsked = true;
    requestAnimationFrame((now) => {
      this.isAsked = false;
      this.tick(now);
    });
  }

  tick(now) {
    const started = performance.now();
    if (this.playing) this.advance(now);
    if (this.following && this.timeline.isThere[this.picked]) {
      [this.camera.x, this.camera.y] = this.timeline.toWorld(this.picked, [0, 0]);
    }
    this.draw();
    if (!this.playing || now - this.lastNumbers >= NUMBERS_EVERY_MS) {
      this.lastNumbers = now;
      this.showNumbers();
    }
    this.drawn++;
    this.drawMs = performance.now() - started;
    if (this.playing) this.ask();
  }

  advance(now) {
    // A page that was out of sight must not jump when it is seen again.
    const seconds = Math.min(0.1, (now - this.lastTick) / 1000);
    this.lastTick = now;
    this.position += (seconds * this.speed) / this.timeline.manifest.step_seconds;
    const last = this.timeline.frameCount - 1;
    this.timeline.go(Math.floor(Math.min(this.position, last)));
    if (this.position >= last) this.pause();
  }

  draw() {
    const { timeline, outlines, camera, palette, lines, picked } = this;
    collectLines(lines, { timeline, outlines, camera, palette, show: this.layers, picked });
    this.drawer.draw({ camera, palette, lines });
    this.strip.draw(timeline.frame);
  }

  showNumbers() {
    showClock(this.timeline);
    showPicked(this.timeline, this.picked, this.palette);
    showStages(this.timeline);
    showScale(this.camera);
  }

  resize() {
    const ratio = Math.min(2, devicePixelRatio || 1);
    const { clientWidth: width, clientHeight: height } = byId("stage");
    [this.camera.width, this.camera.height] = [Math.max(1, width), Math.max(1, height)];
    const canvas = byId("world");
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    this.strip.resize(byId("strip-frame").clientWidth, byId("strip-frame").clientHeight, ratio);
    this.strip.paint(this.palette);
    if (!this.hasMovedCamera) this.camera.fit(this.timeline, this.reaches);
    this.ask();
  }

  setTheme(name) {
    document.documentElement.dataset.theme = name;
    this.theme = name;
    this.palette = PALETTES[name];
    if (this.strip.ratio) this.strip.paint(this.palette);
    this.ask();
  }

  toggleTheme() {
    this.setTheme(this.theme === "dark" ? "light" : "dark");
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.timeline.frame === this.timeline.frameCount - 1) this.timeline.go(0);
    this.position = this.timeline.frame;
    this.lastTick = performance.now();
    this.setPlaying(true);
  }

  pause() {
    this.setPlaying(false);
    say(`paused at step ${this.timeline.frame}`);
  }

  setPlaying(playing) {
    this.playing = playing;
    document.body.classList.toggle("playing", playing);
    byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    this.ask();
  }

  /** Goes to a frame, and on playing from there if it plays. */
  seek(frame) {
    this.position = this.timeline.go(frame);
    this.ask();
  }

  stepBy(count) {
    if (this.playing) this.pause();
    this.seek(this.timeline.frame + count);
  }

  setSpeed(speed) {
    this.speed = speed;
    byId("speed").value = String(speed);
  }

  changeSpeed(direction) {
    const select = byId("speed");
    const index = Math.max(0, Math.min(select.options.length - 1, select.selectedIndex + direction));
    this.setSpeed(Number(select.options[index].value));
    say(`speed ${this.speed}`);
  }

  /** Shows the switch of a layer that not every recording has. */
  offer(layer, title) {
    const label = byId(`show-${layer}`).closest("label");
    label.hidden = false;
    label.title = title;
  }

  show(layer, on) {
    if (byId(`show-${layer}`).closest("label").hidden) return;
    this.layers[layer] = on;
    byId(`show-${layer}`).checked = on;
    this.ask();
  }

  pan(right, down) {
    this.hasMovedCamera = true;
    if (this.following) this.setFollow(false);
    this.camera.pan(right, down);
    this.ask();
  }

  zoom(factor, left, top) {
    this.hasMovedCamera = true;
    this.camera.zoom(factor, left, top);
    this.ask();
  }

  fit() {
    this.hasMovedCamera = false;
    this.setFollow(false);
    this.camera.fit(this.timeline, this.reaches);
    this.ask();
  }

  /** Picks the body at a place of the picture, within some pixels; none if there is none. */
  pickAt(left, top, pixels) {
    const place = this.camera.toWorld(left, top);
    this.pick(bodyAt(this.timeline, this.outlines, this.reaches, place, pixels / this.camera.scale));
  }

  pickNeighbor(direction) {
    this.pick(neighbor(this.timeline, this.picked, direction));
  }

  pick(body) {
    this.picked = body;
    if (body < 0) this.setFollow(false);
    else say(`${nameOf(this.timeline, body)}, ${stateOf(this.timeline, body)}`);
    this.ask();
  }

  setFollow(on) {
    this.following = on && this.picked >= 0;
    if (this.following) this.hasMovedCamera = true;
    byId("follow").checked = this.following;
    this.ask();
  }
}

/** WebGL2 where a graphics card answers, else Canvas2D. An address that ends in #webgl or #canvas takes just that. */
function drawerOn(canvas, timeline, outlines) {
  const wanted = location.hash;
  const useWebgl = wanted === "#webgl" || (wanted !== "#canvas" && WebglDrawer.isFast());
  return (useWebgl ? WebglDrawer : CanvasDrawer).on(canvas, timeline, outlines);
}

try {
  const [manifest, frames] = await Promise.all([bytesOf("manifest"), bytesOf("frames")]);
  const viewer = new Viewer(JSON.parse(new TextDecoder().decode(manifest)), frames);
  viewer.start();
  // For the browser's console: `replay.timeline.place`, `replay.seek(100)` and so on.
  globalThis.replay = viewer;
} catch (error) {
  showNotice(`This recording cannot be shown here: ${error.message}`);
  throw error;
}
