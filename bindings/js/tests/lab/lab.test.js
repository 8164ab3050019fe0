// The lab in a real browser: headless Chromium, driven through playwright-core. Skipped without a browser.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import * as esbuild from "esbuild";
import { chromium } from "playwright-core";

const browserPath = process.env.SLUICE_CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
const skip = browserPath ? false : "no Chromium here: ./setup installs it, or SLUICE_CHROMIUM names one";
const folder = new URL("../../dist/lab/", import.meta.url);
const shots = new URL("../../out/screenshots/", import.meta.url);

let browser, server, home;
before(async () => {
  if (skip) return;
  // the command for users: builds the page, and prints its address
  server = spawn(new URL("../../serve", import.meta.url).pathname, ["0"], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface(server.stdout)) {
    home = /http:\S+\//.exec(line)?.[0];
    if (home) break;
  }
  assert.ok(home, "./serve says where the lab is");
  browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu", "--disable-software-rasterizer"] });
  await mkdir(shots, { recursive: true });
});
after(async () => {
  await browser?.close();
  server?.kill();
});

/** A page of the lab that has shown its first result. Errors in the browser fail the test at `page.done()`. */
async function open({ url = home, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  context.setDefaultTimeout(300000); // a busy machine may let anything wait
  const page = await context.newPage();
  page.problems = [];
  page.requests = [];
  page.on("console", (message) => message.type() !== "log" && page.problems.push(message.text()));
  page.on("pageerror", (error) => page.problems.push(error.message));
  context.on("request", (request) => page.requests.push(request.url()));
  await page.goto(url);
  await page.waitForSelector("html[data-shown]");
  page.done = async () => {
    assert.deepEqual(page.problems, []);
    await context.close();
  };
  return page;
}

/** Replaces the text of an editor, as if typed. */
async function type(page, pane, text) {
  await page.click(`#${pane} .cm-content`);
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}
/** Acts, and waits until the page has answered all questions asked by then. */
const settled = async (page, act) => {
  const asked = await page.getAttribute("html", "data-asked");
  await act();
  await page.waitForFunction((old) => {
    const { asked, shown } = document.documentElement.dataset;
    return asked !== old && shown === asked;
  }, asked);
};
/** Waits until the slower work after the last change is done: the words that took each byte, why bytes are held. */
const explained = (page) => page.waitForFunction(() => {
  const { changed, explained } = document.documentElement.dataset;
  return explained === changed;
});
const pieces = (page, kind) => page.$$eval(`#view .k-${kind}`, (list) => list.map((one) => one.textContent));
const status = (page) => page.textContent("#status");
const pick = (page, tab) => page.click(`#tabs-${tab}`);
const result = (page) => page.textContent("#result");
const script = (call, more = "") => `local s = require "sluice.syntax"

return s.syntax {
  api = 3,
  name = "typed",
  ${more}
  call = { ${call} },
}
`;

test("a script is typed, a sample pasted, broken and mended", { skip }, async () => {
  const page = await open();
  await settled(page, () => type(page, "script", script('"[[", s.name(), "|", s.args(), "]]"')));
  await settled(page, () => type(page, "sample", 'Before [[find|{"q": "Köln"}]] after.'));
  assert.deepEqual(await pieces(page, "name"), ["find"]);
  assert.deepEqual(await pieces(page, "arguments"), ['{"q": "Köln"}']);
  assert.deepEqual(await pieces(page, "text"), ["Before ", " after."]);
  assert.equal(await page.textContent("#script-note"), "typed");
  assert.match(await result(page), /call_begin[^]*find[^]*call_end[^]*complete/);

  await type(page, "script", script('"[[", s.nome(), "|", s.args(), "]]"'));
  await page.waitForSelector("#script-error:not([hidden])");
  assert.match(await page.textContent("#script-error"), /script\.lua:7: .*did you mean 's\.name'/);
  assert.ok(await page.$("#view.stale"), "the old result is dimmed");
  assert.equal(await page.$$eval("#script .cm-lint-marker-error", (list) => list.length), 1);
  assert.match(await page.$eval("#script .cm-lintRange-error", (one) => one.closest(".cm-line").textContent), /s\.nome/);

  await settled(page, () => type(page, "script", script('"[[", s.name(), "|", s.args(), "]]"')));
  assert.ok(await page.$("#script-error[hidden]"));
  assert.deepEqual(await pieces(page, "name"), ["find"]);
  await page.done();
});

test("pointing at a piece says which word took it and where that is; the arrow keys do too", { skip }, async () => {
  const page = await open();
  await explained(page);
  await page.hover("#view .k-name");
  assert.match(await page.textContent("#hover"), /the name of call 1, get_weather · bytes \d+–\d+ · taken by s\.name\(\) · line \d+/);
  assert.match(await page.textContent("#script .cm-pointed"), /s\.name\(\)/);
  await page.focus("#view");
  await page.keyboard.press("Home");
  assert.match(await page.textContent("#hover"), /bytes 0–7/);
  await page.keyboard.press("ArrowRight");
  assert.match(await page.textContent("#hover"), /^reasoning .*bytes 7–/);
  await page.done();
});

test("the slider feeds byte by byte and says what is held and why; play goes to the end", { skip }, async () => {
  const page = await open();
  await settled(page, () => type(page, "sample", 'Hi <<TOOL f>>\n{"a": "bc"}\n<<END>>'));
  const to = (bytes) => settled(page, () => page.$eval("#slider", (one, value) => {
    one.value = value;
    one.dispatchEvent(new Event("input"));
  }, String(bytes)));
  await to(6); // "Hi <<T"
  assert.deepEqual(await pieces(page, "held"), ["<<T"]);
  assert.deepEqual(await pieces(page, "unread"), ['OOL f>>\n{"a": "bc"}\n<<END>>']);
  await page.waitForSelector("#waiting:not([hidden])");
  await page.waitForFunction(() => /3 bytes held in what may become a call: may become "<<TOOL"/.test(document.getElementById("waiting").textContent));
  await settled(page, () => page.click("#forward"));
  assert.deepEqual(await pieces(page, "held"), ["<<TO"]);
  assert.match(await page.textContent("#position"), /7 of 33 bytes/);
  await to(22);
  assert.deepEqual(await pieces(page, "name"), ["f"]);
  await page.waitForFunction(() => /in the call of f · waits in s\.args\(\)/.test(document.getElementById("waiting").textContent));
  await page.focus("#slider");
  await settled(page, () => page.keyboard.press("ArrowLeft"));
  assert.match(await page.textContent("#position"), /21 of 33 bytes/);
  await page.click("#play");
  await page.waitForFunction(() => /end of input/.test(document.getElementById("position").textContent));
  assert.deepEqual(await pieces(page, "held"), []);
  assert.match(await result(page), /complete/);
  await page.done();
});

test("an endless script is stopped and told; the page stays alive", { skip }, async () => {
  const page = await open();
  await type(page, "script", "while true do end");
  await page.waitForFunction(() => /more instructions/.test(document.getElementById("script-error").textContent));
  // patterns run in C, where instructions are not counted, but time is: by the engine, else the worker is ended
  await type(page, "script", script('"<<", s.name(), ">>", s.args()')
    .replace("return", 'local lpeg = require "lpeg"\nlocal slow = (lpeg.P "a"^0 * "b" + 1)^0\nslow:match(("a"):rep(4000000))\nreturn'));
  await page.waitForFunction(() => /took longer than allowed|it took more than 10 seconds/.test(document.getElementById("script-error").textContent));
  assert.match(await status(page), /was stopped|Script error/);
  await settled(page, () => type(page, "script", script('"[[", s.name(), "]]", s.args()')));
  await settled(page, () => type(page, "sample", "[[f]]{}"));
  assert.deepEqual(await pieces(page, "name"), ["f"]);
  await page.done();
});

test("a tour and the words; the first tools do not judge one's own sample; the status has one size", { skip }, async () => {
  const page = await open();
  const width = async () => Math.round((await page.locator("#status").boundingBox()).width);
  const before = await width();
  await page.click("#help");
  assert.match(await page.locator("#guide li").first().innerText(), /Script/);
  assert.ok(await page.locator("#words dt").count() > 20);
  await page.keyboard.press("Escape");
  assert.match(await result(page), /complete, valid/);
  await settled(page, () => type(page, "sample", '<<TOOL mine>>\n{"x": 1}\n<<END>>\n'));
  assert.doesNotMatch(await result(page), /unknown_tool/);
  assert.match(await result(page), /complete/);
  await settled(page, () => type(page, "script", "return"));
  assert.equal(await width(), before);
  await page.done();
});

test("a link carries script, samples, tools and options; a reload keeps them", { skip }, async () => {
  const page = await open({ permissions: ["clipboard-read", "clipboard-write"] });
  await type(page, "script", script('"[[", s.name(), "|", s.args(), "]]"'));
  await type(page, "sample", '[[f|{"a": "ünïcödé 漢字"}]]');
  await page.click("#add-sample");
  await page.keyboard.insertText("second [[g|{}]]");
  await pick(page, "tools");
  await type(page, "tools", '[{"name": "f", "input_schema": {"type": "object"}}]');
  await page.click(".options summary");
  await page.selectOption("#options select >> nth=1", "whole");
  await page.click("#share");
  await page.waitForFunction(() => /link is copied/.test(document.getElementById("status").textContent));
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(link.startsWith(`${home}#1.`));
  await page.reload();
  await page.waitForSelector("#view .k-name");
  assert.deepEqual(await pieces(page, "name"), ["f"]);

  const other = await open({ url: link });
  await other.waitForSelector("#view .k-name");
  assert.match(await other.textContent("#script .cm-content"), /name = "typed"/);
  assert.deepEqual(await other.$$eval("#samples button", (list) => list.map((one) => one.textContent)), ["sample 1", "sample 2"]);
  assert.deepEqual(await pieces(other, "arguments"), ['{"a": "ünïcödé 漢字"}']);
  await settled(other, () => other.click("#samples-1"));
  assert.deepEqual(await pieces(other, "name"), ["g"]);
  assert.match(await result(other), /unknown_tool/, "the tools came along");
  assert.equal(await other.$eval("#options select >> nth=1", (one) => one.value).catch(() => other.$$eval("#options select", (list) => list[1].value)), "whole");
  await other.done();

  const damaged = await open({ url: `${home}#1.AAAA` });
  assert.equal((await pieces(damaged, "name")).length, 2, "the start, not an empty page");
  await damaged.done();
  await page.done();
});

test("what is this: a known format, a capture, an unknown format", { skip }, async () => {
  const page = await open();
  await page.click("#what");
  await page.fill("#identify-text", '<tool_call>\n{"name": "find", "arguments": {"q": 1}}\n</tool_call>');
  await page.click("#identify-go");
  await page.waitForSelector("#identify-answer .found");
  assert.match(await page.innerText("#identify-answer"), /This is hermes\.[^]*find/);
  await settled(page, () => page.click("#identify-answer .strong"));
  assert.match(await page.textContent("#script .cm-content"), /NousResearch/);
  assert.deepEqual(await pieces(page, "name"), ["find"]);
  assert.equal(await page.$eval("#syntax", (one) => one.value), "hermes");

  const capture = ["<tool_call>\n<function=look>\n<parameter=at>\n", "here\n</parameter>\n</function>\n</tool_call>"]
    .map((content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`).join("");
  await page.click("#what");
  await page.fill("#identify-text", capture);
  await page.click("#identify-go");
  await page.waitForFunction(() => /openai form/.test(document.getElementById("identify-answer").textContent));
  assert.match(await page.innerText("#identify-answer"), /This is qwen3_coder/);

  await page.fill("#identify-text", 'I look it up.\n@@call find@@\n{"q": "x", "n": 3}\n@@end@@\n');
  await page.click("#identify-go");
  await page.waitForFunction(() => /None of the known formats/.test(document.getElementById("identify-answer").textContent));
  await page.done();
});

test("a known syntax, a dialect of it, and the tabs of results", { skip }, async () => {
  const page = await open();
  await settled(page, () => page.selectOption("#syntax", "qwen3_coder"));
  await page.waitForFunction(() => document.getElementById("script-note").textContent === "qwen3_coder");
  assert.ok((await page.$$("#samples button")).length > 1);
  await pick(page, "grammar");
  await page.waitForFunction(() => /start/.test(document.getElementById("result").textContent));
  await page.selectOption("#choices select >> nth=0", "gbnf");
  await page.waitForFunction(() => /root ::=/.test(document.getElementById("result").textContent));
  await pick(page, "prompt");
  await page.waitForFunction(() => /get_weather/.test(document.getElementById("result").textContent));
  await pick(page, "rendered");
  await page.waitForFunction(() => /<function=/.test(document.getElementById("result").textContent));
  await pick(page, "steps");
  await page.waitForFunction(() => /may begin a block/.test(document.getElementById("result").textContent));
  await pick(page, "calls");
  await page.waitForSelector("#result .call .badge.complete");
  await pick(page, "check");
  await page.waitForFunction(() => /examples +\d+ of \d+/.test(document.getElementById("result").textContent));
  await page.click("#run-check");
  await page.waitForFunction(() => /^Passes[^]*any call/.test(document.getElementById("result").textContent));
  await page.click("#dialect");
  await page.waitForFunction(() => document.getElementById("script-note").textContent === "qwen3_coder_dialect");
  assert.match(await page.textContent("#script .cm-content"), /inherit\("qwen3_coder"/);
  await page.done();
});

test("completion knows the words, their options and the fields", { skip }, async () => {
  const page = await open();
  const offered = async () => {
    await page.waitForSelector(".cm-tooltip-autocomplete li");
    return page.$$eval(".cm-tooltip-autocomplete .cm-completionLabel", (list) => list.map((one) => one.textContent));
  };
  await type(page, "script", 'local s = require "sluice.syntax"\nreturn s.');
  await page.keyboard.type("par");
  assert.equal((await offered())[0], "params");
  assert.match(await page.textContent(".cm-completionInfo"), /in the order of the arguments/);
  await page.keyboard.press("Escape");
  await type(page, "script", 'local s = require "sluice.syntax"\nreturn s.syntax {\n  thi');
  await page.keyboard.type("n");
  assert.deepEqual(await offered(), ["think"]);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.getElementById("syntax").options.length > 50); // the names have come
  await type(page, "script", 'return inherit("herm');
  await page.keyboard.type("e");
  assert.ok((await offered()).includes("hermes"));
  await page.done();
});

test("files: a capture is dropped, a sample opened, script saved", { skip }, async () => {
  const page = await open();
  const body = ['event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"<<TOOL x>>"}}', 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\\n{}\\n<<END>>"}}']
    .join("\n\n");
  await settled(page, () => page.evaluate((text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], "capture.txt"));
    document.getElementById("sample").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  }, `${body}\n\n`));
  await page.waitForFunction(() => /capture of the anthropic form/.test(document.getElementById("status").textContent)
    || document.querySelector("#view .k-name")?.textContent === "x");
  assert.deepEqual(await pieces(page, "name"), ["x"]);
  await settled(page, () => page.setInputFiles("#file", { name: "more.txt", mimeType: "text/plain", buffer: Buffer.from("plain") }));
  assert.deepEqual(await pieces(page, "text"), ["plain"]);
  await settled(page, () => page.click("#close-sample"));
  assert.deepEqual(await page.$$eval("#samples button", (list) => list.map((one) => one.textContent)), ["sample 1", "capture.txt"]);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save-script")]);
  assert.equal(download.suggestedFilename(), "mine.lua");
  assert.match(await readFile(await download.path(), "utf8"), /return s\.syntax/);
  await page.done();
});

test("nothing is asked of the network, and the page's policy forbids it", { skip }, async () => {
  const page = await open();
  await page.click("#what");
  await page.fill("#identify-text", "<tool_call>\n{}");
  await page.click("#identify-go");
  await page.waitForFunction(() => document.getElementById("identify-answer").textContent !== "Looking…");
  const own = ["", "style.css", "lab.js", "index.html", "offline.js"].map((name) => home + name);
  const foreign = page.requests.filter((url) => !own.includes(url) && !url.startsWith("blob:") && !url.startsWith("data:"));
  assert.deepEqual(foreign, []);
  assert.deepEqual(page.problems, []);
  const policy = await page.getAttribute('meta[http-equiv="Content-Security-Policy"]', "content");
  assert.doesNotMatch(policy, /'unsafe-eval'|https?:|\*|script-src[^;]*unsafe-inline/);
  assert.match(policy, /connect-src 'none'/);
  assert.equal(await page.evaluate(async () => {
    const made = document.createElement("script");
    made.textContent = `document.title = "inline ran"`;
    document.body.append(made);
    return `${await fetch("/index.html").then(() => "allowed", () => "refused")}, ${document.title}`;
  }), "refused, Sluice lab");
  // the worker has the same policy
  assert.equal(await page.evaluate(() => new Promise((resolve) => {
    const code = `let made = "no eval";
      try { made = Function("return 'eval'")(); } catch {}
      fetch("${location.href}").then(() => "allowed", () => "refused").then((answer) => postMessage(made + ", " + answer))`;
    new Worker(URL.createObjectURL(new Blob([code]))).onmessage = ({ data }) => resolve(data);
  })), "no eval, refused");
  await page.context().close();
});

test("without a network the page opens again; from the disk it opens too", { skip }, async () => {
  const page = await open();
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.waitForFunction(async () => (await (await caches.open((await caches.keys())[0])).keys()).length === 4);
  await page.context().setOffline(true);
  await page.reload();
  await page.waitForSelector("#view .k-name");
  await page.done();
  const file = await open({ url: new URL("index.html", folder).href });
  await file.waitForSelector("#view .k-name");
  await file.done();
});

test("the keyboard reaches everything", { skip }, async () => {
  const page = await open();
  await page.evaluate(() => document.body.focus());
  const reached = new Set();
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => {
      const one = document.activeElement;
      return one.id || one.closest("[id]")?.id;
    }));
  }
  for (const id of ["syntax", "new", "what", "share", "save-script", "script", "view", "play", "slider", "samples-0", "sample", "tabs-events"]) {
    assert.ok(reached.has(id), `${id} is not reached: ${[...reached].join(" ")}`);
  }
  await page.focus("#tabs-events");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement.id), "tabs-calls");
  assert.equal(await page.getAttribute("#tabs-calls", "aria-selected"), "true");
  await page.done();
});

test("the first result, and a keystroke in 20 KB: times are reported", { skip }, async (t) => {
  const page = await open();
  const first = await page.evaluate(() => {
    const { startTime, duration } = performance.getEntriesByName("sluice-refresh")[0];
    return startTime + duration - performance.getEntriesByType("navigation")[0].domContentLoadedEventEnd;
  });
  t.diagnostic(`first result ${Math.round(first)} ms after the page was loaded`);
  const sample = 'Some words of text and then a call:\n<<TOOL get_weather>>\n{"city": "Paris", "days": 3}\n<<END>>\n'.repeat(215);
  await settled(page, () => type(page, "sample", sample));
  await page.click("#script .cm-line >> nth=0");
  await page.keyboard.press("End");
  const times = [];
  for (let i = 0; i < 5; i++) {
    await settled(page, () => page.keyboard.type("x"));
    times.push(await page.evaluate(() => performance.getEntriesByName("sluice-refresh").at(-1).duration));
  }
  t.diagnostic(`a keystroke in a sample of ${sample.length} bytes: median ${times.sort((a, b) => a - b)[2].toFixed(1)} ms`);
  await page.done();
});

test("the package itself in a browser: its module is fetched from beside it", { skip }, async () => {
  const files = await esbuild.context({});
  const { port } = await files.serve({ host: "127.0.0.1", servedir: new URL("../../", import.meta.url).pathname });
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}/package.json`);
  assert.deepEqual(await page.evaluate(async () => {
    const { load } = await import("/src/browser.js");
    const sluice = await load();
    const events = [];
    const source = new Blob(['Hi <tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>']).stream();
    const reader = source.pipeThrough(sluice.transform("hermes")).getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) events.push(next.value.type);
    return events;
  }), ["text", "call_begin", "arguments", "call_end"]);
  await page.close();
  await files.dispose();
});

test("screenshots: a wide light page, a dark telephone", { skip }, async () => {
  const page = await open({ colorScheme: "light", viewport: { width: 1280, height: 820 } });
  await explained(page);
  await page.$eval("#slider", (one) => {
    one.value = "141";
    one.dispatchEvent(new Event("input"));
  });
  await page.waitForFunction(() => /may become/.test(document.getElementById("waiting").textContent));
  await page.screenshot({ path: new URL("lab.png", shots).pathname });
  await page.done();
  const phone = await open({ colorScheme: "dark", viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true });
  await phone.tap("#view .k-name");
  assert.match(await phone.textContent("#hover"), /the name of call 1/);
  await explained(phone);
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, "nothing is wider than the screen");
  await phone.screenshot({ path: new URL("telephone.png", shots).pathname });
  await phone.done();
});
