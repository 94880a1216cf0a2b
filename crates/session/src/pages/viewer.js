// The viewer: what is shown and when it is drawn, of a recording and of a live world alike. Nothing is drawn while nothing
// changes.

/** While it plays, numbers change this often, in milliseconds; faster they can't be read. */
const NUMBERS_EVERY_MS = 100;

class Viewer {
  /** `timeline` is a `State` that stands at a frame; `figures` has a column for each row of the strip. */
  constructor(timeline, figures, rows) {
    this.strip = new Strip(byId("strip"), figures, rows);
    this.camera = new Camera();
    this.lines = new Lines();
    this.layers = { contacts: false, joints: true, boxes: false, velocities: false, paths: false, cells: false, fields: false,
      colors: false, pictures: false };
    /** What the tiles of a map look like; `null` without one. */
    this.pictures = null;
    this.following = false;
    /** Until someone pans or zooms, everything is kept in sight when the window changes. */
    this.hasMovedCamera = false;
    this.playing = false;
    this.lastNumbers = 0;
    this.isAsked = false;
    /** Frames drawn since the page was opened, and the milliseconds that the last one took. */
    this.drawn = 0;
    this.drawMs = 0;
    this.drawer = drawerOn(byId("world"));
    if (!this.drawer) throw new Error("there is no way to draw");
    this.watch(timeline);
  }

  /** Shows another timeline from now on. */
  watch(timeline) {
    this.timeline = timeline;
    this.picked = -1;
    this.reaches = [];
    this.pictures?.forget();
    this.grow();
  }

  /** Takes in what the timeline's manifest has got. */
  grow() {
    const { bodies } = this.timeline.manifest;
    for (let body = this.reaches.length; body < bodies.length; body++) {
      this.reaches.push(reachOf(bodies[body], this.timeline.outlines));
    }
    this.pictures?.grow(this.timeline);
    this.drawer.show(this.timeline);
  }

  /** Shows pictures of tiles from now on, or none. */
  showPictures(pictures) {
    this.pictures = pictures?.isEmpty === false ? pictures : null;
    this.pictures?.grow(this.timeline);
    if (this.pictures) this.offer("pictures", "What the map's tiles look like in its editor", true);
    else byId("show-pictures").closest("label").hidden = true;
    this.ask();
  }

  start() {
    const { manifest } = this.timeline;
    byId("scene").textContent = manifest.scene;
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

  /** Offers the layers that not every world has. */
  offerLayers() {
    const { agents, fields, cells } = this.timeline.manifest;
    if (agents.length > 0) this.offer("paths", "What of its way lies before each agent", true);
    if (fields.length > 0) this.offer("fields", "Where wind, fluids and gravity of places act, and where zones lie", true);
    if (cells) {
      const fit = `an agent fits with ${cells.clearance} m around its middle`;
      this.offer("cells", `Leaves of the quadtree in which paths are found: where ${fit}, and filled where it does not`);
    }
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
    this.advance(now);
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
  }

  draw() {
    const { timeline, camera, palette, lines, picked } = this;
    const { outlines } = timeline;
    collectLines(lines, { timeline, outlines, camera, palette, show: this.layers, picked });
    this.addLines(lines);
    this.drawer.draw({ camera, palette, lines, pictures: this.layers.pictures ? this.pictures : null });
    this.strip.draw(timeline.frame);
  }

  /** What a pointer that is pressed at a place of the picture does, if it does not move the picture: an object that is told
   *  of its moves, its end, or that it means something else after all; `takesClick` if a click is not to pick a body. */
  beginStroke() {
    return null;
  }

  /** Goes on to the moment that is drawn, at a time of the screen's in milliseconds. */
  advance() {}

  /** Adds what else is drawn over the world. */
  addLines() {}

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

  setPlaying(playing) {
    this.playing = playing;
    document.body.classList.toggle("playing", playing);
    byId("play").setAttribute("aria-label", playing ? "Pause" : "Play");
    this.ask();
  }

  stepBy(count) {
    if (this.playing) this.pause();
    this.seek(this.timeline.frame + count);
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  changeSpeed(direction) {
    const select = byId("speed");
    const index = Math.max(0, Math.min(select.options.length - 1, select.selectedIndex + direction));
    this.setSpeed(Number(select.options[index].value));
    say(`speed ${select.value}`);
  }

  /** Shows the switch of a layer that not every world has, and switches it on the first time if that is wanted. */
  offer(layer, title, on = false) {
    const label = byId(`show-${layer}`).closest("label");
    if (!label.hidden) return;
    const isNew = label.title !== title;
    label.hidden = false;
    label.title = title;
    if (on && isNew) this.show(layer, true);
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
    this.pick(bodyAt(this.timeline, this.timeline.outlines, this.reaches, place, pixels / this.camera.scale));
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
function drawerOn(canvas) {
  const wanted = location.hash;
  const useWebgl = wanted === "#webgl" || (wanted !== "#canvas" && WebglDrawer.isFast());
  return (useWebgl ? WebglDrawer : CanvasDrawer).on(canvas);
}
