// The scene's scripts: read, changed while the world runs, and where one is wrong the line.

/** How high a line of the text is, in pixels, as the style has it. */
const SCRIPT_LINE_PIXELS = 18;

class Scripts {
  constructor(viewer) {
    this.viewer = viewer;
    this.texts = new Map();
    /** How many actions could be undone when a text was sent that the server has not answered to. */
    this.sent = null;
    byId("scripts").addEventListener("click", () => {
      viewer.send({ do: "scripts" });
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

  /** The scripts as the server has them. What somebody is writing stays. */
  offer(scripts) {
    const choice = byId("script-choice");
    const [before, written] = [choice.value, byId("script-text").value];
    const isOther = written !== (this.texts.get(before) ?? "");
    this.texts = new Map(scripts);
    byId("scripts").hidden = scripts.length === 0;
    choice.replaceChildren(...scripts.map(([name]) => new Option(name)));
    if (this.texts.has(before)) choice.value = before;
    if (!isOther || !this.texts.has(before)) this.show();
  }

  show() {
    byId("script-text").value = this.texts.get(byId("script-choice").value) ?? "";
    this.say("", null);
  }

  apply() {
    const [name, text] = [byId("script-choice").value, byId("script-text").value];
    if (!this.texts.has(name)) return;
    this.sent = this.viewer.undoCounts[0];
    this.viewer.act({ act: "script", name, text });
  }

  /** So many actions can be undone now: if there is one more the script was taken. */
  hear(count) {
    if (this.sent === null || count <= this.sent) return;
    this.sent = null;
    this.texts.set(byId("script-choice").value, byId("script-text").value);
    this.say("It runs from now on. Write keeps it in the file.", null);
  }

  /** Shows an error where the script stands, if it is about one that was sent. */
  takes(text) {
    if (this.sent === null || !byId("scripts-dialog").open) return false;
    this.sent = null;
    const line = /line (\d+)/.exec(text);
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
