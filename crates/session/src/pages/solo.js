// The session is in the page itself: the engine as a module, in a worker so that drawing never waits for it.

/** What the page shows for a server alone, or for a clock, which the module has none of. */
const NOT_HERE = "#scenes, #open, #write, #stage-times, li:has(#download-replay), li:has(#download-recording)";

/** A module for pages knows no time: how long steps took is not told. */
const HAS_CLOCK = false;

/** What was done with the scene and its edits. */
const WRITTEN = "The scene was downloaded";

/** The worker with the session: `hear` is called with each message, texts as objects and frames as a head and bytes. */
class Connection {
  constructor(hear) {
    this.hear = hear;
    for (const element of document.querySelectorAll(NOT_HERE)) element.hidden = true;
    byId("write-key").textContent = "download the scene with what was edited";
    const texts = [byId("unpack").textContent, byId("worker").textContent];
    const program = new Blob(texts, { type: "text/javascript" });
    this.worker = new Worker(URL.createObjectURL(program));
    this.worker.addEventListener("message", ({ data }) => this.take(data));
    this.worker.addEventListener("error", (event) => showNotice(`The engine cannot be started here: ${event.message}`));
    this.open().catch((error) => showNotice(`This page cannot be shown here: ${error.message}`));
  }

  async open() {
    this.scene = JSON.parse(new TextDecoder().decode(await bytesOf("scene-data")));
    // The worker unpacks it, which takes longer than a page may stand.
    const module = byId("module");
    this.worker.postMessage({ module: module.textContent, scene: this.scene });
    module.remove();
  }

  /** The pictures of the scene's tiles, as bytes of JSON. */
  pictures() {
    return bytesOf("pictures");
  }

  take({ is, bytes, text }) {
    if (is === "failed") return showNotice(`The engine has failed and stands: ${text}`);
    if (is === "told") return this.hear(JSON.parse(text));
    if (is !== "frame") return this.save(is, bytes);
    const length = new DataView(bytes.buffer).getUint32(0, true);
    const head = new TextDecoder().decode(bytes.subarray(4, 4 + length));
    this.hear({ is: "frame", ...JSON.parse(head) }, bytes.subarray(4 + length));
  }

  send(request) {
    if (request.do === "write") this.worker.postMessage({ file: "scene" });
    else this.worker.postMessage({ request: JSON.stringify(request) });
  }

  /** The module has no player of recordings: docs/play.md says why. */
  async openRecording() {
    throw new Error("this page plays its scene alone. `tombolo replay FILE --page PAGE` makes a page of a recording, and the page of `tombolo play` opens one");
  }

  /** What links of the page download. */
  offerFiles() {
    for (const file of FILES) {
      byId(`download-${file}`).href = "#";
      byId(`download-${file}`).addEventListener("click", (event) => {
        event.preventDefault();
        this.worker.postMessage({ file });
      });
    }
  }

  /** Hands a file of the session to the browser. */
  save(file, bytes) {
    const ending = { session: "jsonl", scene: "ron", save: "tombolo" }[file];
    saveAs(new Blob([bytes]), `${this.scene.name}.${ending}`);
  }
}
