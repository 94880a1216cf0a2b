// Tombolo's package, with the modules that packages/js/build has made.
import { loadPhysics } from "../../../packages/js/tombolo.js";

/** A shape or chain of the scene as the package takes it: all that the scene says under the package's names, masks as numbers. */
export function options({ outline, rectangle, category, mask, ...rest }) {
    return { ...outline, ...rest, category: BigInt(category), mask: BigInt(mask) };
}

export async function create({ gravity, sleeping, substeps, stepSeconds }, threads) {
    const engine = await loadPhysics({ threads });
    if (engine.threads !== threads) {
        throw new Error(`there are ${engine.threads} threads instead of ${threads}`);
    }
    const world = new engine.PhysicsWorld({ gravity, sleeping, substeps });
    // The poses of all bodies, read once after each step.
    let poses = null;
    return {
        name: "Tombolo in Node",
        body: (def) => world.createBody(def),
        shape: (body, def) => world.createShape(body, options(def)),
        chain: (body, def) => world.createChain(body, options(def)),
        joint: (bodyA, bodyB, def) => world.createJoint({ kind: "revolute", bodyA, bodyB, ...def }),
        destroy: (body) => world.destroyBody(body),
        setVelocity: (body, velocity) => world.setLinearVelocity(body, velocity),
        step() {
            world.step(stepSeconds);
            poses = null;
        },
        motion(body) {
            if (poses === null) {
                const all = world.poses();
                const numbers = Array.from(all.poses);
                poses = new Map(Array.from(all.bodies, (id, place) => [id, numbers.slice(4 * place, 4 * place + 4)]));
            }
            const { linearVelocity, angularVelocity } = world.body(body);
            return [...poses.get(body), ...linearVelocity, angularVelocity];
        },
        isAwake: (body) => world.body(body).awake,
        counts: () => ({}),
    };
}
