// Flies the boids of the page without a browser, and compares the place where they end with that of the native test in
// lib.rs: node examples/web/run.mjs [strata_web.wasm]
import { readFile } from "node:fs/promises";

const root = new URL("../..", import.meta.url);
const file = process.argv[2] ?? new URL("target/wasm32-unknown-unknown/release/strata_web.wasm", root);
const { instance } = await WebAssembly.instantiate(await readFile(file), {});
const boids = instance.exports;

boids.start(1000);
for (let step = 0; step < 50; step++) boids.step();
const checksum = BigInt.asUintN(64, boids.checksum());
if (checksum !== 0x396494de992be743n) throw new Error(`the flight ended elsewhere: ${checksum.toString(16)}`);

const pixels = new Uint8Array(boids.memory.buffer, boids.draw(), boids.width() * boids.height() * 4);
let drawn = 0;
for (let pixel = 0; pixel < pixels.length; pixel += 4) drawn += pixels[pixel + 2] > 24 ? 1 : 0;
if (drawn < 500 || drawn > 1000) throw new Error(`${drawn} pixels were drawn for 1,000 boids`);

boids.start(10000);
const begin = performance.now();
for (let step = 0; step < 20; step++) boids.step();
console.log(`10,000 boids, ${((performance.now() - begin) / 20).toFixed(2)} ms a step, checksum as in the native test`);
