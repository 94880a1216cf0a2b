// The package in Node: joints of every kind, by what they do, and their options by name.
import assert from "node:assert/strict";
import { test } from "node:test";
import { JOINT_KINDS } from "../joints.js";
import { loadPhysics, TomboloError } from "../tombolo.js";

const { PhysicsWorld } = await loadPhysics();
const RIGHT_ANGLE = Math.PI / 2;

/** A world with a static body at the origin, the function that adds a dynamic one, and the one that makes steps. */
function stage(gravity = [0, 0]) {
    const world = new PhysicsWorld({ gravity });
    const wall = world.createBody();
    const add = (x, y, shape = { box: [1, 1] }) => {
        const body = world.createBody({ kind: "dynamic", position: [x, y] });
        world.createShape(body, shape);
        return body;
    };
    const run = (steps) => {
        for (let step = 0; step < steps; step += 1) {
            world.step();
        }
    };
    return { world, wall, add, run };
}

function near(value, expected, tolerance = 0.02) {
    assert.ok(Math.abs(value - expected) <= tolerance, `${value}, not ${expected}`);
}

/** What a joint of each kind does. */
const DEEDS = {
    revolute() {
        const { world, wall, add, run } = stage([0, -10]);
        const door = add(1, 0);
        const joint = world.createJoint({ kind: "revolute", bodyA: wall, bodyB: door, anchorB: [-1, 0], enableLimit: true,
            lowerAngle: -0.5, upperAngle: 0 });
        run(180);
        near(world.joint(joint).angle, -0.5);
        world.setLimit(joint, false);
        world.setSpring(joint, true, 1, 4, 1);
        world.gravity = [0, 0];
        run(240);
        near(world.joint(joint).angle, 1);
    },
    distance() {
        const { world, wall, add, run } = stage([0, -10]);
        const load = add(0, -1);
        const joint = world.createJoint({ kind: "distance", bodyA: wall, bodyB: load, enableSpring: true, enableLimit: true,
            minLength: 0, maxLength: 3 });
        run(240);
        near(world.body(load).position[1], -3);
        world.setJoint(joint, { enableMotor: true, motorSpeed: -1, maxMotorForce: 1000 });
        run(60);
        near(world.body(load).linearVelocity[1], 1);
        near(world.body(load).position[1], -2, 0.05);
    },
    prismatic() {
        const { world, wall, add, run } = stage([0, -10]);
        const cabin = add(0, 0);
        const joint = world.createJoint({ kind: "prismatic", bodyA: wall, bodyB: cabin, angleA: RIGHT_ANGLE,
            angleB: RIGHT_ANGLE, enableLimit: true, upperTranslation: 2, enableMotor: true, motorSpeed: 1,
            maxMotorForce: 500 });
        run(60);
        near(world.joint(joint).translation[0], 1);
        near(world.joint(joint).force[1], 10, 0.1);
        run(120);
        near(world.joint(joint).translation[0], 2);
        near(world.body(cabin).position[0], 0);
    },
    weld() {
        const { world, wall, add, run } = stage([0, -10]);
        const beam = add(1, 0);
        const joint = world.createJoint({ kind: "weld", bodyA: wall, bodyB: beam, anchorA: [0.5, 0], anchorB: [-0.5, 0] });
        run(120);
        near(world.body(beam).position[1], 0);
        near(world.joint(joint).force[1], 10, 0.1);
        world.setJoint(joint, { angularHertz: 1, angularDampingRatio: 1 });
        run(240);
        assert.ok(world.body(beam).angle < -0.05, "a soft one sags");
    },
    wheel() {
        const { world, wall, add, run } = stage([0, -10]);
        const wheel = add(0, 0, { circle: 0.5 });
        const joint = world.createJoint({ kind: "wheel", bodyA: wall, bodyB: wheel, angleA: RIGHT_ANGLE, springHertz: 1,
            springDampingRatio: 1, enableMotor: true, motorSpeed: -4, maxMotorTorque: 50 });
        run(300);
        near(world.body(wheel).angularVelocity, -4);
        // The weight over the stiffness: g / (2 π f)².
        near(world.joint(joint).translation[0], -10 / (2 * Math.PI) ** 2);
        near(world.body(wheel).position[0], 0);
    },
    motor() {
        const { world, wall, add, run } = stage([0, -10]);
        const crate = add(0, 0);
        const mouse = world.createJoint({ kind: "motor", bodyA: wall, bodyB: crate, linearHertz: 4, maxSpringForce: 1000 });
        for (const target of [[3, 2], [-1, 5]]) {
            world.setJoint(mouse, { anchorA: target });
            run(120);
            near(world.body(crate).position[0], target[0]);
            near(world.body(crate).position[1], target[1], 0.05);
        }
        assert.deepEqual(world.jointDef(mouse).anchorA, [-1, 5]);
    },
    filter() {
        const { world, add, run } = stage();
        const [one, other] = [add(0, 0), add(0.5, 0)];
        world.createJoint({ kind: "filter", bodyA: one, bodyB: other, userKey: 7n });
        run(60);
        assert.deepEqual([world.body(one).position, world.body(other).position], [[0, 0], [0.5, 0]]);
    },
    generic() {
        const { world, wall, add, run } = stage();
        const table = add(0, 0);
        const joint = world.createJoint({ kind: "generic", bodyA: wall, bodyB: table, enableMotorX: true, motorSpeedX: 0.5,
            maxMotorForceX: 100, enableLimitY: true, lowerY: -0.2, upperY: 0.2, lockAngle: true });
        world.applyImpulse(table, [0, 5], [0.5, 0]);
        run(120);
        near(world.joint(joint).translation[0], 1, 0.05);
        near(world.joint(joint).translation[1], 0.2);
        near(world.joint(joint).angle, 0);
    },
    gear() {
        const { world, wall, add, run } = stage();
        const wheels = [0, 3].map((x) => {
            const wheel = add(x, 0, { circle: 1 });
            world.createJoint({ kind: "revolute", bodyA: wall, bodyB: wheel, anchorA: [x, 0] });
            return wheel;
        });
        world.createJoint({ kind: "gear", bodyA: wheels[0], bodyB: wheels[1], ratio: 2 });
        world.applyAngularImpulse(wheels[0], 3);
        run(60);
        const [first, second] = wheels.map((wheel) => world.body(wheel).angularVelocity);
        near(first, -2 * second);
        assert.ok(first > 0.5);
    },
    rack() {
        const { world, wall, add, run } = stage();
        const [pinion, rack] = [add(0, 0, { circle: 0.4 }), add(0, -1, { box: [6, 0.5] })];
        world.createJoint({ kind: "revolute", bodyA: wall, bodyB: pinion, enableMotor: true, motorSpeed: 2,
            maxMotorTorque: 1000 });
        world.createJoint({ kind: "prismatic", bodyA: wall, bodyB: rack, anchorA: [0, -1] });
        world.createJoint({ kind: "rack", bodyA: pinion, bodyB: rack, radius: 0.5 });
        run(60);
        near(world.body(rack).linearVelocity[0], 1);
    },
    pulley() {
        const { world, add, run } = stage([0, -10]);
        const [cabin, weight] = [add(0, 0, { box: [1, 1], density: 2 }), add(4, 0)];
        world.createJoint({ kind: "pulley", bodyA: cabin, bodyB: weight, groundAnchorA: [0, 10], groundAnchorB: [4, 10],
            lengthA: 10, lengthB: 10 });
        run(60);
        // (2 m − m) g / (2 m + m), for a second.
        near(world.body(cabin).linearVelocity[1], -10 / 3, 0.05);
        near(world.body(weight).linearVelocity[1], 10 / 3, 0.05);
    },
    mover() {
        const { world, wall, add, run } = stage([0, -10]);
        const figure = add(0, 0);
        world.createJoint({ kind: "mover", bodyA: wall, bodyB: figure, linearVelocity: [3, 5], maxForce: [500, 0] });
        run(60);
        near(world.body(figure).linearVelocity[0], 3);
        near(world.body(figure).linearVelocity[1], -10, 0.1);
    },
    pogo() {
        const { world, wall, add, run } = stage([0, -10]);
        const figure = add(0, 1);
        world.createJoint({ kind: "pogo", bodyA: wall, bodyB: figure, angleA: RIGHT_ANGLE, length: 1, springHertz: 5,
            lowerSpringForce: 0 });
        world.setLinearVelocity(figure, [2, 0]);
        run(120);
        near(world.body(figure).position[1], 1, 0.05);
        near(world.body(figure).linearVelocity[0], 2);
    },
};

test("there is a test of what each kind does", () => assert.deepEqual(Object.keys(DEEDS), JOINT_KINDS));

for (const [kind, deed] of Object.entries(DEEDS)) {
    test(`a ${kind} joint does what it is for`, deed);
}

/** Joints of all kinds between two bodies, with all options at their defaults. */
function plainJoint(kind) {
    const { world, wall, add } = stage();
    const body = add(3, 4);
    return { world, def: { kind, bodyA: wall, bodyB: body } };
}

/** Another valid value of an option. */
function another(name, value) {
    if (typeof value === "boolean") {
        return !value;
    }
    if (typeof value === "bigint") {
        return 9n;
    }
    if (Array.isArray(value)) {
        return [0.25, 0.75];
    }
    if (name.startsWith("lower") && value === 0) {
        return -0.25;
    }
    return Number.isFinite(value) && Math.abs(value) > 1 ? value / 2 : 0.75;
}

/** The engine's name of an option. */
const snake = (name) => name.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()
    .replace(/^(anchor|angle)_/, "local_$1_");

for (const kind of JOINT_KINDS) {
    test(`each option of a ${kind} joint arrives under its name, and nothing else changes`, () => {
        const { world, def } = plainJoint(kind);
        const joint = world.createJoint(def);
        const plain = world.jointDef(joint);
        for (const [name, value] of Object.entries(plain)) {
            if (["kind", "bodyA", "bodyB"].includes(name)) {
                continue;
            }
            const other = another(name, value);
            const expected = world.jointDef(world.createJoint({ ...def, [name]: other }));
            assert.deepEqual(expected, { ...plain, [name]: other }, `created with ${name}`);
            world.setJoint(joint, { [name]: other });
            assert.deepEqual(world.jointDef(joint), { ...plain, [name]: other }, `set ${name}`);
            world.setJoint(joint, { [name]: value });
            assert.deepEqual(world.jointDef(joint), plain, `set back ${name}`);
            // The engine's own name of it, by what it refuses.
            if (typeof value === "number" || Array.isArray(value)) {
                const wrong = Array.isArray(value) ? [Infinity, Infinity] : -Infinity;
                assert.throws(() => world.setJoint(joint, { [name]: wrong }), (error) => {
                    assert.ok(error instanceof TomboloError, name);
                    assert.ok(error.message.startsWith(snake(name)), `${name}: ${error.message}`);
                    return true;
                });
                assert.deepEqual(world.jointDef(joint), plain, `refused ${name}`);
            }
        }
    });
}

test("a joint that is refused says why, and changes nothing", () => {
    const { world, wall, add } = stage();
    const body = add(1, 0);
    const joint = world.createJoint({ kind: "weld", bodyA: wall, bodyB: body });
    const before = world.hash();
    const refused = [
        [() => world.createJoint({ kind: "hinge", bodyA: wall, bodyB: body }), /a joint's kind is one of revolute, .*, not hinge/],
        [() => world.createJoint({ kind: "weld", bodyA: wall, bodyB: body, motorSpeed: 1 }), /a weld joint has no motorSpeed/],
        [() => world.createJoint({ kind: "weld", bodyA: body, bodyB: body }), /two different bodies|cannot be joined/],
        [() => world.createJoint({ kind: "weld", bodyA: wall, bodyB: 0n }), /no id of a body/],
        [() => world.setJoint(joint, { bodyA: body }), /has no bodyA/],
        [() => world.setJoint(joint, { linearHertz: -1 }), /linear_hertz is -1/],
        [() => world.setMotor(joint, true, 1, 1), /no motor/],
        [() => world.setLimit(joint, true, 1, 2), /no limit/],
        [() => world.setSpring(joint, true, 1, 2, 3), /no spring/],
    ];
    for (const [call, why] of refused) {
        assert.throws(call, why);
        assert.equal(world.hash(), before);
    }
    world.destroyJoint(joint);
    assert.throws(() => world.setJoint(joint, { linearHertz: 1 }), /joint does not exist/);
    assert.equal(world.jointDef(joint), null);
});
