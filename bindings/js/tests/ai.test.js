// The middleware in the real AI SDK, with a mock model.

import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, isStepCount, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV4, convertArrayToReadableStream } from "ai/test";
import { z } from "zod";
import { sluiceMiddleware } from "../src/ai.js";
import { load } from "../src/node.js";

const sluice = await load();
const steps = isStepCount ?? stepCountIs;
const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
const stop = { unified: "stop", raw: "stop" };
const call = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>';

const weather = (calls) => tool({
  description: "The weather of a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    calls.push(city);
    return { sky: `blue in ${city}` };
  },
});

/** A model that streams or returns these texts, one per request; `requests` receives its requests. */
function model(texts, { middleware = {}, requests = [], finishReason = stop, modelId = "Qwen3-8B" } = {}) {
  let turn = 0;
  const next = (options) => {
    requests.push(options);
    return texts[turn++];
  };
  return wrapLanguageModel({
    model: new MockLanguageModelV4({
      modelId,
      doGenerate: async (options) => ({ content: [{ type: "text", text: next(options) }], finishReason, usage, warnings: [] }),
      doStream: async (options) => {
        const text = next(options);
        const deltas = text.match(/[^]{1,4}/gu).map((delta) => ({ type: "text-delta", id: "1", delta }));
        return { stream: convertArrayToReadableStream([
          { type: "stream-start", warnings: [] }, { type: "response-metadata", id: "r" }, { type: "text-start", id: "1" }, ...deltas,
          { type: "text-end", id: "1" }, { type: "finish", finishReason, usage },
        ]) };
      },
    }),
    middleware: sluiceMiddleware(sluice, middleware),
  });
}

const collect = async (stream) => {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return parts;
};
const joined = (parts, type) => parts.filter((part) => part.type === type).map((part) => part.text ?? part.delta).join("");

test("streamText: text, reasoning, tool input, a call that is run, its result, a second turn", async () => {
  const calls = [], requests = [];
  const result = streamText({
    model: model([`<think>\nParis, then.\n</think>\n\nI look.\n${call}`, "It is blue."], { requests }),
    tools: { get_weather: weather(calls) }, stopWhen: steps(3), prompt: "Weather in Paris?",
  });
  const parts = await collect(result.fullStream ?? result.stream);
  assert.equal(joined(parts, "reasoning-delta").trim(), "Paris, then.");
  assert.match(joined(parts, "text-delta"), /^\s*I look\.\s*It is blue\.$/);
  assert.equal(joined(parts, "tool-input-delta"), '{"city": "Paris"}');
  assert.ok(parts.filter((part) => part.type === "tool-input-delta").length > 1, "the input streams");
  assert.deepEqual(parts.find((part) => part.type === "tool-call").input, { city: "Paris" });
  assert.deepEqual(parts.find((part) => part.type === "tool-result").output, { sky: "blue in Paris" });
  assert.deepEqual(calls, ["Paris"]);
  assert.equal((await result.steps)[0].finishReason, "tool-calls");
  assert.equal((await result.steps)[1].finishReason, "stop");
  const order = parts.map((part) => part.type).filter((type) => /-(start|end)$/.test(type) && !/^(start|finish)/.test(type));
  assert.deepEqual(order.slice(0, 6), ["reasoning-start", "reasoning-end", "text-start", "text-end", "tool-input-start", "tool-input-end"]);
  // the prompt describes the tools in the model's format; in the second turn also its call and the result
  assert.equal(requests[0].tools, undefined);
  assert.match(requests[0].prompt[0].content, /get_weather/);
  assert.match(requests[0].prompt[0].content, /<tool_call>/);
  const written = JSON.stringify(requests[1].prompt);
  assert.match(written, /tool_call/);
  assert.match(written, /blue in Paris/);
  assert.ok(!requests[1].prompt.some((message) => message.role === "tool"));
  assert.ok(!requests[1].prompt.some((message) => Array.isArray(message.content) && message.content.some((part) => part.type === "tool-call")));
});

test("generateText: the same in one piece", async () => {
  const calls = [];
  const result = await generateText({
    model: model([`<think>Hm.</think>I look.\n${call}${call.replace("Paris", "Rome")}`, "Both are blue."]),
    tools: { get_weather: weather(calls) }, stopWhen: steps(3), prompt: "Weather?",
  });
  assert.deepEqual(calls, ["Paris", "Rome"]);
  assert.equal(result.text, "Both are blue.");
  assert.equal(result.steps[0].finishReason, "tool-calls");
  assert.equal(result.steps[0].reasoningText.trim(), "Hm.");
  assert.deepEqual(result.steps[0].content.map((part) => part.type).slice(0, 4), ["reasoning", "text", "tool-call", "tool-call"]);
});

test("a model whose responses start in reasoning, unless its provider has parsed that", async () => {
  const ask = { model: model(["hm</think>Hi", "hm</think>Hi"], { modelId: "QwQ-32B" }), prompt: "?" };
  for (const result of [await generateText(ask), streamText(ask)]) {
    assert.deepEqual([await result.reasoningText, await result.text], ["hm", "Hi"]);
  }
  const { wrapGenerate, wrapStream } = sluiceMiddleware(sluice), given = { params: { prompt: [] }, model: { modelId: "QwQ-32B" } };
  const content = [{ type: "reasoning", text: "hm" }, { type: "text", text: "Hi" }];
  assert.deepEqual((await wrapGenerate({ ...given, doGenerate: async () => ({ content }) })).content, content);
  const doStream = async () => ({ stream: convertArrayToReadableStream(content.map(({ type, text }) => ({ type: `${type}-delta`, id: "1", delta: text }))) });
  assert.equal(joined(await collect((await wrapStream({ ...given, doStream })).stream), "text-delta"), "Hi");
});

test("a call that is cut is shown, not run", async () => {
  const calls = [];
  const streamed = streamText({
    model: model([call.slice(0, call.indexOf("ris"))]), tools: { get_weather: weather(calls) }, prompt: "?",
  });
  const parts = await collect(streamed.fullStream ?? streamed.stream);
  assert.equal(joined(parts, "tool-input-delta"), '{"city": "Pa"}');
  assert.ok(!parts.some((part) => part.type === "tool-call"));
  assert.equal(await streamed.finishReason, "length");
  const raw = "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>";
  const late = raw + raw.slice(raw.indexOf("\n</parameter>")); // the closers behind it say that it may have been cut
  for (const [text, middleware] of [[call.slice(0, call.indexOf("ris")), {}], [late, { syntax: "qwen3_coder" }]]) {
    const generated = await generateText({ model: model([text], { middleware }), tools: { get_weather: weather(calls) }, prompt: "?" });
    assert.equal(generated.toolCalls.length, 0);
    assert.equal(generated.finishReason, "length");
    const shown = streamText({ model: model([text], { middleware }), tools: { get_weather: weather(calls) }, prompt: "?" });
    assert.ok(!(await collect(shown.fullStream ?? shown.stream)).some((part) => part.type === "tool-call"));
    assert.equal(await shown.finishReason, "length");
  }
  assert.deepEqual(calls, []);
});

test("a call of an unknown tool and arguments of the wrong kind reach the SDK, which refuses them", async () => {
  for (const wrong of [call.replace("get_weather", "get_whether"), call.replace('"Paris"', "[1]")]) {
    const calls = [], errors = [];
    const middleware = { onError: (event) => errors.push(event.code) };
    const result = await generateText({ model: model([wrong], { middleware }), tools: { get_weather: weather(calls) }, prompt: "?" });
    assert.deepEqual(calls, []);
    assert.equal(result.toolCalls[0].invalid, true);
    assert.equal(typeof result.toolCalls[0].input, wrong.includes("whether") ? "object" : "string"); // the text has the reason
    assert.equal(errors.length, 1);
  }
});

test("a call that fails its schema is not run, and the model gets the reason", async () => {
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  for (const wrong of [call.replace('"Paris"', "5"), call.replace("city", "town"), call.replace('"Paris"', "5").replaceAll('"', "'")]) {
    const calls = [], requests = [];
    const tools = { get_weather: tool({ inputSchema: jsonSchema(schema), execute: async ({ city }) => calls.push(city) }) };
    const ask = { tools, prompt: "?", stopWhen: steps(3) };
    const result = await generateText({ ...ask, model: model([wrong, call, "Done."], { requests }) });
    assert.equal(result.steps[0].toolCalls[0].invalid, true);
    assert.match(JSON.stringify(requests[1].prompt), /city.*(is a number, not string|required|missing)/);
    const streamed = streamText({ ...ask, model: model([wrong, call, "Done."]) });
    const parts = await collect(streamed.fullStream ?? streamed.stream);
    assert.deepEqual(parts.filter((part) => part.type === "tool-call").map((part) => part.invalid === true), [true, false]);
    assert.deepEqual(calls, ["Paris", "Paris"]);
  }
});

test("without tools, and with the tool choice none, a call is text, and the model is asked once", async () => {
  const text = `Like so: ${call}`;
  for (const middleware of [{}, { prompt: false }, { syntax: "auto", prompt: false }]) {
    for (const ask of [{}, { tools: { get_weather: weather([]) }, toolChoice: "none" }]) {
      const requests = [];
      const given = { prompt: "?", stopWhen: steps(5), ...ask };
      const result = await generateText({ ...given, model: model([`<think>hm</think>${text}`, "x"], { requests, middleware }) });
      const streamed = streamText({ ...given, model: model([text, "x"], { requests, middleware }) });
      assert.equal(await streamed.text, text);
      assert.equal(result.text, text);
      assert.deepEqual(result.toolCalls, []);
      assert.equal(requests.length, 2);
    }
  }
});

test("ids are unique across parts and steps", async () => {
  const own = '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Oslo"}'
    + "<|tool_call_end|><|tool_calls_section_end|>";
  const result = streamText({
    model: model([`A${own}`, `B${own}`, "C"], { middleware: { syntax: "kimi_k2" } }),
    tools: { get_weather: weather([]) }, stopWhen: steps(5), prompt: "?",
  });
  const parts = await collect(result.fullStream ?? result.stream);
  for (const [type, count] of [["text-start", 3], ["tool-input-start", 2]]) {
    const ids = parts.filter((part) => part.type === type).map((part) => part.id);
    assert.equal(new Set(ids).size, count, `${type}: ${ids}`);
  }
});

test("plain text stays plain, also what only looks like a call", async () => {
  const text = "Use <tool_call> like this: a < b.";
  const result = await generateText({ model: model([text]), tools: { get_weather: weather([]) }, prompt: "?" });
  assert.equal(result.text, text);
  assert.equal(result.finishReason, "stop");
});

test("prompt: false leaves the request as it is; auto recognises the format", async () => {
  const calls = [], requests = [];
  const text = '<tool_call>\n<function=get_weather>\n<parameter=city>\nPa"ris\n</parameter>\n</function>\n</tool_call>';
  await generateText({
    model: model([text], { middleware: { prompt: false, syntax: "auto" }, requests }), tools: { get_weather: weather(calls) }, prompt: "?",
  });
  assert.deepEqual(calls, ['Pa"ris']);
  assert.equal(requests[0].tools.length, 1);
  assert.equal(requests[0].prompt.length, 1);
});

test("an unknown model needs a syntax for the prompt", async () => {
  await assert.rejects(generateText({
    model: model(["x"], { modelId: "nobody-knows-it" }), tools: { get_weather: weather([]) }, prompt: "?", maxRetries: 0,
  }), /format of nobody-knows-it is unknown/);
});

test("tool choice: none, required, one tool", async () => {
  const asked = async (toolChoice) => {
    const requests = [];
    await generateText({ model: model([toolChoice === "none" ? "x" : call], { requests }), tools: { get_weather: weather([]) }, prompt: "?", toolChoice });
    return JSON.stringify(requests[0].prompt);
  };
  assert.doesNotMatch(await asked("none"), /get_weather/);
  assert.match(await asked("required"), /must call a tool/);
  assert.match(await asked({ type: "tool", toolName: "get_weather" }), /must call get_weather/);
});

test("every syntax that writes calls writes a history for its model", async () => {
  const requests = [];
  const history = [
    { role: "user", content: "?" },
    { role: "assistant", content: [{ type: "text", text: "I look." }, { type: "tool-call", toolCallId: "abcdefghi", toolName: "get_weather", 
      input: '{"city": "Oslo"} (not run: why)' }] }, // as in the messages of a user interface
    { role: "tool", content: [{ type: "tool-result", toolCallId: "abcdefghi", toolName: "get_weather", output: { type: "text", value: "snow" } }] },
  ];
  let rendered = 0;
  for (const { name, can } of sluice.syntaxes()) {
    if (!can.includes("render")) continue;
    try {
      await generateText({ model: model(["ok"], { requests, middleware: { syntax: name } }), tools: { get_weather: weather([]) }, messages: history, maxRetries: 0 });
    } catch (error) {
      assert.equal(error.code, "refused", `${name}: ${error.message}`);
      continue;
    }
    rendered++;
    assert.match(JSON.stringify(requests.at(-1).prompt), /Oslo.*snow/, name);
  }
  assert.ok(rendered > 30, `${rendered} syntaxes`);
});

test("the instructions are written once for a set of tools", async () => {
  const asked = [];
  const counting = new Proxy(sluice, { get: (own, name) => (name !== "prompt" ? own[name] : (syntax, tools, options) => {
    asked.push(tools.map((tool) => tool.function.name).join());
    return own.prompt(syntax, tools, options);
  }) });
  const { transformParams } = sluiceMiddleware(counting, { syntax: "hermes" });
  const ask = async (names, toolChoice) => (await transformParams({ model: { modelId: "m" }, params: {
    prompt: [], toolChoice, tools: names.map((name) => ({ type: "function", name, inputSchema: { type: "object" } })),
  } })).prompt[0].content;
  const first = await ask(["a", "b"]);
  assert.equal(await ask(["a", "b"]), first);
  assert.notEqual(await ask(["a"]), first);
  assert.match(await ask(["a", "b"], { type: "tool", toolName: "a" }), /You must call a\.$/);
  assert.deepEqual(asked, ["a,b", "a"]);
  for (let i = 0; i < 40; i++) await ask([`t${i}`]); // more than are remembered
  assert.equal(await ask(["a", "b"]), first);
});
