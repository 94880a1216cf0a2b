// What a program in TypeScript sees of the package: checked by `tsc --strict`, never run.
import { loadPhysics, load, TomboloError } from "tombolo";
import type { Body, Cut, Engine, EntityEvent, JointDef, PhysicsWorld, ShapeDef } from "tombolo";

const { PhysicsWorld: World } = await loadPhysics({ module: new Uint8Array() });
const world: PhysicsWorld = new World({ gravity: [0, -10] });
const ground = world.createBody({ position: [0, -1], ownMass: { mass: 1 }, lastingForce: [1, 0] });
const ball = world.createBody({ kind: "dynamic", userKey: 7n });
const hull: ShapeDef = { circle: 0.5, restitution: 0.3, frictionRule: "min" };
const shape = world.createShape(ball, hull);
const state: Body | null = world.body(ball);
const height: number = state?.position[1] ?? 0;

const several: Engine = await loadPhysics({ threads: 2, threadsModule: new Uint8Array() });
const threads: number = several.threads;
await several.close();

const joints: JointDef[] = [
    { kind: "revolute", bodyA: ground, bodyB: ball, enableMotor: true, motorSpeed: 2, maxMotorTorque: 10 },
    { kind: "pulley", bodyA: ground, bodyB: ball, groundAnchorA: [0, 1], slack: false },
    { kind: "filter", bodyA: ground, bodyB: ball },
];
const [joint] = joints.map((def) => world.createJoint(def));
if (joint !== undefined) {
    world.setJoint(joint, { motorSpeed: 3, anchorA: [1, height] });
    world.setMotor(joint, false);
    const def = world.jointDef(joint);
    if (def?.kind === "wheel") {
        const torque: number | undefined = def.maxMotorTorque;
        world.applyTorque(ball, torque ?? 0);
    }
}
// @ts-expect-error a weld has no motor
world.createJoint({ kind: "weld", bodyA: ground, bodyB: ball, motorSpeed: 1 });
// @ts-expect-error there is no such kind
world.createJoint({ kind: "hinge", bodyA: ground, bodyB: ball });
// @ts-expect-error a circle has no angle
world.createShape(ball, { circle: 1, angle: 1 });
// @ts-expect-error geometry is not a part of the material
world.setShape(shape, { circle: 1 });

world.setShape(shape, { friction: 0.1, mask: 3n });
world.setBody(ball, { bullet: true });
world.setSettings({ substeps: 8 });
world.gravity = [0, -9.8];
const hit = world.castShape({ box: [1, 2] }, { translation: [3, 0] }, { excludeBodies: [ball] });
const cuts: Cut[] = world.cutThrough([0, 0], hit?.point ?? [1, 1]);
world.explode({ position: [0, 0], radius: cuts.length });
world.step();

try {
    const { World: Scene } = await load();
    const scene = new Scene("()", { seed: 7n });
    scene.setAction("jump", 1);
    const events: EntityEvent[] = scene.events();
    const names: string[] = scene.names().map(({ name }) => name);
    const held: boolean = scene.action("jump").held && events.length > names.length;
    scene.set("first.body.awake", held);
    scene.set("body.linear_velocity", new Float32Array([1, 2]), scene.spawn("first"));
    scene.overlapPoint([0, 0], { excludeShapes: new Set(scene.overlapPoint([1, 1])) });
    const said: string[] = [...scene.faults(), ...scene.printed()];
    scene.clearFaults();
    scene.restore(new ArrayBuffer(said.length));
} catch (error) {
    const why: string = error instanceof TomboloError ? error.message : String(error);
    throw new Error(why);
}
