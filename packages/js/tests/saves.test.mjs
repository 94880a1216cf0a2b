// The package in Node: saves that were made natively go on here to the same hashes, and the corpus that the native tests restore
// has saves that were made here.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { loadPhysics } from "../tombolo.js";

const { PhysicsWorld } = await loadPhysics();
const folder = new URL("../../../crates/physics/tests/saves/", import.meta.url);
// Each line: `<file>: <hash>, after 60 steps <hash>`; a test of the engine asks the same natively.
const expected = readFileSync(new URL("expected.txt", folder), "utf8").trim().split("\n")
    .map((line) => line.match(/^(\S+): ([0-9a-f]{16}), after 60 steps ([0-9a-f]{16})$/).slice(1));

test("every save of the corpus is expected", () => {
    const saves = readdirSync(folder).filter((name) => name.endsWith(".save")).sort();
    assert.deepEqual(expected.map(([name]) => name), saves);
    assert.ok(saves.length >= 5);
});

for (const [name, begin, end] of expected) {
    for (const lanes of process.env.TOMBOLO_SCALAR ? [1] : [1, 4]) {
        test(`${name} goes on here as it does natively, with ${lanes} lanes`, () => {
            const save = readFileSync(new URL(name, folder));
            const world = PhysicsWorld.fromSave(save);
            world.lanes = lanes;
            assert.equal(world.hash(), begin);
            for (let step = 0; step < 60; step += 1) {
                world.step();
            }
            assert.equal(world.hash(), end);
        });
    }
}

/** The world of the saves that are made here: bodies of all kinds, joints, a concave polygon, tiles, a rule, contacts in motion. */
function nodeWorld() {
    const world = new PhysicsWorld({ gravity: [0, -9.5] });
    const ground = world.createBody({ name: "ground" });
    world.createShape(ground, { box: [40, 2], center: [0, -1], friction: 0.8 });
    world.createTileGrid(ground, { rows: [[1, 1, 2]], tiles: ["full", "slopeDown"], origin: [6, 0] });
    world.setContactRule(1, 2, { friction: 0.25 });
    const mill = world.createBody({ kind: "kinematic", position: [-5, 2], angularVelocity: 2 });
    world.createShape(mill, { box: [3, 0.25], material: 1 });
    const crates = Array.from({ length: 8 }, (_, place) => {
        const crate = world.createBody({ kind: "dynamic", position: [-5 + 0.75 * place, 4 + place], userKey: BigInt(place) });
        world.createShape(crate, place % 2 ? { circle: 0.5, restitution: 0.5 } : { box: [1, 0.75], material: 2 });
        return crate;
    });
    world.createConcavePolygon(crates[7], { border: [[0, 0], [2, 0], [2, 1], [1, 1], [1, 3], [0, 3]] });
    world.createJoint({ kind: "revolute", bodyA: crates[1], bodyB: crates[2], anchorA: [0.5, 0], anchorB: [-0.5, 0] });
    world.createJoint({ kind: "distance", bodyA: crates[3], bodyB: crates[4], length: 1.5, enableSpring: true,
        springHertz: 3, springDampingRatio: 0.5 });
    for (let step = 0; step < 90; step += 1) {
        world.step();
    }
    return world;
}

test("the corpus has a save of this version that was made here", () => {
    const save = nodeWorld().save().slice();
    const version = new DataView(save.buffer).getUint32(8, true);
    const path = new URL(`${version}-node.save`, folder);
    // Files of a version are never written again, like those that the engine's own test writes.
    if (process.env.TOMBOLO_BLESS && !existsSync(path)) {
        writeFileSync(path, save);
    }
    assert.ok(existsSync(path), "TOMBOLO_BLESS=1 writes it, and for the engine's test saves the line in expected.txt");
});
