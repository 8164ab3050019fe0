// Compiled only: the types accept correct use, and reject errors.

import { load, SluiceError, type Event, type ToolDefinition } from "@sluice/sluice";
import { sluiceMiddleware } from "@sluice/sluice/ai";
import { wrapLanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";

const tools: ToolDefinition[] = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];

export async function use(): Promise<string[]> {
  const sluice = await load({ memory: 1 << 20 });
  const seen: string[] = [];
  {
    using stream = new sluice.Stream("hermes", { tools, calls: "whole", max_calls: 2 });
    for (const event of stream.feed("text")) {
      if (event.type === "call_begin") seen.push(event.name);
      else if (event.type === "error") seen.push(event.code, event.message);
      else if (event.type === "arguments") seen.push(event.text, String(event.index));
      // @ts-expect-error a call_end has no text
      else if (event.type === "call_end") seen.push(event.text);
    }
  }
  const source = new ReadableStream<string>();
  const events: ReadableStream<Event> = source.pipeThrough(sluice.transform("auto"));
  events.cancel();
  const result = sluice.parse("hermes", "x");
  seen.push(result.content ?? "", ...result.calls.map((call) => call.arguments));
  seen.push(sluice.grammar("hermes", tools, "gbnf", { tool_choice: "required" }), sluice.prompt("hermes", tools));
  seen.push(sluice.render("hermes", [{ name: "f", arguments: {} }], { mark: sluice.mark() }));
  // @ts-expect-error an unknown target
  sluice.grammar("hermes", tools, "larch");
  // @ts-expect-error an unknown option
  new sluice.Stream("hermes", { strickt: true });
  wrapLanguageModel({ model: new MockLanguageModelV4(), middleware: sluiceMiddleware(sluice, { syntax: "hermes", onError: (event) => seen.push(event.code) }) });
  try {
    sluice.loadScript("");
  } catch (error) {
    if (error instanceof SluiceError) seen.push(error.code);
  }
  return seen;
}
