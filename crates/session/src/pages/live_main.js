// The live page: a world that runs in a session, watched, stopped, gone back in, and changed. The session is in a server
// (socket.js) or in the page (solo.js).

/** Files of the session to download. */
const FILES = ["replay", "session", "recording", "scene", "save"];

/** The strip's rows: as of a recording, but for contacts, which a session counts only where they are solved. */
const LIVE_ROWS = [
  ...STRIP_ROWS.filter(({ name }) => name !== "contacts" && (name !== "step" || HAS_CLOCK)),
  { name: "contacts", column: "constraints", label: "solved", show: String },
];

/** While it plays, the strip's rows are drawn anew so often, in milliseconds. */
const PAINT_EVERY_MS = 250;

class Live extends Viewer {
  constructor() {
    const state = new LiveState(structuredClone(NO_WORLD));
    super(state, state.figures, LIVE_ROWS);
    /** Of the state that is shown, while it stands. */
    this.hash = "";
    this.hasControl = false;
    this.undoCounts = [0, 0];
    /** Whether something was edited that the scene's file does not have. */
    this.isUnwritten = false;
    /** The node graph that is looked at, and the step up to which it is known what ran. */
    this.graph = null;
    this.ranUntil = 0;
    /** The entity that is looked at, with or without a body, by its handle's number. */
    this.selected = null;
    /** Where the session was asked to go, and where it shall be asked to go when it is there. */
    this.seeking = null;
    this.nextSeek = null;
    /** Frames that were taken in and not drawn yet. */
    this.undrawn = 0;
    this.painted = 0;
    this.hasBegun = false;
    /** The state that the world had when it began. */
    this.begun = null;
    this.tools = new Tools(this);
    this.inspector = new Inspector(this);
    this.actions = new Actions(this);
    this.scripts = new Scripts(this);
  }

  start() {
    super.start();
    listenLive(this);
    this.connection = new Connection((told, bytes) => this.hear(told, bytes));
    this.connection.offerFiles();
  }

  send(request) {
    this.connection.send(request);
  }

  /** Does something to the world. */
  act(action) {
    this.send({ do: "act", action });
  }

  hear(told, bytes) {
    switch (told.is) {
      case "gallery":
        fillGallery(this, told.scenes);
        if (!this.hasBegun) byId("gallery").showModal();
        this.sendLayers();
        break;
      case "start":
        this.begin(told);
        break;
      case "frame":
        this.takeFrame(told, bytes);
        break;
      case "entities":
        this.inspector.showList(told);
        break;
      case "entity":
        this.inspector.show(told);
        break;
      case "gone":
        this.select(null);
        break;
      case "log":
        showLog(told);
        break;
      case "ran":
        this.showGraphRuns(told);
        break;
      case "hash":
        this.toldHash = told;
        break;
      case "scripts":
        this.scripts.offer(told);
        break;
      case "written":
        showError(`${WRITTEN}${told.left_out.length === 0 ? "." : ` but for these:\n${told.left_out.join("\n")}`}`);
        break;
      case "error":
        if (!this.scripts.takes(told.text)) showError(told.text);
        // A value that was refused is not the world's.
        this.inspector.showAgain();
        [this.seeking, this.nextSeek] = [null, null];
        break;
    }
  }

  /** Another world, or the same one without the bodies that are gone. */
  begin({ again, manifest, resources, kinds, actions }) {
    const state = new LiveState(manifest);
    this.strip.figures = state.figures;
    // What it holds may be gone, or another's.
    this.tools.cancel();
    if (again) {
      this.watch(state);
      return;
    }
    this.hasBegun = false;
    this.selected = null;
    [this.seeking, this.nextSeek] = [null, null];
    this.watch(state);
    byId("scene").textContent = manifest.scene;
    document.title = `${manifest.scene} · Tombolo`;
    offerGraphs(manifest.graphs, (name) => this.watchGraph(name));
    this.tools.offer(resources);
    this.actions.offer(actions);
    this.scripts.begin();
    this.inspector.clear();
    this.inspector.offer(kinds);
    this.askForPictures(state);
    showLog({ printed: [], faults: [] });
    hideNotice();
  }

  /** Shows the pictures of a world that has begun, unless another one has by the time that they are here. */
  async askForPictures(state) {
    this.begun = state;
    this.showPictures(null);
    try {
      const pictures = await picturesOf(await this.connection.pictures());
      if (this.begun === state) this.showPictures(pictures);
    } catch (error) {
      showError(`The pictures of tiles cannot be shown: ${error.message}`);
    }
  }

  takeFrame(head, bytes) {
    const { timeline } = this;
    const known = timeline.bodyCount;
    timeline.take(head, bytes);
    if (timeline.bodyCount > known) this.grow();
    this.strip.first = head.oldest;
    if (head.undo.join() !== this.undoCounts.join()) this.inspector.searchSoon();
    this.undoCounts = head.undo;
    this.isUnwritten = head.unwritten;
    // What is held was let go of when another page took control.
    if (head.has_control && !this.hasControl) this.actions.takeOver(head.inputs ?? []);
    this.hasControl = head.has_control;
    this.hash = head.hash ?? "";
    this.watchers = head.watchers;
    this.setSpeedShown(head.speed);
    if (head.playing !== this.playing) {
      this.setPlaying(head.playing);
      this.actions.takeOver(head.inputs ?? []);
    }
    this.actions.update();
    this.seeking = null;
    if (this.nextSeek !== null) this.seek(this.nextSeek);
    // The body that is looked at may be another one of the same entity.
    if (this.selected && !timeline.isThere[this.picked]) this.picked = timeline.bodyOf(this.selected);
    if (!this.hasBegun) {
      this.hasBegun = true;
      byId("gallery").close();
      this.hasMovedCamera = false;
      this.camera.fit(timeline, this.reaches);
      this.inspector.search();
    }
    this.offerLayers();
    this.undrawn++;
    this.ask();
  }

  draw() {
    const now = performance.now();
    if (!this.playing || now - this.painted >= PAINT_EVERY_MS) {
      this.painted = now;
      this.strip.paint(this.palette);
    }
    super.draw();
    for (; this.undrawn > 0; this.undrawn--) this.send({ do: "ready" });
  }

  addLines(lines) {
    this.tools.addLines(lines, this.palette);
  }

  showNumbers() {
    super.showNumbers();
    const { timeline, undoCounts } = this;
    const watchers = this.watchers > 1 ? ` · ${this.watchers} pages` : "";
    byId("about").textContent = this.hasBegun ? `${timeline.isThere.reduce((sum, one) => sum + one, 0)} bodies · live${watchers}` : "";
    byId("hash").textContent = this.hash && `state ${this.hash}`;
    const scrub = byId("scrub");
    scrub.min = timeline.firstFrame;
    scrub.max = timeline.firstFrame + timeline.frameCount - 1;
    scrub.value = timeline.frame;
    byId("undo").disabled = undoCounts[0] === 0;
    byId("redo").disabled = undoCounts[1] === 0;
    byId("write").disabled = !this.isUnwritten;
    byId("graph-play").textContent = this.playing ? "Pause" : "Play";
    byId("control").hidden = this.hasControl || !this.hasBegun;
  }

  /** Looks at a node graph, or at none. */
  watchGraph(name) {
    this.graph = name;
    byId("graph-steps").hidden = false;
    this.send({ do: "graph", name });
  }

  /** What ran: while the world stands in the step that is shown, else since it was last told. */
  showGraphRuns({ graph, step, nodes }) {
    if (graph !== this.graph) return;
    const since = this.playing && this.ranUntil < step ? this.ranUntil : step - 1;
    this.ranUntil = step;
    showRuns(nodes, since);
    byId("graph-clock").textContent = `step ${step}`;
  }

  play() {
    this.send({ do: "play" });
  }

  pause() {
    this.send({ do: "pause" });
    say(`paused at step ${this.timeline.frame}`);
  }

  /** Goes to a step of the past; where the session is still on its way to another, then. */
  seek(step) {
    const { firstFrame, frameCount, frame } = this.timeline;
    const wanted = Math.max(firstFrame, Math.min(firstFrame + frameCount - 1, Math.round(step)));
    if (this.seeking !== null) {
      this.nextSeek = wanted;
      return;
    }
    this.nextSeek = null;
    if (wanted === frame && !this.playing) return;
    this.seeking = wanted;
    this.send({ do: "seek", step: wanted });
  }

  /** The newest step is followed by another one. */
  stepBy(count) {
    const { firstFrame, frameCount, frame } = this.timeline;
    const isNewest = frame === firstFrame + frameCount - 1;
    if (count < 0 || !isNewest) return this.seek(frame + count);
    for (let step = 0; step < count; step++) this.send({ do: "step" });
  }

  setSpeed(speed) {
    this.setSpeedShown(speed);
    this.send({ do: "speed", speed });
  }

  setSpeedShown(speed) {
    if (speed !== Number(byId("speed").value)) byId("speed").value = String(speed);
  }

  show(layer, on) {
    super.show(layer, on);
    this.sendLayers();
  }

  sendLayers() {
    const { contacts, boxes, cells, colors } = this.layers;
    // Colors of contacts are shown where those are.
    this.connection?.send({ do: "layers", contacts: contacts || colors, boxes, cells, colors });
  }

  beginStroke(place, touch) {
    return this.hasBegun && this.hasControl ? this.tools.begin(place, touch) : null;
  }

  pick(body) {
    super.pick(body);
    this.select(body < 0 ? null : this.timeline.entities[body]);
  }

  /** Looks at an entity. */
  select(entity) {
    this.selected = entity;
    this.picked = entity === null ? -1 : this.timeline.bodyOf(entity);
    if (this.picked < 0 && this.following) this.setFollow(false);
    this.send({ do: "select", entity });
    this.inspector.expect(entity);
    this.ask();
  }
}

/** What the live page has beside the controls of both pages. */
function listenLive(viewer) {
  const click = (id, act) => byId(id).addEventListener("click", act);
  click("undo", () => viewer.send({ do: "undo" }));
  click("redo", () => viewer.send({ do: "redo" }));
  click("write", () => viewer.send({ do: "write" }));
  click("reset", () => viewer.send({ do: "reset" }));
  click("take-control", () => viewer.send({ do: "control" }));
  click("scenes", () => byId("gallery").showModal());
  click("share", () => byId("share-dialog").showModal());
  click("open", () => byId("open-file").click());
  byId("open-file").addEventListener("change", ({ target }) => {
    openRecording(viewer, target.files[0]);
    // The same file may be chosen again.
    target.value = "";
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    openRecording(viewer, event.dataTransfer.files[0]);
  });
  click("picture", () => savePicture(viewer));
  click("graph-play", () => viewer.toggle());
  click("graph-step", () => viewer.stepBy(1));
  addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]") || event.target.matches("select, textarea, input[type=text], input[type=search]")) return;
    const key = event.key.toLowerCase();
    const isUndo = (event.ctrlKey || event.metaKey) && key === "z";
    const isWrite = (event.ctrlKey || event.metaKey) && key === "s";
    if (isWrite) viewer.send({ do: "write" });
    else if ((event.ctrlKey || event.metaKey) && key === "d") viewer.inspector.duplicate();
    else if (isUndo) viewer.send({ do: event.shiftKey ? "redo" : "undo" });
    else if (key === "k" && !event.ctrlKey && !event.metaKey) viewer.toggle();
    else if (key === "delete" && viewer.selected) viewer.act({ act: "despawn", entity: viewer.selected });
    else if (!event.ctrlKey && !event.metaKey && TOOL_KEYS[key]) viewer.tools.choose(TOOL_KEYS[key]);
    else return;
    event.preventDefault();
  });
}

/** Plays a recording's file on a page of its own, or says why not. */
async function openRecording(viewer, file) {
  if (!file) return;
  showNotice(`${file.name} is played…`);
  try {
    await viewer.connection.openRecording(file);
  } catch (error) {
    showError(`${file.name} cannot be opened: ${error.message}`);
  }
}

/** The picture as the page shows it, as a file. */
function savePicture(viewer) {
  viewer.draw();
  byId("world").toBlob((blob) => saveAs(blob, `${viewer.timeline.manifest.scene}-${viewer.timeline.frame}.png`));
}

/** Hands bytes to the browser as a file. */
function saveAs(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** A card for each scene. */
function fillGallery(viewer, scenes) {
  byId("gallery-scenes").replaceChildren(...scenes.map((scene) => {
    const card = document.createElement("button");
    card.type = "button";
    card.className = "card";
    const picture = document.createElement("img");
    picture.loading = "lazy";
    picture.alt = "";
    picture.src = `/picture${location.search}&scene=${encodeURIComponent(scene)}`;
    const name = document.createElement("span");
    name.textContent = scene.replace(/\.ron$/, "");
    card.append(picture, name);
    card.addEventListener("click", () => {
      viewer.send({ do: "open", scene });
      byId("gallery").close();
    });
    return card;
  }));
}

/** What scripts have printed and what went wrong. */
function showLog({ printed, faults }) {
  const line = (kind) => (text) => {
    const item = document.createElement("li");
    item.className = kind;
    item.textContent = text;
    return item;
  };
  for (const id of ["log-lines", "script-log"]) {
    const list = byId(id);
    list.replaceChildren(...faults.map(line("fault")), ...printed.map(line("printed")));
    list.scrollTop = list.scrollHeight;
  }
  byId("log").hidden = faults.length + printed.length === 0;
}

/** An error is shown until it was read. */
let errorTimer = 0;
function showError(text) {
  showNotice(text);
  say(text);
  clearTimeout(errorTimer);
  errorTimer = setTimeout(hideNotice, 2000 + 60 * text.length);
}

const viewer = new Live();
// For the browser's console: `live.timeline.place`, `live.send({ do: "play" })` and so on.
globalThis.live = viewer;
viewer.start();
