// The package in Chromium: the shipped scenes in a page and in a worker come to the hashes of the golden file.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";

const scenesFolder = new URL("../../../crates/cli/scenes/", import.meta.url);
const here = new URL("../", import.meta.url);
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
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

/** Serves the package and the task; gives what the page posts. */
function serve(resolve) {
    return createServer((request, response) => {
        const path = new URL(request.url, "http://localhost").pathname;
        if (path === "/result") {
            let body = "";
            request.on("data", (part) => (body += part));
            request.on("end", () => {
                response.end();
                resolve(JSON.parse(body));
            });
        } else if (path === "/task") {
            response.end(JSON.stringify({ scenes, lanes: LANES }));
        } else {
            const file = new URL(`.${path}`, here);
            const found = existsSync(file);
            response.writeHead(found ? 200 : 404, { "content-type": TYPES[extname(path)] ?? "text/plain" });
            response.end(found ? readFileSync(file) : "");
        }
    });
}

/** Removes a browser's folder, into which its helpers may write for a moment after it ended. */
async function remove(folder) {
    for (let tries = 50; existsSync(folder); tries -= 1) {
        try {
            rmSync(folder, { recursive: true, force: true });
        } catch (error) {
            if (error.code !== "ENOTEMPTY" || tries === 0) {
                throw error;
            }
            await setTimeout(200);
        }
    }
}

const chromium = spawnSync("chromium", ["--version"], { encoding: "utf8" });
const skip = chromium.error ? "chromium is not here" : false;

test("page and worker come to the hashes of the golden file", { skip, timeout: 240_000 }, async () => {
    const profile = mkdtempSync(join(tmpdir(), "tombolo-page-"));
    let server;
    let browser;
    try {
        const result = await new Promise((resolve, reject) => {
            server = serve(resolve).listen(0, "127.0.0.1", () => {
                const url = `http://127.0.0.1:${server.address().port}/tests/page.html`;
                browser = spawn("chromium", ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                    "--no-first-run", "--disable-background-networking", "--disable-component-update",
                    "--disable-sync", `--user-data-dir=${profile}`, url], { stdio: "ignore" });
                browser.on("error", reject);
                browser.on("exit", (code) => reject(new Error(`chromium ended with ${code}`)));
            });
        });
        const expected = {};
        for (const { name, hash } of scenes) {
            LANES.forEach((lanes) => (expected[`${name} with ${lanes} lanes`] = hash));
        }
        assert.ok(scenes.length >= 4);
        assert.deepEqual(result, { page: expected, worker: expected });
        console.log(`# ${chromium.stdout.trim()}: ${scenes.length} scenes, page and worker`);
    } finally {
        browser?.removeAllListeners("exit");
        server?.close();
        server?.closeAllConnections();
        if (browser?.kill()) {
            await once(browser, "exit");
        }
        await remove(profile);
    }
});
