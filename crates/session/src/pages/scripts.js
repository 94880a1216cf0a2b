// The scene's scripts and node graphs: read, changed while the world runs, and where one is wrong the line.

/** How high a line of the text is, in pixels, as the style has it. */
const SCRIPT_LINE_PIXELS = 18;

class Scripts {
  constructor(viewer) {
    this.viewer = viewer;
    this.texts = new Map();
    /** The names of those that are node graphs. */
    this.graphs = new Set();
    /** The script that was sent, by name and text, until the server has answered to it. */
    this.sent = null;
    /** How often the scripts were asked for without an answer yet. */
    this.asked = 0;
    byId("scripts").addEventListener("click", () => {
      this.ask();
      byId("scripts-dialog").showModal();
    });
    byId("script-choice").addEventListener("change", () => this.show());
    byId("script-apply").addEventListener("click", () => this.apply());
    const text = byId("script-text");
    text.addEventListener("input", () => this.number());
    text.addEventListener("scroll", () => {
      byId("script-lines").scrollTop = text.scrollTop;
    });
    text.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.apply();
    });
  }

  /** Another world has other scripts. */
  begin() {
    [this.sent, this.asked] = [null, 0];
    this.ask();
  }

  ask() {
    this.asked++;
    this.viewer.send({ do: "scripts" });
  }

  /** Scripts and graphs as the server has them. What somebody is writing stays. */
  offer({ scripts, graphs }) {
    const choice = byId("script-choice");
    const [before, written] = [choice.value, byId("script-text").value];
    const isOther = written !== (this.texts.get(before) ?? "");
    // A text area has no other ends of lines.
    const all = [...scripts, ...graphs.map(({ name, text }) => [name, text])];
    this.texts = new Map(all.map(([name, text]) => [name, text.replace(/\r\n?/g, "\n")]));
    this.graphs = new Set(graphs.map(({ name }) => name));
    offerGraphs(graphs, (name) => this.viewer.watchGraph(name));
    byId("scripts").hidden = all.length === 0;
    choice.replaceChildren(...all.map(([name]) => new Option(this.graphs.has(name) ? `${name} (node graph)` : name, name)));
    if (this.texts.has(before)) choice.value = before;
    if (!isOther || !this.texts.has(before)) this.show();
    this.asked = Math.max(0, this.asked - 1);
    if (this.asked > 0 || this.sent === null) return;
    const { name, text } = this.sent;
    this.sent = null;
    if (this.texts.get(name) === text && choice.value === name) this.say("It runs from now on. Write keeps it in the file.", null);
  }

  show() {
    byId("script-text").value = this.texts.get(byId("script-choice").value) ?? "";
    this.say("", null);
  }

  apply() {
    const [name, text] = [byId("script-choice").value, byId("script-text").value];
    if (!this.texts.has(name)) return;
    this.sent = { name, text };
    this.viewer.act({ act: this.graphs.has(name) ? "graph" : "script", name, text });
    // The answer tells whether it was taken.
    this.ask();
  }

  /** Shows an error where the script stands, if it is about one that was sent. */
  takes(text) {
    if (this.sent === null || !byId("scripts-dialog").open) return false;
    const isShown = this.sent.name === byId("script-choice").value;
    this.sent = null;
    const line = isShown ? /line (\d+)/.exec(text) : null;
    this.say(text, line ? Number(line[1]) : null, true);
    return true;
  }

  say(text, line, isWrong = false) {
    const said = byId("script-said");
    said.textContent = text;
    said.classList.toggle("wrong", isWrong);
    this.number(line);
    if (line !== null) byId("script-text").scrollTop = Math.max(0, (line - 4) * SCRIPT_LINE_PIXELS);
  }

  /** The numbers of the lines, one of them marked. */
  number(wrong = null) {
    const text = byId("script-text");
    const count = text.value.split("\n").length;
    const lines = Array.from({ length: count }, (_, index) => {
      const line = document.createElement("span");
      line.textContent = String(index + 1);
      if (index + 1 === wrong) line.className = "wrong";
      return [line, "\n"];
    });
    byId("script-lines").replaceChildren(...lines.flat());
    byId("script-lines").scrollTop = text.scrollTop;
  }
}
