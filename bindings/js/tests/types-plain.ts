// Compiled without Node's types and without esnext.disposable, as in a project for browsers.

import { load, type ToolDefinition } from "@sluice/sluice";

export const openai: ToolDefinition = { type: "function", function: { name: "f", parameters: { type: "object" } } };
export const anthropic: ToolDefinition = { name: "f", description: "d", input_schema: { type: "object" } };
export const nulls: ToolDefinition[] = [{ type: null, name: "f", description: null, parameters: null }, { function: { name: "f", strict: null } }];
// @ts-expect-error a tool has a name
export const nameless: ToolDefinition = { input_schema: {} };

export async function use(): Promise<string | null> {
  const sluice = await load();
  const stream = new sluice.Stream("hermes", { tools: [openai, anthropic, { name: "g", inputSchema: {} }] });
  stream[Symbol.dispose]();
  return sluice.parse("hermes", "x", { tools: [anthropic] }).content;
}
