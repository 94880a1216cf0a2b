// A runner of the bench for engines that are WebAssembly modules: makes the calls of a scene's file, which the bench has written,
// times the steps, and prints frames and the answer as the native runners do (bench/protocol/src/run.rs).
// PACKAGES is the folder in which npm has installed the peers' packages, beside load.mjs.
// usage: node run.mjs ENGINE SCENES PACKAGES --scene=NAME --size=N --seed=N --steps=N --threads=N --frames=N
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [engineName, scenes, packages, ...order] = process.argv.slice(2);
const { scene, size, seed, steps, threads, frames } = Object.fromEntries(order.map((word) => {
    const [name, value] = word.slice(2).split("=");
    return [name, name === "scene" || name === "seed" ? value : Number(value)];
}));
const script = JSON.parse(readFileSync(`${scenes}/${scene}-${size}-${seed}-${steps}.json`, "utf8"));
const { create } = await import(`./${engineName.split("-")[0]}.mjs`);
/** A peer's package, which Tombolo does without. */
async function load(name) {
    const { load } = await import(pathToFileURL(join(packages, "load.mjs")));
    return load(name);
}

const engine = await create(script, threads, { engineName, load });

/** The existing bodies by number of creation, in that order, each with the number of its shapes; and the two bodies of joints. */
const living = new Map();
const jointed = [];
let created = 0;

const CALLS = {
    body(def) {
        living.set(created, { own: engine.body(def), isDynamic: def.kind === "dynamic", shapes: 0 });
        created += 1;
    },
    shape(place, def) {
        const body = living.get(place);
        engine.shape(body.own, def);
        body.shapes += 1;
    },
    chain(place, def) {
        const body = living.get(place);
        engine.chain(body.own, def);
        body.shapes += def.points.length - (def.closed ? 0 : 1);
    },
    joint(a, b, def) {
        engine.joint(living.get(a).own, living.get(b).own, def);
        jointed.push([a, b]);
    },
    destroy(place) {
        engine.destroy(living.get(place).own);
        living.delete(place);
    },
    velocity: (place, velocity) => engine.setVelocity(living.get(place).own, velocity),
};

/** The dynamic bodies that are awake, and all dynamic ones. */
function dynamicBodies() {
    const dynamic = [...living.values()].filter((body) => body.isDynamic);
    return [dynamic.filter((body) => engine.isAwake(body.own)).length, dynamic.length];
}

/** What there is by the calls that were made; an engine's own numbers, as far as it tells them, take their places. */
function counts() {
    const all = [...living.values()];
    return {
        bodies: living.size,
        shapes: all.reduce((sum, body) => sum + body.shapes, 0),
        joints: jointed.filter((pair) => pair.every((place) => living.has(place))).length,
        contacts: null,
        awake: dynamicBodies()[0],
        ...engine.counts(),
    };
}

/** The poses and velocities of all bodies, as the protocol names their numbers. */
function motions() {
    return Array.from(living.values(), ({ own }) => {
        const [x, y, cos, sin, velocity_x, velocity_y, angular_velocity] = engine.motion(own).map(Math.fround);
        return { x, y, cos, sin, velocity_x, velocity_y, angular_velocity };
    });
}

/** FNV-1a over the bits of all numbers; a negative zero counts as zero. */
function hash(bodies) {
    const numbers = Float32Array.from(bodies.flatMap((body) => Object.values(body)), (number) => number + 0);
    let value = 0xcbf29ce484222325n;
    for (const byte of new Uint8Array(numbers.buffer)) {
        value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n);
    }
    return value;
}

/** Whether a frame is printed after a step: they are spread over the second half, and the last step's is one of them. */
function shows(step) {
    const toGo = steps - step - 1;
    const place = Math.ceil((toGo * 2 * frames) / steps);
    return place < frames && Math.floor((place * steps) / (2 * frames)) === toGo;
}

const stepNs = [];
// Of the steps, if frames are asked for: the sum of the shares of awake bodies, and those after which all slept.
let [awakeShares, stepsAsleep] = [0, 0];
for (let step = 0; step < steps; step += 1) {
    for (const [name, ...parameters] of script.steps[step] ?? []) {
        CALLS[name](...parameters);
    }
    const from = process.hrtime.bigint();
    engine.step();
    const elapsed = process.hrtime.bigint() - from;
    if (step > 0) {
        stepNs.push(Number(elapsed));
    }
    if (frames > 0) {
        const [awake, dynamic] = dynamicBodies();
        awakeShares += awake / Math.max(dynamic, 1);
        stepsAsleep += awake === 0 ? 1 : 0;
    }
    if (shows(step)) {
        process.stdout.write(`${JSON.stringify({ step, bodies: motions() })}\n`);
    }
}
const bodies = motions();
const answer = JSON.stringify({
    engine: engine.name,
    step_ns: stepNs,
    counts: counts(),
    awake: frames > 0 ? { mean_share: awakeShares / steps, all_asleep_share: stepsAsleep / steps } : null,
    bodies,
    hash: 0,
    stages: [],
    memory_peak_kb: process.resourceUsage().maxRSS,
});
// The hash has 64 bits, more than a number of JavaScript.
process.stdout.write(`${answer.replace('"hash":0', `"hash":${hash(bodies)}`)}\n`, () => process.exit());
