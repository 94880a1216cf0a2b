// Threads for a module whose memory is shared: who may have them, and how they are started and ended.

/** Bytes of the stack of each thread, as many as the main one has. */
const STACK = 1 << 20;
/** The first and the greatest size of the memory, in pages of 64 KiB; `build` gives the modules the same bounds. */
const PAGES = 128;
const PAGES_MAX = 16_384;
const WORKERS_MAX = 64;

/** Memory for several threads; null where there is none: in a page that is not isolated, or without room for its greatest size. */
export function sharedMemory() {
    if (typeof SharedArrayBuffer !== "function" || globalThis.crossOriginIsolated === false) {
        return null;
    }
    try {
        return new WebAssembly.Memory({ initial: PAGES, maximum: PAGES_MAX, shared: true });
    } catch {
        // The numbers are in range, so there is no room: what is thrown then is not the same in all browsers.
        return null;
    }
}

/** Whether the calling thread may sleep: the main one of a page must not. */
export function maySleep() {
    try {
        // What is to be waited for has happened already.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 1, 0);
        return true;
    } catch {
        return false;
    }
}

/** The number of threads as an option says it. */
export function threadCount(threads) {
    if (!Number.isInteger(threads) || threads < 0 || threads > WORKERS_MAX) {
        throw new RangeError(`threads is a whole number from 0 to ${WORKERS_MAX}, not ${threads}`);
    }
    return Math.max(threads, 1);
}

/** Starts one thread; resolves once it is about to work. */
async function start(task) {
    const url = new URL("./thread.js", import.meta.url);
    const inNode = typeof Worker === "undefined";
    const Kind = inNode ? (await import(["node", "worker_threads"].join(":"))).Worker : Worker;
    // In Node a thread takes none of the program's own options, such as those for a text in place of a file.
    const thread = new Kind(url, { type: "module", execArgv: [] });
    const answer = new Promise((resolve, reject) => {
        const take = (said) => (said.isReady ? resolve() : reject(new Error(said.why)));
        const fail = (error) => reject(new Error(error?.message || `${url} cannot be loaded`));
        if (inNode) {
            thread.once("message", take).once("error", fail);
            thread.once("exit", (code) => reject(new Error(`it ended with code ${code}`)));
        } else {
            thread.onmessage = ({ data }) => take(data);
            thread.onerror = fail;
        }
    });
    // Looked at when all have been started; until then a refusal is nobody's fault.
    answer.catch(() => {});
    thread.postMessage(task);
    return { thread, answer };
}

/** Ends threads, wherever they are; resolves when they have ended. */
export function end(threads) {
    return Promise.all(threads.map((thread) => thread.terminate()));
}

/**
 * Starts the threads of an instance but for the calling one.
 *
 * @returns the threads
 * @throws if one could not be started; those that were are ended
 */
export async function open(module, memory, exports, count) {
    const size = exports.__tls_size.value;
    const starts = await Promise.allSettled(Array.from({ length: count - 1 }, async (_, place) => {
        const bottom = exports.thread_memory(STACK + size) >>> 0;
        return start({ module, memory, worker: place + 1, stack: bottom + STACK, storage: bottom + STACK });
    }));
    const threads = starts.flatMap(({ value }) => (value ? [value.thread] : []));
    const answers = await Promise.allSettled(starts.map(async ({ value, reason }) => {
        if (!value) {
            throw reason;
        }
        await value.answer;
    }));
    const failed = answers.findIndex(({ status }) => status === "rejected");
    if (failed >= 0) {
        await end(threads);
        throw new Error(`thread ${failed + 1} could not be started: ${answers[failed].reason.message}`);
    }
    // A program in Node ends with its main thread.
    threads.forEach((thread) => thread.unref?.());
    return threads;
}
