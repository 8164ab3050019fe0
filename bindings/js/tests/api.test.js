import assert from "node:assert/strict";
import { test } from "node:test";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { jsonSchema } from "ai";
import { z } from "zod";
import { load, SluiceError, utf16Offsets } from "../src/node.js";
import { joined } from "../src/sluice.js";

const tools = [
  { type: "function", function: { name: "get_weather", description: "The weather.", parameters: {
    type: "object", properties: { city: { type: "string" }, days: { type: "integer" } }, required: ["city"] } } },
];
const text = 'Let me look.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Köln 🌦", "days": 12345678901234567890}}\n</tool_call>';
const sluice = await load();
const fails = (code, message) => (error) => error instanceof SluiceError && error.code === code && (!message || message.test(error.message));

test("parse: arguments keep the model's own text", () => {
  const result = sluice.parse("hermes", text, { validate: false });
  assert.deepEqual([result.content.trimEnd(), result.reasoning], ["Let me look.", null]);
  assert.equal(result.calls.length, 1);
  assert.equal(result.calls[0].arguments, '{"city": "Köln 🌦", "days": 12345678901234567890}');
  assert.equal(result.calls[0].input.city, "Köln 🌦");
  assert.equal(result.calls[0].status, "complete");
  assert.match(result.calls[0].id, /^call_/);
});

test("arguments among text that looks like them", () => {
  const nasty = 'x "arguments": {"a": 1}, \\ " [';
  const args = ['{"arguments": [1.50, "}"], "e": {}}', "{}"];
  const calls = args.map((one) => `<tool_call>{"name": "g", "arguments": ${one}}</tool_call>`);
  const result = sluice.parse("hermes", nasty + calls.join(""));
  assert.deepEqual([result.content, result.calls.map((call) => call.arguments)], [nasty, args]);
  assert.deepEqual(result.calls[0].input, { arguments: [1.5, "}"], e: {} });
});

/** What a wire makes of a body in pieces. */
function through(options, ...pieces) {
  const wire = new sluice.Wire("hermes", options);
  const out = [...pieces.map((piece) => wire.feed(piece)), wire.finish()].map((part) => new TextDecoder().decode(part));
  wire.dispose();
  return out.join("");
}

const join = (events) => joined(events).map(({ id, ...event }) => event);

test("a stream: the same events, however the text is cut, also inside a surrogate pair", () => {
  const whole = new sluice.Stream("hermes", { tools, markup: true, validate: false });
  const expected = join(whole.feed(text).concat(whole.finish()));
  assert.deepEqual(expected.map(({ type, index }) => type + (index ?? "")),
    ["text", "markup", "call_begin0", "markup", "arguments0", "markup", "call_end0"]);
  assert.equal(expected[4].text, '{"city": "Köln 🌦", "days": 12345678901234567890}');
  for (const size of [1, 2, 3, 7, 64]) {
    whole.reset();
    const events = [];
    for (let i = 0; i < text.length; i += size) {
      events.push(...whole.feed(text.slice(i, i + size)));
    }
    assert.deepEqual(join(events.concat(whole.finish())), expected, `pieces of ${size} units`);
    whole.reset();
    const bytes = new TextEncoder().encode(text), again = [];
    for (let i = 0; i < bytes.length; i += size) {
      again.push(...whole.feed(bytes.subarray(i, i + size)));
    }
    assert.deepEqual(join(again.concat(whole.finish())), expected, `pieces of ${size} bytes`);
  }
  whole.dispose();
  assert.throws(() => whole.feed("x"), fails("misuse"));
});

test("a text is a string or bytes of any kind; anything else is refused, not ignored", () => {
  const bytes = new TextEncoder().encode("a<tool_call>{}");
  const wide = new Uint8Array(bytes.length + 4);
  wide.set(bytes, 3);
  const kinds = [bytes, bytes.buffer, new DataView(bytes.buffer), Buffer.from(bytes), wide.subarray(3, bytes.length + 3),
    new DataView(wide.buffer, 3, bytes.length)];
  for (const given of kinds) {
    assert.equal(sluice.parse("hermes", given).content, "a<tool_call>{}");
    const stream = new sluice.Stream("hermes");
    assert.equal(stream.feed(given).concat(stream.finish()).map((event) => event.text ?? "").join(""), "a<tool_call>{}");
  }
  const stream = new sluice.Stream("hermes"), wire = new sluice.Wire("hermes");
  for (const given of [null, undefined, 5, true, {}, [104, 105], () => "x", Symbol("s")]) {
    for (const use of [() => stream.feed(given), () => stream.feedSpecial(given), () => wire.feed(given), () => sluice.parse("hermes", given)]) {
      assert.throws(use, fails("argument", /a text must be a string or bytes/));
    }
  }
  for (const given of [null, undefined, 5, {}]) {
    for (const use of [() => new sluice.Stream(given), () => sluice.parse(given, "x"), () => sluice.syntaxFor(given), () => sluice.render(given, []),
      () => sluice.loadScript(given), () => new sluice.Wire(given)]) {
      assert.throws(use, fails("argument", /must be a string, not/));
    }
  }
  for (const given of [null, 5, [null], [5]]) {
    assert.throws(() => sluice.render("hermes", given), fails("argument"));
  }
  assert.throws(() => new sluice.Stream("hermes", { tools: () => 1 }), fails("argument", /tools must be an array/));
  assert.deepEqual(new sluice.Stream("hermes", null).feed("x").map((event) => event.text), ["x"]);
});

test("a byte order mark inside a response is a character", () => {
  for (const start of ["x", "x".repeat(100)]) {
    const stream = new sluice.Stream("hermes");
    const events = stream.feed(`${start}`).concat(stream.feed("\ufeffy"), stream.finish());
    assert.equal(events.map((event) => event.text).join(""), `${start}\ufeffy`);
  }
  const stream = new sluice.Stream("hermes", { parameters: true });
  const events = stream.feed('<tool_call>{"name": "f", "arguments": {"a": "x').concat(stream.feed('\ufeffy"}}</tool_call>'));
  for (const type of ["arguments", "parameter"]) {
    const written = events.filter((event) => event.type === type).map((event) => event.text).join("");
    assert.ok(written.includes("x\ufeffy"), type);
  }
});

test("half a surrogate pair is not overtaken by bytes, and a wire puts the halves together, too", () => {
  const stream = new sluice.Stream("hermes");
  const events = stream.feed("a\ud83c").concat(stream.feed(Buffer.from("b")), stream.feed("c\ud83c"), stream.finish());
  assert.equal(events.map((event) => event.text).join(""), "a\ufffdbc\ufffd");
  const broken = sluice.parse("hermes", '<tool_call>{"name": "f", "arguments": {"a": "\ud83dx"}}</tool_call>');
  assert.deepEqual([broken.calls[0].input, broken.errors.map(({ code }) => code)], [{ a: "\ufffdx" }, ["invalid_utf8"]]);
  const body = `data: {"choices":[{"index":0,"delta":{"content":"🌦"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;
  for (let at = 1; at < body.length; at++) {
    assert.equal(JSON.parse(through({ to: "result" }, body.slice(0, at), body.slice(at))).content, "🌦");
  }
  const cut = through({ from: "text", to: "result" }, "a\ud83c", Buffer.from("b"), "\ud83c");
  assert.equal(JSON.parse(cut).content, "a\ufffdb\ufffd");
});

test("what was made from an engine that was disposed of says so, and is freed without harm", async () => {
  const own = await load();
  const stream = new own.Stream("hermes"), wire = new own.Wire("hermes"), compiled = own.tools(tools);
  stream.feed("x <tool");
  own.dispose();
  own.dispose();
  for (const use of [() => stream.feed("y"), () => stream.finish(), () => stream.reset(), () => stream.state(), () => stream.closing(),
    () => wire.feed("data: {}\n\n"), () => wire.finish(), () => own.parse("hermes", "x"), () => own.syntaxes(),
    () => new own.Stream("hermes", { tools: compiled }), () => own.render("hermes", [])]) {
    assert.throws(use, fails("misuse", /disposed of/));
  }
  for (const made of [stream, wire, compiled, own]) {
    made.dispose();
  }
});

test("render takes what parse answered", () => {
  const written = '<think>hm</think>Hi<tool_call>\n{"name": "f", "arguments": {"a": 1.50}}\n</tool_call>';
  assert.deepEqual(sluice.parse("hermes", sluice.render("hermes", sluice.parse("hermes", written))).calls[0].arguments, '{"a": 1.50}');
});

test("an endless limit is none", () => {
  const held = "<tool_call>" + " ".repeat(1200000);
  assert.ok(new sluice.Stream("hermes").feed(held).length > 0);
  assert.equal(new sluice.Stream("hermes", { limit_held: Infinity }).feed(held).length, 0);
});

test("state: what is held", () => {
  const stream = new sluice.Stream("hermes");
  assert.deepEqual(stream.state(), { state: "text", name: null, held: 0 });
  stream.feed("x <tool_c");
  assert.equal(stream.state().held, 7);
  stream.feed('all>\n{"name": "f", "arguments": {"a"');
  assert.deepEqual({ ...stream.state(), held: 0 }, { state: "call", name: "f", held: 0 });
});

test("a finished stream refuses to be fed", () => {
  const stream = new sluice.Stream("hermes");
  stream.finish();
  assert.throws(() => stream.feed("x"), fails("misuse", /reset it before/));
  stream.reset();
  assert.equal(stream.feed("x")[0].text, "x");
});

test("valid, the call's bytes, and what closes its arguments", () => {
  const body = '{"name": "get_weather", "arguments": {"city": "Köln"}}';
  const stream = new sluice.Stream("hermes", { tools, source: true });
  let written = "";
  for (const c of `x <tool_call>\n${body}`) {
    for (const event of stream.feed(c)) if (event.type === "arguments") written += event.text;
    const { state } = stream.state();
    if (state === "call") assert.doesNotThrow(() => JSON.parse(written + stream.closing()), written);
    else assert.equal(stream.closing(), "");
  }
  const end = stream.feed("\n</tool_call>").concat(stream.finish()).find((event) => event.type === "call_end");
  assert.equal(end.valid, true);
  assert.equal(end.block_start, 2);
  assert.equal(end.source, `<tool_call>\n${body}\n</tool_call>`);
  const wrong = sluice.parse("hermes", `<tool_call>\n${body.replace('"Köln"', "1")}\n</tool_call>`, { tools });
  assert.equal(wrong.calls[0].valid, false);
  assert.equal(wrong.errors[0].index, 0);
});

test("nothing is known to be valid without tools", () => {
  const text = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>';
  for (const given of [undefined, []]) {
    assert.equal(sluice.parse("hermes", text, { tools: given }).calls[0].valid, null);
    const events = new sluice.Stream("hermes", { tools: given }).feed(text);
    assert.equal("valid" in events.find((event) => event.type === "call_end"), false);
  }
});

test("a mark: what lacks it is text, in every direction", () => {
  const mark = sluice.mark();
  assert.match(mark, /^[a-z2-9]{8}$/);
  assert.notEqual(mark, sluice.mark());
  const calls = [{ name: "now", arguments: {} }];
  const marked = sluice.render("hermes", calls, { mark });
  const plain = sluice.render("hermes", calls, { mark: undefined });
  assert.equal(marked, plain.replaceAll("tool_call>", `tool_call ${mark}>`));
  assert.ok(sluice.prompt("hermes", tools, { mark }).includes(`<tool_call ${mark}>`));
  assert.ok(sluice.grammar("hermes", tools, "gbnf", { mark }).includes(mark));
  assert.throws(() => sluice.render("kimi_k2", calls, { mark }), /no place for a mark/);
  assert.throws(() => sluice.render("hermes", calls, { marc: mark }), /no option 'marc'/);
  const result = sluice.parse("hermes", plain + marked, { mark, tools: [{ name: "now", parameters: {} }] });
  assert.deepEqual(result.calls.map((call) => [call.name, call.valid]), [["now", true]]);
  assert.equal(result.content.trim(), plain.trim());
  assert.throws(() => new sluice.Stream("kimi_k2", { mark: "k3f9" }), /no place for a mark/);
});

test("special tokens: a quoted marker calls nothing", () => {
  const run = (feed) => {
    const stream = new sluice.Stream("hermes", { special: "tokens" });
    const events = [...feed(stream, "<tool_call>"), ...stream.feed('\n{"name": "f", "arguments": {}}\n'), ...feed(stream, "</tool_call>"), ...stream.finish()];
    return events.filter((event) => event.type === "call_end").length;
  };
  assert.equal(run((stream, text) => stream.feed(text)), 0);
  assert.equal(run((stream, text) => stream.feedSpecial(text)), 1);
});

test("options: parameters, limits, and what is misspelt", () => {
  const stream = new sluice.Stream("qwen3_coder", { parameters: true, max_calls: 1 });
  const events = stream.feed("<tool_call>\n<function=f>\n<parameter=a>\nx y\n</parameter>\n</function>\n</tool_call>").concat(stream.finish());
  assert.equal(events.filter((event) => event.type === "parameter").map((event) => event.key + event.text).join(""), "ax y");
  assert.throws(() => new sluice.Stream("hermes", { strickt: true }), fails("argument", /nearest is 'strict'/));
  assert.throws(() => new sluice.Stream("hermes", { strickt: undefined }), fails("argument", /nearest is 'strict'/));
  assert.throws(() => new sluice.Stream("hermes", { strict: "yes" }), fails("argument", /must be a boolean/));
  for (const given of [3, new Map(), Promise.resolve({})]) {
    assert.throws(() => sluice.parse("hermes", "", given), fails("argument", /options must be an object/));
    assert.throws(() => new sluice.Wire("hermes", given), fails("argument", /options must be an object/));
    assert.throws(() => sluice.grammar("hermes", tools, "gbnf", given), fails("argument", /options must be an object/));
  }
  assert.throws(() => new sluice.Stream("hermes", { calls: "sometimes" }), SluiceError);
  for (const make of [sluice.Stream, sluice.Wire]) {
    assert.throws(() => new make("hermess"), fails("not_found", /nearest is 'hermes'/));
  }
  for (const ask of ["infer", "check", "newScript"]) {
    assert.throws(() => sluice[ask]("x", { mrak: true }), fails("argument", /'mrak'/));
  }
  assert.throws(() => new sluice.Stream("her\0mes"), fails("argument"));
  const two = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'.repeat(2);
  assert.equal(sluice.parse("hermes", two, { max_calls: 1, strict: undefined, calls: null }).calls.length, 1);
  assert.equal(sluice.parse("hermes", two, { max_calls: 0 }).calls.length, 2);
  assert.equal(sluice.parse("hermes", two, { max_calls: Infinity }).calls.length, 2);
});

test("tools: arrays, JSON text, compiled; invalid JSON is refused", () => {
  const unknown = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>';
  const compiled = sluice.tools(tools);
  for (const given of [tools, JSON.stringify(tools), compiled]) {
    assert.equal(sluice.parse("hermes", unknown, { tools: given }).errors[0].code, "unknown_tool");
    assert.deepEqual(sluice.toolsNotes(given), []);
    assert.match(sluice.explain("hermes", unknown, { tools: given }), /unknown_tool/);
    assert.equal(sluice.trace("hermes", unknown, { tools: given, words: true }).errors[0].code, "unknown_tool");
    assert.equal(sluice.waiting("hermes", unknown.slice(0, 5), { tools: given }).held, 5);
  }
  const stream = new sluice.Stream("hermes", { tools: compiled });
  compiled.dispose();
  assert.ok(stream.feed(unknown).some((event) => event.code === "unknown_tool"), "a stream keeps what it needs");
  assert.throws(() => sluice.tools("[{"), SluiceError);
  for (const given of [{}, new Set(tools)]) assert.throws(() => sluice.tools(given), fails("argument", /tools must be an array/));
});

test("transform: a stream of events", async () => {
  const events = [];
  const source = new ReadableStream({
    start(controller) {
      for (const piece of text.match(/[^]{1,5}/gu)) controller.enqueue(piece);
      controller.close();
    },
  });
  for await (const event of source.pipeThrough(sluice.transform("hermes", { tools, validate: false }))) {
    events.push(event);
  }
  assert.deepEqual([...new Set(events.map((event) => event.type))], ["text", "call_begin", "arguments", "call_end"]);
  assert.throws(() => sluice.transform("hermes", { nothing: 1 }), fails("argument"));
});

test("render, and what a format cannot carry", () => {
  assert.equal(sluice.render("hermes", [{ name: "f", arguments: { a: 1 } }]), '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>');
  assert.match(sluice.render("hermes", [{ name: "f", arguments: '{"a": 12345678901234567890}' }]), /12345678901234567890/);
  const turn = sluice.render("hermes", { content: "Hello.", calls: [{ name: "f", arguments: {} }] });
  assert.match(turn, /^Hello\./);
  assert.throws(() => sluice.render("hermes", [{ name: "f", arguments: "no JSON" }]), SluiceError);
  assert.throws(() => sluice.render("auto", [{ name: "f", arguments: {} }]), fails("refused"));
});

test("what JSON would drop or make null is refused", async () => {
  class Schema {}
  for (const value of [NaN, 1n, () => 1, Symbol("s"), new Map(), Promise.resolve({}), new Schema(), [undefined], { "~standard": {} }, jsonSchema({})]) {
    assert.throws(() => sluice.render("hermes", [{ name: "f", arguments: { a: value } }]), fails("argument", /must be plain JSON/));
    for (const ask of [(given) => sluice.parse("hermes", "x", { tools: given }), (given) => sluice.toolsNotes(given)]) {
      assert.throws(() => ask([{ name: "f", parameters: { properties: { a: value } } }]), fails("argument", /must be plain JSON/));
    }
  }
  assert.deepEqual(sluice.toolsNotes([{ name: "f", parameters: z.toJSONSchema(z.object({ a: z.string() })) }]), []);
  await assert.rejects(load({ memry: 1 }), fails("argument", /'memry'/));
});

test("grammar and prompt", () => {
  assert.match(sluice.grammar("hermes", tools, "lark"), /start/);
  assert.match(sluice.grammar("hermes", tools, "gbnf", { tool_choice: "required" }), /root/);
  assert.doesNotThrow(() => JSON.parse(sluice.grammar("hermes", tools, "structural-tag")));
  const one = sluice.grammar("hermes", tools, "gbnf", { max_calls: 1, relax: true });
  assert.equal(one, sluice.grammar("hermes", tools, "gbnf", { parallel: false }));
  assert.throws(() => sluice.grammar("hermes", tools, "larch"), /the targets are gbnf, lark, structural-tag/);
  assert.match(sluice.prompt("hermes", tools), /get_weather/);
  assert.ok(sluice.prompt("hermes", tools, { variant: "short" }).length < sluice.prompt("hermes", tools).length);
});

test("the list, and a model's syntax", () => {
  const names = sluice.syntaxes().map((syntax) => syntax.name);
  assert.ok(names.length > 50 && names.includes("hermes"));
  assert.equal(sluice.syntaxFor("Qwen/Qwen3-8B"), "hermes");
  assert.throws(() => sluice.syntaxFor("nobody-knows-it"), fails("not_found"));
  assert.deepEqual(["QwQ-32B", "Qwen/Qwen3-8B"].map((name) => sluice.startFor(name)), ["reasoning", undefined]);
});

const script = `local s = require "sluice.syntax"
return s.syntax {
  api = API,
  name = "mine",
  origin = "a test",
  source = "https://example.org",
  call = { "<<TOOL ", s.name(), ">>\\n", s.args(), "\\n<<END>>" },
  examples = { { text = "<<TOOL f>>\\n{\\"a\\": 1}\\n<<END>>", calls = { { name = "f", arguments = { a = 1 } } } } },
}`.replace("API", /api = (\d)/.exec(await readFile(new URL("../../../syntaxes/hermes.lua", import.meta.url), "utf8"))[1]);

test("scripts: loaded from text, taken out of an engine of their own, at fault", async () => {
  const own = await load();
  assert.equal(own.loadScript(script), "mine");
  assert.equal(own.parse("mine", '<<TOOL f>>\n{"a": 2}\n<<END>>').calls[0].arguments, '{"a": 2}');
  assert.equal(own.describe("mine").script, script);
  assert.throws(() => sluice.parse("mine", ""), /no syntax 'mine'/);
  assert.throws(() => own.loadScript("return 5", "my.lua"), fails("script", /^my\.lua/));
  assert.throws(() => own.loadScript(script.replace("s.name()", "s.nome()")), /did you mean 's\.name'/);
  own.loadScript('return inherit("hermes", { name = "child" })');
  assert.equal(own.parse("child", text, { validate: false }).calls.length, 1);
});

test("an endless script is stopped, and the engine lives on", async () => {
  const own = await load({ syntaxes: false });
  assert.throws(() => own.loadScript("while true do end"), fails("script", /instructions/));
  assert.throws(() => own.loadScript("local function f() return f() + 1 end f()"), SluiceError);
  assert.throws(() => own.loadScript("local t = {} while true do t[#t + 1] = ('x'):rep(1e6) .. #t end"), SluiceError);
  assert.throws(() => own.loadScript("local s = ('('):rep(1e5) .. ('\\n'):rep(3) return s:find('a', 1)"), SluiceError);
  assert.equal(own.loadScript(script), "mine");
});

test("what recurses deeply ends in an error, not in damage", async () => {
  const own = await load();
  const deep = (n) => `<tool_call>\n{"name": "f", "arguments": {"a": ${"[".repeat(n)}${"]".repeat(n)}}}\n</tool_call>`;
  for (const n of [10, 1000, 100000]) {
    const result = own.parse("hermes", deep(n));
    assert.equal(result.calls.length + result.errors.length > 0, true);
  }
  const nested = (n) => `local lpeg = require "lpeg" local p = lpeg.P "a" for i = 1, ${n} do p = (p + "b") * "c" end return p`;
  assert.throws(() => own.loadScript(nested(200000)), SluiceError);
  assert.equal(own.parse("hermes", text, { validate: false }).calls.length, 1);
});

test("a trap ends the engine with a sentence, and only this one", async () => {
  const own = await load({ syntaxes: false });
  const stream = new own.Stream(own.loadScript(script));
  assert.throws(() => own._instance.call("stream_next", 0xfffffff0), fails("stopped", /load it again/));
  assert.throws(() => stream.feed("x"), fails("stopped"));
  assert.throws(() => own.syntaxes(), fails("stopped"));
  stream.dispose();
  own.dispose();
  assert.equal(sluice.parse("hermes", "still here").content, "still here");
});

test("large chunks: 2 MB at once", () => {
  const stream = new sluice.Stream("hermes");
  const events = stream.feed("ä".repeat(1e6)).concat(stream.finish());
  assert.equal(events.reduce((sum, event) => sum + event.text.length, 0), 1e6);
  assert.equal(events.at(-1).end, 2e6);
});

test("infer: known formats are recognised, new ones described", () => {
  const known = sluice.infer(['<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'], { name: "found" });
  assert.match(known.report, /this is `hermes`/);
  const calls = [[{ name: "get_weather", arguments: { city: "Paris" } }], [{ name: "search", arguments: { q: "x", n: 3 } }]];
  const samples = ['Well.\n@@get_weather@@\n{"city": "Paris"}\n@@done@@', '@@search@@\n{"q": "x", "n": 3}\n@@done@@'];
  const made = sluice.infer(samples, { calls });
  assert.equal(made.explained, 2);
  assert.match(made.script, /@@done@@/);
  assert.throws(() => sluice.infer(["nothing to see"]), fails("refused"));
});

test("check: a verdict", async () => {
  const own = await load();
  assert.equal(own.check(script).passes, true);
  const broken = own.check(script.replace('{ a = 1 }', '{ a = 2 }'));
  assert.equal(broken.passes, false);
  assert.match(broken.verdict, /WRONG/);
  assert.equal(own.check("return").passes, false);
});

test("trace: every byte is accounted for, with the word and line that took it", () => {
  const { spans } = sluice.trace("hermes", text, { words: true, validate: false });
  let at = 0;
  for (const span of spans) {
    assert.equal(span.start, at);
    at = span.end;
  }
  assert.equal(at, new TextEncoder().encode(text).length);
  const name = spans.find((span) => span.kind === "name");
  const offset = utf16Offsets(text);
  assert.equal(text.slice(offset(name.start), offset(name.end)), "get_weather");
  assert.match(name.word, /^s\./);
  assert.ok(name.line > 1);
  assert.match(sluice.explain("hermes", text, { validate: false }), /tool_call/);
});

test("waiting: what is held, and which word waits", () => {
  const begun = sluice.waiting("hermes", "x <tool_c");
  assert.equal(begun.held, 7);
  assert.deepEqual(begun.literals, ["<tool_call>"]);
  const inside = sluice.waiting("qwen3_coder", "<tool_call>\n<function=f>\n<parameter=a>\nx y");
  assert.equal(inside.name, "f");
  assert.match(inside.steps.at(-1).word, /^s\.value/);
  assert.ok(inside.steps.at(-1).line > 1);
  assert.equal(sluice.waiting("hermes", "plain").held, 0);
});

test("UTF-16 offsets", () => {
  const sample = "aé🌦b漢";
  const offset = utf16Offsets(sample);
  const encoder = new TextEncoder();
  for (let i = 0; i <= sample.length; i++) {
    if (i > 0 && /[\ud800-\udbff]/.test(sample[i - 1])) continue;
    assert.equal(offset(encoder.encode(sample.slice(0, i)).length), i);
  }
  assert.deepEqual([1, 2, 3, 4, 5, 6, 7].map(offset), [1, 1, 2, 2, 2, 2, 4], "inside a character");
  const halves = `\ud83d é\ud83d${text}`, found = utf16Offsets(halves), [call] = sluice.parse("hermes", halves).calls;
  assert.match(halves.slice(found(call.start), found(call.end)), /^<tool_call>[^]*<\/tool_call>$/);
});

test("a new script and a dialect to start from", () => {
  assert.match(sluice.newScript("fresh").script, /name = "fresh"/);
  assert.match(sluice.newScript("fresh", { like: "hermes" }).script, /inherit\("hermes"/);
  assert.throws(() => sluice.newScript("no name!"), SluiceError);
});

test("captures of servers give the model's raw text", () => {
  const body = ['{"choices":[{"index":0,"delta":{"content":"<tool_"}}]}', '{"choices":[{"index":0,"delta":{"content":"call>"}}]}', "[DONE]"]
    .map((data) => `data: ${data}\n\n`).join("");
  assert.deepEqual(sluice.unwrap(body, "openai"), [{ choice: 0, text: "<tool_call>" }]);
});

test("the package finds its module under its own name", async () => {
  const own = await import("@sluice/sluice");
  assert.equal(own.load, load);
  const file = new URL("../dist/sluice.wasm", import.meta.url);
  for (const wasm of [file.href, fileURLToPath(file)]) assert.ok(await load({ wasm, syntaxes: false }));
  await assert.rejects(load({ wasm: new Response("", { status: 404 }) }), /answered 404/);
});

test("a wire gives a whole response for a whole one, and passes on the server's own error", () => {
  assert.match(through({ from: "text", to: "openai", model: "m" }, text), /"tool_calls"[^]*\[DONE\]/);
  const message = { role: "assistant", content: '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>' };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  const answer = JSON.parse(through({}, JSON.stringify({ id: "c", choices, usage: { x: 1 } })));
  assert.equal(answer.choices[0].message.tool_calls[0].function.arguments, '{"a": 1}');
  assert.deepEqual([answer.choices[0].finish_reason, answer.usage.x], ["tool_calls", 1]);
  assert.equal(JSON.parse(through({ tools: [], unknown_tools: "text" }, JSON.stringify({ choices }))).choices[0].message.content, message.content);
  const error = '{"error":{"message":"no such model"}}';
  assert.equal(through({}, error), error);
  assert.equal(JSON.parse(through({ to: "ollama" }, error)).error, "no such model");
});
