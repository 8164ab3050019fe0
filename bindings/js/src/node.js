// The package's entry for Node, Deno and Bun: the module is a file beside this one.
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { create } from "./sluice.js";

export { Sluice, SluiceError, Stream, Tools, Wire, utf16Offsets } from "./sluice.js";

let compiled;

async function moduleOf(source) {
  if (source === undefined) {
    compiled ??= readFile(new URL("../dist/sluice.wasm", import.meta.url)).then((bytes) => WebAssembly.compile(bytes));
    compiled.catch(() => (compiled = undefined));
    return compiled.catch((error) => {
      throw error.code === "ENOENT" ? new Error("dist/sluice.wasm is not built: run bindings/js/build", { cause: error }) : error;
    });
  }
  if (typeof source === "string") source = /^[a-z]{2,}:/i.test(source) ? new URL(source) : pathToFileURL(source);
  return !(source instanceof URL) ? source : source.protocol === "file:" ? readFile(source) : fetch(source);
}

/** Makes an engine with all syntaxes. Options: wasm (the module, its bytes, a Response, or its location; default: the one of
 * this package), memory (bytes that scripts may allocate), instructions (Lua instructions per entry into a script),
 * syntaxes (false: none). Engines share nothing but the compiled module. */
export async function load({ wasm, ...options } = {}) {
  return create(await moduleOf(await wasm), options);
}
