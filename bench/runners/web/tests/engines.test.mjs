// What a scene says reaches the engines: `node --test bench/runners/web/tests/`. Those of peers want their packages, which the bench
// installs into target/runners/web when it first runs one of them.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import test from "node:test";

import { create as createBox2d } from "../box2d.mjs";
import { create as createRapier } from "../rapier.mjs";
import { options } from "../tombolo.mjs";

const PACKAGES = new URL("../../../../target/runners/web/", import.meta.url);
const skip = existsSync(new URL("node_modules/", PACKAGES)) 
    ? false
    : "SKIPPED: the bench has installed no packages into target/runners/web";
const RAPIERS = ["rapier-web", "rapier-simd-web"];

const BODY = {
    kind: "dynamic", position: [0, 0], angle: 0, linearVelocity: [0, 0], angularVelocity: 0, linearDamping: 0, angularDamping: 0,
    gravityScale: 1, sleepThreshold: 0.05, allowSleep: true, awake: true,
};
const MATERIAL = {
    density: 1, friction: 0.6, restitution: 0, rollingResistance: 0, contactEvents: false, hitEvents: false,
    category: "1", mask: "18446744073709551615", group: 0,
};
const JOINT = {
    anchorA: [0, 0], anchorB: [-1, 0], angleA: 0, angleB: 0, collideConnected: false, enableLimit: false, lowerAngle: 0,
    upperAngle: 0, enableSpring: false, targetAngle: 0, springHertz: 0, springDampingRatio: 0, enableMotor: false, motorSpeed: 0,
    maxMotorTorque: 0,
};

async function engine(engineName, settings = {}) {
    const { load } = await import(new URL("load.mjs", PACKAGES));
    const script = { gravity: [0, -10], sleeping: false, substeps: 4, stepSeconds: 1 / 60, ...settings };
    return (engineName === "box2d-web" ? createBox2d : createRapier)(script, 1, { engineName, load });
}

function box(width, height, material = {}) {
    const [x, y] = [width / 2, height / 2];
    const polygon = [[-x, -y], [x, -y], [x, y], [-x, y]];
    return { outline: { polygon, radius: 0 }, rectangle: [0, 0, x, y], ...MATERIAL, ...material };
}

/** The angle of an arm of one meter and one kilogram that a joint at its left end holds, after three seconds. */
async function armAngle(engineName, joint) {
    const made = await engine(engineName);
    const [wall, arm] = [made.body({ ...BODY, kind: "static" }), made.body({ ...BODY, position: [1, 0] })];
    made.shape(arm, box(1, 1));
    made.joint(wall, arm, { ...JOINT, ...joint });
    for (let step = 0; step < 180; step += 1) {
        made.step();
    }
    const [, , cos, sin] = made.motion(arm);
    return Math.atan2(sin, cos);
}

for (const engineName of [...RAPIERS, "box2d-web"]) {
    test(`${engineName}: a joint's limits hold, from the frame in which its angle is zero`, { skip }, async () => {
        const limits = { lowerAngle: -0.2, upperAngle: 0.3 };
        const free = await armAngle(engineName, limits);
        assert.ok(Math.abs(free) > 0.5, `without limits it swings to ${free}`);
        const held = await armAngle(engineName, { ...limits, enableLimit: true });
        assert.ok(Math.abs(held - -0.2) < 0.02, `held at ${held}`);
        const turned = await armAngle(engineName, { ...limits, enableLimit: true, angleA: 0.15, angleB: 0.05 });
        assert.ok(Math.abs(turned - -0.1) < 0.02, `held at ${turned}`);
    });

    test(`${engineName}: two frictions come to their geometric mean`, { skip }, async () => {
        const made = await engine(engineName);
        const ground = made.body({ ...BODY, kind: "static", position: [0, -1] });
        made.shape(ground, box(100, 1, { friction: 0.1 }));
        const block = made.body({ ...BODY, position: [0, -0.25], linearVelocity: [3, 0] });
        made.shape(block, box(2, 0.5, { friction: 0.9 }));
        for (let step = 0; step < 120; step += 1) {
            made.step();
        }
        // The square of the speed over twice the deceleration: 0.9 m by the mean of both, 5 m by their product.
        const [way] = made.motion(block);
        assert.ok(Math.abs(way - 1.5) < 0.1, `it slides ${way} m`);
    });
}

for (const engineName of ["rapier-web", "box2d-web"]) {
    test(`${engineName}: a motor is as strong as the scene says`, { skip }, async () => {
        // The weight turns the arm with 10 N·m.
        const motor = { enableMotor: true, motorSpeed: 0 };
        const weak = await armAngle(engineName, { ...motor, maxMotorTorque: 1 });
        assert.ok(Math.abs(weak) > 1, `it holds the arm at ${weak}`);
        // Rapier's motors give way a little, whatever their bound.
        const strong = await armAngle(engineName, { ...motor, maxMotorTorque: 100 });
        assert.ok(Math.abs(strong) < 0.5, `it lets the arm turn by ${strong}`);
    });
}

test("bodies fall asleep below the speeds that rapier.mjs names", { skip }, async () => {
    for (const [engineName, threshold] of [["rapier-web", 0.05], ["rapier-simd-web", 0.4]]) {
        for (const factor of [0.8, 2.2]) {
            const made = await engine(engineName, { gravity: [0, 0], sleeping: true });
            const body = made.body({ ...BODY, linearVelocity: [factor * threshold, 0] });
            made.shape(body, box(1, 1));
            for (let step = 0; step < 240; step += 1) {
                made.step();
            }
            assert.equal(made.isAwake(body), factor > 1, `${engineName} at ${factor} of ${threshold} m/s`);
        }
    }
});

test("what a package of Rapier cannot do is refused", { skip }, async () => {
    const [made, older] = await Promise.all(RAPIERS.map((name) => engine(name)));
    const chain = { points: [[1, 0], [0, 1], [-1, 0]], closed: true, ...MATERIAL };
    const motor = { ...JOINT, enableMotor: true, motorSpeed: 1, maxMotorTorque: 1 };
    const bodies = () => [{ ...BODY, kind: "static" }, BODY];
    const [wall, arm] = bodies().map((def) => older.body(def));
    assert.throws(() => older.chain(wall, chain), /no one-sided chains/);
    assert.throws(() => older.joint(wall, arm, motor), /no bounds of motors/);
    const [newWall, newArm] = bodies().map((def) => made.body(def));
    made.chain(newWall, chain);
    made.joint(newWall, newArm, motor);
    assert.deepEqual(made.counts(), { bodies: 2, shapes: 3, joints: 1 });
    assert.throws(() => made.shape(newArm, box(1, 1, { rollingResistance: 0.1 })), /no resistance to rolling/);
});

test("tombolo-web: all that the scene says of a shape and a chain is passed on", () => {
    const said = { ...MATERIAL, contactEvents: false, hitEvents: true, rollingResistance: 0.2 };
    const passed = { ...said, category: 1n, mask: 2n ** 64n - 1n };
    const { outline, rectangle, ...shape } = { ...box(1, 1), ...said };
    assert.deepEqual(options({ outline, rectangle, ...shape }), { ...outline, ...passed });
    const chain = { points: [[0, 0], [1, 0]], closed: false };
    assert.deepEqual(options({ ...chain, ...said }), { ...chain, ...passed });
});
