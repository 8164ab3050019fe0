#!/usr/bin/env node
// The middleware beside that of @ai-sdk-tool/parser, which is installed from npm into out/race: medians of a short response in hermes'
// format, streamed in pieces of four characters, in turns in one process.
//
//   tests/race.mjs [ROUNDS]

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { load } from "../src/node.js";
import { sluiceMiddleware } from "../src/ai.js";

const folder = new URL("../out/race/", import.meta.url), theirs = new URL("node_modules/@ai-sdk-tool/parser/", folder);
if (!existsSync(theirs)) {
  execFileSync("npm", ["install", "--silent", "--no-audit", "--no-fund", "--prefix", folder.pathname, "@ai-sdk-tool/parser"], { stdio: "inherit" });
}
const { hermesToolMiddleware } = await import(new URL("dist/index.js", theirs));
const rounds = Number(process.argv[2] ?? 400);
const text = 'Let me see.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>';
const deltas = text.match(/[^]{1,4}/gu).map((delta) => ({ type: "text-delta", id: "1", delta }));
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const all = [{ type: "stream-start", warnings: [] }, { type: "text-start", id: "1" }, ...deltas, { type: "text-end", id: "1" },
  { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage }];
const model = { modelId: "Qwen3-8B", provider: "none" };
const tools = [{ type: "function", name: "get_weather", description: "The weather of a city.",
  inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } }];

/** The time of one response, in milliseconds. */
async function response(middleware) {
  const asked = { prompt: [{ role: "user", content: [{ type: "text", text: "x" }] }], tools, toolChoice: { type: "auto" } };
  const began = process.hrtime.bigint();
  const params = await middleware.transformParams({ type: "stream", params: asked, model });
  const { stream } = await middleware.wrapStream({ params, model, doGenerate: null,
    doStream: async () => ({ stream: new ReadableStream({ start(to) { all.forEach((part) => to.enqueue(part)); to.close(); } }) }) });
  const calls = [];
  for await (const part of stream) if (part.type === "tool-call") calls.push(part);
  const took = Number(process.hrtime.bigint() - began) / 1e6;
  if (calls.length !== 1 || JSON.parse(calls[0].input).city !== "Paris") throw new Error(JSON.stringify(calls));
  return took;
}

const racers = { "@ai-sdk-tool/parser": hermesToolMiddleware, sluice: sluiceMiddleware(await load(), { syntax: "hermes" }) };
const took = Object.fromEntries(Object.keys(racers).map((name) => [name, []]));
for (let i = 0; i < rounds; i++) {
  for (const [name, middleware] of Object.entries(racers)) took[name].push(await response(middleware));
}
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const [other, own] = Object.values(took).map(median);
console.log(`a short response through @ai-sdk-tool/parser ${other.toFixed(3)} ms, through Sluice's middleware ${own.toFixed(3)} ms: ${(own / other).toFixed(2)} of it`);
