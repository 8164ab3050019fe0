// The program in the project's README runs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { readFile, rm, writeFile } from "node:fs/promises";

test("the README's program prints the call", async () => {
  const page = await readFile(new URL("../../../README.md", import.meta.url), "utf8");
  const [, program] = page.match(/```js\n([^]*?)```/);
  assert.match(program, /"@sluice\/sluice"/);
  const file = new URL(`readme-${process.pid}.mjs`, import.meta.url);
  const printed = [];
  globalThis.readme = { text: '<tool_call>{"name": "now", "arguments": {"zone": "UTC"}}</tool_call>', print: (...words) => printed.push(words) };
  await writeFile(file, "const { text } = globalThis.readme, console = { log: globalThis.readme.print };\n" + program);
  try {
    await import(file);
  } finally {
    await rm(file);
  }
  assert.deepEqual(printed, [["now", { zone: "UTC" }]]);
});
