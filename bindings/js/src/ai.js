// A middleware for the AI SDK (the package `ai`, provider specification v4): tool calls for models that write them as text.
//
//   import { wrapLanguageModel } from "ai";
//   import { load } from "@sluice/sluice";
//   import { sluiceMiddleware } from "@sluice/sluice/ai";
//
//   const model = wrapLanguageModel({ model: provider("qwen3"), middleware: sluiceMiddleware(await load(), { syntax: "hermes" }) });

import { nameOf } from "./module.js";
import { Doubt, noOthers } from "./sluice.js";

const KEPT = 32; // sets of tools whose instructions are remembered

/** Converts the tools of a request for Sluice: the OpenAI form, functions only. */
function functionsOf(tools = []) {
  return tools
    .filter((tool) => tool.type === "function")
    .map(({ name, description, inputSchema }) => ({
      type: "function",
      function: { name, ...(description === undefined ? {} : { description }), parameters: inputSchema },
    }));
}

// Returns a tool's result as text for the model.
function outputText(output) {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "json":
    case "error-json":
      return JSON.stringify(output.value);
    case "execution-denied":
      return output.reason ? `The tool was not run: ${output.reason}` : "The tool was not run.";
    case "content":
      return output.value.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
    default:
      return JSON.stringify(output);
  }
}

// Returns an assistant's message as one turn of the format; and a `tool` message's results likewise.
function turnText(sluice, syntax, { content, calls = [], results = [] }) {
  const turn = {};
  if (content) turn.content = content;
  if (calls.length > 0) turn.calls = calls;
  if (results.length > 0) turn.results = results;
  try {
    return sluice.render(syntax, turn);
  } catch (error) {
    if (results.length === 0 || error.code !== "refused") {
      throw error;
    }
    // a format without results
    return results.map(({ name, content: text }) => `Result of ${name}:\n${text}`).join("\n\n");
  }
}

// Returns the input of an earlier call as JSON text. An invalid one is text: without the reason it is written as the model wrote it.
function argumentsText(input) {
  const text = typeof input === "string" ? input.replace(/^([^]*\}) \(not run: [^]*\)$/, "$1") : JSON.stringify(input);
  try {
    return nameOf(JSON.parse(text)) === "Object" ? text : "{}";
  } catch {
    return "{}";
  }
}

/** Rewrites tool calls and results in messages as text in the model's format. */
function plainPrompt(sluice, syntax, prompt) {
  const out = [];
  for (const message of prompt) {
    if (message.role === "assistant") {
      const calls = message.content.filter((part) => part.type === "tool-call" && !part.providerExecuted);
      if (calls.length === 0) {
        out.push(message);
        continue;
      }
      const content = message.content.filter((part) => part.type === "text").map((part) => part.text).join("");
      const text = turnText(sluice, syntax, {
        content,
        calls: calls.map(({ toolCallId, toolName, input }) => ({ id: toolCallId, name: toolName, arguments: argumentsText(input) })),
      });
      const others = message.content.filter((part) => part.type !== "text" && !calls.includes(part));
      out.push({ ...message, content: [...others, { type: "text", text }] });
    } else if (message.role === "tool") {
      const results = message.content
        .filter((part) => part.type === "tool-result")
        .map(({ toolCallId, toolName, output }) => ({ id: toolCallId, name: toolName, content: outputText(output) }));
      if (results.length > 0) {
        out.push({ role: "user", content: [{ type: "text", text: turnText(sluice, syntax, { results }) }] });
      }
    } else {
      out.push(message);
    }
  }
  return out;
}

// Appends the instructions to the first system message, or to a new one.
function withInstructions(prompt, text) {
  const at = prompt.findIndex((message) => message.role === "system");
  if (at < 0) {
    return [{ role: "system", content: text }, ...prompt];
  }
  const copy = [...prompt];
  copy[at] = { ...copy[at], content: `${copy[at].content}\n\n${text}` };
  return copy;
}

// The ids of the calls in a conversation.
function idsOf(prompt) {
  return prompt.flatMap(({ content }) => (Array.isArray(content) ? content.map((part) => part.toolCallId) : []));
}

// Converts events of one response to parts of the provider's stream.
class Parts {
  constructor(sluice, onError, ids) {
    this.sluice = sluice;
    this.open = null; // { kind: "text" | "reasoning", id }
    this.ids = new Set(ids); // some models number their calls from 0 in every response
    this.prefix = Math.random().toString(36).slice(2); // the SDK joins parts of all steps
    this.count = 0;
    this.called = false;
    this.cut = false;
    this.onError = onError;
    this.begin();
  }

  /** Begins a text. */
  begin() {
    this.calls = new Map();
    this.wrong = new Map(); // the last error of each call that is one for the model; of an unknown tool it comes before the call
    this.late = new Doubt();
    this.ready = new Map(); // calls that wait for the end of the text: until then, doubt may be found behind them
  }

  /** Ends the open text or reasoning. */
  close(put) {
    if (this.open) {
      put({ type: `${this.open.kind}-end`, id: this.open.id });
      this.open = null;
    }
  }

  /** Ends the text: the SDK runs a call when it gets it. */
  end(put) {
    this.close(put);
    this.called ||= this.ready.size > 0;
    this.ready.forEach((call) => put(call));
    this.ready.clear();
  }

  #say(put, kind, text) {
    if (this.open?.kind !== kind) {
      this.close(put);
      this.open = { kind, id: `${kind}-${this.prefix}-${this.count++}` };
      put({ type: `${kind}-start`, id: this.open.id });
    }
    put({ type: `${kind}-delta`, id: this.open.id, delta: text });
  }

  #unique(id) {
    while (this.ids.has(id)) id = id.replace(/\d{0,9}$/, (number) => Number(number) + 1); // as a model counts
    this.ids.add(id);
    return id;
  }

  /** Adds an event. */
  add(event, put) {
    const doubted = this.late.calls(event);
    for (let index = 0; index < doubted; index++) this.ready.delete(index);
    this.cut ||= doubted > 0;
    switch (event.type) {
      case "text":
      case "reasoning":
        this.#say(put, event.type, event.text);
        break;
      case "call_begin":
        this.close(put);
        this.calls.set(event.index, { id: this.#unique(event.id), name: event.name, input: "" });
        put({ type: "tool-input-start", id: this.calls.get(event.index).id, toolName: event.name });
        break;
      case "arguments": {
        const call = this.calls.get(event.index);
        call.input += event.text;
        put({ type: "tool-input-delta", id: call.id, delta: event.text });
        break;
      }
      case "call_end": {
        const call = this.calls.get(event.index);
        put({ type: "tool-input-end", id: call.id });
        if (event.status === "incomplete") {
          this.cut = true; // its arguments are incomplete: the client must not run it
          break;
        }
        // The SDK runs what parses, unless the tool has a validator. It tells the model why this does not parse. (It knows its tools.)
        const wrong = this.wrong.get(event.index);
        const refused = event.valid === false && wrong?.code !== "unknown_tool";
        this.ready.set(event.index, { type: "tool-call", toolCallId: call.id, toolName: call.name,
          input: refused ? `${call.input} (not run: ${wrong?.message ?? "it is not valid"})` : call.input,
          ...(event.id && event.id !== call.id ? { providerMetadata: { sluice: { id: event.id } } } : {}) });
        break;
      }
      case "error":
        if (this.sluice.errorHint(event.code)) this.wrong.set(event.index, event);
        this.onError?.(event);
        break;
    }
  }

  /** Returns the finish reason for the client. */
  reason(given) {
    if (!["stop", "other", undefined].includes(given?.unified) || !(this.called || this.cut)) {
      return given;
    }
    return { unified: this.called ? "tool-calls" : "length", raw: given?.raw };
  }
}

/**
 * A LanguageModelV4Middleware.
 *
 * - `syntax`: the model's format: a name, "auto" (the default: recognised by its markers), or a function of the model that returns one.
 *   By default the model's id is looked up first.
 * - `prompt`: true (default): describes the tools in the system message, in the format, and removes them from the request; "native":
 *   the same with the script's own template; false: the server gets the tools and writes its prompt; only parses the output.
 * - `options`: options of the stream (`calls`, `start`, ...).
 * - `onError(event)`: is called with the stream's `error` events.
 *
 * A call that ends `incomplete` appears in tool-input parts but never becomes a tool call; a response with only such calls ends with the
 * finish reason "length". A call of a known tool that is not valid, as one that fails its schema, becomes an invalid one of the SDK: it is
 * not run, and the model gets the reason. Without tools, or with the tool choice "none", a call is text.
 */
export function sluiceMiddleware(sluice, { syntax, prompt = true, options = {}, onError, ...others } = {}) {
  noOthers(others);
  const syntaxOf = (model) => {
    const wanted = typeof syntax === "function" ? syntax(model) : syntax;
    if (wanted) {
      return { name: wanted };
    }
    try {
      return sluice._model(model.modelId);
    } catch {
      return { name: "auto" };
    }
  };
  const callable = (params) => (params.toolChoice?.type === "none" ? [] : functionsOf(params.tools));
  // What transformParams has removed from a request: the tools that may be called, and the ids of earlier calls.
  const known = new WeakMap();
  const requestOf = (params) => known.get(params) ?? { tools: callable(params), ids: idsOf(params.prompt) };
  const streamFor = (params, model, begun) => { // `begun`: after other text, or reasoning that the provider parsed
    const { tools } = requestOf(params), { name, start } = syntaxOf(model);
    const where = begun || options.prompt !== undefined ? {} : { start };
    return new sluice.Stream(name, { ...where, ...options, tools, ...(tools.length === 0 ? { unknown_tools: "text" } : {}) });
  };

  // Instructions by syntax and tools: most requests of a client have the same tools.
  const written = new Map();
  const instructions = (name, tools) => {
    const key = JSON.stringify([name, tools]);
    let text = written.get(key);
    if (text === undefined) {
      text = sluice.prompt(name, tools, prompt === "native" ? { variant: "native" } : {});
      if (written.size >= KEPT) written.delete(written.keys().next().value);
      written.set(key, text);
    }
    return text;
  };

  return {
    specificationVersion: "v4",

    async transformParams({ params, model }) {
      const functions = functionsOf(params.tools);
      if (!prompt || functions.length === 0) {
        return params;
      }
      const { name } = syntaxOf(model);
      if (/^auto(:|$)/.test(name)) {
        throw new Error(`the format of ${model.modelId} is unknown: give the middleware a syntax, or prompt: false`);
      }
      const choice = params.toolChoice ?? { type: "auto" };
      let messages = plainPrompt(sluice, name, params.prompt);
      if (choice.type !== "none") {
        const shown = choice.type === "tool" ? functions.filter((tool) => tool.function.name === choice.toolName) : functions;
        let text = instructions(name, shown);
        if (choice.type === "required") text += "\n\nYou must call a tool.";
        if (choice.type === "tool") text += `\n\nYou must call ${choice.toolName}.`;
        messages = withInstructions(messages, text);
      }
      const others = params.tools.filter((tool) => tool.type !== "function");
      const { tools: _, toolChoice: __, ...rest } = params;
      const changed = { ...rest, prompt: messages, ...(others.length > 0 ? { tools: others } : {}) };
      known.set(changed, { tools: callable(params), ids: idsOf(params.prompt) });
      return changed;
    },

    async wrapGenerate({ doGenerate, params, model }) {
      const result = await doGenerate();
      const parts = new Parts(sluice, onError, requestOf(params).ids);
      const content = [];
      let text = null; // the growing text or reasoning part
      const put = (part) => {
        if (part.type === "text-start" || part.type === "reasoning-start") {
          text = { type: part.type.slice(0, -6), text: "" };
          content.push(text);
        } else if (part.type === "text-delta" || part.type === "reasoning-delta") {
          text.text += part.delta;
        } else if (part.type === "tool-call") {
          content.push(part);
        }
      };
      for (const part of result.content) {
        if (part.type !== "text") {
          content.push(part);
          continue;
        }
        const stream = streamFor(params, model, content.some(({ type }) => type === "text" || type === "reasoning"));
        try {
          parts.begin();
          for (const event of stream.feed(part.text).concat(stream.finish())) parts.add(event, put);
        } finally {
          stream.dispose();
        }
        parts.end(put);
      }
      return { ...result, content, finishReason: parts.reason(result.finishReason) };
    },

    async wrapStream({ doStream, params, model }) {
      const { stream: source, ...rest } = await doStream();
      const parts = new Parts(sluice, onError, requestOf(params).ids);
      let stream = null, begun = false;
      const end = (put) => {
        if (stream) {
          for (const event of stream.finish()) parts.add(event, put);
          stream.dispose();
          stream = null;
        }
        parts.end(put);
      };
      const stream_ = new TransformStream({
        transform(part, controller) {
          const put = (made) => controller.enqueue(made);
          switch (part.type) {
            case "text-start":
            case "text-end":
              break; // ours begin and end with the text
            case "text-delta":
              stream ??= streamFor(params, model, begun);
              for (const event of stream.feed(part.delta)) parts.add(event, put);
              break;
            case "finish":
              end(put);
              put({ ...part, finishReason: parts.reason(part.finishReason) });
              break;
            default:
              begun ||= part.type === "reasoning-delta";
              put(part);
          }
        },
        flush(controller) {
          end((made) => controller.enqueue(made));
        },
        cancel() {
          stream?.dispose();
          stream = null;
        },
      });
      return { ...rest, stream: source.pipeThrough(stream_) };
    },
  };
}
