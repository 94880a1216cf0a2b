// Runs a program that was compiled for WASI in Node, with this machine's files: how cargo runs tests for wasm.
// usage: node --no-warnings wasi-runner.mjs <program.wasm> [argument]...
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [program, ...rest] = process.argv.slice(2);
const wasi = new WASI({
    version: "preview1",
    args: [program, ...rest],
    env: { ...process.env, PWD: process.cwd() },
    preopens: { "/": "/" },
});
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
