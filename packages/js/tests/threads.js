// What Node, a page and its worker run on several threads: a world of physics at each number of lanes, and one of entities; the hashes.
import { load, loadPhysics } from "../tombolo.js";

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

/**
 * Crates whose scripts ask, push and remember, on all threads; some that draw random numbers, and one that cuts, which are called
 * in turn.
 */
export const CROWD = `(
    settings: (seed: 5),
    scripts: {
        "walk": r#"
            fn on_spawn() { this.ticks = 0; this.pushed = [0.0, 0.0]; }
            fn on_tick(seconds) {
                this.ticks += 1;
                let here = me().get("transform.position");
                let near = query_circle(here, 0.9).len();
                this.pushed[this.ticks % 2] += near;
                me().apply_impulse(vec2(0.05 * sin(0.1 * this.ticks + here.x), 0.01 * near));
            }
        "#,
        "turn": r#"fn on_tick(seconds) { if random() < 0.2 { me().set("body.angular_velocity", random()); } }"#,
        "blade": r#"
            fn on_spawn() { this.ticks = 0; }
            fn on_tick(seconds) {
                this.ticks += 1;
                if this.ticks == 40 { cut_through(vec2(-17, 0.3), vec2(17, 0.7)); }
            }
        "#,
    },
    entities: {
        "ground": {
            "body": Body(), "top": Collider(shape: Box(width: 60, height: 2), position: (0, -1)), "mind": Script(name: "blade"),
        },
        "crate": {
            "body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 0.8, height: 0.8)), "mind": Script(name: "walk"),
        },
        "top": { "body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 0.4)), "mind": Script(name: "turn") },
    },
    place: [
        One(name: "ground", entity: "ground"),
        Grid(name: "crate", entity: "crate", at: (-18, 0.5), columns: 30, rows: 8, column_step: (1.2, 0), row_step: (0, 1.1)),
        Grid(name: "top", entity: "top", at: (-18, 10), columns: 30, rows: 1, column_step: (1.2, 0), row_step: (0, 1)),
    ],
)`;

/** What the native program says of it (`tombolo run crowd.ron --steps 90 --json`), at steps 30, 60 and 90. */
export const CROWD_NATIVELY = ["fd4273fbf438aa7a", "29d519fb97cb7dfa", "1194557446c8e09a"];

/**
 * The hash of a world of entities every thirty steps; at step 45, after the cut, it is saved, and another goes on from there. Then
 * the faults of its scripts.
 */
export function crowdHashes({ World }) {
    let world = new World(CROWD);
    const found = [];
    for (let step = 1; step <= STEPS; step += 1) {
        world.step();
        if (step % 30 === 0) {
            found.push(world.hash());
        }
        if (step === 45) {
            const save = world.save().slice();
            world.free();
            world = new World(CROWD);
            world.restore(save);
        }
    }
    found.push(...world.faults());
    world.free();
    return found;
}

/** The hashes on each number of threads, and how many there were. */
export async function run({ lanes }) {
    const found = {};
    for (const count of COUNTS) {
        const physics = await loadPhysics({ threads: count });
        const scenes = await load({ threads: count });
        found[count] = { threads: [physics.threads, scenes.threads], hashes: hashes(physics, lanes), crowd: crowdHashes(scenes) };
        await Promise.all([physics.close(), scenes.close()]);
    }
    return found;
}

if (typeof WorkerGlobalScope !== "undefined") {
    onmessage = async ({ data }) => postMessage(await run(data));
}
