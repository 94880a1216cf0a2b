// Compares modules of physics: milliseconds of a step, all of them in turn in each round, and their ratios to the first one.
// usage: node bench.mjs MODULE.wasm[@THREADS]...    a module for threads has their number
import { readFileSync } from "node:fs";
import { loadPhysics } from "./tombolo.js";

const ROUNDS = 9;
const STEPS = 60;

/** A pile of crates and balls that keeps moving: 20 columns of 20. */
function pile({ PhysicsWorld }) {
    const world = new PhysicsWorld({ sleeping: false });
    const ground = world.createBody();
    world.createChain(ground, { points: [[-14, 30], [-14, 0], [14, 0], [14, 30]].reverse() });
    for (let place = 0; place < 400; place += 1) {
        const [column, row] = [place % 20, Math.floor(place / 20)];
        const position = [1.2 * column - 11.4 + 0.05 * (row % 3), 1.1 * row + 1];
        const body = world.createBody({ kind: "dynamic", position });
        world.createShape(body, place % 4 === 0 ? { circle: 0.5 } : { box: [1, 1] });
    }
    return world;
}

const names = process.argv.slice(2);
const engines = await Promise.all(names.map((name) => {
    const [path, threads] = name.split("@");
    const module = readFileSync(path);
    return loadPhysics(threads ? { threadsModule: module, threads: Number(threads) } : { module });
}));
const times = names.map(() => []);
const hashes = new Set();
for (let round = 0; round < ROUNDS; round += 1) {
    for (const [place, engine] of engines.entries()) {
        const world = pile(engine);
        const from = performance.now();
        for (let step = 0; step < STEPS; step += 1) {
            world.step();
        }
        times[place].push((performance.now() - from) / STEPS);
        hashes.add(world.hash());
        world.free();
    }
}
if (hashes.size !== 1) {
    throw new Error(`the modules disagree: ${[...hashes]}`);
}
const least = times.map((rounds) => Math.min(...rounds));
for (const [place, name] of names.entries()) {
    console.log(`${name}: ${least[place].toFixed(3)} ms a step, ${(least[place] / least[0]).toFixed(3)} of the first`);
}
