// Builds the lab: dist/lab, a folder for any static host, or to be opened from the disk.
//
//   node lab/build.mjs [--serve PORT]

import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { vocabulary } from "./vocabulary.mjs";

const here = new URL("./", import.meta.url);
const out = new URL("../dist/lab/", import.meta.url);
const path = (name) => new URL(name, here).pathname;

// The WebAssembly module, compressed, as base64 text: so the page loads nothing, and its policy can forbid all connections.
const wasmPlugin = {
  name: "wasm",
  setup(build) {
    build.onResolve({ filter: /^virtual:wasm$/ }, () => ({ path: "wasm", namespace: "wasm" }));
    build.onLoad({ filter: /.*/, namespace: "wasm" }, async () => {
      const bytes = await readFile(new URL("../dist/sluice.wasm", import.meta.url));
      return { contents: `export default ${JSON.stringify(gzipSync(bytes, { level: 9 }).toString("base64"))}` };
    });
  },
};

// The worker, bundled, as a string: a worker made of it inherits the page's policy.
const workerPlugin = {
  name: "worker",
  setup(build) {
    build.onResolve({ filter: /^virtual:worker$/ }, () => ({ path: "worker", namespace: "worker" }));
    build.onLoad({ filter: /.*/, namespace: "worker" }, async () => {
      const made = await esbuild.build({ ...common, entryPoints: [path("src/worker.js")], plugins: [wasmPlugin], write: false });
      return { contents: `export default ${JSON.stringify(made.outputFiles[0].text)}` };
    });
  },
};

const vocabularyPlugin = {
  name: "vocabulary",
  setup(build) {
    build.onResolve({ filter: /^virtual:vocabulary$/ }, () => ({ path: "vocabulary", namespace: "vocabulary" }));
    build.onLoad({ filter: /.*/, namespace: "vocabulary" }, async () => ({ contents: JSON.stringify(await vocabulary()), loader: "json" }));
  },
};

const common = { bundle: true, minify: true, format: "iife", target: "es2022", charset: "utf8", legalComments: "none", logLevel: "warning" };

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await esbuild.build({
  ...common, entryPoints: [path("src/main.js")], plugins: [workerPlugin, vocabularyPlugin], outfile: new URL("lab.js", out).pathname,
});
await esbuild.build({ entryPoints: [path("style.css")], minify: true, target: "es2022", outfile: new URL("style.css", out).pathname });
await copyFile(new URL("index.html", here), new URL("index.html", out));
await copyFile(new URL("../../../THIRD_PARTY_LICENSES", here), new URL("LICENSES.txt", out));

// The service worker caches the files under a name that changes with them.
const names = ["index.html", "lab.js", "style.css"];
const hash = createHash("sha256");
let compressed = 0;
for (const name of names) {
  const bytes = await readFile(new URL(name, out));
  hash.update(bytes);
  compressed += gzipSync(bytes, { level: 9 }).length;
}
const worker = await readFile(new URL("offline.js", here), "utf8");
await writeFile(new URL("offline.js", out), worker.replace("VERSION", hash.digest("hex").slice(0, 16)));
console.log(`dist/lab: ${compressed} bytes compressed`);

const serve = process.argv.indexOf("--serve");
if (serve > 0) {
  const context = await esbuild.context({});
  const { port } = await context.serve({ host: "127.0.0.1", port: Number(process.argv[serve + 1] ?? 8000), servedir: out.pathname });
  console.log(`The lab: http://127.0.0.1:${port}/ (Ctrl-C ends it)`);
}
