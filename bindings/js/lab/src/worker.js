// The engine's side of the lab: runs in a worker, so that no script can block the page.

import wasm from "virtual:wasm";
import { create, Doubt, joined, SluiceError, spansOf, utf16Offsets } from "../../src/sluice.js";

const encoder = new TextEncoder();

let compiled;
function moduleOf() {
  compiled ??= (async () => {
    const bytes = Uint8Array.from(atob(wasm), (sign) => sign.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return WebAssembly.compile(await new Response(stream).arrayBuffer());
  })();
  return compiled;
}

// Two engines: a bare one for scripts without a parent, made in a third of the time, and one with the built-in syntaxes.
const engines = { bare: null, full: null }; // { sluice, builtIn, text, name }: text and name of the page's script in it
let engine = null; // the Sluice that was last used

async function engineOf(kind, fresh = false) {
  if (fresh || !engines[kind]) {
    engines[kind]?.sluice.dispose();
    engines[kind] = null;
    const sluice = await create(await moduleOf(), { syntaxes: kind === "full" });
    engines[kind] = { sluice, builtIn: new Set(sluice.syntaxes().flatMap((syntax) => [syntax.name, ...syntax.aliases])), text: null, name: null };
  }
  engine = engines[kind].sluice;
  return engines[kind];
}

const lineOf = (message) => Number(/^[^\n]*?:(\d+):/.exec(message)?.[1] ?? 0);
const failure = (error) => ({ message: error.message, line: lineOf(error.message) });

// Loads the page's script; if it replaces a built-in syntax, that is restored before the next script.
async function useScript(text) {
  const kind = /\binherit\b/.test(text) ? "full" : "bare";
  let place = await engineOf(kind);
  if (place.text !== text) {
    if (place.builtIn.has(place.name)) {
      place = await engineOf(kind, true);
    }
    place.text = null;
    place.name = engine.loadScript(text, "script.lua");
    place.text = text;
  }
  return place.name;
}

// The spans with their places in UTF-16 units.
const placed = (spans, offset) => spans.map((span) => ({ ...span, from: offset(span.start), to: offset(span.end) }));

function callsOf(events) {
  const calls = [], late = new Doubt();
  for (const event of events) {
    if (event.type === "call_begin") calls[event.index] = { index: event.index, name: event.name, id: event.id, arguments: "", status: "open", start: event.start };
    else if (event.type === "arguments") calls[event.index].arguments += event.text;
    else if (event.type === "call_end") Object.assign(calls[event.index], { id: event.id, status: event.status, extra: event.extra, valid: event.valid });
    for (const call of calls.slice(0, late.calls(event))) Object.assign(call, { status: "incomplete", valid: call.valid && false });
  }
  return calls;
}

// Returns the content of a results tab.
function resultOf(asked, name, calls, text) {
  const { tab } = asked;
  const need = () => {
    if (!asked.tools) throw new SluiceError("give tool definitions in the tab Tools", "argument");
    return asked.tools;
  };
  if (tab === "grammar") return engine.grammar(name, need(), asked.target ?? "lark", { tool_choice: asked.choice ?? "auto" });
  if (tab === "prompt") return engine.prompt(name, need(), { variant: asked.variant ?? "full" });
  if (tab === "steps") return engine.explain(name, text, { tools: asked.tools, ...asked.options });
  if (tab === "rendered") {
    const whole = calls.filter((call) => call.status !== "open");
    if (whole.length === 0) throw new SluiceError("the sample has no calls to write", "argument");
    return engine.render(name, whole.map(({ name: called, arguments: text, id, extra }) => ({ name: called, arguments: text, id, ...(extra ? { extra } : {}) })));
  }
  return undefined;
}

const jobs = {
  /** Runs the script on the sample: events, spans, calls, state, and the open results tab. */
  async live(asked) {
    const name = await useScript(asked.script);
    const begin = performance.now();
    const bytes = encoder.encode(asked.sample);
    const fed = asked.fed === null ? bytes.length : Math.min(asked.fed, bytes.length);
    const stream = new engine.Stream(name, { ...asked.options, ...(asked.tools ? { tools: asked.tools } : {}), markup: true });
    let events, state;
    try {
      events = stream.feed(bytes.subarray(0, fed));
      state = stream.state();
      if (asked.fed === null) {
        events = events.concat(stream.finish());
      }
    } finally {
      stream.dispose();
    }
    events = joined(events);
    const parseTime = performance.now() - begin;
    const offset = utf16Offsets(asked.sample);
    const calls = callsOf(events);
    const answer = {
      name, events, calls, size: bytes.length, spans: placed(spansOf(events, []), offset), fedAt: offset(fed),
      heldAt: offset(fed - (asked.fed === null ? 0 : state.held)), parseTime,
    };
    try {
      answer.shown = resultOf(asked, name, calls, asked.sample);
    } catch (error) {
      answer.refused = error.message;
    }
    return answer;
  },

  /** The spans, with the word of the description that read them and its line. */
  async words(asked) {
    const name = await useScript(asked.script);
    const { spans } = engine.trace(name, asked.sample, { ...asked.options, ...(asked.tools ? { tools: asked.tools } : {}), words: true });
    return { spans: placed(spans, utf16Offsets(asked.sample)) };
  },

  /** The bytes held after this many bytes, and why. */
  async waiting(asked) {
    const name = await useScript(asked.script);
    return engine.waiting(name, encoder.encode(asked.sample).subarray(0, asked.fed), { ...asked.options, ...(asked.tools ? { tools: asked.tools } : {}) });
  },

  async check({ script, look }) {
    await engineOf("full", true);
    return engine.check(script, { look });
  },

  /** Possible formats of a text: by `auto`, by `infer`, and every syntax that finds whole calls. */
  async identify({ text, tools }) {
    await engineOf("full", true);
    const options = tools ? { tools } : {};
    const tally = ({ calls, errors }) => ({ calls: calls.map((call) => call.name), whole: calls.filter((call) => call.status === "complete").length, errors: errors.length });
    const auto = engine.parse("auto", text, options);
    const out = { auto: { ...tally(auto), syntax: auto.calls[0]?.syntax ?? null }, fitting: [], inferred: null };
    for (const { name } of engine.syntaxes()) {
      const found = tally(engine.parse(name, text, options));
      if (found.whole > 0 && found.whole === found.calls.length && found.errors === 0) {
        out.fitting.push({ name, ...found });
      }
    }
    out.fitting.sort((a, b) => (b.name === out.auto.syntax) - (a.name === out.auto.syntax) || b.whole - a.whole);
    try {
      out.inferred = engine.infer([text]);
    } catch (error) {
      out.refused = error.message;
    }
    return out;
  },

  /** Prepares for the first question. */
  async warm() {
    await engineOf("bare");
  },

  async list() {
    await engineOf("full");
    return { version: engine.version, syntaxes: engine.syntaxes() };
  },

  async describe({ syntax }) {
    await engineOf("full", true); // also for the dialects of a script that the page changed
    return engine.describe(syntax);
  },

  async dialect({ name, like }) {
    await engineOf("full", true);
    return engine.newScript(name, { like });
  },

  /** The model's text in a server's capture, or null. */
  async unwrap({ body }) {
    await engineOf("bare");
    for (const from of ["openai", "anthropic", "ollama"]) {
      try {
        const choices = engine.unwrap(body, from).filter((choice) => choice.text !== "");
        if (choices.length > 0) return { from, choices };
      } catch {
        // not of this server
      }
    }
    return null;
  },
};

async function answer({ id, job, asked }) {
  try {
    self.postMessage({ id, answer: await jobs[job](asked) });
  } catch (error) {
    if (error.code === "stopped") {
      engines.bare = engines.full = null; // the module's memory is undefined
    }
    self.postMessage({ id, failure: failure(error) });
  }
}

// One job after another: a job that waits for an engine must find it unchanged.
let last = Promise.resolve();
self.onmessage = ({ data }) => {
  last = last.then(() => answer(data));
};
