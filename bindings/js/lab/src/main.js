// The lab's page: sends input to a worker, and shows its answers.

import { Client, latest } from "./client.js";
import { pointAt as pointScript, sampleEditor, scriptEditor, setText, showError, textOf, toolsEditor } from "./editors.js";
import { pack, unpack } from "./share.js";
import * as start from "./start.js";
import { nameOf, toolsOf } from "./tools.js";
import * as view from "./view.js";
import { utf16Offsets } from "../../src/sluice.js";
import vocabulary from "virtual:vocabulary";

const $ = (id) => document.getElementById(id);
const live = new Client(10000); // answers during typing
const second = new Client(30000); // results shown after a pause in typing
const author = new Client(60000); // check and infer take longer
live.ask("warm", {}).catch(() => {}); // makes the engine while the page loads

/** Makes an element: make("p", { className: "x" }, child, "text"). */
function make(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

// ---- The state of the page -------------------------------------------------------------------------------------------

const samples = [{ title: "sample 1", text: "" }]; // never empty
let current = 0; // of the samples
let fed = null; // number of bytes fed; null: all, and the response has ended
let tools = null; // a list
let tab = "events";
let answer = null; // the last good answer of the worker
let words = null; // its spans with their words
let names = []; // of the syntaxes
const stream = {}; // stream options in use
const choices = { target: "lark", choice: "auto", variant: "full" };

const script = scriptEditor($("script"), () => changed({ script: true }), () => names);
const sample = sampleEditor($("sample"), () => {
  samples[current].text = textOf(sample);
  fed = null;
  stopPlaying();
  changed();
});
const toolsView = toolsEditor($("tools"), () => {
  readTools();
  changed();
});

function say(text, bad = false) {
  $("status").textContent = text;
  $("status").title = text;
  $("status").classList.toggle("bad", bad);
}

// ---- Asking the worker -----------------------------------------------------------------------------------------------

// The tools that the lab begins with belong to its first sample: they do not make the calls of another one unknown.
const judging = () => (textOf(toolsView) === start.tools && samples[current].text !== start.sample && !["grammar", "prompt"].includes(tab) ? null : tools);
const asked = () => ({ script: textOf(script), sample: samples[current].text.replace(/\p{Cs}/gu, "\ufffd"), tools: judging(), options: { ...stream }, fed, tab, ...choices });

const SLOW = 64 * 1024; // in characters: in longer texts the words are only looked up on request
let later = 0;
let changes = 0; // `data-changed` on the page counts them, `data-explained` is the last one that the slower work has followed

function changed({ script: byScript = false } = {}) {
  if (byScript) $("syntax").value = "";
  refresh();
  document.documentElement.dataset.changed = String(++changes);
  clearTimeout(later);
  later = setTimeout(afterwards, 250);
}

// `data-asked` on the page counts the questions, `data-shown` is the number of the question whose answer or error is
// shown: if they are equal, no question is open.
let questions = 0;

function refresh() {
  document.documentElement.dataset.asked = String(++questions);
  answerLatest();
}

const answerLatest = latest(async () => {
  const number = questions;
  const question = asked();
  const begin = performance.now();
  try {
    const got = await live.ask("live", question);
    answer = { ...got, question };
    words = words?.key === keyOf(question) ? words : null;
    showError(script, null);
    $("script-error").hidden = true;
    $("script-note").textContent = got.name;
    show();
    const time = performance.now() - begin;
    say(`${got.size} bytes in ${got.parseTime.toFixed(1)} ms, shown in ${time.toFixed(0)} ms`);
    performance.measure("sluice-refresh", { start: begin, duration: time });
  } catch (error) {
    showError(script, error);
    $("script-error").hidden = false;
    $("script-error").textContent = error.message;
    $("view").classList.add("stale");
    say(error.stopped ? "The script was stopped" : "Script error", true);
    if (tab === "check") showResult();
  } finally {
    document.documentElement.dataset.shown = String(number);
  }
});

const keyOf = (question) => JSON.stringify([question.script, question.sample, question.tools, question.options]);

// Slower work, after a pause in typing: the word that read each byte, why bytes are held, the link.
const afterwards = latest(async () => {
  const question = asked(), number = changes;
  keep();
  try {
    if (fed === null && question.sample.length <= SLOW) {
      const got = await second.ask("words", question);
      if (keyOf(asked()) === keyOf(question)) {
        words = { key: keyOf(question), spans: got.spans };
        if (fed === null) drawView();
      }
    } else if (fed !== null && question.sample.length <= SLOW) {
      const got = await second.ask("waiting", question);
      if (fed === question.fed) showWaiting(got);
    }
  } catch {
    // the script has an error, which refresh() shows
  } finally {
    document.documentElement.dataset.explained = String(number);
  }
});

// ---- The bytes -------------------------------------------------------------------------------------------------------

function drawView() {
  const text = answer.question.sample;
  const offset = utf16Offsets(text);
  const errors = answer.events.filter((event) => event.type === "error").map((event) => ({ at: offset(event.start), message: event.message }));
  const spans = fed === null && words ? words.spans : answer.spans;
  view.draw(text, { spans, errors, heldAt: answer.heldAt, fedAt: answer.fedAt });
  $("view").classList.remove("stale");
}

const kindWords = {
  text: "text, for the user", reasoning: "reasoning", markup: "markup: neither text nor call", name: "the name", arguments: "the arguments",
};

// Returns the line of the script that a piece comes from: of the word, or of its literal or field.
function lineOf(span) {
  const lines = textOf(script).split("\n");
  if (span.line && span.line <= lines.length) return span.line;
  const find = (text) => lines.findIndex((line) => line.includes(text)) + 1;
  if (span.word?.startsWith('"')) {
    const literal = JSON.parse(span.word.replace(/\.\.\."$/, '"')).trim();
    return find(literal) || 0;
  }
  if (span.kind === "reasoning") return find("think");
  return 0;
}

view.onPoint((span) => {
  const info = $("hover");
  if (!span) {
    pointScript(script, 0);
    return;
  }
  const line = lineOf(span);
  const call = answer.calls[span.index];
  info.replaceChildren(make("b", {}, kindWords[span.kind]), call ? ` of call ${span.index + 1}, ${call.name ?? ""}` : "", ` · bytes ${span.start}–${span.end}`);
  if (span.word) info.append(" · taken by ", make("code", {}, span.word));
  else if (span.kind === "text") info.append(" · no call begins here");
  if (line) info.append(` · line ${line} of the script`);
  pointScript(script, line);
});

function showWaiting(got) {
  const info = $("waiting");
  info.hidden = false;
  const where = { text: "in text", reasoning: "in reasoning", possible_block: "in what may become a call", call: `in the call of ${got.name}` }[got.state];
  info.replaceChildren(make("b", {}, `${got.held} byte${got.held === 1 ? "" : "s"} held`), ` ${where}`);
  if (got.literals.length > 0) {
    info.append(": may become ");
    got.literals.slice(0, 4).forEach((literal, i) => info.append(i > 0 ? " or " : "", make("code", {}, JSON.stringify(literal))));
  }
  const step = got.steps.at(-1);
  if (step) {
    const line = lineOf(step);
    info.append(" · waits in ", make("code", {}, step.word), line ? `, line ${line}` : "");
    pointScript(script, line);
  }
}

// ---- Playing ---------------------------------------------------------------------------------------------------------

let timer = 0;

function stopPlaying() {
  clearInterval(timer);
  timer = 0;
  $("play").textContent = "▶";
  $("play").setAttribute("aria-label", "Play at the pace of tokens");
}

const sizeOf = () => new TextEncoder().encode(samples[current].text).length;

/** Feeds this many bytes; one more than the text has: ends the response. */
function feed(bytes) {
  const size = sizeOf();
  fed = bytes > size ? null : Math.max(0, bytes);
  $("waiting").hidden = fed === null;
  pointScript(script, 0);
  changed();
}

function showPosition() {
  const size = answer.size;
  $("slider").max = String(size + 1);
  $("slider").value = String(fed === null ? size + 1 : fed);
  $("slider").setAttribute("aria-valuetext", fed === null ? "the whole response" : `${fed} of ${size} bytes`);
  $("position").textContent = fed === null ? `${size} bytes (end of input)` : `${fed} of ${size} bytes`;
}

// Sizes of the pieces that a tokeniser might make of the sample: words with the space before them, four characters at most.
function tokenEnds(text) {
  const encoder = new TextEncoder();
  let at = 0;
  return (text.match(/\s?[\p{L}\p{N}]{1,4}|[^]/gu) ?? []).map((token) => (at += encoder.encode(token).length));
}

$("play").addEventListener("click", () => {
  if (timer) {
    stopPlaying();
    return;
  }
  const ends = tokenEnds(samples[current].text);
  let at = fed === null || fed >= sizeOf() ? 0 : fed;
  feed(at);
  $("play").textContent = "❚❚";
  $("play").setAttribute("aria-label", "Pause");
  timer = setInterval(() => {
    at = ends.find((end) => end > at) ?? sizeOf() + 1;
    feed(at);
    if (fed === null) stopPlaying();
  }, 40);
});
$("slider").addEventListener("input", () => {
  stopPlaying();
  feed(Number($("slider").value));
});
const step = (by) => () => {
  stopPlaying();
  feed((fed ?? sizeOf() + 1) + by);
};
$("back").addEventListener("click", step(-1));
$("forward").addEventListener("click", step(1));

// ---- Results ---------------------------------------------------------------------------------------------------------

const tabs = [
  ["events", "Events"], ["calls", "Calls"], ["check", "Check"], ["steps", "Steps"], ["grammar", "Grammar"], ["prompt", "Prompt"],
  ["rendered", "Output"], ["tools", "Tools"],
];

/** A row of tabs with roving focus. items: [key, label]; pick(key) is called for the chosen one. */
function drawTabs(row, items, selected, pick, panel) {
  const hadFocus = row.contains(document.activeElement);
  row.replaceChildren(...items.map(([key, label]) => make("button", {
    type: "button", role: "tab", id: `${row.id}-${key}`, ariaSelected: String(key === selected), tabIndex: key === selected ? 0 : -1,
    onclick: () => pick(key),
    onkeydown: (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      const i = (items.findIndex((item) => item[0] === key) + by + items.length) % items.length;
      pick(items[i][0]);
    },
  }, label)));
  for (const one of row.children) one.setAttribute("aria-controls", panel);
  if (hadFocus) row.querySelector('[aria-selected="true"]')?.focus();
}

function pickTab(key) {
  tab = key;
  drawTabs($("tabs"), tabs, tab, pickTab, "result");
  drawChoices();
  $("tools").hidden = tab !== "tools";
  $("result").hidden = tab === "tools";
  $("tools-error").hidden = tab !== "tools" || !$("tools-error").textContent;
  if (tab === "tools") toolsView.requestMeasure();
  $("result").replaceChildren();
  refresh();
}

function select(label, key, options) {
  const made = make("select", { onchange: () => {
    choices[key] = made.value;
    refresh();
  } }, ...options.map((option) => make("option", { value: option, selected: option === choices[key] }, option)));
  return make("label", {}, label, made);
}

function drawChoices() {
  const row = $("choices");
  row.replaceChildren();
  const copy = make("button", { onclick: () => navigator.clipboard?.writeText($("result").innerText).then(() => say("Copied"), () => say("The browser does not allow copying", true)) }, "Copy");
  if (tab === "grammar") {
    row.append(select("for", "target", ["lark", "gbnf", "structural-tag"]), select("calls", "choice", ["auto", "required", ...(tools ?? []).map(nameOf)]), copy);
  } else if (tab === "prompt") {
    row.append(select("variant", "variant", ["full", "short", "native"]), copy);
  } else if (["rendered", "steps"].includes(tab)) {
    row.append(copy);
  } else if (tab === "check") {
    row.append(make("button", { className: "strong", id: "run-check", onclick: runCheck }, "Run all checks"), make("button", { id: "stop-check", onclick: () => author.restart() }, "Stop"));
  }
}

function describe(event) {
  switch (event.type) {
    case "call_begin":
      return `${event.name}${event.id ? `  id ${event.id}` : ""}`;
    case "call_end":
      return `${event.status}${event.valid === undefined ? "" : event.valid ? ", valid" : ", not valid"}${event.extra ? `  extra ${JSON.stringify(event.extra)}` : ""}`;
    case "error":
      return `${event.code}: ${event.message}`;
    case "parameter":
      return `${event.key} = ${JSON.stringify(event.text)}`;
    default:
      return JSON.stringify(event.text);
  }
}

const FIRST = 100; // events shown at each keystroke; a button shows the rest

function eventRow(event) {
  const kind = { call_begin: "k-name", call_end: "", error: "t-error" }[event.type] ?? `k-${event.type}`;
  const button = make("button", { onclick: () => view.showRange(event.start, event.end), title: "Show it in the sample" },
    make("span", { className: `type t-${event.type}` }, event.type), make("span", { className: "bytes" }, `${event.start}–${event.end}`),
    make("span", { className: `said ${kind}` }, describe(event)));
  return make("li", {}, button);
}

function eventList(events) {
  const list = make("ol", { className: "events" }, ...events.slice(0, FIRST).map(eventRow));
  if (events.length <= FIRST) return [list];
  const more = make("button", { className: "more", onclick: () => {
    list.append(...events.slice(FIRST).map(eventRow));
    more.remove();
  } }, `${events.length - FIRST} more`);
  return [list, more];
}

// Adds line breaks to JSON; numbers stay as they were written.
function spaced(text) {
  let out = "", depth = 0, i = 0;
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\[^])*"?|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (token === "{" || token === "[") {
      depth++;
      out += token + line();
    } else if (token === "}" || token === "]") {
      depth--;
      out = /[{[]\s*$/.test(out) ? out.trimEnd() + token : out + line() + token;
    } else if (token === ",") {
      out += token + line();
    } else {
      out += token === ":" ? ": " : token;
    }
    i++;
  }
  return i > 5000 ? text : out;
}

function callCards() {
  const content = [], { events, calls } = answer;
  const joined = (type) => events.filter((event) => event.type === type).map((event) => event.text).join("");
  const reasoning = joined("reasoning"), text = joined("text");
  if (reasoning) content.push(make("p", { className: "said-text reasoning" }, reasoning));
  if (text) content.push(make("p", { className: "said-text" }, text));
  for (const call of calls) {
    content.push(make("article", { className: "call" },
      make("h3", {}, call.name ?? "", make("span", { className: `badge ${call.status}` }, call.status),
        call.valid === undefined ? "" : make("span", { className: `badge ${call.valid ? "complete" : "incomplete"}` }, call.valid ? "valid" : "not valid"),
        make("span", { className: "note" }, call.id ?? "")),
      make("pre", {}, spaced(call.arguments)), call.extra ? make("pre", {}, `extra ${JSON.stringify(call.extra)}`) : ""));
  }
  if (calls.length === 0) content.push(make("p", { className: "note" }, "No calls."));
  const errors = events.filter((event) => event.type === "error");
  return errors.length > 0 ? [...content, ...eventList(errors)] : content;
}

let checked = null; // { script, passes, verdict, whole }

const lookAt = latest(async () => {
  const text = textOf(script);
  try {
    const got = await author.ask("check", { script: text, look: true });
    if (!checked || checked.script !== text || !checked.whole) checked = { script: text, whole: false, ...got };
  } catch (error) {
    checked = { script: text, whole: true, passes: false, verdict: error.message };
  }
  if (tab === "check") showResult();
});

async function runCheck() {
  const text = textOf(script);
  $("run-check").disabled = true;
  say("Checking…");
  try {
    checked = { script: text, whole: true, ...(await author.ask("check", { script: text })) };
    say(checked.passes ? "The script passes" : "The script does not pass", !checked.passes);
  } catch (error) {
    checked = { script: text, whole: true, passes: false, verdict: error.message };
    say(error.message, true);
  }
  if (tab === "check") {
    $("run-check").disabled = false;
    showResult();
  }
}

function showResult() {
  const place = $("result");
  if (tab === "check") {
    if (checked?.script !== textOf(script)) {
      lookAt();
      return;
    }
    place.replaceChildren(make("p", { className: checked.passes ? "passes" : "fails" },
      !checked.passes ? "Does not pass" : checked.whole ? "Passes" : "The examples pass; run all checks to try the laws on random texts and calls"),
    make("pre", {}, checked.verdict));
    return;
  }
  if (!answer) return;
  if (tab === "events") place.replaceChildren(...eventList(answer.events));
  else if (tab === "calls") place.replaceChildren(...callCards());
  else if (tab !== "tools") {
    if (answer.question.tab !== tab) return;
    if (answer.refused) place.replaceChildren(make("p", { className: "refused" }, answer.refused));
    else place.replaceChildren(make("pre", {}, answer.shown ?? ""), tab === "rendered" && fed === null
      ? make("p", { className: "note" }, answer.shown === answer.question.sample ? "The same bytes as the sample." : "The calls of the sample, as the script writes them.") : "");
  }
}

function show() {
  drawView();
  showPosition();
  showResult();
}

// ---- Samples, tools, options -------------------------------------------------------------------------------------------

function drawSamples() {
  const items = samples.map(({ title }, i) => [i, title]);
  drawTabs($("samples"), items, current, pickSample, "sample");
  $("close-sample").hidden = samples.length < 2;
  [...$("samples").children].forEach((button, i) => {
    button.title = "Double-click or F2: another title. Delete: close";
    const rename = () => {
      const title = prompt("The sample's title", samples[i].title);
      if (title) {
        samples[i].title = title;
        drawSamples();
        keep();
      }
    };
    button.addEventListener("dblclick", rename);
    button.addEventListener("keydown", (event) => {
      if (event.key === "F2") rename();
      if (event.key === "Delete") closeSample();
    });
  });
}

function closeSample() {
  if (samples.length > 1) {
    samples.splice(current, 1);
    pickSample(Math.min(current, samples.length - 1));
  }
}

$("close-sample").addEventListener("click", closeSample);

function pickSample(i) {
  current = i;
  fed = null;
  $("waiting").hidden = true;
  stopPlaying();
  drawSamples();
  setText(sample, samples[i].text);
  changed();
}

function addSample(title, text) {
  samples.push({ title, text });
  pickSample(samples.length - 1);
}

$("add-sample").addEventListener("click", () => {
  addSample(`sample ${samples.length + 1}`, "");
  sample.focus();
});

/** Reads a text as samples: a server's capture gives the model's raw text of each choice. */
async function takeText(title, text) {
  const found = /^\s*(data:|event:|\{)/.test(text) ? await live.ask("unwrap", { body: text }).catch(() => null) : null;
  for (const { choice, text: raw } of found?.choices ?? [{ text }]) {
    addSample(found?.choices.length > 1 ? `${title} (${choice + 1})` : title, raw);
  }
  if (found) say(`A capture of the ${found.from} form: the model's text was taken out of it`);
}

async function takeFiles(files) {
  for (const file of files) {
    const text = await file.text();
    if (/\.lua$/.test(file.name)) setText(script, text);
    else if (/tools.*\.json$/i.test(file.name)) {
      setText(toolsView, text);
      pickTab("tools");
    } else await takeText(file.name, text);
  }
}

$("open-file").addEventListener("click", () => $("file").click());
$("file").addEventListener("change", () => takeFiles([...$("file").files]).then(() => ($("file").value = "")));
addEventListener("dragover", (event) => {
  event.preventDefault();
  document.body.classList.add("dropping");
});
addEventListener("dragleave", (event) => event.relatedTarget || document.body.classList.remove("dropping"));
addEventListener("drop", (event) => {
  document.body.classList.remove("dropping");
  const { files } = event.dataTransfer;
  if (files.length > 0) {
    event.preventDefault();
    event.stopPropagation();
    takeFiles([...files]);
  }
}, { capture: true });
// a capture pasted into an empty sample is unpacked like a dropped one
$("sample").addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (samples[current].text.trim() === "" && /^\s*(data:|event:)/.test(text)) {
    event.preventDefault();
    event.stopPropagation();
    const empty = samples[current];
    takeText(empty.title, text).then(() => {
      samples.splice(samples.indexOf(empty), 1);
      pickSample(samples.length - 1);
    });
  }
}, { capture: true });

function readTools() {
  try {
    tools = toolsOf(textOf(toolsView));
    $("tools-error").textContent = "";
    showError(toolsView, null);
  } catch (error) {
    $("tools-error").textContent = error.message;
    showError(toolsView, error);
  }
  $("tools-error").hidden = tab !== "tools" || !$("tools-error").textContent;
}

const optionFields = [
  ["start", ["", "text", "reasoning"]], ["calls", ["", "streamed", "whole"]], ["calls_in_reasoning", ["", "hold", "call", "text"]],
  ["reasoning_opens", ["", "line", "start", "anywhere"]], ["unknown_tools", ["", "forward", "text"]], ["fences", ["", "script", "text", "call"]],
  ["types", ["", "written", "schema"]], ["strict", ["", "true"]],
];

function drawOptions() {
  $("options").replaceChildren(...optionFields.map(([name, values]) => {
    const now = stream[name] === true ? "true" : stream[name] ?? "";
    const made = make("select", { onchange: () => {
      delete stream[name];
      if (made.value) stream[name] = made.value === "true" ? true : made.value;
      changed();
    } }, ...values.map((value) => make("option", { value, selected: value === now }, value || "as the script says")));
    return make("label", {}, name, made);
  }));
}

// ---- The bar -----------------------------------------------------------------------------------------------------------

async function showSyntax(name) {
  const found = await author.ask("describe", { syntax: name });
  setText(script, found.script);
  samples.length = 0;
  found.examples.forEach(({ text }, i) => samples.push({ title: `example ${i + 1}`, text }));
  if (samples.length === 0) samples.push({ title: "sample 1", text: "" });
  const given = found.examples.find((example) => example.tools);
  if (given) setText(toolsView, `${JSON.stringify(given.tools, null, 2)}\n`);
  pickSample(0);
  $("syntax").value = name;
  $("view").scrollTop = 0;
}

$("syntax").addEventListener("change", () => {
  if ($("syntax").value) showSyntax($("syntax").value).catch((error) => say(error.message, true));
});
$("new").addEventListener("click", () => {
  setText(script, start.script);
  samples.splice(0, samples.length, { title: "sample 1", text: start.sample });
  pickSample(0);
  script.focus();
});
$("dialect").addEventListener("click", async () => {
  const like = $("syntax").value || answer?.name;
  if (!names.includes(like)) {
    say("Choose a format first: the dialect inherits from it", true);
    $("syntax").focus();
    return;
  }
  try {
    const { script: text } = await author.ask("dialect", { name: `${like}_dialect`, like });
    setText(script, text);
    script.focus();
  } catch (error) {
    say(error.message, true);
  }
});
$("theme").addEventListener("click", () => {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
});

const held = () => ({ script: textOf(script), samples, tools: textOf(toolsView), options: Object.fromEntries(Object.entries(stream).map(([k, v]) => [k, String(v)])) });

let kept = "";
/** Keeps the state of the page in its address, for reloads and copied links. */
async function keep() {
  kept = await pack(held());
  history.replaceState(null, "", kept);
}

$("share").addEventListener("click", async () => {
  await keep();
  const size = location.href.length;
  try {
    await navigator.clipboard.writeText(location.href);
    say(`The link is copied: ${size} characters, with the script and the samples in it`);
  } catch {
    say("The address of this page is the link: copy it from there");
  }
});

function save(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  make("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

$("save-script").addEventListener("click", () => save(`${answer?.name ?? "script"}.lua`, textOf(script)));
$("help").addEventListener("click", () => {
  $("words").replaceChildren(...vocabulary.words.flatMap(({ signature, info }) => [make("dt", {}, make("code", {}, signature)), make("dd", {}, info)]));
  $("guide").showModal();
});

// ---- What is this? -----------------------------------------------------------------------------------------------------

$("what").addEventListener("click", () => $("identify").showModal());
$("identify-sample").addEventListener("click", () => {
  $("identify-text").value = samples[current].text;
  identify();
});
$("identify-go").addEventListener("click", identify);

async function identify() {
  const place = $("identify-answer");
  place.replaceChildren(make("p", { className: "note" }, "Looking…"));
  try {
    let text = $("identify-text").value;
    const capture = /^\s*(data:|event:|\{)/.test(text) ? await author.ask("unwrap", { body: text }) : null;
    if (capture) text = capture.choices[0].text;
    const found = await author.ask("identify", { text, tools });
    const use = (action) => async () => {
      $("identify").close();
      await action();
    };
    const withSample = (title) => {
      samples.splice(0, samples.length, { title, text });
      pickSample(0);
    };
    const blocks = [];
    if (capture) blocks.push(make("p", { className: "note" }, `A server's capture, of the ${capture.from} form: this is about the model's text in it.`));
    const best = found.auto.syntax ?? found.fitting[0]?.name;
    if (best) {
      const { calls } = found.auto.syntax ? found.auto : found.fitting[0];
      const others = found.fitting.map((item) => item.name).filter((name) => name !== best);
      blocks.push(make("div", { className: "found" }, make("b", {}, `This is ${best}.`),
        ` ${calls.length} call${calls.length === 1 ? "" : "s"}: ${[...new Set(calls)].join(", ")}.`,
        others.length > 0 ? make("p", { className: "note" }, `Read the same way by: ${others.join(", ")}.`) : "",
        make("div", { className: "buttons" },
          make("button", { className: "strong", onclick: use(async () => {
            await showSyntax(best);
            withSample("pasted");
            $("syntax").value = best;
          }) }, `Open ${best} with this text`))));
    } else {
      blocks.push(make("p", {}, "None of the known formats finds a call here."));
    }
    if (found.inferred) {
      blocks.push(make("div", { className: "found" }, make("b", {}, best ? "A script read out of it:" : "A script is proposed:"),
        make("pre", {}, `${found.inferred.report}\n\n${found.inferred.script}`),
        make("div", { className: "buttons" }, make("button", { onclick: use(async () => {
          setText(script, found.inferred.script);
          withSample("pasted");
        }) }, "Use this script"))));
    } else if (!best) {
      blocks.push(make("p", { className: "note" }, found.refused ?? ""));
    }
    place.replaceChildren(...blocks);
  } catch (error) {
    place.replaceChildren(make("p", { className: "fails" }, error.message));
  }
}

// ---- The beginning -----------------------------------------------------------------------------------------------------

async function begin(fragment) {
  let shared = null;
  try {
    shared = await unpack(fragment);
  } catch {
    say("The link is damaged: it holds nothing that can be read", true);
  }
  const held = shared ?? { script: start.script, samples: [{ title: "sample 1", text: start.sample }], tools: start.tools, options: {} };
  samples.splice(0, samples.length, ...(held.samples.length > 0 ? held.samples : [{ title: "sample 1", text: "" }]));
  current = 0;
  for (const name of Object.keys(stream)) delete stream[name];
  for (const [name, values] of optionFields) {
    const value = held.options[name];
    if (value && values.includes(value)) stream[name] = value === "true" ? true : value;
  }
  drawOptions();
  setText(toolsView, held.tools);
  readTools();
  setText(script, held.script);
  pickSample(0);
}

addEventListener("hashchange", () => location.hash !== kept && begin(location.hash));
pickTab("events");
begin(location.hash).then(async () => {
  const { version, syntaxes } = await second.ask("list", {});
  names = syntaxes.map((syntax) => syntax.name).sort();
  $("syntax").append(...names.map((name) => make("option", { value: name }, name)));
  $("syntax").title = `Sluice ${version}`;
});
if ("serviceWorker" in navigator && location.protocol.startsWith("http")) {
  navigator.serviceWorker.register("offline.js").catch(() => {}); // it is only needed for offline use
}
