// The program in the project's README runs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readFile, rm, writeFile } from "node:fs/promises";

test("the README's program runs the call", async () => {
  const page = await readFile(new URL("../../../README.md", import.meta.url), "utf8");
  const [, program] = page.match(/```js\n([^]*?)```/);
  assert.match(program, /"@sluice\/sluice"/);
  const file = new URL(`readme-${process.pid}.mjs`, import.meta.url);
  const ran = [];
  globalThis.readme = { log: (...words) => ran.push(words) };
  await writeFile(file, "const console = globalThis.readme;\n" + program);
  try {
    await import(file);
  } finally {
    await rm(file);
  }
  assert.deepEqual(ran, [["now", { zone: "UTC" }]]);
});
