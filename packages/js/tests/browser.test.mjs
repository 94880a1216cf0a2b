// The package in Chromium: the shipped scenes in a page and in a worker come to the hashes of the golden file.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { inChromium, version } from "./chromium.mjs";

const scenesFolder = new URL("../../../crates/cli/scenes/", import.meta.url);
const LANES = process.env.TOMBOLO_SCALAR ? [1] : [1, 4];

const scenes = readFileSync(new URL("golden.txt", scenesFolder), "utf8")
    .split("\n")
    .filter((line) => line && !line.startsWith("#"))
    .map((line) => line.split(/\s+/))
    .filter(([name]) => existsSync(new URL(`${name}.ron`, scenesFolder)))
    .map(([name, hash, steps]) => ({
        name,
        hash,
        steps: Number(steps),
        text: readFileSync(new URL(`${name}.ron`, scenesFolder), "utf8"),
    }));

const skip = version === null ? "chromium is not here" : false;

test("page and worker come to the hashes of the golden file", { skip, timeout: 240_000 }, async () => {
    const result = await inChromium("/tests/page.html", { scenes, lanes: LANES });
    const expected = {};
    for (const { name, hash } of scenes) {
        LANES.forEach((lanes) => (expected[`${name} with ${lanes} lanes`] = hash));
    }
    assert.ok(scenes.length >= 4);
    assert.deepEqual(result, { page: expected, worker: expected });
    console.log(`# ${version}: ${scenes.length} scenes, page and worker`);
});
