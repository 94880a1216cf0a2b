// The kinds of joints, and their definitions as the numbers that the module takes, and back.

import { pair, refuseBare, refuseUnknown } from "./rows.js";

// In the order of `crates/web/src/joints.rs`: what all kinds but a filter have, then what each kind has.
const SHARED = ["anchorA", "anchorB", "angleA", "angleB", "constraintHertz", "constraintDampingRatio", "forceThreshold",
    "torqueThreshold", "breaks", "collideConnected"];
const AXIS = ["X", "Y", "Angle"];
const SPRING = ["springHertz", "springDampingRatio"];
const TRANSLATION = ["lowerTranslation", "upperTranslation"];
const MOTOR_FORCE = ["motorSpeed", "maxMotorForce"];
const MOTOR_TORQUE = ["motorSpeed", "maxMotorTorque"];
const SPRING_FORCES = ["lowerSpringForce", "upperSpringForce"];
const SOFT = ["linearHertz", "linearDampingRatio"];
const SOFT_ANGLE = ["angularHertz", "angularDampingRatio"];

const OWN = {
    revolute: ["enableLimit", "enableSpring", "enableMotor", "countTurns", "lowerAngle", "upperAngle", "targetAngle",
        ...SPRING, ...MOTOR_TORQUE],
    distance: ["enableSpring", "enableLimit", "enableMotor", "length", ...SPRING, ...SPRING_FORCES, "minLength",
        "maxLength", ...MOTOR_FORCE],
    prismatic: ["enableLimit", "enableSpring", "enableMotor", ...TRANSLATION, "targetTranslation", ...SPRING,
        ...MOTOR_FORCE],
    weld: [...SOFT, ...SOFT_ANGLE],
    wheel: ["enableSpring", "enableLimit", "enableMotor", ...SPRING, "targetTranslation", ...TRANSLATION, ...MOTOR_TORQUE],
    motor: ["maxVelocityForce", "angularVelocity", "maxVelocityTorque", ...SOFT, "maxSpringForce", ...SOFT_ANGLE,
        "maxSpringTorque", "linearVelocity"],
    filter: [],
    generic: [...AXIS.flatMap((axis) => [`lock${axis}`, `enableLimit${axis}`, `enableSpring${axis}`, `enableMotor${axis}`]),
        "countTurns",
        ...AXIS.flatMap((axis) => [`lower${axis}`, `upper${axis}`, `target${axis}`, `springHertz${axis}`,
            `springDampingRatio${axis}`, `motorSpeed${axis}`, axis === "Angle" ? "maxMotorTorque" : `maxMotorForce${axis}`])],
    gear: ["ratio"],
    rack: ["radius"],
    pulley: ["slack", "ratio", "lengthA", "lengthB", "groundAnchorA", "groundAnchorB"],
    mover: ["linearVelocity", "maxForce"],
    pogo: ["enableSpring", "length", ...SPRING, ...SPRING_FORCES],
};
const VECTORS = new Set(["anchorA", "anchorB", "linearVelocity", "groundAnchorA", "groundAnchorB", "maxForce"]);
const FLAG = /^(enable|lock|count|slack$|breaks$|collide)/;

/** The kinds of joints, in the order of their numbers in the module. */
export const JOINT_KINDS = Object.keys(OWN);

// The options of a kind, in the order of the module.
function options(kind) {
    return kind === "filter" ? [] : [...SHARED, ...OWN[kind]];
}

function row(kind, given) {
    return options(kind).flatMap((name) => (VECTORS.has(name) ? pair(given[name]) : [given[name]]));
}

/** The number of a definition's kind, and its row. */
export function jointRow(def) {
    refuseBare(def, "joint");
    const number = JOINT_KINDS.indexOf(def.kind);
    if (number < 0) {
        throw new TypeError(`a joint's kind is one of ${JOINT_KINDS.join(", ")}, not ${String(def.kind)}`);
    }
    refuseUnknown(def, ["kind", "bodyA", "bodyB", ...options(def.kind), "userKey"], `${def.kind} joint`);
    return [number, row(def.kind, def)];
}

/** The row of changes of a joint of a kind. */
export function jointChanges(kind, changes) {
    refuseUnknown(changes, [...options(kind), "userKey"], `change of a ${kind} joint`);
    return row(kind, changes);
}

/** The options of a kind from the module's output. */
export function jointOptions(kind, numbers) {
    const rest = numbers.values();
    const next = () => rest.next().value;
    return Object.fromEntries(options(kind).map((name) => {
        if (VECTORS.has(name)) {
            return [name, [next(), next()]];
        }
        return [name, FLAG.test(name) ? next() !== 0 : next()];
    }));
}
