// The package in Node: worlds of entities, and the golden file of the scenes that ship with the engine.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { load, TomboloError } from "../tombolo.js";

const { World } = await load();
const scenes = new URL("../../../crates/cli/scenes/", import.meta.url);
const text = (name) => readFileSync(new URL(`${name}.ron`, scenes), "utf8");
const golden = readFileSync(new URL("golden.txt", scenes), "utf8")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"))
    .map((line) => line.split(/\s+/))
    .map(([name, hash, steps]) => ({ name, hash, steps: Number(steps) }))
    .filter(({ name }) => existsSync(new URL(`${name}.ron`, scenes)));

const SMALL = `(
    entities: {
        "ground": { "body": Body(kind: Static), "top": Collider(shape: Box(width: 40, height: 2), position: (0, -1)) },
        "crate": { "body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1), hit_events: true) },
    },
    place: [One(name: "ground", entity: "ground"), One(name: "first", entity: "crate", at: (0, 3))],
)`;

test("the golden file has scenes", () => assert.ok(golden.length >= 4));

for (const { name, hash, steps } of golden) {
    for (const lanes of process.env.TOMBOLO_SCALAR ? [1] : [1, 4]) {
        test(`${name} comes to the hash of the golden file with ${lanes} lanes`, () => {
            const world = new World(text(name));
            world.lanes = lanes;
            for (let step = 0; step < steps; step += 1) {
                world.step();
            }
            assert.deepEqual(world.faults(), []);
            assert.equal(world.hash(), hash, `after ${steps} steps`);
            world.free();
        });
    }
}

test("a save of a scene goes on to the same hash in another world", () => {
    const [first, second] = [new World(text("workshop")), new World(text("workshop"))];
    for (let step = 0; step < 100; step += 1) {
        first.step();
    }
    second.restore(first.save().slice());
    for (let step = 0; step < 50; step += 1) {
        first.step();
        second.step();
    }
    assert.equal(second.hash(), first.hash());
});

test("entities are found, read, changed, spawned and destroyed by name", () => {
    const world = new World(SMALL);
    const first = world.find("first");
    assert.equal(world.nameOf(first), "first");
    assert.equal(world.find("second"), null);
    assert.deepEqual(world.get("first.body.linear_velocity"), [0, 0]);
    world.set("first.body.linear_velocity", [3, 0]);
    assert.deepEqual(world.get("body.linear_velocity", first), [3, 0]);
    assert.deepEqual(world.entity(first).position, [0, 3]);
    const second = world.spawn("crate", { name: "second", position: [5, 2] });
    world.step();
    assert.deepEqual(world.events().filter(({ type }) => type === "spawned").map(({ a }) => a).includes(second), true);
    const moved = world.movedEntities();
    assert.ok(moved.entities.includes(first) && moved.entities.includes(second));
    assert.equal(moved.poses.length, 4 * moved.entities.length);
    assert.equal(world.entities().entities.length, 3);
    const types = new Set();
    for (let step = 0; step < 90; step += 1) {
        world.step();
        world.events().forEach((event) => types.add(event.type));
    }
    assert.deepEqual([...types].sort(), ["beginTouch", "endTouch", "hit"].filter((type) => types.has(type)));
    assert.ok(types.has("beginTouch") && types.has("hit"));
    assert.equal(world.castRay([5, 10], [0, -20]).body, world.entity(second).body);
    world.despawn(second);
    assert.throws(() => world.despawn(second), TomboloError);
    assert.throws(() => world.entity(second), TomboloError);
});

test("a joint that is strained says so, and one that breaks", () => {
    const hinge = (breaks) => `Joint(to: Entity("post"), kind: Revolute(force_threshold: 5, breaks: ${breaks}))`;
    const world = new World(`(
        entities: {
            "post": { "body": Body(kind: Static) },
            "held": { "body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 0.5)), "hinge": ${hinge(false)} },
            "lost": { "body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 0.5)), "thread": ${hinge(true)} },
        },
        place: [
            One(name: "post", entity: "post"),
            One(name: "held", entity: "held", at: (3, 0)),
            One(name: "lost", entity: "lost", at: (-3, 0)),
        ],
    )`);
    world.step();
    const strains = world.events().filter(({ type }) => type === "strain" || type === "break");
    assert.deepEqual(strains.map(({ type, a, joint }) => [type, world.nameOf(a), joint]),
        [["strain", "held", "hinge"], ["break", "lost", "thread"]]);
    for (const { force } of strains) {
        assert.ok(Math.hypot(...force) > 5);
    }
    assert.equal(world.get("lost.thread.broken"), true);
});

test("a wrong scene says where, and a wrong property what", () => {
    assert.throws(() => new World("(entities: {\"a\": {\"b\": Bodi()}})"), /Bod/);
    const world = new World(SMALL);
    assert.throws(() => world.set("first.body.linear_velocty", [1, 0]), TomboloError);
    assert.throws(() => world.get("frist.body.linear_velocity"), /did you mean "first"/);
    assert.throws(() => world.spawn("barrel"), TomboloError);
});
