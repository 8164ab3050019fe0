// The package's entry for browsers, workers and bundlers: fetches the module from the folder of this file.
import { bytesOf } from "./module.js";
import { create } from "./sluice.js";

export { Sluice, SluiceError, Stream, Tools, Wire, utf16Offsets } from "./sluice.js";

let compiled;

async function moduleOf(source) {
  if (source === undefined) {
    compiled ??= fetch(new URL("../dist/sluice.wasm", import.meta.url)).then(bytesOf).then((bytes) => WebAssembly.compile(bytes));
    compiled.catch(() => (compiled = undefined));
    return compiled;
  }
  return source instanceof URL || typeof source === "string" ? fetch(source) : source;
}

/** See node.js. */
export async function load({ wasm, ...options } = {}) {
  return create(await moduleOf(await wasm), options);
}
