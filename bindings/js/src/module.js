// One instance of the WebAssembly module: its memory, and the few system functions that its libc needs.

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true }); // a byte order mark is an ordinary character

/** Names of the error codes of sluice.h, from 0 down. */
const codes = ["ok", "no_memory", "argument", "not_found", "script", "json", "refused", "unsupported", "misuse"];

/** An error of the library, with its message and the name of its code. */
export class SluiceError extends Error {
  constructor(message, code) {
    super(message);
    this.name = "SluiceError";
    this.code = code;
  }
}

/** Checks a text: a string, or its bytes as a Uint8Array. Refuses anything else. */
export function textOf(data) {
  if (typeof data === "string" || data instanceof Uint8Array) {
    return data;
  } else if (ArrayBuffer.isView(data)) {
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  } else if (/^\[object (Shared)?ArrayBuffer\]$/.test(Object.prototype.toString.call(data))) {
    return new Uint8Array(data);
  }
  throw new SluiceError(`a text must be a string or bytes (Uint8Array), not ${nameOf(data)}`, "argument");
}

/** Returns the body of a response. */
export function bytesOf(response) {
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}`);
  return response.arrayBuffer();
}

// The bytes of a text. Half of a surrogate pair becomes one invalid byte, which the library reports.
function utf8(text) {
  if (typeof text !== "string") return text;
  if (text.isWellFormed?.()) return encoder.encode(text);
  const bytes = new Uint8Array(3 * text.length).fill(0xff);
  const end = text.split(/\p{Cs}/u).reduce((at, part) => at + 1 + encoder.encodeInto(part, bytes.subarray(at + 1)).written, -1);
  return bytes.subarray(0, end);
}

/** Names the type of a value, for an error message. */
export function nameOf(value) {
  if (typeof value === "string") {
    return JSON.stringify(value);
  }
  return value === null || !["object", "function"].includes(typeof value) ? String(value) : Object.prototype.toString.call(value).slice(8, -1);
}

const NOT_SUPPORTED = 52; // WASI's ENOSYS
const BAD_DESCRIPTOR = 8; // EBADF

// The imports. There is no file system: functions for files fail, and output is dropped (the library prints
// nothing; only a failed assertion in libc would).
function systemInterface(instance) {
  const view = () => new DataView(instance.memory.buffer);
  return new Proxy({
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    clock_time_get(id, precision, out) {
      const milliseconds = id === 0 ? Date.now() : performance.now();
      view().setBigUint64(out, BigInt(Math.round(milliseconds * 1e6)), true);
      return 0;
    },
    random_get(at, size) {
      crypto.getRandomValues(new Uint8Array(instance.memory.buffer, at, size));
      return 0;
    },
    proc_exit(status) {
      throw new SluiceError(`the module exited with status ${status}`, "stopped");
    },
    fd_write(descriptor, vectors, count, written) {
      let size = 0;
      for (let i = 0; i < count; i++) {
        size += view().getUint32(vectors + 8 * i + 4, true);
      }
      view().setUint32(written, size, true);
      return 0;
    },
  }, { get: (own, name) => own[name] ?? (() => (name.startsWith("fd_prestat") ? BAD_DESCRIPTOR : NOT_SUPPORTED)) });
}

// Positions of the members of a sluice_event, in 32-bit words; then come those of results: a text, its length, and two more.
const TYPE = 0, TEXT = 1, LENGTH = 2, START = 4, END = 6, INDEX = 8, NAME = 9, ID = 10, KEY = 11, EXTRA = 12, STATUS = 13, VALID = 14,
  NO_TOOLS = 15, CODE = 16, SYNTAX = 17, BLOCK = 18, SOURCE = 20, SOURCE_LENGTH = 21, RESULT = 22, WORDS = 26;

const NO_INDEX = 0xffffffff;
const types = ["text", "reasoning", "call_begin", "arguments", "parameter", "call_end", "markup", "error"];
const ofNoCall = ["text", "reasoning", "markup"];
const statuses = ["complete", "recovered", "incomplete"];
const names = Object.entries({ name: NAME, id: ID, key: KEY, extra: EXTRA, code: CODE, syntax: SYNTAX });

/** An instance. Its methods take and return JavaScript values; pointers are numbers. */
export class Instance {
  static async create(source) {
    const self = new Instance();
    const imports = { wasi_snapshot_preview1: systemInterface(self) };
    let result;
    if (source instanceof WebAssembly.Module) {
      result = await WebAssembly.instantiate(source, imports);
    } else {
      const isResponse = typeof Response === "function" && source instanceof Response;
      result = (await WebAssembly.instantiate(isResponse ? await bytesOf(source) : source, imports)).instance;
    }
    self.exports = result.exports;
    self.memory = result.exports.memory;
    self.exports._initialize();
    self.record = self.exports.malloc(4 * WORDS);
    self.result = self.record + 4 * RESULT;
    self.scratch = 0;
    self.scratchSize = 0;
    self.stopped = null;
    return self;
  }

  bytes() {
    if (this._bytes === undefined || this._bytes.buffer !== this.memory.buffer) {
      this._bytes = new Uint8Array(this.memory.buffer);
      this._words = new Uint32Array(this.memory.buffer);
    }
    return this._bytes;
  }

  /** Calls an export. A trap (a stack overflow, a bug) leaves the memory undefined, so it ends the instance. */
  call(name, ...args) {
    if (this.stopped) {
      throw this.stopped;
    }
    try {
      return this.exports[name](...args);
    } catch (error) {
      this.stopped = new SluiceError(`the module stopped (${error.message}); load it again`, "stopped");
      this.stopped.cause = error;
      throw this.stopped;
    }
  }

  allocate(size) {
    const at = this.call("malloc", size || 1);
    if (at === 0) {
      throw new SluiceError("not enough memory", "no_memory");
    }
    return at;
  }

  free(at) {
    if (at !== 0 && !this.stopped) {
      this.exports.free(at);
    }
  }

  /** Calls use({ text, buffer }) with functions that copy strings to the memory and return their addresses; frees
   * the copies afterwards. text(null) is 0. buffer(string or bytes) returns [address, size]. */
  withCopies(use) {
    const copies = [];
    const copy = (bytes, extra) => {
      const at = this.allocate(bytes.length + extra);
      copies.push(at);
      this.bytes().set(bytes, at);
      return at;
    };
    try {
      return use({
        text: (string) => {
          if (string === null || string === undefined) {
            return 0;
          } else if (typeof string !== "string") {
            throw new SluiceError(`a name must be a string, not ${nameOf(string)}`, "argument");
          }
          const bytes = encoder.encode(string);
          if (bytes.includes(0)) {
            throw new SluiceError("there is a NUL character in a name or an option", "argument");
          }
          const at = copy(bytes, 1);
          this.bytes()[at + bytes.length] = 0;
          return at;
        },
        buffer: (given) => {
          const bytes = utf8(textOf(given));
          return [copy(bytes, 0), bytes.length];
        },
      });
    } finally {
      for (const at of copies) {
        this.free(at);
      }
    }
  }

  /** Copies a chunk to memory that the next chunk reuses: returns [address, size]. */
  lend(chunk) {
    const bytes = utf8(textOf(chunk));
    if (bytes.length > this.scratchSize) {
      this.free(this.scratch);
      this.scratch = this.scratchSize = 0; // if there is no memory for another
      this.scratch = this.allocate(Math.max(bytes.length, 4096));
      this.scratchSize = Math.max(bytes.length, 4096);
    }
    this.bytes().set(bytes, this.scratch);
    return [this.scratch, bytes.length];
  }

  /** Returns the UTF-8 text at an address; invalid bytes become U+FFFD. */
  decode(at, size) {
    return decoder.decode(this.bytes().subarray(at, at + size));
  }

  /** Returns the NUL-terminated string at an address; undefined for 0. */
  string(at) {
    if (at === 0) {
      return undefined;
    }
    const bytes = this.bytes();
    return this.decode(at, bytes.indexOf(0, at) - at);
  }

  /** Returns a word of the last result. */
  word(number) {
    this.bytes();
    return this._words[(this.result >> 2) + number];
  }

  /** Returns a copy of the bytes of the last result. */
  resultBytes() {
    const at = this.word(0);
    return this.bytes().slice(at, at + this.word(1));
  }

  resultText() {
    return this.decode(this.word(0), this.word(1));
  }

  /** Returns the event in the record, as an object with the members that apply. */
  event() {
    this.bytes();
    const words = this._words, at = this.record >> 2;
    const long = (member) => words[at + member] + words[at + member + 1] * 2 ** 32;
    const text = (member, length) => this.decode(words[at + member], words[at + length]);
    const type = types[words[at + TYPE]], event = { type, start: long(START), end: long(END) };
    if (!ofNoCall.includes(type) && words[at + INDEX] !== NO_INDEX) event.index = words[at + INDEX];
    if (type === "error") event.message = text(TEXT, LENGTH);
    else if (!type.startsWith("call_")) event.text = text(TEXT, LENGTH);
    for (const [name, member] of names) {
      if (words[at + member] !== 0) event[name] = this.string(words[at + member]);
    }
    if (type === "call_end") {
      event.status = statuses[words[at + STATUS]];
      if (words[at + NO_TOOLS] === 0) event.valid = words[at + VALID] !== 0;
      event.block_start = long(BLOCK);
      if (words[at + SOURCE] !== 0) event.source = text(SOURCE, SOURCE_LENGTH);
      if (event.extra) event.extra = JSON.parse(event.extra);
    }
    return event;
  }

  /** Returns the error for this code, with the engine's message. */
  failure(engine, code) {
    return new SluiceError(this.string(this.call("sluice_engine_error", engine)) || codes[-code] || `error ${code}`,
      codes[-code] ?? "unknown");
  }
}
