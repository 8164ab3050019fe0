// The package as npm makes it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { build } from "esbuild";
import { load } from "../src/node.js";

const cwd = new URL("..", import.meta.url);

test("the version is the library's", async () => {
  const { version } = JSON.parse(readFileSync(new URL("package.json", cwd)));
  assert.equal(version, (await load()).version);
});

test("the package has the notices of all that the module contains", () => {
  const text = execFileSync("npm", ["pack", "--dry-run", "--json"], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const files = JSON.parse(text.slice(text.indexOf("[\n")))[0].files.map((file) => file.path);
  for (const name of ["LICENSE", "THIRD_PARTY_LICENSES", "dist/sluice.wasm"]) assert.ok(files.includes(name), `${name} of ${files}`);
  const notices = readFileSync(new URL("THIRD_PARTY_LICENSES", cwd), "utf8");
  for (const name of ["Lua.org", "Dave Gamble", "wasi-libc", "CodeMirror"]) assert.match(notices, new RegExp(name));
});

test("a bundle for Workers has the module as an import, and compiles nothing", async () => {
  const compiled = new WebAssembly.Module(readFileSync(new URL("dist/sluice.wasm", cwd)));
  const { outputFiles } = await build({
    stdin: { contents: 'import { load } from "@sluice/sluice"; export default async () => (await load()).parse("hermes", "<think>a</think>b");',
      resolveDir: cwd.pathname },
    bundle: true, write: false, format: "iife", globalName: "worker", conditions: ["workerd"], external: ["node:*"],
    plugins: [{ name: "wasm", setup(builder) {
      builder.onLoad({ filter: /\.wasm$/ }, () => ({ contents: "export default globalThis.compiledSluice" }));
    } }],
  });
  const run = new Function("globalThis", "WebAssembly", `${outputFiles[0].text}; return worker.default();`);
  const { Module, instantiate } = WebAssembly;
  const result = await run({ compiledSluice: compiled }, { Module, instantiate: (given, imports) => {
    assert.ok(given instanceof Module);
    return instantiate(given, imports);
  } });
  assert.deepEqual([result.reasoning, result.content], ["a", "b"]);
});
