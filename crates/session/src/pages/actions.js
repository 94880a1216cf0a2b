// From devices to the scene's actions: keys, gamepads, the pointer, and buttons on the picture for fingers. The server's world
// keeps what was sent last.

/** A stick that is nearer to its middle rests. */
const STICK_RESTS = 0.15;

/** Values and places of the pointer are sent in hundredths. */
const HUNDREDTHS = 100;

class Actions {
  constructor(viewer) {
    this.viewer = viewer;
    this.actions = [];
    /** Codes of keys that are down. */
    this.keys = new Set();
    /** Buttons on the picture that are down, by pointer: the action and the value that each gives; the last pressed counts. */
    this.fingers = new Map();
    /** Where the pointer is in the world, and whether it is down; `null` before it was seen. */
    this.pointer = null;
    /** What the world has, as far as it is known here. */
    this.sent = new Map();
    // Before all others: a key that the scene has is no shortcut of the page's while it plays.
    addEventListener("keydown", (event) => this.keyDown(event), true);
    addEventListener("keyup", (event) => this.keyUp(event), true);
    addEventListener("blur", () => this.letGo());
    const canvas = byId("world");
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return viewer.camera.toWorld(event.clientX - box.left, event.clientY - box.top);
    };
    const note = (event, isDown) => {
      if (!this.actions.some(({ pointer }) => pointer)) return;
      const [x, y] = at(event);
      this.pointer = { x, y, down: isDown ?? this.pointer?.down ?? 0 };
      // Where it moves is told once for each frame of the world.
      if (isDown !== undefined) this.update();
    };
    canvas.addEventListener("pointermove", (event) => note(event));
    canvas.addEventListener("pointerdown", (event) => note(event, 1));
    canvas.addEventListener("pointerup", (event) => note(event, 0));
    canvas.addEventListener("pointercancel", (event) => note(event, 0));
  }

  /** Another world has other actions. */
  offer(actions) {
    this.actions = actions;
    this.keys.clear();
    this.fingers.clear();
    this.pointer = null;
    this.sent.clear();
    const gap = document.createElement("span");
    gap.className = "gap";
    const axes = actions.filter((action) => action.is_axis);
    const buttons = actions.filter(({ is_axis, pointer }) => !is_axis && pointer !== "x" && pointer !== "y");
    const pairs = axes.flatMap((action) => [this.button(action, -1, `− ${action.name}`), this.button(action, 1, `${action.name} +`)]);
    byId("actions").replaceChildren(...pairs, gap, ...buttons.map((action) => this.button(action, 1, action.name)));
    byId("actions").hidden = actions.length === 0;
  }

  /** A button that gives a value as long as it is held. */
  button({ name, keys, less }, value, text) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.dataset.action = `${name} ${value}`;
    button.tabIndex = -1;
    const by = value > 0 ? keys : less;
    button.title = by.length > 0 ? `${name}: ${by.join(", ")}` : name;
    button.setAttribute("aria-pressed", "false");
    const show = () => {
      const isHeld = [...this.fingers.values()].some((finger) => finger.button === button);
      button.setAttribute("aria-pressed", String(isHeld));
      this.update();
    };
    button.addEventListener("pointerdown", (event) => {
      button.setPointerCapture(event.pointerId);
      event.preventDefault();
      this.fingers.set(event.pointerId, { button, name, value });
      show();
    });
    for (const end of ["pointerup", "pointercancel"]) {
      button.addEventListener(end, (event) => {
        this.fingers.delete(event.pointerId);
        show();
      });
    }
    return button;
  }

  keyDown(event) {
    const { viewer } = this;
    if (!viewer.playing || !viewer.hasControl || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]") || event.target.matches("select, textarea, input[type=text], input[type=search]")) return;
    if (!this.actions.some(({ keys, less }) => keys.includes(event.code) || less.includes(event.code))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.keys.add(event.code);
    this.update();
  }

  keyUp(event) {
    if (!this.keys.delete(event.code)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.update();
  }

  /** Nobody looks at the page: nothing is held. */
  letGo() {
    this.keys.clear();
    this.fingers.clear();
    if (this.pointer) this.pointer.down = 0;
    for (const button of byId("actions").querySelectorAll("button")) button.setAttribute("aria-pressed", "false");
    this.update();
  }

  /** The world begins to play or stands, and has these values. */
  takeOver(inputs) {
    this.sent = new Map(inputs);
    if (!this.viewer.playing) this.keys.clear();
  }

  /** Sends what has changed, while the world plays: one that stands is told when it goes on. */
  update() {
    const { viewer } = this;
    if (this.actions.length === 0 || !viewer.playing || !viewer.hasControl || !viewer.hasBegun) return;
    const pads = [...(navigator.getGamepads?.() ?? [])].filter((pad) => pad?.connected);
    for (const action of this.actions) {
      const value = Math.round(this.valueOf(action, pads) * HUNDREDTHS) / HUNDREDTHS;
      if (value === (this.sent.get(action.name) ?? 0)) continue;
      this.sent.set(action.name, value);
      viewer.act({ act: "input", name: action.name, value });
    }
  }

  /** What an action's devices give. */
  valueOf({ name, keys, less, buttons, less_buttons: lessButtons, stick, pointer }, pads) {
    if (pointer === "x" || pointer === "y") return this.pointer?.[pointer] ?? this.sent.get(name) ?? 0;
    const isDown = (codes) => codes.some((code) => this.keys.has(code));
    const isPressed = (numbers) => pads.some((pad) => numbers.some((number) => pad.buttons[number]?.pressed));
    let value = [...this.fingers.values()].findLast((finger) => finger.name === name)?.value ?? 0;
    value += isDown(keys) - isDown(less) + isPressed(buttons) - isPressed(lessButtons);
    if (pointer === "down") value += this.pointer?.down ?? 0;
    for (const pad of stick === undefined ? [] : pads) {
      const tilt = pad.axes[stick] ?? 0;
      // Up is negative on gamepads.
      if (Math.abs(tilt) > STICK_RESTS) value += stick % 2 === 1 ? -tilt : tilt;
    }
    return Math.max(-1, Math.min(1, value));
  }
}
