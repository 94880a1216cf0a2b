// Entities by name, and every property of one, to be read and set while the world runs.

/** After what may have changed which entities there are, the list is asked for after so many milliseconds. */
const SEARCH_AFTER_MS = 150;

/** A field that is left shows the world's value after so many milliseconds: one that was typed may be it by then. */
const SHOWN_AFTER_MS = 500;

class Inspector {
  constructor(viewer) {
    this.viewer = viewer;
    this.searching = 0;
    /** The entity whose properties stand there, and the elements that show them, by path. */
    this.entity = null;
    this.fields = new Map();
    /** Which components and properties they are. */
    this.shape = "";
    /** Components that somebody has opened. */
    this.opened = new Set(["body"]);
    byId("search").addEventListener("input", () => this.searchSoon());
    byId("duplicate").addEventListener("click", () => this.duplicate());
    byId("add-component").addEventListener("submit", (event) => {
      event.preventDefault();
      const kind = byId("component-kind").value;
      const name = byId("component-name").value || kind.toLowerCase();
      this.opened.add(name);
      viewer.act({ act: "add_component", entity: this.entity, kind, name });
      byId("component-name").value = "";
    });
    byId("despawn").addEventListener("click", () => {
      if (this.entity) viewer.act({ act: "despawn", entity: this.entity });
      this.searchSoon();
    });
  }

  search() {
    this.viewer.send({ do: "list", search: byId("search").value });
  }

  searchSoon() {
    clearTimeout(this.searching);
    this.searching = setTimeout(() => this.search(), SEARCH_AFTER_MS);
  }

  showList({ rows, count }) {
    byId("entity-list").replaceChildren(...rows.map(({ entity, name, depth }) => {
      const item = document.createElement("li");
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.style.paddingLeft = `${8 + 14 * depth}px`;
      button.dataset.entity = entity;
      button.setAttribute("aria-current", String(entity === this.entity));
      button.addEventListener("click", () => this.viewer.select(entity));
      item.append(button);
      return item;
    }));
    const more = count - rows.length;
    byId("entity-more").textContent = count === 0 ? "None is called so." : more > 0 ? `and ${more} more` : "";
  }

  clear() {
    this.expect(null);
    byId("entity-list").replaceChildren();
    byId("entity-more").textContent = "";
  }

  /** The kinds of components that can be added. */
  offer(kinds) {
    byId("component-kind").replaceChildren(...kinds.map((kind) => new Option(kind)));
  }

  /** Makes another one beside the entity, as far away as its body is wide. */
  duplicate() {
    const { viewer, place } = this;
    if (!this.entity || !place) return;
    const reach = viewer.picked >= 0 ? viewer.reaches[viewer.picked] : 0.5;
    viewer.act({ act: "duplicate", entity: this.entity, at: [place[0] + 2 * reach, place[1]] });
    this.searchSoon();
  }

  /** Properties of this entity will come, or of none. */
  expect(entity) {
    if (entity !== this.entity) {
      this.entity = entity;
      this.fields.clear();
      this.shape = "";
      byId("entity-parts").replaceChildren();
      byId("entity").hidden = true;
    }
    for (const button of byId("entity-list").querySelectorAll("button")) {
      button.setAttribute("aria-current", String(button.dataset.entity === entity));
    }
  }

  /** Shows an entity; what somebody types into stays as it is. */
  show({ entity, name, resource, parts }) {
    if (entity !== this.entity) return;
    byId("entity").hidden = false;
    byId("entity-name").textContent = name;
    byId("entity-resource").textContent = resource && resource !== name ? resource : "";
    const shape = parts.map(({ name, properties }) => [name, ...properties.map((property) => property.name)].join(".")).join();
    if (shape !== this.shape) this.build(parts);
    this.shape = shape;
    const at = parts.flatMap((part) => part.properties).find((property) => property.name === "world_position");
    this.place = at?.value.slice(1, -1).split(", ").map(Number);
    for (const part of parts) {
      for (const property of part.properties) {
        const field = this.fields.get(`${part.name}.${property.name}`);
        field.value = property.value;
        field.show();
      }
    }
  }

  /** Shows the values that the world has in place of those that were typed. */
  showAgain() {
    for (const field of this.fields.values()) field.show();
  }

  build(parts) {
    this.fields.clear();
    byId("entity-parts").replaceChildren(...parts.map((part) => {
      const box = document.createElement("details");
      box.open = this.opened.has(part.name);
      box.addEventListener("toggle", () => this.opened[box.open ? "add" : "delete"](part.name));
      const title = document.createElement("summary");
      title.textContent = part.name === part.manager ? part.name : `${part.name} · ${part.manager}`;
      if (part.manager !== "Transform") title.append(this.remover(part.name));
      box.append(title, ...part.properties.map((property) => this.row(`${part.name}.${property.name}`, property)));
      return box;
    }));
  }

  /** A button that takes a component away. */
  remover(name) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "remove";
    button.textContent = "\u00d7";
    button.title = `Remove the component ${name}`;
    button.setAttribute("aria-label", button.title);
    button.dataset.remove = name;
    button.addEventListener("click", (event) => {
      event.preventDefault();
      this.viewer.act({ act: "remove_component", entity: this.entity, name });
    });
    return button;
  }

  /** A property with a control that fits its kind. */
  row(path, property) {
    const row = document.createElement("label");
    row.className = "property";
    const { range, unit, kind } = property;
    const limits = range ? `, ${range[0]} to ${range[1]}${unit && ` ${unit}`}` : "";
    row.title = `${property.documentation} (${kind}${limits})`;
    const name = document.createElement("span");
    name.textContent = property.name.replaceAll("_", " ");
    const control = controlFor(property);
    control.dataset.path = path;
    control.disabled = property.read_only;
    control.addEventListener("change", () => {
      const text = control.type === "checkbox" ? String(control.checked) : control.value;
      this.viewer.act({ act: "set", entity: this.entity, path, text });
    });
    const tail = document.createElement("small");
    tail.textContent = unit;
    row.append(name, control, tail);
    const field = {
      value: property.value,
      show: () => {
        if (control.type === "checkbox") control.checked = field.value === "true";
        else if (document.activeElement !== control && control.value !== field.value) control.value = field.value;
      },
    };
    // What came while somebody typed, or a value that was typed and is the world's by now or has been refused.
    control.addEventListener("blur", () => setTimeout(field.show, SHOWN_AFTER_MS));
    this.fields.set(path, field);
    return row;
  }
}

function controlFor({ kind, words }) {
  if (words) {
    const choice = document.createElement("select");
    choice.append(...words.map((word) => new Option(word)));
    return choice;
  }
  const input = document.createElement("input");
  if (kind === "bool") {
    input.type = "checkbox";
    input.setAttribute("role", "switch");
  } else {
    input.type = "text";
    input.spellcheck = false;
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") input.blur();
    });
  }
  return input;
}
