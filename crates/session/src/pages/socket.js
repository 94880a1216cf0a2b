// The session is in the server that the page came from.

/** A lost server is looked for again so often, in milliseconds. */
const AGAIN_EVERY_MS = 1000;

/** So many bytes of a recording are taken, as crates/cli/src/play/opened.rs says. */
const RECORDING_BYTES_MAX = 64 * 2 ** 20;

/** The server measures how long steps take. */
const HAS_CLOCK = true;

/** What was done with the scene and its edits. */
const WRITTEN = "Written into the scene's file";

/** The connection to the server: `hear` is called with each message, texts as objects and frames as a head and bytes. */
class Connection {
  constructor(hear) {
    this.hear = hear;
    this.isOpen = false;
    this.open();
  }

  open() {
    const socket = new WebSocket(`ws://${location.host}/socket${location.search}`);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => {
      this.isOpen = true;
      hideNotice();
    });
    socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string") return this.hear(JSON.parse(data));
      const length = new DataView(data).getUint32(0, true);
      const head = new TextDecoder().decode(new Uint8Array(data, 4, length));
      this.hear({ is: "frame", ...JSON.parse(head) }, new Uint8Array(data, 4 + length));
    });
    socket.addEventListener("close", () => {
      this.isOpen = false;
      showNotice("The server does not answer. It is asked again until it does.");
      setTimeout(() => this.open(), AGAIN_EVERY_MS);
    });
    this.socket = socket;
  }

  send(request) {
    if (this.isOpen) this.socket.send(JSON.stringify(request));
  }

  /** The pictures of the scene's tiles, as bytes of JSON. */
  async pictures() {
    const answer = await fetch(`/pictures${location.search}`);
    if (!answer.ok) throw new Error(await answer.text());
    return answer.arrayBuffer();
  }

  /** Has the server play a recording, and goes to the page of that. */
  async openRecording(file) {
    if (file.size > RECORDING_BYTES_MAX) throw new Error(`it has ${file.size} bytes; ${RECORDING_BYTES_MAX} are taken`);
    const name = encodeURIComponent(file.name.replace(/\.[^.]*$/, ""));
    const answer = await fetch(`/open${location.search}&name=${name}`, { method: "POST", body: file });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text.trim());
    location.assign(`/opened${location.search}&number=${text}`);
  }

  /** What links of the page download. */
  offerFiles() {
    for (const file of FILES) byId(`download-${file}`).href = `/${file}${location.search}`;
  }
}
