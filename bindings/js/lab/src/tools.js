// Tool definitions in every form that the library reads: one of them or a list.

export const nameOf = (tool) => (tool?.function ?? tool)?.name;

/** Returns the list; null for an empty text. Throws if it is invalid, with `line` if JSON reports it. */
export function toolsOf(text) {
  if (text.trim() === "") {
    return null;
  }
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw Object.assign(new Error(error.message), { line: Number(/line (\d+)/.exec(error.message)?.[1] ?? 0) });
  }
  const list = Array.isArray(value) ? value : Array.isArray(value?.tools) ? value.tools : [value];
  const nameless = list.findIndex((tool) => !nameOf(tool));
  if (nameless >= 0) {
    throw new Error(`tool ${nameless + 1} has no name`);
  }
  return list;
}
