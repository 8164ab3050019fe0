// The package's interface: an engine with its syntaxes, and its functions.

import { Instance, SluiceError, nameOf, textOf } from "./module.js";

export { SluiceError };

const EVENT = 0, MISUSE = -8;
const states = ["text", "reasoning", "possible_block", "call"];

/** Lua instructions that `check`, `infer` and `explain` may use. */
const AUTHOR_INSTRUCTIONS = 4e10;

// Frees objects that were collected without being disposed of.
const forgotten = new FinalizationRegistry((release) => release());

// A pointer of the module with its release function.
class Handle {
  #release;
  #at;
  #keeps;

  // `keeps`: the Sluice that must not be released before this: finalisers run in any order. If its user frees it anyway, this
  // is freed with it.
  constructor(instance, release, at, owner, keeps) {
    this.#keeps = keeps;
    this.#at = at;
    this.#release = () => !instance.stopped && !keeps?._engine.freed && instance.call(release, at);
    forgotten.register(owner, this.#release, this);
  }

  get freed() {
    return this.#at === 0;
  }

  get at() {
    if (this.#keeps?._engine.freed) {
      throw new SluiceError("its engine was disposed of", "misuse");
    }
    if (this.#at === 0) {
      throw new SluiceError("it was disposed of", "misuse");
    }
    return this.#at;
  }

  free() {
    if (this.#at !== 0) {
      forgotten.unregister(this);
      this.#release();
      this.#at = 0;
    }
  }
}

/** Tool definitions, compiled once: pass them as `tools` options in place of the array. */
export class Tools {
  /** @internal */
  constructor(sluice, tools) {
    const instance = sluice._instance;
    const json = toolsJson(tools);
    const at = sluice._made(instance.withCopies(({ buffer }) => instance.call("sluice_tools_new", sluice._engine.at, ...buffer(json))));
    this._sluice = sluice;
    this._json = json;
    this._handle = new Handle(instance, "sluice_tools_free", at, this, sluice);
  }

  dispose() {
    this._handle.free();
  }
}

// What takes a response in pieces: a subclass says what the code of a call gives (`_take`), and joins two outputs (`_join`).
class Fed {
  #half = ""; // the first half of a surrogate pair at the end of a string waits for the next

  constructor(sluice, kind, syntax, options, ...more) {
    this._sluice = sluice;
    this._instance = sluice._instance;
    this._finish = `sluice_${kind}_finish`;
    this._feed = `sluice_${kind}_feed`;
    this._handle = new Handle(this._instance, `sluice_${kind}_free`, sluice._open(`sluice_${kind}_new`, syntax, options, ...more), this, sluice);
  }

  _pass(chunk, how = this._feed) {
    const instance = this._instance, at = this._handle.at;
    const [bytes, size] = instance.lend(chunk);
    return this._take(instance.call(how, at, bytes, size, instance.result, instance.result + 4));
  }

  // Returns the output for the rest of the last string, and for the bytes after it.
  _behind(run) {
    const rest = this._rest();
    return rest === "" ? run() : this._join(this._pass(rest), run());
  }

  _rest() {
    const half = this.#half;
    this.#half = "";
    return half;
  }

  /** Feeds the next piece, a string or bytes (Uint8Array); returns what it gives: events, or converted bytes. */
  feed(chunk) {
    if (typeof chunk !== "string") {
      return this._behind(() => this._pass(chunk));
    }
    const text = this._rest() + chunk, last = text.charCodeAt(text.length - 1);
    const waits = last >= 0xd800 && last <= 0xdbff;
    this.#half = waits ? text.slice(-1) : "";
    return this._pass(waits ? text.slice(0, -1) : text);
  }

  /** Ends the response. Returns the rest of what it gives. */
  finish() {
    const instance = this._instance;
    return this._behind(() => this._take(instance.call(this._finish, this._handle.at, instance.result, instance.result + 4)));
  }

  /** Frees the memory. It also happens at the end of a `using` block, and when the object is collected. */
  dispose() {
    this._handle.free();
  }
}

/** Parses a response. Feed it chunks, cut anywhere; each call returns the new events. */
export class Stream extends Fed {
  /** @internal Use `new sluice.Stream(syntax, options)`. */
  constructor(sluice, syntax, options = {}) {
    super(sluice, "stream", syntax, options);
  }

  _take(code) {
    const instance = this._instance;
    if (code === MISUSE) { // the engine has no message for it
      throw new SluiceError("the stream is finished: reset it before you feed it again", "misuse");
    }
    this._sluice._check(code);
    const events = [];
    const at = this._handle.at;
    while (instance.call("sluice_stream_next", at, instance.record) === EVENT) {
      events.push(instance.event());
    }
    return events;
  }

  _join(first, second) {
    return first.concat(second);
  }

  /** Like `feed`, for bytes that are one special token of the model: matters with the option special: "tokens". */
  feedSpecial(token) {
    return this._behind(() => this._pass(token, "sluice_stream_feed_special"));
  }

  /** Returns the text that closes the arguments of the open call: appended to its `arguments` events so far, it makes one JSON
   * object. "" if no call is open. */
  closing() {
    const instance = this._instance, at = this._handle.at;
    const size = instance.call("sluice_stream_closing", at, 0, 0);
    return instance.withCopies(({ buffer }) => {
      const [room, length] = buffer(new Uint8Array(size + 1));
      instance.call("sluice_stream_closing", at, room, length);
      return instance.decode(room, size);
    });
  }

  /** Prepares for the next response, with the same syntax, tools and options. */
  reset() {
    this._rest();
    this._sluice._check(this._instance.call("sluice_stream_reset", this._handle.at));
    return this;
  }

  /** Returns the state of the stream: { state: "text" | "reasoning" | "possible_block" | "call", name: of the open call or null,
   * held: number of held bytes }. */
  state() {
    const instance = this._instance;
    const state = states[instance.call("sluice_stream_state", this._handle.at, instance.result, instance.result + 4)];
    return { state, name: instance.string(instance.word(0)) ?? null, held: instance.word(1) };
  }

  /** Returns how many calls have ended since the last reset: { valid, recovered, doubtful }, and `leaked`: 1 if markup of the format
   * was left in the text. */
  counts() {
    const instance = this._instance;
    instance.call("sluice_stream_counts", instance.result, this._handle.at);
    const [valid, recovered, doubtful, leaked] = [0, 1, 2, 3].map((number) => instance.word(number));
    return { valid, recovered, doubtful, leaked };
  }
}

/** Converts a response from one wire format to another: feed and finish return the converted bytes. */
export class Wire extends Fed {
  /** @internal Use `new sluice.Wire(syntax, { from, to, model, tools, ... })`. */
  constructor(sluice, syntax, given) {
    const { from = "openai", to = "openai", model = null, ...options } = asOptions(given);
    super(sluice, "wire", syntax, options, from, to, model);
  }

  _take(code) {
    this._sluice._check(code);
    return this._instance.resultBytes();
  }

  _join(first, second) {
    const out = new Uint8Array(first.length + second.length);
    out.set(first);
    out.set(second, first.length);
    return out;
  }
}

/** An engine: a private copy of the library with its syntaxes. Made by `load`. */
export class Sluice {
  /** @internal */
  constructor(instance, { memory = 0, instructions = 0, syntaxes = true, ...others } = {}) {
    noOthers(others);
    if (![memory, instructions].every((limit) => limit >= 0 && Number.isFinite(limit))) refuse("memory and instructions must be numbers from 0");
    this._instance = instance;
    const at = instance.call("engine_new", memory, instructions);
    if (at === 0) {
      throw new SluiceError("not enough memory", "no_memory");
    }
    this._engine = new Handle(instance, "sluice_engine_free", at, this);
    const sluice = this;
    // of this engine: new sluice.Stream(syntax, options), new sluice.Wire(syntax, options)
    [this.Stream, this.Wire] = [Stream, Wire].map((kind) => class extends kind {
      constructor(syntax, options) {
        super(sluice, syntax, options);
      }
    });
    if (syntaxes) {
      this._check(instance.call("sluice_engine_load", this._engine.at, 0));
    }
  }

  _check(code) {
    if (code !== 0) {
      throw this._instance.failure(this._engine.at, code);
    }
  }

  // What was made; 0: it failed.
  _made(at) {
    this._check(at === 0 ? this._instance.call("sluice_engine_code", this._engine.at) || -1 : 0);
    return at;
  }

  // Calls run(tools, options) with pointers to the tools and options of these JavaScript options.
  _withOptions(given, run) {
    const instance = this._instance, { tools, ...options } = asOptions(given);
    const own = tools === undefined || tools === null || tools instanceof Tools ? null : new Tools(this, tools);
    try {
      if (tools instanceof Tools && tools._sluice !== this) {
        throw new SluiceError("these tools belong to another engine", "misuse");
      }
      const json = JSON.stringify(options, optionValue);
      return instance.withCopies((copies) => {
        const at = json === "{}" ? 0 : this._made(instance.call("options", this._engine.at, copies.text(json)));
        return run((own ?? tools)?._handle.at ?? 0, at, copies);
      });
    } finally {
      own?.dispose();
    }
  }

  // Checks the name of a syntax, or of a model.
  _name(value, what = "syntax") {
    return typeof value === "string" ? value : refuse(`the ${what} must be a string, not ${nameOf(value)}`);
  }

  _open(make, syntax, options, ...more) {
    return this._made(this._withOptions(options, (tools, settings, { text }) =>
      this._instance.call(make, this._engine.at, text(this._name(syntax)), tools, settings, ...more.map(text))));
  }

  // Calls run(stream) with a stream that lives no longer.
  _streamed(syntax, options, run) {
    const stream = new Stream(this, syntax, options);
    try {
      return run(stream);
    } finally {
      stream.dispose();
    }
  }

  // Calls a function that returns a text.
  _text(name, ...given) {
    const instance = this._instance;
    this._check(instance.call(name, this._engine.at, ...given, instance.result, instance.result + 4));
    const text = instance.resultText();
    instance.call("sluice_free", this._engine.at, instance.word(0));
    return text;
  }

  _ask(tool, asked) {
    return this._instance.withCopies(({ text }) => this._text("sluice_engine_ask", text(tool), text(asked)));
  }

  // Calls a function of wasm/lua/binding.lua with a JSON value; returns its JSON answer.
  // `code`: for errors.
  _run(name, asked, { instructions = AUTHOR_INSTRUCTIONS, code = "refused" } = {}) {
    const instance = this._instance;
    const json = typeof asked === "string" ? asked : JSON.stringify(asked);
    return instance.withCopies(({ text, buffer }) => {
      const status = instance.call("run", this._engine.at, text(name), ...buffer(json), instructions, instance.result, instance.result + 4);
      if (status !== 0) {
        const failure = instance.failure(this._engine.at, status);
        throw failure.code === "script" ? new SluiceError(failure.message, code) : failure;
      }
      const answer = instance.resultText();
      instance.free(instance.word(0));
      return JSON.parse(answer);
    });
  }

  /** Returns the version of the library. */
  get version() {
    return this._instance.string(this._instance.call("sluice_version"));
  }

  /** Returns every syntax: an array of { name, aliases, models, can, special, source, path }. */
  syntaxes() {
    return JSON.parse(this._ask("list_json", ""));
  }

  /** Returns the syntax for a model's name; throws if none fits, or several do. */
  syntaxFor(model) {
    return this._model(model).name;
  }

  /** Returns "reasoning" if the model's responses start there, for the option `start`; else undefined. Throws as syntaxFor. */
  startFor(model) {
    return this._model(model).start;
  }

  _model(model) {
    return JSON.parse(this._ask("model", this._name(model, "model")));
  }

  /** Loads a script from its text; returns its name. `path` is its name in error messages. A script replaces one of
   * the same name. */
  loadScript(text, path = "script.lua") {
    this._name(text, "script's text");
    return this._run("load", { path, text }, { instructions: 0, code: "script" }).name;
  }

  /** Compiles tool definitions, for several streams. */
  tools(tools) {
    return new Tools(this, tools);
  }

  /** Parses a whole response: { content, reasoning, calls, errors }. Each call has `arguments`, the model's own JSON text, and
   * `input`, their value. */
  parse(syntax, text, options = {}) {
    const result = JSON.parse(this._withOptions(options, (tools, settings, copies) =>
      this._text("sluice_parse", copies.text(this._name(syntax)), tools, settings, ...copies.buffer(text))));
    if (result.calls.length > 0) { // JavaScript's numbers lose digits: the arguments' text is that of the events
      const texts = [];
      for (const event of this._streamed(syntax, options, (stream) => stream.feed(text).concat(stream.finish()))) {
        if (event.type === "arguments") texts[event.index] = (texts[event.index] ?? "") + event.text;
      }
      for (const call of result.calls) {
        call.input = call.arguments;
        call.arguments = texts[call.index];
      }
    }
    return result;
  }

  /** Returns a TransformStream from chunks (strings or bytes) to events. */
  transform(syntax, options = {}) {
    let stream;
    const sluice = this;
    return new TransformStream({
      start() {
        stream = new Stream(sluice, syntax, options);
      },
      transform(chunk, controller) {
        for (const event of stream.feed(chunk)) controller.enqueue(event);
      },
      flush(controller) {
        for (const event of stream.finish()) controller.enqueue(event);
        stream.dispose();
      },
      cancel() {
        stream.dispose();
      },
    });
  }

  /** Writes calls ({ name, arguments: a value or JSON text, id?, extra? }), a turn { reasoning?, content?, calls?, results? }, or a
   * result of `parse` as text in the model's format. options.mark: see mark. */
  render(syntax, calls, options = {}) {
    return this._ask("render", JSON.stringify({ syntax: this._name(syntax), calls: callsJson(calls), options: asOptions(options) }));
  }

  /** Returns what a host may tell the model about an error of this code, a sentence; null for a code that tells the model nothing to
   * do. */
  errorHint(code) {
    const instance = this._instance;
    return instance.withCopies(({ text }) => instance.string(instance.call("sluice_error_hint", text(code))) ?? null);
  }

  /** Generates a mark for one conversation: eight random letters and digits. With the option `mark` of prompt, render, grammar and
   * of streams, the openers and closers of a prompted format contain it; openers without it are text. */
  mark() {
    const signs = "abcdefghijkmnpqrstuvwxyz23456789"; // no two look alike
    return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => signs[byte % signs.length]).join("");
  }

  /** Returns a grammar for these tools: target "lark", "gbnf" or "structural-tag". Options: tool_choice, max_calls,
   * parallel, reasoning, tokens, relax, mark. */
  grammar(syntax, tools, target, options = {}) {
    return this._withOptions({ tools }, (at, settings, { text }) =>
      this._text("sluice_grammar", text(this._name(syntax)), at, text(this._name(target, "target")), text(JSON.stringify(asOptions(options)))));
  }

  /** Returns the parts of the tools' schemas that cannot be checked: [{ tool, pointer, message }]. A call for which one is reached is
   * not valid and gets the error schema_unchecked. */
  toolsNotes(tools) {
    return JSON.parse(this._ask("tools_notes", toolsJson(tools)));
  }

  /** Returns instructions that teach a model the format and the tools. options.variant: "full", "short" or "native"; options.mark: see mark. */
  prompt(syntax, tools, options = {}) {
    return this._withOptions({ tools }, (at, settings, { text }) =>
      this._text("sluice_prompt", text(this._name(syntax)), at, text(JSON.stringify(asOptions(options)))));
  }

  /** Infers a script from a model's responses: { script, page, report, explained }. `samples`: strings, or { path, text };
   * options.calls: the calls of each, if known; options.name: of the new syntax. */
  infer(samples, { name = "mine", calls, ...others } = {}) {
    noOthers(others);
    const asked = { samples: samples.map((sample, i) => (typeof sample === "string" ? { path: `sample ${i + 1}`, text: sample } : sample)), name };
    return this._run("infer", calls ? { ...asked, calls } : asked);
  }

  /** Checks a script: { passes, verdict }. Loads it, inspects it and tests it: its examples, and the laws on random texts
   * and calls, which takes seconds. With `look`, only quick checks. */
  check(script, { path = "script.lua", look = false, ...others } = {}) {
    noOthers(others);
    return this._run("check", { path, text: script, look });
  }

  /** Explains, in lines, what is tried at each byte of a text, and why it is rejected. */
  explain(syntax, text, options = {}) {
    this._withOptions(options, () => {}); // checks them
    return this._run("explain", { syntax: this._name(syntax), ...streamed(text, options) }).text;
  }

  /** Returns what each byte of a text was read as: { spans: [{ start, end, kind, index?, word?, line? }], events, errors }. Kinds: "text",
   * "reasoning", "markup", "name", "arguments". With `words: true` the spans also have the word of the description
   * that read them, and its line in the script. */
  trace(syntax, text, { words = false, ...options } = {}) {
    const events = this._streamed(syntax, { ...options, markup: true }, (stream) => stream.feed(text).concat(stream.finish()));
    const steps = words ? this._run("steps", { syntax, ...streamed(text, options) }).steps : [];
    return { spans: spansOf(events, steps), events, steps, errors: events.filter((event) => event.type === "error") };
  }

  /** Returns what a stream waits for after this beginning of a response: { steps: the waiting words, outer ones first, literals:
   * those that the held bytes may become }. */
  waiting(syntax, text, options = {}) {
    const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
    const state = this._streamed(syntax, options, (stream) => (stream.feed(bytes), stream.state()));
    const steps = this._run("steps", { syntax, ...streamed(bytes, options), unfinished: true }).steps.filter((step) => step.waits);
    const held = asText(bytes.subarray(bytes.length - state.held)).trimStart();
    const literals = held ? this._run("literals", { syntax, held }).literals : [];
    return { ...state, steps, literals };
  }

  /** Returns a new script and the page of its examples: { script, page }. `like`: the parent syntax of a dialect. */
  newScript(name, { like, ...others } = {}) {
    noOthers(others);
    return JSON.parse(this._ask("new", JSON.stringify({ name, like })));
  }

  /** Describes a syntax: { name, path, script, examples: [{ text, tools?, calls, content, reasoning }], ... }. */
  describe(syntax) {
    return this._run("describe", { syntax: this._name(syntax) });
  }

  /** Returns the raw text of a captured response body of a server ("openai", "anthropic" or "ollama"): [{ choice, text }]. */
  unwrap(body, from) {
    return this._run("unwrap", { body: asText(body), from }).choices;
  }

  /** Frees the engine and everything made from it. Using its streams afterwards throws an error. */
  dispose() {
    this._engine.free();
  }
}

// `using` if the platform has it.
for (const kind of [Tools, Stream, Wire, Sluice]) {
  kind.prototype[Symbol.dispose ?? Symbol.for("Symbol.dispose")] = kind.prototype.dispose;
}

const refuse = (message) => {
  throw new SluiceError(message, "argument");
};
// JSON has no Infinity, and drops what is no value. The library knows the names: null is an option that was not given.
const optionValue = (name, value) =>
  value === Infinity ? 2 ** 32 - 1 : value === undefined ? null
    : Number.isNaN(value) || ["function", "symbol"].includes(typeof value) ? refuse(`the option '${name}' cannot be ${String(value)}`) : value;
// Checks that options are an object, or not given.
const asOptions = (given) => (nameOf(given ?? {}) === "Object" ? given ?? {} : refuse(`options must be an object, not ${nameOf(given)}`));
// JSON drops functions, makes null of NaN, and {}, which as a schema allows everything, of maps and promises.
function plainValue(name, value) {
  const kind = typeof value, object = kind === "object" && value !== null;
  const proto = object && !Array.isArray(value) ? Object.getPrototypeOf(value) : null;
  const instance = proto !== null && Object.getPrototypeOf(proto) !== null;
  const validator = object && (Symbol.for("vercel.ai.schema") in value // the JSON Schema that zod makes has ~standard, too, but hidden
    || ("~standard" in value && (instance || Object.keys(value).includes("~standard"))));
  if (instance || validator || ["function", "symbol", "bigint"].includes(kind) || (kind === "number" && !Number.isFinite(value))
      || (value === undefined && Array.isArray(this))) {
    const found = validator ? "a validator: convert it, as with z.toJSONSchema()" : proto?.constructor?.name ?? nameOf(value);
    refuse(`'${name}' must be plain JSON, not ${found}`);
  }
  return value;
}
/** @internal Refuses options that were not taken. */
export const noOthers = (others) => Object.keys(others).forEach((name) => refuse(`there is no option '${name}'`));

/** @internal Follows a response's events: what is found out after the end of a call makes it and all before it doubtful. */
export class Doubt {
  #ended = 0; // calls
  #cut = false; // the text ended inside the open call

  /** Returns how many calls, counted from the first, this event makes doubtful after their end. */
  calls({ type, index, status, code }) {
    if (type === "call_begin") {
      this.#cut = false;
    } else if (type === "call_end") {
      this.#ended = index + 1;
      return status === "incomplete" && !this.#cut ? index : 0;
    } else if (type === "error") {
      this.#cut ||= code === "unfinished_call";
      return index < this.#ended ? index + 1 : 0;
    }
    return 0;
  }
}

const asText = (text) => (typeof text === "string" ? text : new TextDecoder("utf-8", { ignoreBOM: true }).decode(textOf(text)));

function toolsJson(tools) {
  if (tools instanceof Tools) {
    return tools._json;
  }
  return typeof tools === "string" ? tools : Array.isArray(tools) ? JSON.stringify(tools, plainValue)
    : refuse(`tools must be an array or JSON text, not ${nameOf(tools)}`);
}

// A text and options for the Lua modules, which need the tools as a JSON value.
const streamed = (text, { tools, ...options }) => ({ text: asText(text), tools: tools ? JSON.parse(toolsJson(tools)) : undefined, options });

// Returns the JSON text of calls or of a turn.
function callsJson(value) {
  if (typeof value === "string") {
    return value;
  } else if (typeof value !== "object" || value === null) {
    refuse(`what is rendered is an array of calls, a turn or a text, not ${nameOf(value)}`);
  }
  const plain = (calls) => calls.map((call) => {
    const { input, ...rest } = (typeof call === "object" && call) || refuse(`a call is an object, not ${nameOf(call)}`); // of a result
    return input === undefined || "arguments" in rest ? rest : { ...rest, arguments: input };
  });
  return JSON.stringify(Array.isArray(value) ? plain(value) : value.calls ? { ...value, calls: plain(value.calls) } : value, plainValue);
}

const kinds = { text: "text", reasoning: "reasoning", markup: "markup", call_begin: "name", arguments: "arguments" };

/** @internal Joins adjoining fragments of events. */
export function joined(events) {
  const out = [];
  for (const event of events) {
    const last = out.at(-1);
    if (last && event.text !== undefined && last.type === event.type && last.index === event.index && last.key === event.key) {
      last.text += event.text;
      last.end = event.end;
    } else {
      out.push({ ...event });
    }
  }
  return out;
}

/** @internal Returns ranges of bytes and what they were read as. A range of markup or arguments is cut where another word begins. */
export function spansOf(events, steps) {
  const spans = [];
  for (const event of events) {
    const kind = kinds[event.type];
    const last = spans[spans.length - 1];
    if (!kind || event.end === event.start) {
      continue;
    }
    if (last && last.kind === kind && last.index === event.index && last.end === event.start) {
      last.end = event.end;
    } else {
      const span = { start: event.start, end: event.end, kind };
      if (event.index !== undefined) span.index = event.index;
      spans.push(span);
    }
  }
  spans.sort((a, b) => a.start - b.start);
  return steps.length === 0 ? spans : cutByWords(spans, steps);
}

// Returns the innermost word that read each byte: steps have their depth, outer ones first.
function cutByWords(spans, steps) {
  const size = Math.max(0, ...spans.map((span) => span.end));
  const owner = new Int32Array(size).fill(-1);
  steps.forEach((step, i) => {
    if (step.taken) {
      owner.fill(i, step.start, Math.min(step.end, size));
    }
  });
  const out = [];
  for (const span of spans) {
    let from = span.start;
    while (from < span.end) {
      let to = from + 1;
      while (to < span.end && owner[to] === owner[from]) {
        to++;
      }
      const step = steps[owner[from]];
      out.push({ ...span, start: from, end: to, ...(step ? { word: step.word, line: step.line } : {}) });
      from = to;
    }
  }
  return out;
}

/** Returns a function from byte offsets of a text to offsets in UTF-16 units, as in editors and string methods. An offset inside
 * a character gives the start of the character. Half of a surrogate pair is one byte, as where a string is parsed. */
export function utf16Offsets(text) {
  const units = new Uint32Array(3 * text.length + 1); // of each byte: the start of its character
  let byte = 0, unit = 0;
  for (const character of text) {
    const code = character.codePointAt(0), size = code < 0x80 || code >> 11 === 0x1b ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    units.fill(unit, byte, byte + size);
    byte += size;
    unit += character.length;
  }
  units.fill(unit, byte);
  return (offset) => units[offset];
}

/** Makes an engine of a compiled module or its bytes. */
export async function create(source, options) {
  return new Sluice(await Instance.create(source), options);
}
