// What the page and its worker run: each scene at each number of lanes; the hashes.
import { load } from "../tombolo.js";

export async function run({ scenes, lanes }) {
    const { World } = await load();
    const hashes = {};
    for (const { name, text, steps } of scenes) {
        for (const count of lanes) {
            const world = new World(text);
            world.lanes = count;
            for (let step = 0; step < steps; step += 1) {
                world.step();
            }
            hashes[`${name} with ${count} lanes`] = world.hash();
            world.free();
        }
    }
    return hashes;
}

if (typeof WorkerGlobalScope !== "undefined") {
    onmessage = async ({ data }) => postMessage(await run(data));
}
