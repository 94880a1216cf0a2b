import { loadPhysics } from "../tombolo.js";

const { PhysicsWorld } = await loadPhysics();
const world = new PhysicsWorld({ gravity: [0, -10] });
const ground = world.createBody({ position: [0, -1] });
world.createShape(ground, { box: [40, 2] });
const ball = world.createBody({ kind: "dynamic", position: [0, 4] });
world.createShape(ball, { circle: 0.5, restitution: 0.3 });
for (let i = 0; i < 180; i++) world.step(1 / 60);
console.log(world.body(ball).position, world.hash());
