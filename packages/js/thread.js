// The program of a thread of the engine: an instance of the module over the memory that all threads share, which works as one
// worker of the pool until the thread is ended. threads.js starts it and says what it needs.

// Node has no global functions for messages; the name is composed so that no bundler resolves the module.
const port = globalThis.postMessage ? globalThis : (await import(["node", "worker_threads"].join(":"))).parentPort;

async function work({ module, memory, worker, stack, storage }) {
    const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
    exports.__stack_pointer.value = stack;
    exports.__wasm_init_tls(storage);
    port.postMessage({ isReady: true });
    try {
        exports.thread_work(worker);
    } catch {
        // A trap leaves the stack as it was. Who waits for this thread is told, and stops with an error.
        exports.__stack_pointer.value = stack;
        exports.thread_failed(worker);
    }
}

const take = ({ data }) => work(data).catch((error) => port.postMessage({ isReady: false, why: String(error) }));
if (port === globalThis) {
    port.onmessage = take;
} else {
    port.on("message", (data) => take({ data }));
}
