// The package in Node: arguments that are none are refused with their names, and what is given back can be looped over.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load, loadPhysics, TomboloError } from "../tombolo.js";

const { PhysicsWorld } = await loadPhysics();
const { World } = await load();

const SCENE = `(
    settings: (seed: 1),
    scripts: { "kick": "fn on_spawn() { me().set(\\"body.linear_velocity\\", vec2(random(0.0, 9.0), 0.0)); }" },
    entities: {
        "crate": { "body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1)) },
        "kicked": { "body": Body(kind: Dynamic), "mind": Script(name: "kick") },
    },
    place: [One(name: "first", entity: "crate"), One(name: "ball", entity: "kicked", at: (9, 0))],
)`;

/** A world with a dynamic body at the origin, of one disc. */
function one() {
    const world = new PhysicsWorld({ gravity: [0, 0] });
    const body = world.createBody({ kind: "dynamic", name: "one" });
    world.createShape(body, { circle: 0.5 });
    return { world, body };
}

test("an entity without a name is set as it is read", () => {
    const world = new World(SCENE);
    const entity = world.spawn("crate", { position: [3, 0] });
    world.set("body.linear_velocity", [1, 2], entity);
    assert.deepEqual(world.get("body.linear_velocity", entity), [1, 2]);
    assert.deepEqual(world.get("first.body.linear_velocity"), [0, 0]);
    world.set("body.kind", "Kinematic", entity);
    assert.equal(world.get("body.kind", entity), "Kinematic");
    const before = world.hash();
    assert.throws(() => world.set("body.dominance", 1.5, entity), /body\.dominance=1\.5/, "the error names the property");
    world.despawn(entity);
    assert.throws(() => world.set("body.linear_velocity", [1, 2], entity), /does not exist/);
    assert.notEqual(world.hash(), before);
});

test("properties are set to typed arrays", () => {
    const world = new World(SCENE);
    world.set("first.body.linear_velocity", new Float32Array([0.1, 2]));
    assert.deepEqual(world.get("first.body.linear_velocity"), [0.1, 2]);
});

test("a seed replaces the scene's, and without an angle a teleport keeps it", () => {
    const speed = (world) => {
        world.step();
        return world.get("ball.body.linear_velocity")[0];
    };
    const seeded = (seed) => speed(new World(SCENE, { seed }));
    assert.equal(seeded(1), speed(new World(SCENE)));
    assert.equal(seeded(7), seeded(7n));
    assert.notEqual(seeded(7), seeded(1));
    assert.throws(() => new World(SCENE, { sead: 1 }), /a world has no sead/);
    for (const seed of [0.5, -1n, 2n ** 64n, "1"]) {
        assert.throws(() => new World(SCENE, { seed }), /a seed/);
    }
    const world = new World(SCENE);
    const first = world.find("first");
    world.teleportEntity(first, [1, 2], 1);
    world.teleportEntity(first, [5, 6]);
    const { position, angle } = world.entity(first);
    assert.deepEqual(position, [5, 6]);
    assert.ok(Math.abs(angle - 1) < 1e-6);
    world.teleportEntity(first, [5, 6], 0);
    assert.equal(world.entity(first).angle, 0);
});

test("a spawned entity has the fields that there are", () => {
    const world = new World(SCENE);
    const count = world.entities().entities.length;
    assert.throws(() => world.spawn("crate", { postion: [9, 9] }), /a spawned entity has no postion/);
    assert.throws(() => world.spawn("crate", { position: [undefined, 3] }), /expected a point/);
    assert.throws(() => world.spawn("crate", { name: {} }), /a name is a text/);
    assert.equal(world.entities().entities.length, count);
});

test("what a query finds and what a step tells can be asked about in a loop", () => {
    const world = new PhysicsWorld();
    const ground = world.createBody({ position: [0, -1] });
    world.createShape(ground, { box: [40, 2] });
    const shapes = Array.from({ length: 7 }, (_, place) => {
        const body = world.createBody({ kind: "dynamic", position: [2 * place, 0.5], userKey: BigInt(place) });
        return world.createShape(body, { box: [1, 1] });
    });
    const area = [[-1, 0.2], [20, 2]];
    const queries = [
        world.overlapBox(...area),
        world.overlapShape({ box: [40, 1] }, { position: [6, 0.6] }),
        world.overlapCircle([6, 0.5], 20),
    ];
    for (const found of queries) {
        const known = [];
        for (const shape of found) {
            known.push(world.shape(shape) !== null);
            world.body(world.shape(shape).body);
        }
        assert.ok(known.length >= 7 && known.every(Boolean));
    }
    assert.deepEqual([...queries[0]].filter((shape) => shapes.includes(shape)).sort(), [...shapes].sort());
    world.step();
    const ids = world.beganTouching();
    const bodies = [];
    for (let place = 0; place < ids.length; place += 3) {
        bodies.push(world.shape(ids[place]).body, world.shape(ids[place + 1]).body);
    }
    assert.equal(new Set(bodies).size, 8);
});

test("flags, names and points are given whole", () => {
    const { world, body } = one();
    const before = [world.hash(), world.body(body).name];
    for (const enabled of [undefined, null, "false", 0]) {
        assert.throws(() => world.setEnabled(body, enabled), { name: "TypeError", message: /enabled is true or false/ });
    }
    for (const name of [undefined, null, {}, 5]) {
        assert.throws(() => world.setName(body, name), /a name is a text/);
    }
    assert.throws(() => world.createBody({ name: {} }), /a name is a text/);
    for (const point of [[undefined, 2], [1, undefined], [1], null, 5]) {
        assert.throws(() => world.applyForce(body, [1, 0], point), /expected a point as two numbers/);
        assert.throws(() => world.applyImpulse(body, point), /expected a/);
    }
    assert.throws(() => world.createChain(body, { points: [[0, 0], [1, 0]], closed: "false" }), /closed is true or false/);
    assert.deepEqual([world.hash(), world.body(body).name], before);
    const bodyA = world.createBody();
    const joint = world.createJoint({ kind: "revolute", bodyA, bodyB: body, enableMotor: true, maxMotorTorque: 3 });
    for (const call of ["setMotor", "setLimit", "setSpring"]) {
        assert.throws(() => world[call](joint), /enabled is true or false/);
    }
    assert.ok(world.jointDef(joint).enableMotor);
});

test("a word is not taken modulo 2 ** 64", () => {
    const { world, body } = one();
    for (const userKey of [2n ** 64n, 2n ** 64n + 5n, -1n]) {
        assert.throws(() => world.createBody({ userKey }), { name: "RangeError", message: /userKey is from 0n/ });
        assert.throws(() => world.setBody(body, { userKey }), RangeError);
        assert.throws(() => world.overlapPoint([0, 0], { mask: userKey }), /mask is from 0n/);
        assert.throws(() => world.createCharacter({ category: userKey }), /category is from 0n/);
    }
    const largest = 2n ** 64n - 1n;
    assert.equal(world.body(world.createBody({ userKey: largest })).userKey, largest);
    for (const wrong of [body + 2n ** 64n, body - 2n ** 64n]) {
        assert.throws(() => world.body(wrong), { name: "RangeError", message: /is no handle/ });
        assert.throws(() => world.destroyBody(wrong), RangeError);
        assert.throws(() => world.castRay([-5, 0], [9, 0], { excludeBodies: [wrong] }), RangeError);
    }
    assert.notEqual(world.body(body), null);
});

test("an error names what is missing or of the wrong kind", () => {
    const { world, body } = one();
    const wrong = [
        [() => world.createChain(body, {}), /points: expected an array/],
        [() => world.createHeightfield(body, {}), /heights: expected an array/],
        [() => world.createTileGrid(body, {}), /rows: expected an array/],
        [() => world.createTileGrid(body, { rows: [[1]], tiles: 5 }), /tiles: expected an array/],
        [() => world.createConcavePolygon(body, {}), /corners: expected an array/],
        [() => world.createShape(body, { polygon: 5 }), /polygon: expected an array/],
        [() => world.createJoint(), /a joint is given as an object/],
        [() => world.createJoint({ kind: "revolute" }), /bodyA is a bigint/],
        [() => world.createJoint({ kind: "revolute", bodyA: body, bodyB: 7 }), /bodyB is a bigint/],
        [() => world.overlapPoint([0, 0], { mask: 3 }), /mask is a bigint, as 1n, not 3/],
        [() => world.overlapPoint([0, 0], { excludeBodies: body }), /excludeBodies is a list of handles/],
        [() => world.overlapPoint([0, 0], { excludeShapes: [undefined] }), /a handle of excludeShapes/],
        [() => world.setCategoryRule(1, null, { ignore: true }), /a category is a bigint/],
    ];
    for (const [call, message] of wrong) {
        assert.throws(call, (error) => message.test(error.message) && !(error instanceof TomboloError), String(message));
    }
    // What is a list of handles, whatever its kind.
    const found = world.overlapPoint([0, 0]);
    assert.equal(found.length, 1);
    for (const excludeShapes of [found, new Set(found), [...found]]) {
        assert.equal(world.overlapPoint([0, 0], { excludeShapes }).length, 0);
    }
});

test("numbers that wrap or are no numbers are refused and change nothing", () => {
    const { world, body } = one();
    const shape = world.createShape(body, { circle: 1, group: -3 });
    const before = world.hash();
    for (const group of [2 ** 64, 2 ** 31, -(2 ** 31) - 1, 1.5, Number.NaN, "1", null]) {
        const refusal = { name: "RangeError", message: /a group is a whole number from/ };
        assert.throws(() => world.createShape(body, { circle: 1, group }), refusal, String(group));
        assert.throws(() => world.setShape(shape, { group }), refusal, String(group));
    }
    for (const lanes of [2 ** 32 + 1, 4.9, -1, "4", undefined]) {
        assert.throws(() => { world.lanes = lanes; }, { name: "RangeError", message: /lanes are 1 or 4/ }, String(lanes));
    }
    for (const hole of ["length", -1, 0.5, "0", undefined]) {
        const ground = { heights: [0, 0, 0], spacing: 1, holes: [hole] };
        const refusal = { name: "RangeError", message: /a segment to leave out is a whole number/ };
        assert.throws(() => world.createHeightfield(body, ground), refusal, String(hole));
    }
    assert.throws(() => world.createHeightfield(body, { heights: [0, 0, 0], spacing: 1, holes: [2] }), /no segment 2 .* last is 1/);
    assert.equal(world.hash(), before);
    assert.equal(world.shape(shape).group, -3);
    for (const group of [-(2 ** 31), 2 ** 31 - 1]) {
        world.setShape(shape, { group });
        assert.equal(world.shape(shape).group, group);
    }
});

test("names keep all their letters", () => {
    const { world, body } = one();
    for (const name of ["\ufeffone", "\ufeff", "a\ufeff\u0301"]) {
        world.setName(body, name);
        assert.equal(world.body(body).name, name);
    }
    const scene = new World(SCENE);
    const entity = scene.spawn("crate", { name: "\ufeffcrate" });
    assert.equal(scene.nameOf(entity), "\ufeffcrate");
});

test("an entity whose body was destroyed has none", () => {
    const world = new World(SCENE);
    const first = world.find("first");
    const { body } = world.entity(first);
    assert.notEqual(world.body(body), null);
    world.destroyBody(body);
    assert.equal(world.body(body), null);
    assert.equal(world.entity(first).body, null);
});
