// Physics and worlds of entities on several threads in Node and in Chromium: the bits of one thread and of the native program, the
// fallback, errors, and the end of the threads.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { load, loadPhysics, TomboloError } from "../tombolo.js";
import { inChromium } from "./chromium.mjs";
import { COUNTS, CROWD, CROWD_NATIVELY, crowdHashes, hashes, LANES } from "./threads.js";

const modules = ["tombolo-physics-threads", "tombolo-threads"].map((name) => new URL(`../${name}.wasm`, import.meta.url));
const skip = modules.every((module) => existsSync(module)) ? false : "./build has made no modules for threads";
const lanes = process.env.TOMBOLO_SCALAR ? [1] : LANES;

const TASKS = "/proc/self/task";
/** The threads of this process, where the system lists them; else 0. */
const running = () => (existsSync(TASKS) ? readdirSync(TASKS).length : 0);

/** What the module of one thread comes to, which has the bits of the native library: scenes.test.mjs. */
const one = loadPhysics().then((engine) => hashes(engine, lanes));
const oneCrowd = load().then(crowdHashes);

/** The shipped scenes, their hashes in the golden file, which is the native program's, and after how many steps. */
const scenes = new URL("../../../crates/cli/scenes/", import.meta.url);
const golden = readFileSync(new URL("golden.txt", scenes), "utf8")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"))
    .map((line) => line.split(/\s+/))
    .filter(([name]) => existsSync(new URL(`${name}.ron`, scenes)));

for (const threads of COUNTS) {
    test(`${threads} threads come to the hashes of one`, { skip, timeout: 240_000 }, async () => {
        const engine = await loadPhysics({ threads });
        assert.equal(engine.threads, threads);
        assert.deepEqual(hashes(engine, lanes), await one);
        await engine.close();
    });
}

test("scripts, a cut and a save come to the native hashes on one thread", async () => {
    assert.deepEqual(await oneCrowd, CROWD_NATIVELY);
});

for (const threads of COUNTS) {
    test(`scripts, a cut and a save come to the native hashes on ${threads} threads`, { skip, timeout: 240_000 }, async () => {
        const engine = await load({ threads });
        assert.equal(engine.threads, threads);
        assert.deepEqual(crowdHashes(engine), CROWD_NATIVELY);
        await engine.close();
    });

    test(`the shipped scenes come to the native hashes on ${threads} threads`, { skip, timeout: 240_000 }, async () => {
        const engine = await load({ threads });
        assert.ok(golden.length >= 4);
        for (const [name, hash, steps] of golden) {
            const world = new engine.World(readFileSync(new URL(`${name}.ron`, scenes), "utf8"));
            for (let step = 0; step < Number(steps); step += 1) {
                world.step();
            }
            assert.equal(world.hash(), hash, name);
            world.free();
        }
        await engine.close();
    });
}

test("the cut of the crowd cuts", async () => {
    const { World } = await load();
    const world = new World(CROWD);
    const bodies = () => world.poses().bodies.length;
    const before = bodies();
    for (let step = 0; step < 45; step += 1) {
        world.step();
    }
    assert.ok(bodies() >= before + 20, `${before} bodies, then ${bodies()}`);
    world.free();
});

/** Runs a test where threads are started as in a page, from the programs that a function says; it gets the list of them. */
async function withWorkers(program, run) {
    const given = globalThis.Worker;
    const { Worker } = await import("node:worker_threads");
    const made = [];
    globalThis.Worker = class {
        constructor(url) {
            this.own = new Worker(program(url, made.length));
            this.own.on("message", (data) => this.onmessage({ data }));
            this.own.on("error", (error) => this.onerror(error));
            made.push(this);
        }

        postMessage(task) {
            this.own.postMessage(task);
        }

        terminate() {
            return this.own.terminate();
        }
    };
    try {
        await run(made);
    } finally {
        globalThis.Worker = given;
        if (given === undefined) {
            delete globalThis.Worker;
        }
    }
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

/** What a call loads, and the exports of its module. */
async function withExports(begin) {
    const given = WebAssembly.instantiate;
    let exports;
    WebAssembly.instantiate = async (...parameters) => {
        const instance = await given(...parameters);
        exports = instance.exports;
        return instance;
    };
    const engine = await begin().finally(() => (WebAssembly.instantiate = given));
    return { engine, exports };
}

test("scripts as deep as scripts may be leave half of a thread's stack", async () => {
    const { engine, exports } = await withExports(() => load());
    const faults = (expressions, calls) => {
        const deep = `${"(".repeat(expressions)}dig(depth - 1)${" + 1)".repeat(expressions)}`;
        const world = new engine.World(`(
            scripts: { "dig": r#"
                fn dig(depth) { if depth == 0 { 0 } else { ${deep} } }
                fn on_tick(seconds) { print(dig(${calls})); }
            "# },
            entities: { "mole": { "mind": Script(name: "dig") } },
            place: [One(name: "mole", entity: "mole")],
        )`);
        world.step();
        const [found, printed] = [world.faults(), world.printed()];
        world.free();
        assert.equal(printed.length + found.length, 1);
        return found;
    };
    const isRefused = (expressions) => {
        try {
            return faults(expressions, 1).length > 0;
        } catch {
            return true;
        }
    };
    let [expressions, calls] = [1, 1];
    while (!isRefused(expressions + 1)) {
        expressions += 1;
    }
    while (faults(expressions, calls + 1).length === 0) {
        calls += 1;
    }
    assert.ok(expressions >= 6 && calls >= 20, `${expressions} expressions in each of ${calls} calls`);
    // The stack of the main thread, as large as that of each, begins at address 0 and is used from its end; what was never used
    // is 0.
    const unused = new Uint8Array(exports.memory.buffer, 0, 1 << 20).findIndex((byte) => byte !== 0);
    assert.ok(unused > 1 << 19, `${(1 << 20) - unused} bytes of stack were used`);
    await engine.close();
});

test("memory that runs out while threads step is an error, and no step waits for ever", { skip, timeout: 60_000 }, async () => {
    const { engine, exports } = await withExports(() => loadPhysics({ threads: 3 }));
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
        const [fallen, scenes] = [await loadPhysics({ threads: 4 }), await load({ threads: 4 })];
        assert.deepEqual([fallen.threads, scenes.threads], [1, 1]);
        assert.deepEqual(hashes(fallen, lanes), await one);
        assert.deepEqual(crowdHashes(scenes), await oneCrowd);
    } finally {
        delete globalThis.crossOriginIsolated;
    }
});

test("a page without room for shared memory has one thread", async () => {
    const given = WebAssembly.Memory;
    WebAssembly.Memory = class {
        constructor() {
            throw new RangeError("could not allocate memory");
        }
    };
    const engine = await loadPhysics({ threads: 4 }).finally(() => (WebAssembly.Memory = given));
    assert.equal(engine.threads, 1);
    assert.deepEqual(hashes(engine, lanes), await one);
});

test("what is no number of threads is refused", async () => {
    for (const threads of [-1, 1.5, 65, 1000, Infinity, NaN, "2", null]) {
        const refusal = { name: "RangeError", message: `threads is a whole number from 0 to 64, not ${threads}` };
        await assert.rejects(loadPhysics({ threads }), refusal);
        await assert.rejects(load({ threads }), refusal);
    }
});

test("a thread that cannot start is an error that names it, and leaves none running", { skip }, async () => {
    await one;
    const before = running();
    // As in a page whose policy refuses the program of one thread.
    const elsewhere = (url, place) => (place === 1 ? new URL("./nowhere.js", url) : url);
    await withWorkers(elsewhere, async (made) => {
        await assert.rejects(load({ threads: 3 }), (error) => {
            assert.ok(error instanceof TomboloError);
            assert.match(error.message, /^thread 2 could not be started: .*nowhere\.js/s);
            return true;
        });
        assert.equal(made.length, 2);
    });
    assert.equal(running(), before);
});

test("a step does without threads that ended between steps", { skip, timeout: 60_000 }, async () => {
    await withWorkers((url) => url, async (made) => {
        const engine = await loadPhysics({ threads: 4 });
        new engine.PhysicsWorld().step();
        await Promise.all(made.slice(1).map((worker) => worker.terminate()));
        assert.deepEqual(hashes(engine, lanes), await one);
        await made[0].terminate();
        assert.deepEqual(hashes(engine, lanes), await one);
        await engine.close();
    });
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
        const [own, crowd] = [await one, await oneCrowd];
        const count = (threads) => (isIsolated ? threads : 1);
        const rows = COUNTS.map((threads) => [threads, { threads: [count(threads), count(threads)], hashes: own, crowd }]);
        const wanted = Object.fromEntries(rows);
        assert.deepEqual(result, { page: wanted, worker: wanted });
    });
}
