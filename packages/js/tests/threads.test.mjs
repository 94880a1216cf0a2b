// Physics on several threads in Node and in Chromium: the bits of one thread, the fallback, errors, and the end of the threads.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { loadPhysics, TomboloError } from "../tombolo.js";
import { inChromium } from "./chromium.mjs";
import { COUNTS, hashes, LANES } from "./threads.js";

const module = new URL("../tombolo-physics-threads.wasm", import.meta.url);
const skip = existsSync(module) ? false : "./build has made no module for threads";
const lanes = process.env.TOMBOLO_SCALAR ? [1] : LANES;

const TASKS = "/proc/self/task";
/** The threads of this process, where the system lists them; else 0. */
const running = () => (existsSync(TASKS) ? readdirSync(TASKS).length : 0);

/** What the module of one thread comes to, which has the bits of the native library: scenes.test.mjs. */
const one = loadPhysics().then((engine) => hashes(engine, lanes));

for (const threads of COUNTS) {
    test(`${threads} threads come to the hashes of one`, { skip, timeout: 240_000 }, async () => {
        const engine = await loadPhysics({ threads });
        assert.equal(engine.threads, threads);
        assert.deepEqual(hashes(engine, lanes), await one);
        await engine.close();
    });
}

test("two engines with threads are apart, and one goes on when the other is closed", { skip }, async () => {
    const [first, second] = await Promise.all([loadPhysics({ threads: 2 }), loadPhysics({ threads: 3 })]);
    await first.close();
    assert.throws(() => new first.PhysicsWorld(), { name: "TomboloError", message: "the engine was closed" });
    assert.deepEqual(hashes(second, lanes), await one);
    await second.close();
});

test("a closed engine leaves no threads, and worlds start none", { skip }, async () => {
    await one;
    const before = running();
    const engine = await loadPhysics({ threads: 4 });
    const started = running();
    assert.ok(started === before + 3 || started === 0, `${before} threads, then ${started}`);
    const worlds = Array.from({ length: 5 }, () => new engine.PhysicsWorld());
    worlds.forEach((world) => world.step());
    assert.equal(running(), started);
    worlds.forEach((world) => world.free());
    const world = new engine.PhysicsWorld();
    await engine.close();
    assert.equal(running(), before);
    assert.throws(() => world.step(), TomboloError);
    await engine.close();
});

test("a program whose engine is not closed ends", { skip, timeout: 60_000 }, () => {
    const program = `
        import { loadPhysics } from ${JSON.stringify(new URL("../tombolo.js", import.meta.url).href)};
        const { PhysicsWorld, threads } = await loadPhysics({ threads: 3 });
        const world = new PhysicsWorld();
        world.step();
        console.log(threads);`;
    const said = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
    assert.equal(said.trim(), "3");
});

test("memory that runs out while threads step is an error, and no step waits for ever", { skip, timeout: 60_000 }, async () => {
    const given = WebAssembly.instantiate;
    let exports;
    WebAssembly.instantiate = async (...parameters) => {
        const instance = await given(...parameters);
        exports = instance.exports;
        return instance;
    };
    const engine = await loadPhysics({ threads: 3 }).finally(() => (WebAssembly.instantiate = given));
    const world = new engine.PhysicsWorld({ sleeping: false });
    world.createShape(world.createBody(), { box: [400, 2] });
    for (let place = 0; place < 3000; place += 1) {
        const position = [0.9 * (place % 60) - 27, 2 + 0.9 * Math.floor(place / 60)];
        world.createShape(world.createBody({ kind: "dynamic", position }), { box: [1, 1] });
    }
    // What the allocator does not have yet, it can no longer get.
    exports.memory.grow(16384 - exports.memory.buffer.byteLength / 65536);
    const steps = () => {
        for (let step = 0; step < 500; step += 1) {
            world.step();
        }
    };
    assert.throws(steps, { name: "TomboloError", message: /^the engine stopped: / });
    assert.throws(() => world.hash(), TomboloError);
    await engine.close();
});

test("0 threads, and memory that may not be shared, give one thread", async () => {
    const none = await loadPhysics({ threads: 0 });
    assert.equal(none.threads, 1);
    globalThis.crossOriginIsolated = false;
    try {
        const fallen = await loadPhysics({ threads: 4 });
        assert.equal(fallen.threads, 1);
        assert.deepEqual(hashes(fallen, lanes), await one);
    } finally {
        delete globalThis.crossOriginIsolated;
    }
});

test("what is no number of threads is refused", async () => {
    for (const threads of [-1, 1.5, 65, "2", null]) {
        await assert.rejects(loadPhysics({ threads }), RangeError);
    }
});

test("a thread that cannot start is an error that names it, and leaves none running", { skip }, async () => {
    await one;
    const before = running();
    const given = globalThis.Worker;
    // As in a page whose policy refuses the program of one thread.
    let made = 0;
    const { Worker } = await import("node:worker_threads");
    globalThis.Worker = class {
        constructor(url) {
            made += 1;
            this.own = new Worker(made === 2 ? new URL("./nowhere.js", url) : url);
            this.own.on("message", (data) => this.onmessage({ data }));
            this.own.on("error", (error) => this.onerror(error));
        }

        postMessage(task) {
            this.own.postMessage(task);
        }

        terminate() {
            return this.own.terminate();
        }
    };
    try {
        await assert.rejects(loadPhysics({ threads: 3 }), (error) => {
            assert.ok(error instanceof TomboloError);
            assert.match(error.message, /^thread 2 could not be started: .*nowhere\.js/s);
            return true;
        });
        assert.equal(made, 2);
    } finally {
        globalThis.Worker = given;
        if (given === undefined) {
            delete globalThis.Worker;
        }
    }
    assert.equal(running(), before);
});

for (const isIsolated of [true, false]) {
    const name = `a page that is ${isIsolated ? "" : "not "}isolated`;
    test(`${name} comes to the hashes of Node`, { skip, timeout: 240_000 }, async (context) => {
        const task = { lanes };
        const result = await inChromium("/tests/threads.html", task, { isIsolated });
        if (result === null) {
            context.skip("chromium is not here");
            return;
        }
        const own = await one;
        const rows = COUNTS.map((threads) => [threads, { threads: isIsolated ? threads : 1, hashes: own }]);
        const wanted = Object.fromEntries(rows);
        assert.deepEqual(result, { page: wanted, worker: wanted });
    });
}
