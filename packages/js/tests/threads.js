// What Node, a page and its worker run on several threads: a world at each number of lanes; the hashes.
import { loadPhysics } from "../tombolo.js";

export const COUNTS = [1, 2, 4];
export const LANES = [1, 4];
const STEPS = 90;

/** Crates and balls that fall into a box, with joints and a bullet: enough for every parallel stage to have several blocks. */
function pile(PhysicsWorld) {
    const world = new PhysicsWorld();
    const ground = world.createBody();
    world.createChain(ground, { points: [[-24, 40], [-24, 0], [24, 0], [24, 40]].reverse() });
    let last = null;
    for (let place = 0; place < 600; place += 1) {
        const [column, row] = [place % 36, Math.floor(place / 36)];
        const position = [1.2 * column - 21 + 0.05 * (row % 3), 1.1 * row + 1];
        const body = world.createBody({ kind: "dynamic", position, angularVelocity: place % 5 });
        world.createShape(body, place % 4 === 0 ? { circle: 0.5 } : { box: [1, 1] });
        if (place % 12 === 1) {
            world.createJoint({ kind: "distance", bodyA: last, bodyB: body, length: 1.2 });
        }
        last = body;
    }
    const bullet = world.createBody({ kind: "dynamic", position: [0, 38], linearVelocity: [3, -200], bullet: true });
    world.createShape(bullet, { circle: 0.3, density: 20 });
    return world;
}

/** The hash every thirty steps, at each number of lanes. */
export function hashes({ PhysicsWorld }, lanes) {
    return lanes.map((count) => {
        const world = pile(PhysicsWorld);
        world.lanes = count;
        const found = [];
        for (let step = 1; step <= STEPS; step += 1) {
            world.step();
            if (step % 30 === 0) {
                found.push(world.hash());
            }
        }
        world.free();
        return found;
    });
}

/** The hashes on each number of threads, and how many there were. */
export async function run({ lanes }) {
    const found = {};
    for (const count of COUNTS) {
        const engine = await loadPhysics({ threads: count });
        found[count] = { threads: engine.threads, hashes: hashes(engine, lanes) };
        await engine.close();
    }
    return found;
}

if (typeof WorkerGlobalScope !== "undefined") {
    onmessage = async ({ data }) => postMessage(await run(data));
}
