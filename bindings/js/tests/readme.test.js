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
  globalThis.readme = { text: '<tool_call>{"name": "now", "arguments": {"zone": "UTC"}}</tool_call>', run: (...words) => ran.push(words),
    tools: [{ type: "function", function: { name: "now" } }] };
  await writeFile(file, "const { text, tools, run } = globalThis.readme;\n" + program);
  try {
    await import(file);
  } finally {
    await rm(file);
  }
  assert.deepEqual(ran, [["now", { zone: "UTC" }]]);
});
