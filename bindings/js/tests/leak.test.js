// Streams give their memory back: at `dispose`, and by finalisers. Needs `node --expose-gc`.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { load } from "../src/node.js";

const text = 'Hello. <tool_call>\n{"name": "f", "arguments": {"a": "b"}}\n</tool_call>';

// Lua's collector works when Lua allocates, so the memory settles above its minimum; from there it must not grow.
function settle(sluice, rounds, one) {
  for (let i = 0; i < rounds; i++) {
    one(i);
  }
  return sluice._instance.memory.buffer.byteLength;
}

test("100,000 streams that are disposed of leave the memory as it was", async () => {
  const sluice = await load();
  const tools = [{ type: "function", function: { name: "f", parameters: { type: "object", properties: { a: { type: "string" } } } } }];
  const one = () => {
    const stream = new sluice.Stream("hermes", { tools });
    stream.feed(text);
    stream.finish();
    stream.dispose();
  };
  const before = settle(sluice, 5000, one);
  const after = settle(sluice, 100000, one);
  // Lua's collector may let the memory grow by a page or two; a leak of one byte per stream would be more
  assert.ok(after - before < 100000, `${after - before} bytes more than before`);
  sluice.dispose();
});

test("streams that are forgotten are freed", { skip: globalThis.gc ? false : "needs node --expose-gc" }, async () => {
  const sluice = await load();
  const turn = () => new Promise((resolve) => setTimeout(resolve, 0));
  const some = async (rounds) => {
    for (let i = 0; i < rounds; i++) {
      for (let k = 0; k < 1000; k++) {
        new sluice.Stream("hermes").feed(text);
      }
      gc();
      await turn(); // finalisers run between tasks
    }
    return sluice._instance.memory.buffer.byteLength;
  };
  const before = await some(10);
  const after = await some(50);
  assert.ok(after <= before * 1.1, `${after - before} bytes more than before`);
});

test("engines that are disposed of leave no instances", { skip: globalThis.gc ? false : "needs node --expose-gc" }, async () => {
  const wasm = await WebAssembly.compile(await readFile(new URL("../dist/sluice.wasm", import.meta.url)));
  const held = async () => {
    (await load({ wasm, syntaxes: false })).dispose();
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      gc();
    }
    return process.memoryUsage().external;
  };
  const before = await held();
  for (let i = 0; i < 50; i++) (await load({ wasm, syntaxes: false })).dispose();
  const more = await held() - before;
  assert.ok(more < 25e6, `${more} bytes more than before: an instance has 2.7 MB`);
});

test("an engine that is made again and again in one instance gives its memory back", async () => {
  const { Sluice } = await import("../src/node.js");
  const sluice = await load();
  const instance = sluice._instance;
  const round = () => new Sluice(instance).dispose();
  for (let i = 0; i < 5; i++) round();
  const before = instance.memory.buffer.byteLength;
  for (let i = 0; i < 30; i++) round();
  assert.equal(instance.memory.buffer.byteLength, before);
});
