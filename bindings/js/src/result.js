// Results of `parse`: keep the JSON text of each call's arguments besides its value, since JavaScript's numbers may lose
// digits.

// Returns the end of the JSON value at `at`. The text is valid JSON: the library wrote it.
function valueEnd(text, at) {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const c = text[i];
    if (c === '"') {
      for (i++; text[i] !== '"'; i++) {
        if (text[i] === "\\") {
          i++;
        }
      }
    } else if (c === "{" || c === "[") {
      depth++;
      continue;
    } else if (c === "}" || c === "]") {
      if (depth === 0) {
        return i; // after a bare value, the end of its container
      }
      depth--;
    } else if (c === "," || c === ":" || c === " ") {
      if (depth === 0) {
        return i;
      }
      continue;
    } else {
      continue;
    }
    if (depth === 0) {
      return i + 1;
    }
  }
  return text.length;
}

// Calls each(key, start, end) for the members of the object at `at`, or each(number, start, end) for the items of an array.
function members(text, at, each) {
  const object = text[at] === "{";
  const skip = (i) => {
    while (i < text.length && (text[i] === " " || text[i] === "," || text[i] === ":")) {
      i++;
    }
    return i;
  };
  let i = skip(at + 1);
  for (let number = 0; text[i] !== "}" && text[i] !== "]" && i < text.length; number++) {
    let key = number;
    if (object) {
      const end = valueEnd(text, i);
      key = JSON.parse(text.slice(i, end));
      i = skip(end);
    }
    const end = valueEnd(text, i);
    each(key, i, end);
    i = skip(end);
  }
}

/** Returns the result object of this JSON text: in each call `arguments` is JSON text and `input` its value. */
export function readResult(text) {
  const result = JSON.parse(text);
  members(text, 0, (key, start) => {
    if (key !== "calls") {
      return;
    }
    members(text, start, (number, from) => {
      const call = result.calls[number];
      call.input = call.arguments;
      members(text, from, (name, first, last) => {
        if (name === "arguments") {
          call.arguments = text.slice(first, last);
        }
      });
    });
  });
  return result;
}
