// Node graphs: a box for each node, in columns from the events to the right, with lines for what follows and curves for values.

const NODE_WIDTH = 186;
const NODE_LINE = 17;
const NODE_GAP = 18;
const COLUMN_GAP = 64;
const SVG_NAMESPACE = "http://www.w3.org/2000/svg";

/** An element of an SVG. */
function svg(kind, attributes, text) {
  const element = document.createElementNS(SVG_NAMESPACE, kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** A text that fits into a box. */
function shortened(text, letters = 25) {
  return text.length > letters ? `${text.slice(0, letters - 1)}…` : text;
}

/** The column of each node: one to the right of what comes before it, but where a sequence comes back. */
function columnsOf(nodes) {
  const columns = nodes.map(() => 0);
  const placed = new Set();
  const place = (node, column, open) => {
    if (open.has(node) || (placed.has(node) && columns[node] >= column)) return;
    placed.add(node);
    columns[node] = column;
    open.add(node);
    for (const next of nodes[node].next) place(next, column + 1, open);
    open.delete(node);
  };
  const followers = new Set(nodes.flatMap(({ next }) => next));
  nodes.forEach(({ is_value: isValue }, node) => {
    if (!isValue && !followers.has(node)) place(node, 0, new Set());
  });
  nodes.forEach(({ is_value: isValue }, node) => {
    if (!isValue && !placed.has(node)) place(node, 0, new Set());
  });
  // Values stand one to the left of the first that uses them; those of values before those.
  for (let round = 0; round < nodes.length; round++) {
    let changed = false;
    nodes.forEach(({ is_value: isValue }, node) => {
      if (!isValue) return;
      const users = nodes.flatMap((other, user) => (other.inputs.some(({ from }) => from === node) ? [columns[user]] : []));
      const column = users.length > 0 ? Math.min(...users) - 1 : 0;
      if (column !== columns[node]) [columns[node], changed] = [column, true];
    });
    if (!changed) break;
  }
  const least = Math.min(0, ...columns);
  return columns.map((column) => column - least);
}

/** Where each node's box is, and how large all are together; `spare` is the number of lines left free at the end of each. */
function layoutOf(nodes, spare) {
  const columns = columnsOf(nodes);
  const tops = [];
  const boxes = nodes.map((node, index) => {
    const column = columns[index];
    const lines = 1 + (node.subject ? 1 : 0) + node.inputs.length + spare;
    const box = { left: column * (NODE_WIDTH + COLUMN_GAP) + 12, top: tops[column] ?? 12, height: lines * NODE_LINE + 12 };
    tops[column] = box.top + box.height + NODE_GAP;
    return box;
  });
  return { boxes, width: Math.max(...boxes.map(({ left }) => left), 0) + NODE_WIDTH + 56, height: Math.max(40, ...tops.filter(Boolean)) };
}

/** A curve from the right of one place to the left of another. */
function curve(from, to, kind) {
  const bend = Math.max(28, Math.abs(to.x - from.x) / 2);
  const path = `M${from.x} ${from.y}C${from.x + bend} ${from.y} ${to.x - bend} ${to.y} ${to.x} ${to.y}`;
  return svg("path", { d: path, class: kind });
}

/** The picture of a graph; of one that runs with a line in each box for what the node did. */
function pictureOf({ name, nodes }, runs) {
  const { boxes, width, height } = layoutOf(nodes, runs ? 1 : 0);
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Node graph ${name}` });
  const links = svg("g", {});
  const shapes = svg("g", {});
  picture.append(links, shapes);
  nodes.forEach((node, index) => {
    const { left, top, height: tall } = boxes[index];
    const box = svg("g", { class: node.is_value ? "node value" : "node" });
    box.dataset.title = `${node.kind} ${node.name}`;
    box.append(svg("title", {}, box.dataset.title));
    box.append(svg("rect", { x: left, y: top, width: NODE_WIDTH, height: tall, rx: 6 }));
    let line = top + NODE_LINE;
    box.append(svg("text", { x: left + 8, y: line, class: "name" }, shortened(node.name, 23 - node.kind.length)));
    box.append(svg("text", { x: left + NODE_WIDTH - 8, y: line, class: "kind" }, node.kind));
    if (node.subject) box.append(svg("text", { x: left + 8, y: (line += NODE_LINE) }, shortened(node.subject)));
    for (const { text, from } of node.inputs) {
      line += NODE_LINE;
      box.append(svg("text", { x: left + 8, y: line, class: "input" }, shortened(text)));
      if (from === undefined) continue;
      const source = boxes[from];
      links.append(curve({ x: source.left + NODE_WIDTH, y: source.top + NODE_LINE - 5 }, { x: left, y: line - 5 }, "value-link"));
    }
    node.next.forEach((next, place) => {
      const from = { x: left + NODE_WIDTH, y: top + NODE_LINE - 5 + 6 * place };
      links.append(curve(from, { x: boxes[next].left, y: boxes[next].top + NODE_LINE - 5 }, "next-link"));
    });
    if (runs) box.append(svg("text", { x: left + 8, y: line + NODE_LINE, class: "run" }));
    shapes.append(box);
  });
  return picture;
}

/** Shows what the nodes of the graph in the picture did: those that ran since a step are marked, of all others is said when
 *  they last did. */
function showRuns(nodes, since) {
  const runs = new Map(nodes.map((run) => [run.node, run]));
  document.querySelectorAll("#graph .node").forEach((box, node) => {
    const run = runs.get(node);
    const ran = run !== undefined && run.step > since;
    box.classList.toggle("ran", ran);
    box.classList.toggle("failed", run?.failed ?? false);
    const times = run && run.runs > 1 ? ` × ${run.runs}` : "";
    const value = run?.value === undefined ? "" : ` = ${run.value}`;
    const text = run ? `step ${run.step}${times}${value}` : "";
    const line = box.querySelector(".run");
    line.textContent = shortened(text, 27);
    box.querySelector("title").textContent = `${box.dataset.title}${text && `\n${text}`}`;
  });
}

/** Offers the graphs of a scene, if it has any; again when one of them was edited. `watch` is told which graph is looked at,
 *  or null, where graphs run. */
function offerGraphs(graphs, watch) {
  byId("graphs").hidden = graphs.length === 0;
  const choice = byId("graph-choice");
  const before = choice.value;
  choice.replaceChildren(...graphs.map(({ name }) => new Option(name)));
  if (graphs.some(({ name }) => name === before)) choice.value = before;
  const dialog = byId("graphs-dialog");
  const show = () => {
    byId("graph").replaceChildren(pictureOf(graphs[choice.selectedIndex], watch !== undefined));
    watch?.(choice.value);
  };
  choice.onchange = show;
  byId("graphs").onclick = () => {
    show();
    dialog.showModal();
  };
  dialog.onclose = () => watch?.(null);
  if (dialog.open && graphs.length > 0) show();
}
