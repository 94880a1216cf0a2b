// The worker of a page that simulates by itself: the engine's module with one session. Messages in: the module as text and a
// scene, then requests as text and names of files. Messages out: what the page is told, frames, and files as bytes.

/** The numbers of buffers and of files, as in crates/web. */
const [NUMBERS, BYTES, ERROR] = [0, 2, 3];
const FILES = { session: 0, scene: 1, save: 2 };

let engine = null;
let timer = 0;
const early = [];

const view = (which, Kind) => new Kind(engine.memory.buffer, engine.output_at(which) >>> 0, engine.output_length(which));
const textOf = (bytes) => new TextDecoder().decode(bytes.slice());
const seconds = () => performance.now() / 1000;

/** Calls the engine. */
function call(name, ...numbers) {
  const result = engine[name](...numbers);
  if (result < 0) throw new Error(textOf(view(ERROR, Uint8Array)));
  return result;
}

/** Hands texts to the engine, one after another; how long each is. */
function give(...texts) {
  const parts = texts.map((text) => new TextEncoder().encode(text));
  let at = engine.input(parts.reduce((sum, part) => sum + part.length, 0)) >>> 0;
  for (const part of parts) {
    new Uint8Array(engine.memory.buffer, at, part.length).set(part);
    at += part.length;
  }
  return parts.map((part) => part.length);
}

async function open({ module, scene }) {
  const { instance } = await WebAssembly.instantiate(unpacked(bytesOfText(module)), {});
  engine = instance.exports;
  engine.start();
  call("session_open", ...give(scene.wanted, scene.name, scene.text), Number(scene.has_file));
  early.splice(0).forEach(take);
}

function take({ request, file }) {
  if (request !== undefined) {
    call("session_hear", ...give(request), seconds());
    return;
  }
  try {
    call("session_file", FILES[file]);
  } catch (error) {
    postMessage({ is: "told", text: JSON.stringify({ is: "error", text: error.message }) });
    return;
  }
  const bytes = view(BYTES, Uint8Array).slice();
  postMessage({ is: file, bytes }, [bytes.buffer]);
}

/** Makes the steps that are due, tells what there is to tell, and comes again when the next step is due. */
function goOn() {
  clearTimeout(timer);
  call("session_go_on", seconds());
  const due = view(NUMBERS, Float32Array)[0];
  for (let kind = call("session_next"); kind > 0; kind = call("session_next")) {
    const bytes = view(BYTES, Uint8Array).slice();
    if (kind === 1) postMessage({ is: "told", text: textOf(bytes) });
    else postMessage({ is: "frame", bytes }, [bytes.buffer]);
  }
  if (due >= 0) timer = setTimeout(turn, 1000 * due);
}

/** The reason of a failure: the message of a panic after a trap that has one, else the error's own. */
function reason(error) {
  if (!(error instanceof WebAssembly.RuntimeError)) return error.message;
  try {
    return textOf(view(ERROR, Uint8Array)) || error.message;
  } catch {
    return error.message;
  }
}

/** A module that has failed is left alone. */
function fail(error) {
  clearTimeout(timer);
  onmessage = null;
  postMessage({ is: "failed", text: reason(error) });
}

function turn() {
  try {
    goOn();
  } catch (error) {
    fail(error);
  }
}

onmessage = async ({ data }) => {
  try {
    if (data.module) await open(data);
    else if (engine) take(data);
    else return void early.push(data);
    goOn();
  } catch (error) {
    fail(error);
  }
};
