// The package in Node: physics.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { loadPhysics, TomboloError } from "../tombolo.js";

const { PhysicsWorld } = await loadPhysics();
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Crates on the ground; the ids. */
function stack(world, count = 10) {
    const ground = world.createBody({ position: [0, -1] });
    world.createShape(ground, { box: [40, 2] });
    return Array.from({ length: count }, (_, place) => {
        const body = world.createBody({ kind: "dynamic", position: [0, 0.5 + place], userKey: BigInt(place) });
        world.createShape(body, { box: [1, 1], hitEvents: true });
        return body;
    });
}

test("the example of the README is the one that runs, and the ball lies on the ground", () => {
    const example = readFileSync(here("example.mjs"), "utf8");
    const readme = readFileSync(here("../README.md"), "utf8");
    assert.ok(readme.includes(example.slice(example.indexOf("const")).trim()), "the README has these lines");
    const said = execFileSync(process.execPath, [here("example.mjs")], { encoding: "utf8" });
    const [, x, y] = said.match(/\[ ([-\d.e]+), ([-\d.e]+) \] [0-9a-f]{16}/).map(Number);
    assert.ok(Math.abs(x) < 1e-3 && Math.abs(y - 0.5) < 0.01, said);
});

test("one and four lanes give one hash", { skip: process.env.TOMBOLO_SCALAR && "a module without vectors" }, () => {
    const worlds = [1, 4].map((lanes) => {
        const world = new PhysicsWorld();
        stack(world);
        world.lanes = lanes;
        assert.equal(world.lanes, lanes);
        return world;
    });
    for (let step = 0; step < 120; step += 1) {
        worlds.forEach((world) => world.step());
        assert.equal(worlds[0].hash(), worlds[1].hash(), `step ${step}`);
    }
});

test("poses and events are views of the module's memory", () => {
    const world = new PhysicsWorld();
    const bodies = stack(world, 3);
    let hits = 0;
    let begins = 0;
    for (let step = 0; step < 60; step += 1) {
        world.step();
        begins += world.beganTouching().length / 3;
        hits += world.hits().ids.length / 3;
    }
    assert.equal(begins, 3, "each crate with what it stands on");
    assert.equal(hits, 0, "nothing fell");
    const all = world.poses();
    assert.deepEqual([...all.bodies.slice(1)], bodies);
    assert.deepEqual([...all.userKeys.slice(1)], [0n, 1n, 2n]);
    assert.equal(all.poses.buffer, all.bodies.buffer, "both lie in one memory");
    const second = world.body(bodies[1]);
    const at = world.poses().poses.subarray(8, 10);
    assert.deepEqual([...at], second.position);
});

test("rays and overlaps find what is there", () => {
    const world = new PhysicsWorld();
    const bodies = stack(world, 3);
    const hit = world.castRay([0, 10], [0, -20]);
    assert.equal(hit.body, bodies[2]);
    assert.ok(Math.abs(hit.point[1] - 3) < 1e-5);
    assert.deepEqual(hit.normal, [0, 1]);
    assert.deepEqual(world.castRayAll([0, 10], [0, -20]).map((each) => each.body).slice(0, 3), [...bodies].reverse());
    assert.equal(world.castRay([0, 10], [0, 20]), null);
    assert.equal(world.castRay([0, 10], [0, -20], { mask: 2n }), null);
    const shapes = [...world.overlapBox([-0.1, 0.9], [0.1, 1.1])];
    assert.deepEqual(shapes.map((shape) => world.shape(shape).body), bodies.slice(0, 2));
    assert.equal(world.overlapPoint([0, 2.5]).length, 1);
    assert.equal(world.overlapCircle([3, 3], 0.5).length, 0);
});

test("a revolute joint holds, and its motor turns", () => {
    const world = new PhysicsWorld({ gravity: [0, 0] });
    const wall = world.createBody();
    const wheel = world.createBody({ kind: "dynamic" });
    world.createShape(wheel, { circle: 1 });
    const joint = world.createRevoluteJoint({ bodyA: wall, bodyB: wheel, enableMotor: true, motorSpeed: 2,
        maxMotorTorque: 1000 });
    for (let step = 0; step < 60; step += 1) {
        world.step();
    }
    assert.ok(Math.abs(world.body(wheel).angularVelocity - 2) < 1e-3);
    assert.deepEqual([world.joint(joint).bodyA, world.joint(joint).bodyB], [wall, wheel]);
    world.destroyJoint(joint);
    assert.equal(world.joint(joint), null);
});

test("a joint that bears too much is reported, and breaks if it shall", () => {
    const world = new PhysicsWorld({ gravity: [0, -10] });
    const wall = world.createBody();
    const [held, lost] = [false, true].map((breaks, place) => {
        const load = world.createBody({ kind: "dynamic", position: [4 * place, 0] });
        world.createShape(load, { box: [1, 1], density: 2 });
        return world.createRevoluteJoint({ bodyA: wall, bodyB: load, anchorA: [4 * place, 0], forceThreshold: 10, breaks });
    });
    world.step();
    const { ids, numbers } = world.strains();
    assert.deepEqual([...ids].filter((_, place) => place % 3 === 0), [held, lost]);
    assert.deepEqual([numbers[3], numbers[7]], [0, 1]);
    assert.ok(Math.abs(numbers[1] - 20) < 0.5 && Math.abs(numbers[0]) < 0.5, `${numbers}`);
    assert.equal(world.joint(lost), null);
    world.step();
    assert.equal(world.strains().ids.length, 3, "the one that is left");
});

test("a body that is exempted turns by more than an eighth of a turn in a step", () => {
    const world = new PhysicsWorld({ gravity: [0, 0] });
    const spin = [false, true].map((fastRotation) => {
        const wheel = world.createBody({ kind: "dynamic", fastRotation, angularVelocity: 100 });
        world.createShape(wheel, { circle: 0.5 });
        return wheel;
    });
    world.step();
    const [slow, fast] = spin.map((wheel) => world.body(wheel).angularVelocity);
    assert.ok(slow < 48 && fast > 99, `${slow}, ${fast}`);
});

test("a save goes on to the same hash, in another world and in this one", () => {
    const world = new PhysicsWorld();
    const bodies = stack(world);
    world.applyImpulse(bodies[9], [3, 0]);
    for (let step = 0; step < 30; step += 1) {
        world.step();
    }
    const save = world.save().slice();
    const forks = [PhysicsWorld.fromSave(save), world.clone()];
    for (let step = 0; step < 60; step += 1) {
        [world, ...forks].forEach((each) => each.step());
    }
    const end = world.hash();
    assert.deepEqual(forks.map((fork) => fork.hash()), [end, end]);
    // Straight from the module's memory, without a copy.
    forks[0].restore(save);
    world.restore(forks[0].save());
    for (let step = 0; step < 60; step += 1) {
        world.step();
    }
    assert.equal(world.hash(), end);
});

test("a half-space is ground without end, a heightfield carries, and its holes do not", () => {
    const world = new PhysicsWorld();
    const ground = world.createBody({ kind: "static" });
    world.createShape(ground, { halfSpace: [[0, 2], [0, 1]] });
    const heights = { heights: [1, 1, 1, 1, 3], spacing: 2, origin: [0, 10], after: 3, holes: [1], friction: 0.9 };
    const segments = world.createHeightfield(ground, heights);
    assert.equal(segments.length, 3);
    const balls = [[1, 12], [3, 12], [5000, 4]].map((position) => {
        const ball = world.createBody({ kind: "dynamic", position });
        world.createShape(ball, { circle: 0.4 });
        return ball;
    });
    for (let step = 0; step < 240; step += 1) {
        world.step();
    }
    for (const [i, y] of [11.4, 2.4, 2.4].entries()) {
        assert.ok(Math.abs(world.body(balls[i]).position[1] - y) < 0.01, `ball ${i}`);
    }
    const before = world.hash();
    assert.throws(() => world.createHeightfield(ground, { heights: [1, 1], holes: [1] }), /no segment 1/);
    assert.throws(() => world.createHeightfield(ground, { heights: [1] }), TomboloError);
    assert.throws(() => world.createHeightfield(ground, { heights: [1, 1], spacing: 0 }), /spacing/);
    assert.throws(() => world.createShape(ground, { halfSpace: [[0, 0], [0, 0]] }), /normal/);
    assert.equal(world.hash(), before);
    world.free();
});

test("what is refused says why, and changes nothing", () => {
    const world = new PhysicsWorld();
    const [body] = stack(world, 1);
    const before = world.hash();
    assert.throws(() => world.createBody({ kind: "dynamic", linearDamping: -1 }), TomboloError);
    assert.throws(() => world.createBody({ kind: "heavy" }), /static, kinematic or dynamic/);
    assert.throws(() => world.createBody({ angel: 1 }), /a body has no angel/);
    assert.throws(() => world.createBody({ position: [0, "1"] }), /expected a number/);
    assert.throws(() => world.createShape(body, { circle: -1 }), TomboloError);
    assert.throws(() => world.createShape(body, {}), /a shape is a/);
    assert.throws(() => world.step(-1), /dt/);
    assert.throws(() => world.restore(new Uint8Array(100)), TomboloError);
    assert.equal(world.hash(), before);
    world.destroyBody(body);
    assert.equal(world.body(body), null);
    assert.throws(() => world.wake(body), /destroyed/);
    world.free();
    assert.throws(() => world.step(), /freed/);
});

test("it works in a worker, from a compiled module, with the same bits", async () => {
    const world = new PhysicsWorld();
    stack(world);
    for (let step = 0; step < 60; step += 1) {
        world.step();
    }
    const module = await WebAssembly.compile(readFileSync(here("../tombolo-physics.wasm")));
    const source = `
        import { parentPort, workerData } from "node:worker_threads";
        const { loadPhysics } = await import(workerData.package);
        const { PhysicsWorld } = await loadPhysics({ module: workerData.module });
        const world = new PhysicsWorld();
        (${stack})(world);
        for (let step = 0; step < 60; step += 1) world.step();
        parentPort.postMessage(world.hash());`;
    const url = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
    const workerData = { module, package: new URL("../tombolo.js", import.meta.url).href };
    const hash = await new Promise((resolve, reject) => {
        const worker = new Worker(url, { workerData });
        worker.once("message", resolve);
        worker.once("error", reject);
    });
    assert.equal(hash, world.hash());
});

test("every class and function is declared, and nothing else", async () => {
    // Without documents, whose words are no declarations.
    const declared = readFileSync(here("../tombolo.d.ts"), "utf8").replace(/\/\*\*.*?\*\//gs, "");
    const { PhysicsWorld: Physics, World } = await (await import("../tombolo.js")).load();
    for (const Class of [Physics, World]) {
        const names = Object.getOwnPropertyNames(Class.prototype);
        const own = [...names, ...Object.getOwnPropertyNames(Class)]
            .filter((name) => !["constructor", "length", "name", "prototype"].includes(name) && !name.startsWith("_"));
        const begin = declared.indexOf(`export interface ${Class.name} `);
        assert.ok(begin >= 0, Class.name);
        const text = declared.slice(begin, declared.indexOf("\n}\n", declared.indexOf(`interface ${Class.name}Class`)));
        for (const name of own) {
            assert.match(text, new RegExp(`\\b${name}[(:?]`), `${Class.name}.${name}`);
        }
        for (const [, name] of text.matchAll(/^ {4}(?:readonly )?(\w+)[(:]/gm)) {
            assert.ok(name in Class.prototype || name in Class, `${Class.name}.${name} is declared only`);
        }
    }
});
