// The package in Node: what can be changed of worlds, bodies and shapes after they were created.
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadPhysics, TomboloError } from "../tombolo.js";

const { PhysicsWorld } = await loadPhysics();

function run(world, steps) {
    for (let step = 0; step < steps; step += 1) {
        world.step();
    }
}

/** Asserts that each field that is given alone arrives under its name, when created and when set, and nothing else changes. */
function assertFields(others, create, read, set) {
    const plain = read(create({}));
    assert.deepEqual(Object.keys(plain).sort(), Object.keys(others).sort());
    const changed = create({});
    for (const [name, other] of Object.entries(others)) {
        assert.notDeepEqual(plain[name], other, name);
        assert.deepEqual(read(create({ [name]: other })), { ...plain, [name]: other }, `created with ${name}`);
        set(changed, { [name]: other });
        assert.deepEqual(read(changed), { ...plain, [name]: other }, `set ${name}`);
        set(changed, { [name]: plain[name] });
        assert.deepEqual(read(changed), plain, `set back ${name}`);
    }
    set(changed, others);
    assert.deepEqual(read(changed), others, "set all at once");
}

test("each option of a body arrives under its name", () => {
    const world = new PhysicsWorld();
    assertFields({ linearDamping: 0.5, angularDamping: 0.25, gravityScale: 2, sleepThreshold: 0.125, allowSleep: false,
        fixedRotation: true, bullet: true, fastRotation: true, fixedX: true, fixedY: true, addedMass: 3, dominance: -5,
        extraSubsteps: 2, speedMax: 10, spinMax: 20, lastingForce: [1, 2], lastingTorque: 4,
        ownMass: { mass: 8, inertia: 4, center: [0.5, 0.25] }, userKey: 77n },
    (def) => world.createBody({ kind: "dynamic", ...def }), (body) => world.bodyOptions(body),
    (body, changes) => world.setBody(body, changes));
});

test("each field of a material arrives under its name", () => {
    const world = new PhysicsWorld();
    const body = world.createBody({ kind: "dynamic" });
    assertFields({ density: 2, friction: 0.25, restitution: 0.5, rollingResistance: 0.125, tangentSpeed: 3,
        contactEvents: false, hitEvents: true, sensor: true, contactSkin: 0.25, forceThreshold: 5, seesSensors: true,
        seesFixed: true, frictionRule: "min", restitutionRule: "mean", category: 4n, mask: 6n, userKey: 9n, group: -3,
        material: 11 },
    (def) => world.createShape(body, { circle: 1, ...def }),
    (shape) => {
        const { id, body: owner, ...material } = world.shape(shape);
        assert.deepEqual([id, owner], [shape, body]);
        return material;
    }, (shape, changes) => world.setShape(shape, changes));
});

test("each setting of a world arrives under its name", () => {
    assertFields({ gravity: [1, -2], substeps: 8, sleeping: false, continuous: false, restitutionThreshold: 2,
        hitThreshold: 3, contactHertz: 20, contactDampingRatio: 5, pushSpeedMax: 2, speedMax: 100 },
    (def) => new PhysicsWorld(def), (world) => world.settings(), (world, changes) => world.setSettings(changes));
});

test("a world whose settings were changed goes on like one that was made with them", () => {
    const def = { gravity: [2, -5], substeps: 6, contactHertz: 20 };
    const hashes = [new PhysicsWorld(def), new PhysicsWorld()].map((world, place) => {
        if (place === 1) {
            world.setSettings(def);
        }
        world.createShape(world.createBody(), { box: [40, 2], center: [0, -1] });
        for (let x = 0; x < 3; x += 1) {
            world.createShape(world.createBody({ kind: "dynamic", position: [x, 1 + x] }), { box: [0.9, 0.9] });
        }
        run(world, 90);
        return world.hash();
    });
    assert.equal(hashes[0], hashes[1]);
});

test("gravity that changes wakes what sleeps, and lets it fall up", () => {
    const world = new PhysicsWorld({ gravity: [0, 0] });
    const ball = world.createBody({ kind: "dynamic" });
    world.createShape(ball, { circle: 0.5 });
    assert.equal(world.sleep(ball), true);
    assert.equal(world.body(ball).awake, false);
    assert.deepEqual(world.gravity, [0, 0]);
    world.gravity = [0, 10];
    assert.deepEqual([world.gravity, world.body(ball).awake], [[0, 10], true]);
    run(world, 60);
    assert.ok(Math.abs(world.body(ball).linearVelocity[1] - 10) < 1e-3);
});

test("a lasting force acts until it is taken away, and mass and center follow their setters", () => {
    const world = new PhysicsWorld({ gravity: [0, 0] });
    const body = world.createBody({ kind: "dynamic" });
    const shape = world.createShape(body, { box: [2, 1] });
    world.setBody(body, { lastingForce: [4, 0] });
    run(world, 60);
    assert.ok(Math.abs(world.body(body).linearVelocity[0] - 2) < 1e-3);
    world.setBody(body, { lastingForce: [0, 0] });
    run(world, 60);
    assert.ok(Math.abs(world.body(body).linearVelocity[0] - 2) < 1e-3);
    assert.equal(world.body(body).mass, 2);
    world.setShape(shape, { density: 3 });
    assert.equal(world.body(body).mass, 6);
    world.setBody(body, { ownMass: { mass: 4, inertia: 2, center: [1, 0] } });
    const { mass, inertia, centerOfMass, position } = world.body(body);
    assert.deepEqual([mass, inertia, centerOfMass[0] - position[0]], [4, 2, 1]);
});

test("friction, a sensor and geometry change what happens", () => {
    const world = new PhysicsWorld({ gravity: [0, -10] });
    const ground = world.createShape(world.createBody({ angle: 0.2 }), { box: [60, 2] });
    const crate = world.createBody({ kind: "dynamic", position: [0, 1.6], angle: 0.2 });
    const hull = world.createShape(crate, { box: [1, 1] });
    run(world, 120);
    assert.ok(Math.hypot(...world.body(crate).linearVelocity) < 1e-2, "it stands on the slope");
    world.setShape(ground, { friction: 0 });
    run(world, 60);
    // g sin α, for a second.
    assert.ok(Math.abs(Math.hypot(...world.body(crate).linearVelocity) - 10 * Math.sin(0.2)) < 0.1, "it slides");
    world.setGeometry(hull, { circle: 1 });
    assert.ok(Math.abs(world.body(crate).mass - Math.PI) < 1e-5);
    world.setShape(hull, { sensor: true });
    run(world, 60);
    assert.ok(world.body(crate).linearVelocity[1] < -5, "it falls through");
});

test("what is refused says why, and changes nothing, also where other changes are right", () => {
    const world = new PhysicsWorld();
    const body = world.createBody({ kind: "dynamic" });
    const shape = world.createShape(body, { box: [1, 1] });
    const before = world.hash();
    for (const [call, why] of [
        [() => world.setBody(body, { linearDamping: 1, gravityScale: 1e9 }), /gravity_scale/],
        [() => world.setBody(body, { bullet: true, ownMass: { mass: -1 } }), /mass/],
        [() => world.setBody(body, { ownMass: { wight: 1 } }), /a mass has no wight/],
        [() => world.setBody(body, { dominance: 128 }), /dominance is a whole number/],
        [() => world.setBody(body, { dominance: 0.5 }), /dominance is a whole number/],
        [() => world.setBody(body, { extraSubsteps: 65 }), /substeps/],
        [() => world.setBody(body, { position: [1, 1] }), /a change of a body has no position/],
        [() => world.setShape(shape, { friction: 1, restitution: -1 }), /restitution/],
        [() => world.setShape(shape, { friction: 1, density: 1e30 }), TomboloError],
        [() => world.setShape(shape, { frictionRule: "most" }), /a rule is one of usual, .*, not most/],
        [() => world.setShape(shape, { material: -1 }), /a material is a whole number/],
        [() => world.setShape(shape, { circle: 1 }), /a change of a shape has no circle/],
        [() => world.setGeometry(shape, { circle: -1 }), TomboloError],
        [() => world.setGeometry(shape, { circle: 1, friction: 1 }), /a geometry has no friction/],
        [() => world.setSettings({ gravity: [0, 0], substeps: 0 }), /substeps/],
        [() => world.setSettings({ gravty: [0, 0] }), /a world has no gravty/],
    ]) {
        assert.throws(call, why);
        assert.equal(world.hash(), before, String(call));
    }
    world.destroyBody(body);
    assert.throws(() => world.setBody(body, {}), /body does not exist/);
    assert.throws(() => world.setShape(shape, {}), /shape does not exist/);
    assert.deepEqual([world.bodyOptions(body), world.shape(shape)], [null, null]);
});
