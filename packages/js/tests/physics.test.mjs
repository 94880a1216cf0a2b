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

function run(world, steps) {
    for (let step = 0; step < steps; step += 1) {
        world.step();
    }
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

test("poses are views of the module's memory", () => {
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
    const joint = world.createJoint({ kind: "revolute", bodyA: wall, bodyB: wheel, enableMotor: true,
        motorSpeed: 2, maxMotorTorque: 1000 });
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
        return world.createJoint({ kind: "revolute", bodyA: wall, bodyB: load, anchorA: [4 * place, 0],
            forceThreshold: 10, breaks });
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

test("contact skins keep a distance", () => {
    const world = new PhysicsWorld();
    const ground = world.createBody({ position: [0, -1] });
    world.createShape(ground, { box: [40, 2], contactSkin: 0.05 });
    const crate = world.createBody({ kind: "dynamic", position: [0, 2] });
    world.createShape(crate, { box: [1, 1], contactSkin: 0.1 });
    run(world, 240);
    assert.ok(Math.abs(world.body(crate).position[1] - 0.65) < 0.01);
    assert.throws(() => world.createShape(crate, { box: [1, 1], contactSkin: 0.6 }), /contact_skin/);
    world.free();
});

test("tiles carry, are dug away, wake who lay on them and tell their cells", () => {
    const world = new PhysicsWorld();
    const ground = world.createBody({ position: [-2, 0] });
    const tiles = ["full", { shape: "slopeUp", friction: 0.1 }];
    const grid = world.createTileGrid(ground, { rows: [[1, 1, 1, 1], new Uint8Array([0, 0, 2, 1])], tiles });
    const ball = world.createBody({ kind: "dynamic", position: [-1.5, 2] });
    world.createShape(ball, { circle: 0.3 });
    run(world, 120);
    assert.ok(Math.abs(world.body(ball).position[1] - 1.3) < 0.01);
    assert.equal(world.body(ball).awake, false, "it has come to rest");
    assert.deepEqual(world.tileGrid(grid), { id: grid, body: ground, width: 4, height: 2, cellSize: 1, origin: [0, 0] });
    assert.deepEqual([world.tile(grid, 2, 1), world.tile(grid, 0, 1)], [2, 0]);
    assert.deepEqual([world.cellAt(grid, [-1.5, 0.5]), world.cellAt(grid, [9, 9])], [[0, 0], null]);
    assert.deepEqual(world.cellCenter(grid, 3, 1), [1.5, 1.5]);
    const save = world.save().slice();
    world.setTile(grid, 0, 0, 0);
    assert.equal(world.body(ball).awake, true);
    run(world, 60);
    assert.ok(world.body(ball).position[1] < 0);
    world.restore(save);
    assert.equal(world.tile(grid, 0, 0), 1);
    world.fillTiles(grid, 0, 0, 4, 2, 0);
    assert.equal(world.overlapBox([-9, -9], [9, 0.9]).length, 0);

    const before = world.hash();
    assert.throws(() => world.tile(grid, 4, 0), /4 columns and 2 rows, and no cell 4, 0/);
    assert.throws(() => world.tile(grid, -1, 0), /a column is a whole number/);
    assert.throws(() => world.setTile(grid, 0, 0, 3), TomboloError);
    assert.throws(() => world.setTile(grid, 0, 0, 256), /from 0 to 255/);
    assert.throws(() => world.createTileGrid(ground, { rows: [[1, 256]] }), /cell 1, 0: .* not 256/);
    assert.throws(() => world.createTileGrid(ground, { rows: [[1], [1, 1]] }), /row 1 of the tiles has 2 cells/);
    assert.throws(() => world.createTileGrid(ground, { rows: [[2]] }), TomboloError);
    assert.throws(() => world.createTileGrid(ground, { rows: [[1]], tiles: ["half"] }), /kind of tile 1: a shape is/);
    assert.throws(() => world.createTileGrid(ground, { rows: [[1]], tiles: [{ fricton: 1 }] }), /tile 1 has no fricton/);
    assert.throws(() => world.createTileGrid(ground, { rows: [[1]], tiles: [[[0, 0], [2, 0], [0, 1]]] }), /corner/);
    assert.equal(world.hash(), before);
    world.destroyTileGrid(grid);
    assert.equal(world.tileGrid(grid), null);
    assert.throws(() => world.tile(grid, 0, 0), /destroyed/);
});

test("each shape of a tile fills what its name says", () => {
    // Heights at which a ray from above and one from below meet the tile, a quarter and three quarters along the cell.
    const fills = {
        full: [[1, 1], [0, 0]],
        bottomHalf: [[0.5, 0.5], [0, 0]],
        topHalf: [[1, 1], [0.5, 0.5]],
        leftHalf: [[1, null], [0, null]],
        rightHalf: [[null, 1], [null, 0]],
        slopeUp: [[0.25, 0.75], [0, 0]],
        slopeDown: [[0.75, 0.25], [0, 0]],
        ceilingUp: [[1, 1], [0.25, 0.75]],
        ceilingDown: [[1, 1], [0.75, 0.25]],
        gentleUpLow: [[0.125, 0.375], [0, 0]],
        gentleUpHigh: [[0.625, 0.875], [0, 0]],
        gentleDownHigh: [[0.875, 0.625], [0, 0]],
        gentleDownLow: [[0.375, 0.125], [0, 0]],
    };
    const own = [[0, 0], [1, 0], [0, 0.5]];
    const shapes = [...Object.keys(fills), own];
    for (const [place, shape] of shapes.entries()) {
        const world = new PhysicsWorld();
        world.createTileGrid(world.createBody(), { rows: [[place + 1]], tiles: shapes });
        const height = (hit) => (hit === null ? null : Number(hit.point[1].toFixed(5)));
        const meet = (from, way) => [0.25, 0.75].map((x) => height(world.castRay([x, from], [0, way])));
        const [above, below] = fills[shape] ?? fills.gentleDownLow;
        assert.deepEqual([meet(2, -2), meet(-1, 2)], [above, below], String(shape));
    }
});

test("rules make a conveyor, a platform that is passed from below, and ghosts", () => {
    const world = new PhysicsWorld();
    const belt = world.createBody({ position: [0, -1] });
    world.createShape(belt, { box: [60, 2], material: 1 });
    const crate = world.createBody({ kind: "dynamic", position: [0, 0.5] });
    world.createShape(crate, { box: [1, 1], material: 2 });
    world.setContactRule(1, 2, { surfaceSpeed: -3, friction: 1 });
    run(world, 120);
    assert.ok(Math.abs(Math.abs(world.body(crate).linearVelocity[0]) - 3) < 0.06);
    assert.equal(world.removeContactRule(2, 1), true);
    assert.equal(world.removeContactRule(2, 1), false);
    run(world, 120);
    assert.ok(Math.abs(world.body(crate).linearVelocity[0]) < 0.01);

    const plank = world.createBody({ position: [20, 3] });
    world.createShape(plank, { box: [4, 0.2], material: 5 });
    world.setContactRule(5, null, { oneWay: [0, 1] });
    const jumper = world.createBody({ kind: "dynamic", position: [20, 0.5], linearVelocity: [0, 9] });
    world.createShape(jumper, { box: [0.8, 0.8] });
    run(world, 180);
    assert.ok(Math.abs(world.body(jumper).position[1] - 3.5) < 0.02);

    world.setCategoryRule(2n, null, { ignore: true });
    const ghost = world.createBody({ kind: "dynamic", position: [-9, 0.5] });
    world.createShape(ghost, { box: [1, 1], category: 2n });
    run(world, 90);
    assert.ok(world.body(ghost).position[1] < -1);
    assert.equal(world.removeCategoryRule(2n, null), true);

    const before = world.hash();
    assert.throws(() => world.setContactRule(1, 2, { fricton: 1 }), /a rule has no fricton/);
    assert.throws(() => world.setContactRule(1, 2, { friction: -1 }), /friction/);
    assert.throws(() => world.setContactRule(1, 2.5, {}), /a material is a whole number/);
    assert.throws(() => world.setContactRule(null, null, {}), TomboloError);
    assert.throws(() => world.setCategoryRule(3n, null, {}), TomboloError);
    assert.throws(() => world.createShape(belt, { circle: 1, material: -1 }), /a material is/);
    assert.equal(world.hash(), before);
});

test("a character walks up a step, jumps, and stops at a wall", () => {
    const world = new PhysicsWorld();
    const ground = world.createBody();
    const floor = world.createShape(ground, { box: [60, 2], center: [0, -1] });
    const step = world.createShape(ground, { box: [4, 0.3], center: [5, 0.15] });
    const wall = world.createShape(ground, { box: [1, 6], center: [9, 3] });
    const hero = world.createCharacter({ position: [0, 1], height: 1.8, radius: 0.35 });
    const walk = (steps, wishes) => {
        for (let each = 0; each < steps; each += 1) {
            world.step();
            hero.move(wishes);
        }
    };
    assert.equal(hero.ground, null);
    walk(30);
    assert.ok(hero.isGrounded && Math.abs(hero.position[1] - 0.9) < 0.01);
    assert.deepEqual(hero.ground, { body: ground, shape: floor });
    walk(60, { walk: 4 });
    assert.ok(Math.abs(hero.velocity[0] - 4) < 0.1);
    walk(20, { walk: 4 });
    assert.ok(Math.abs(hero.position[1] - 1.2) < 0.02);
    assert.deepEqual([[...hero.touches], hero.ground.shape], [[step], step]);
    walk(1, { jump: 5 });
    assert.ok(!hero.isGrounded && hero.velocity[1] > 4);
    walk(240, { walk: 4 });
    assert.ok(Math.abs(hero.position[0] - 8.15) < 0.02 && hero.touches.includes(wall));

    const fork = world.clone();
    const twin = hero.clone(fork);
    for (let each = 0; each < 10; each += 1) {
        fork.step();
        twin.move({ walk: -3 });
    }
    walk(10, { walk: -3 });
    assert.deepEqual(twin.position, hero.position);
    assert.equal(hero.isCrushed, false);
    hero.position = [0, 5];
    assert.ok(!hero.isGrounded && hero.position[1] === 5);
    assert.throws(() => hero.move({ wlak: 1 }), /a move has no wlak/);
    assert.throws(() => hero.move({ dt: -1 }), /dt/);
    assert.throws(() => { hero.position = [0, 1e9]; }, TomboloError);
    assert.throws(() => world.createCharacter({ slopeMax: 7 }), /slope_max/);
    assert.throws(() => world.createCharacter({ stepheight: 1 }), /a character has no stepheight/);
    assert.deepEqual(hero.position, [0, 5]);
    hero.free();
    assert.throws(() => hero.position, /the character was freed/);
    twin.move();
    world.free();
    assert.throws(() => world.createCharacter().move(), /the world was freed/);
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
    assert.throws(() => world.createShape(body, {}), /a shape has exactly one/);
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

test("a world is made from the view that save gives, also if the memory grows", async () => {
    const { PhysicsWorld } = await loadPhysics();
    const world = new PhysicsWorld();
    for (let place = 0; place < 3000; place += 1) {
        world.createShape(world.createBody({ position: [3 * place, 0] }), { circle: 1 });
    }
    const copy = PhysicsWorld.fromSave(world.save());
    assert.equal(copy.hash(), world.hash());
    copy.restore(world.save());
    assert.equal(copy.hash(), world.hash());
});

test("a shape has one outline, with its own fields", () => {
    const world = new PhysicsWorld();
    const body = world.createBody();
    const triangle = [[0, 0], [1, 0], [0, 1]];
    for (const [def, why] of [
        [{ polygon: triangle, center: [2, 0] }, /a polygon has no center/],
        [{ polygon: triangle, angle: 1 }, /a polygon has no angle/],
        [{ capsule: [[0, 0], [1, 0]], radius: 1, center: [2, 0] }, /a capsule has no center/],
        [{ box: [1, 1], radius: 0.1 }, /a box has no radius/],
        [{ segment: [[0, 0], [1, 0]], radius: 0.1 }, /a segment has no radius/],
        [{ halfSpace: [[0, 0], [0, 1]], angle: 1 }, /a halfSpace has no angle/],
        [{ circle: 1, box: [1, 1] }, /exactly one of .*, and this one circle, box/],
        [{ radius: 1 }, /and this one none/],
        [{ polygon: [[0, 0, 0], [1, 0, 0], [0, 1, 0]] }, /two numbers/],
        [{ capsule: [[0, 0, 0], [1, 0]], radius: 1 }, /two numbers/],
        [{ circle: 1, center: [1] }, /two numbers/],
    ]) {
        assert.throws(() => world.createShape(body, def), { name: "TypeError", message: why });
    }
    assert.throws(() => world.createChain(body, { points: [[0, 0, 0], [1, 0, 0]] }), TypeError);
    assert.equal(world.overlapBox([-9, -9], [9, 9]).length, 0);
    for (const def of [
        { circle: 1, center: [1, 0] }, { capsule: [[0, 0], [1, 0]], radius: 1 }, { segment: [[0, 0], [1, 0]] },
        { polygon: triangle, radius: 0.1 }, { box: [1, 2], center: [1, 0], angle: 1 }, { halfSpace: [[0, 0], [0, 1]] },
    ]) {
        world.createShape(body, def);
    }
    assert.equal(world.overlapBox([-9, -9], [9, 9]).length, 6);
});

test("bodies have names", () => {
    const world = new PhysicsWorld();
    const [ball, box] = [world.createBody({ name: "ball ⚽" }), world.createBody()];
    assert.deepEqual([world.body(ball).name, world.body(box).name], ["ball ⚽", ""]);
    const before = world.hash();
    world.setName(box, "box");
    world.setName(ball, "");
    assert.deepEqual([world.body(ball).name, world.body(box).name], ["", "box"]);
    assert.equal(world.hash(), before);
    assert.equal(PhysicsWorld.fromSave(world.save()).body(box).name, "box");
    assert.throws(() => world.setName(box, "x".repeat(32)), /31/);
    assert.throws(() => world.createBody({ name: "x".repeat(32) }), TomboloError);
});

test("lanes are one or four", () => {
    const world = new PhysicsWorld();
    for (const lanes of [0, 2, -1]) {
        assert.throws(() => { world.lanes = lanes; }, /lanes are 1 or 4/);
    }
});

/** The classes of a module of its own, and the instance behind them. */
async function loadWithInstance() {
    const { instantiate } = WebAssembly;
    let instance;
    WebAssembly.instantiate = async (...parameters) => {
        instance = await instantiate(...parameters);
        return instance;
    };
    try {
        return { ...await loadPhysics(), exports: instance.exports };
    } finally {
        WebAssembly.instantiate = instantiate;
    }
}

/** The first error of many calls. */
function firstError(call) {
    for (let turn = 0; turn < 1e6; turn += 1) {
        try {
            call();
        } catch (error) {
            return error;
        }
    }
    return null;
}

test("a module whose memory has run out in a call says so in every later one, and frees nothing", async () => {
    const { PhysicsWorld, exports } = await loadWithInstance();
    const world = new PhysicsWorld();
    const body = world.createBody();
    assert.throws(() => world.setKind(1n, "dynamic"), TomboloError);
    // All of the address space, which takes no memory until it is used.
    exports.memory.grow(65536 - exports.memory.buffer.byteLength / 65536);
    const error = firstError(() => world.createShape(body, { circle: 1 }));
    assert.ok(error instanceof TomboloError, String(error));
    assert.match(error.message, /^the engine stopped: /);
    assert.doesNotMatch(error.message, /id of a body/, "the reason is not that of an older error");
    assert.equal(exports.output_length(3), 0, "the buffer of the reason can be read, and has none");
    for (const call of [() => world.hash(), () => world.createBody(), () => new PhysicsWorld()]) {
        assert.throws(call, (again) => again === error);
    }
    world.free();
    assert.throws(() => world.hash(), /freed/);
});

test("a panic gives its message or says how to get it, also outside of a call on a world", async () => {
    const { PhysicsWorld } = await loadPhysics();
    // More than an address space of 32 bits allows one list; of these zeros no memory is taken.
    const first = firstError(() => PhysicsWorld.fromSave(new Uint8Array(2 ** 31 + 8)));
    assert.ok(first instanceof TomboloError, String(first));
    // Unless built with `messages`, or where the standard library was not compiled along, panics are traps without a text.
    assert.match(first.message, /the engine stopped: (.*panicked.*capacity overflow|unreachable \(.*build messages)/s);
    assert.throws(() => new PhysicsWorld(), (again) => again === first);
});

test("a class that extends PhysicsWorld clones and restores as itself, without its constructor", () => {
    let made = 0;
    class Level extends PhysicsWorld {
        constructor() {
            super({ gravity: [0, -3] });
            made += 1;
        }

        bodyCount() {
            return this.poses().bodies.length;
        }
    }
    const level = new Level();
    stack(level, 3);
    run(level, 5);
    for (const copy of [level.clone(), Level.fromSave(level.save())]) {
        assert.ok(copy instanceof Level && copy.constructor === Level);
        assert.deepEqual([copy.hash(), copy.bodyCount(), made], [level.hash(), 4, 1]);
        copy.free();
    }
    assert.equal(level.bodyCount(), 4, "the copies were worlds of their own");
});

test("a definition that is none is refused, a number of another world too", () => {
    const first = new PhysicsWorld();
    for (const def of [0, 1, "", "a", true, null, 7n, Symbol.iterator]) {
        assert.throws(() => new PhysicsWorld(def), { name: "TypeError", message: /a world is given as an object/ });
    }
    assert.throws(() => first.createBody(5), /a body is given as an object, not 5/);
    assert.deepEqual(new PhysicsWorld(undefined).gravity, [0, -10]);
});

test("a save may be a buffer or any view of one, and nothing else", () => {
    const world = new PhysicsWorld();
    stack(world, 3);
    const save = world.save().slice();
    const length = Math.ceil(save.length / 8) * 8;
    const padded = new Uint8Array(16 + length);
    padded.set(save, 8);
    const shared = new Uint8Array(new SharedArrayBuffer(save.length));
    shared.set(save);
    const views = [save.buffer, shared.buffer, shared, Buffer.from(save), new DataView(padded.buffer, 8, save.length)];
    if (save.length % 4 === 0) {
        views.push(new Float32Array(padded.buffer, 8, save.length / 4));
    }
    for (const [place, view] of views.entries()) {
        assert.equal(PhysicsWorld.fromSave(view).hash(), world.hash(), `view ${place}`);
        const other = new PhysicsWorld();
        other.restore(view);
        assert.equal(other.hash(), world.hash(), `view ${place}`);
    }
    for (const none of [undefined, null, 5, "save", [...save], { length: save.length }]) {
        assert.throws(() => PhysicsWorld.fromSave(none), { name: "TypeError", message: /a save is an ArrayBuffer or a view/ });
        assert.throws(() => world.restore(none), TypeError);
    }
    assert.throws(() => world.restore(new ArrayBuffer(0)), TomboloError);
});

test("a character is not copied into a world of another module", async () => {
    const { PhysicsWorld: Other } = await loadPhysics();
    const hero = new PhysicsWorld().createCharacter({ position: [3, 4] });
    const [other, own] = [new Other(), new PhysicsWorld()];
    const stranger = other.createCharacter({ position: [7, 8] });
    for (const world of [other, undefined, {}]) {
        assert.throws(() => hero.clone(world), { name: "TypeError", message: /the same load\(\)/ });
    }
    const copy = hero.clone(own);
    copy.move();
    assert.notDeepEqual(copy.position, hero.position, "it falls");
    assert.deepEqual(stranger.position, [7, 8]);
});

test("what a large save took is free for other uses afterwards", async () => {
    const { PhysicsWorld, exports } = await loadWithInstance();
    const world = new PhysicsWorld();
    stack(world, 1000);
    const size = world.save().length;
    const megabyte = 2 ** 20;
    assert.throws(() => world.restore(new Uint8Array(64 * megabyte)), TomboloError);
    const before = exports.memory.buffer.byteLength;
    assert.ok(before > 64 * megabyte);
    const clones = [];
    for (let taken = 0; taken < 24 * megabyte; taken += size) {
        clones.push(world.clone());
    }
    assert.ok(clones.length > 10);
    assert.equal(exports.memory.buffer.byteLength, before);
    assert.equal(clones[3].hash(), world.hash());
});

test("every class and function is declared, and nothing else", async () => {
    // Without documents, whose words are no declarations.
    const declared = readFileSync(here("../tombolo.d.ts"), "utf8").replace(/\/\*\*.*?\*\//gs, "");
    const { PhysicsWorld: Physics, World } = await (await import("../tombolo.js")).load();
    const Character = new Physics().createCharacter().constructor;
    for (const Class of [Physics, World, Character]) {
        const names = Object.getOwnPropertyNames(Class.prototype);
        const own = [...names, ...Object.getOwnPropertyNames(Class)]
            .filter((name) => !["constructor", "length", "name", "prototype"].includes(name) && !name.startsWith("_"));
        const begin = declared.indexOf(`export interface ${Class.name} `);
        assert.ok(begin >= 0, Class.name);
        const text = declared.slice(begin, declared.indexOf("\n}\n", Math.max(begin, declared.indexOf(`interface ${Class.name}Class`))));
        for (const name of own) {
            assert.match(text, new RegExp(`\\b${name}[(:?]`), `${Class.name}.${name}`);
        }
        for (const [, name] of text.matchAll(/^ {4}(?:readonly )?(\w+)[(:]/gm)) {
            assert.ok(name in Class.prototype || name in Class, `${Class.name}.${name} is declared only`);
        }
    }
});

test("every field of a definition is declared", async () => {
    const declared = readFileSync(here("../tombolo.d.ts"), "utf8").replace(/\/\*\*.*?\*\//gs, "");
    const lists = Object.entries(await import("../rows.js")).filter(([name]) => name.endsWith("_FIELDS"));
    assert.ok(lists.length > 10);
    const { JOINT_KINDS, jointOptions } = await import("../joints.js");
    lists.push(...JOINT_KINDS.map((kind) => [kind, Object.keys(jointOptions(kind, new Float32Array(64)))]));
    for (const [list, names] of lists) {
        for (const name of names) {
            assert.match(declared, new RegExp(`\\b${name}\\??:`), `${list}: ${name}`);
        }
    }
});
