// The words of the vocabulary and the fields of a description, for the editor's completion, from the reference page, which is
// generated from the comments of the Lua source.

import { readFile } from "node:fs/promises";

const page = new URL("../../../docs/reference/vocabulary.md", import.meta.url);
const plain = (text) => text.replace(/`/g, "").replace(/\s+/g, " ").trim();

/** { words: [{ name, signature, info, options }], fields: [{ name, type, info }] } */
export async function vocabulary() {
  const text = await readFile(page, "utf8");
  const [wordPart, fieldPart = ""] = text.split(/^## Fields.*$/m);
  const words = [];
  for (const [, heading, info] of wordPart.matchAll(/^### (.*)\n([^]*?)(?=^### |$(?![^]))/gm)) {
    const signature = heading.replace(/`/g, "");
    for (const [, name] of signature.matchAll(/\bs\.([a-z_]+)/g)) {
      const own = signature.startsWith(`s.${name}`) || !signature.includes(`{"`); // s.attributes{{"name", s.name()}} is of one word
      if (own && !words.some((word) => word.name === name)) {
        words.push({ name, signature, info: plain(info), options: [...signature.matchAll(/([a-z_]+) ?=/g)].map((match) => match[1]) });
      }
    }
  }
  const fields = [];
  for (const [, name, type, info] of fieldPart.matchAll(/^\| `([a-z_]+)` \| (.*?) \| (.*?) \|$/gm)) {
    fields.push({ name, type: plain(type), info: plain(info) });
  }
  if (words.length < 20 || fields.length < 20) {
    throw new Error(`docs/reference/vocabulary.md is not as expected: ${words.length} words, ${fields.length} fields`);
  }
  return { words, fields };
}
