// Pages of the package in headless Chromium, for tests.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { setTimeout } from "node:timers/promises";

const here = new URL("../", import.meta.url);
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
// What makes a page isolated, so that it may share memory between threads.
const ISOLATION = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
const chromium = spawnSync("chromium", ["--version"], { encoding: "utf8" });

/** The browser's name and version; null if there is none. */
export const version = chromium.error ? null : chromium.stdout.trim();

/** Serves the package and the task; gives what the page posts. */
function serve(task, headers, resolve) {
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
            response.end(JSON.stringify(task));
        } else {
            const file = new URL(`.${path}`, here);
            const found = existsSync(file);
            const type = TYPES[extname(path)] ?? "text/plain";
            response.writeHead(found ? 200 : 404, { "content-type": type, ...headers });
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

/** What a page of the package posts of a task; null without a browser. */
export async function inChromium(page, task, { isIsolated = false } = {}) {
    if (version === null) {
        return null;
    }
    const profile = mkdtempSync(join(tmpdir(), "tombolo-page-"));
    let server;
    let browser;
    try {
        return await new Promise((resolve, reject) => {
            server = serve(task, isIsolated ? ISOLATION : {}, resolve).listen(0, "127.0.0.1", () => {
                const url = `http://127.0.0.1:${server.address().port}${page}`;
                browser = spawn("chromium", ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
                    "--no-first-run", "--disable-background-networking", "--disable-component-update",
                    "--disable-sync", `--user-data-dir=${profile}`, url], { stdio: "ignore" });
                browser.on("error", reject);
                browser.on("exit", (code) => reject(new Error(`chromium ended with ${code}`)));
            });
        });
    } finally {
        browser?.removeAllListeners("exit");
        server?.close();
        server?.closeAllConnections();
        if (browser?.kill()) {
            await once(browser, "exit");
        }
        await remove(profile);
    }
}
