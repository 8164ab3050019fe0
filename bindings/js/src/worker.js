// The package's entry for Cloudflare Workers, which compile no code at run time: their bundler imports the module.
import compiled from "../dist/sluice.wasm";
import { create } from "./sluice.js";

export { Sluice, SluiceError, Stream, Tools, Wire, utf16Offsets } from "./sluice.js";

/** See node.js. */
export async function load({ wasm = compiled, ...options } = {}) {
  return create(await wasm, options);
}
