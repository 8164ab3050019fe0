// The conformance cases in tests/conformance: WebAssembly and the native command agree on every one, and every way to cut a
// text gives the same.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { load } from "../src/node.js";

const root = new URL("../../../", import.meta.url);
const command = process.env.SLUICE_COMMAND ?? new URL("build/sluice", root).pathname;
const folder = new URL("tests/conformance/", root);
const sluice = await load();

const cases = [];
for (const file of (await readdir(folder)).filter((name) => name.endsWith(".jsonl")).sort()) {
  for (const line of (await readFile(new URL(file, folder), "utf8")).split("\n")) {
    if (line) cases.push(JSON.parse(line));
  }
}

const optionsOf = (item) => ({ ...item.options, ...(item.start ? { start: item.start } : {}), ...(item.prompt ? { prompt: item.prompt } : {}),
  ...(item.tools ? { tools: item.tools } : {}) });

// Ids that the library made are random.
const withoutIds = (calls) => calls.map(({ id, ...call }) => ({ ...call, id: /^call_\w{24}$/.test(id) ? "made" : id }));
const comparable = ({ content, reasoning, calls, errors }) => ({
  content, reasoning, errors, calls: withoutIds(calls).map(({ input, ...call }) => ({ ...call, arguments: JSON.stringify(input ?? call.arguments) })),
});

test(`there are cases`, () => assert.ok(cases.length > 1500));

test("native and WebAssembly results are equal", { skip: existsSync(command) ? false : `${command} is not built: nothing to compare with` }, () => {
  const input = cases.map((item, i) => {
    const { tools, ...options } = optionsOf(item);
    return JSON.stringify({ id: i, text: item.text, syntax: item.syntax, ...(tools ? { tools } : {}), options });
  }).join("\n");
  const run = spawnSync(command, ["batch"], { input, maxBuffer: 1 << 28, encoding: "utf8" });
  assert.equal(run.status, 0, run.stderr);
  const native = run.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.equal(native.length, cases.length);
  cases.forEach((item, i) => {
    assert.equal(native[i].error, undefined, `${item.id}: ${native[i].error?.message}`);
    const mine = sluice.parse(item.syntax, item.text, optionsOf(item));
    assert.deepEqual(comparable(mine), comparable(native[i]), item.id);
  });
});

// The events of a text cut into pieces of so many bytes, with adjoining fragments joined.
function events(stream, bytes, size) {
  const list = [];
  const take = (more) => {
    for (const { id, ...event } of more) {
      const last = list.at(-1);
      if (event.text !== undefined && last && last.type === event.type && last.index === event.index && last.key === event.key) {
        last.text += event.text;
        last.end = event.end;
      } else {
        list.push(event);
      }
    }
  };
  for (let i = 0; i < bytes.length; i += size) {
    take(stream.feed(bytes.subarray(i, i + size)));
  }
  take(stream.finish());
  // a markup fragment is told by its range
  return list.map((event) => (event.type === "markup" ? { ...event, text: undefined } : event));
}

test("the events do not depend on the cut", () => {
  const encoder = new TextEncoder();
  for (const item of cases) {
    const bytes = encoder.encode(item.text);
    const stream = new sluice.Stream(item.syntax, { ...optionsOf(item), markup: true });
    const whole = events(stream, bytes, bytes.length || 1);
    for (const size of [1, 3]) {
      stream.reset();
      assert.deepEqual(events(stream, bytes, size), whole, `${item.id} in pieces of ${size}`);
    }
    stream.dispose();
  }
});
