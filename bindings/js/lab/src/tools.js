// Tool definitions in common forms: the OpenAI form, Anthropic's, bare functions, one of them or a list.

/** Returns the `tools` array of the OpenAI form; null for an empty text. Throws if it is invalid, with `line` if JSON reports it. */
export function toolsOf(text) {
  if (text.trim() === "") {
    return null;
  }
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const position = /position (\d+)/.exec(error.message);
    const line = /line (\d+)/.exec(error.message)?.[1] ?? (position ? text.slice(0, Number(position[1])).split("\n").length : 0);
    throw Object.assign(new Error(error.message), { line: Number(line) });
  }
  const list = Array.isArray(value) ? value : Array.isArray(value?.tools) ? value.tools : [value];
  return list.map((tool, i) => {
    const made = tool?.function ?? tool;
    if (typeof made?.name !== "string") {
      throw new Error(`tool ${i + 1} has no name`);
    }
    const parameters = made.parameters ?? made.input_schema ?? made.inputSchema ?? { type: "object" };
    return { type: "function", function: { name: made.name, ...(made.description ? { description: made.description } : {}), parameters } };
  });
}
