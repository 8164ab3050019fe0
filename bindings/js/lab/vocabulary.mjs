// The words of the vocabulary and the fields of a description, for the editor's completion, from docs/vocabulary.md.

import { readFile } from "node:fs/promises";

const page = new URL("../../../docs/vocabulary.md", import.meta.url);
const plain = (text) => text.replace(/`/g, "").replace(/\s+/g, " ").trim();

/** { words: [{ name, signature, info, options }], fields: [{ name, type, info }] } */
export async function vocabulary() {
  const text = await readFile(page, "utf8");
  const [wordPart, rest = ""] = text.split(/^## Fields.*$/m);
  const words = [];
  for (const [, name, info] of wordPart.matchAll(/^### `s\.([a-z]+)`\n([^]*?)(?=^#|^```|$(?![^]))/gm)) {
    const options = [...info.matchAll(/`([a-z_]+)(?: = [^`]*)?`:/g)].map((match) => match[1]);
    words.push({ name, signature: `s.${name}`, info: plain(info), options });
  }
  const fields = [];
  for (const [, names, info] of rest.split(/^## /m)[0].matchAll(/^\| (`[a-z_`, ]+`) \| (.*?) \|$/gm)) {
    for (const [, name] of names.matchAll(/`([a-z_]+)`/g)) {
      fields.push({ name, type: "", info: plain(info) });
    }
  }
  if (words.length < 20 || fields.length < 20) {
    throw new Error(`docs/vocabulary.md is not as expected: ${words.length} words, ${fields.length} fields`);
  }
  return { words, fields };
}
