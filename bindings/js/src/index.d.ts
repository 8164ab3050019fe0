/** Extracts tool calls from a language model's raw output while it streams. */

// As TypeScript's own esnext.disposable, which not every project includes.
declare global {
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
  interface Disposable {
    [Symbol.dispose](): void;
  }
}

/** An error of the library. */
export class SluiceError extends Error {
  code: "no_memory" | "argument" | "not_found" | "script" | "json" | "refused" | "unsupported" | "misuse" | "stopped" | "unknown";
}

/** A text: a string, or its bytes in UTF-8. */
export type Text = string | Uint8Array | ArrayBuffer | ArrayBufferView;

/** Offsets are bytes of the response's UTF-8 text, from 0, half-open. */
interface Range {
  start: number;
  end: number;
}
export type Status = "complete" | "recovered" | "incomplete";

export type Event =
  | (Range & { type: "text" | "reasoning" | "markup"; text: string })
  | (Range & { type: "call_begin"; index: number; name: string; id?: string; syntax?: string })
  | (Range & { type: "arguments"; index: number; text: string })
  | (Range & { type: "parameter"; index: number; key: string; text: string })
  | (Range & { type: "call_end"; index: number; id: string; status: Status; extra?: Record<string, unknown>;
      /** True if the call may be run without asking; absent where no tools were given. */
      valid?: boolean;
      /** Start of the call's bytes, which end at `end`. */
      block_start: number;
      /** These bytes, with the option `source`. */
      source?: string })
  | (Range & { type: "error"; code: string; message: string; index?: number });

/** A tool definition in the form of OpenAI, Anthropic or MCP, or a plain function. */
export type ToolDefinition =
  | { type?: string | null; function: { name: string; description?: string | null; parameters?: object | null; strict?: boolean | null } }
  | { type?: string | null; name: string; description?: string | null; input_schema?: object; inputSchema?: object; parameters?: object | null };
export type ToolsInput = readonly ToolDefinition[] | string | Tools;

/** Options of a stream; the syntax has the defaults. */
export interface StreamOptions {
  /** Tool definitions: an array in the OpenAI form, its JSON text, or a result of `sluice.tools`. */
  tools?: ToolsInput | null;
  calls?: "streamed" | "whole";
  start?: "text" | "reasoning";
  /** The end of the prompt, from which `start` is derived. */
  prompt?: string;
  calls_in_reasoning?: "hold" | "call" | "text";
  reasoning_opens?: "line" | "start" | "anywhere";
  fences?: "script" | "text" | "call";
  unknown_tools?: "forward" | "text";
  types?: "written" | "schema";
  special?: "text" | "tokens";
  /** A nonce in the opening and closing tags of a prompt-defined format; tags without it are text. */
  mark?: string;
  source?: boolean;
  strict?: boolean;
  repairs?: boolean;
  validate?: boolean;
  parameters?: boolean;
  markup?: boolean;
  /** 0 or Infinity: no limit. */
  max_calls?: number;
  limit_name?: number;
  limit_header?: number;
  limit_value?: number;
  limit_held?: number;
  limit_depth?: number;
}

export interface Call {
  index: number;
  id: string;
  name: string;
  /** The model's own JSON text, with all digits of its numbers. */
  arguments: string;
  /** Their value. */
  input: Record<string, unknown>;
  status: Status;
  /** True if the call may be run without asking; null where no tools were given. */
  valid: boolean | null;
  start: number;
  end: number;
  source?: string;
  extra?: Record<string, unknown>;
  /** With "auto": the syntax of the call. */
  syntax?: string;
}

export interface Result {
  content: string | null;
  reasoning: string | null;
  calls: Call[];
  errors: { code: string; message: string; offset: number; index?: number }[];
}

export interface CallInput {
  name: string;
  /** A value, or JSON text, which is kept unchanged. */
  arguments?: object | string;
  id?: string;
  extra?: object;
}
export interface Turn {
  reasoning?: string;
  content?: string;
  calls?: CallInput[];
  results?: { name?: string; id?: string; content: string }[];
  /** Also writes the end of the prompt, where the model is to answer, if the format has one. */
  generation_prompt?: boolean;
}

export interface GrammarOptions {
  tool_choice?: "auto" | "required" | string;
  max_calls?: number;
  parallel?: boolean;
  reasoning?: boolean;
  tokens?: "text" | "special" | Record<string, number>;
  relax?: boolean;
  mark?: string;
}

export interface SyntaxInfo {
  name: string;
  aliases: string[];
  models: string[];
  can: string[];
  special: string[];
  source: string | null;
  path: string;
}

export interface Span extends Range {
  kind: "text" | "reasoning" | "markup" | "name" | "arguments";
  index?: number;
  /** With `words: true`: the word of the description, and its line in the script. */
  word?: string;
  line?: number | null;
}
export interface Step extends Range {
  taken: boolean;
  waits: boolean;
  depth: number;
  word: string;
  line: number | null;
  why: string | null;
}

export interface StreamState {
  state: "text" | "reasoning" | "possible_block" | "call";
  /** Of the open call. */
  name: string | null;
  /** The number of held bytes. */
  held: number;
}

declare class Disposes implements Disposable {
  protected constructor();
  /** Frees the memory now, not when the object is collected. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** Compiled tool definitions. */
export class Tools extends Disposes {}

/** Parses a response. */
export class Stream extends Disposes {
  /** Feeds the next chunk, cut anywhere. */
  feed(chunk: Text): Event[];
  /** Feeds one special token of the model, for special: "tokens". */
  feedSpecial(token: Text): Event[];
  /** Returns the text that closes the arguments of the open call. */
  closing(): string;
  counts(): { valid: number; recovered: number; doubtful: number; leaked: number };
  /** Ends the response. */
  finish(): Event[];
  /** Prepares for the next response. */
  reset(): this;
  state(): StreamState;
}

/** Converts a response from one wire format to another. A JSON response stays one if both formats are the same. */
export class Wire extends Disposes {
  feed(chunk: Text): Uint8Array;
  finish(): Uint8Array;
}
export interface WireOptions extends StreamOptions {
  from?: "text" | "openai" | "anthropic" | "ollama";
  to?: "openai" | "anthropic" | "ollama" | "events" | "result" | "openai-message";
  model?: string;
}

/** An engine: a private copy of the library with its syntaxes. Engines share nothing. */
export class Sluice extends Disposes {
  readonly Stream: new (syntax: string, options?: StreamOptions) => Stream;
  readonly Wire: new (syntax: string, options?: WireOptions) => Wire;
  readonly version: string;
  syntaxes(): SyntaxInfo[];
  syntaxFor(model: string): string;
  startFor(model: string): "reasoning" | undefined;
  loadScript(text: string, path?: string): string;
  tools(tools: readonly ToolDefinition[] | string): Tools;
  parse(syntax: string, text: Text, options?: StreamOptions): Result;
  transform(syntax: string, options?: StreamOptions): TransformStream<Text, Event>;
  render(syntax: string, calls: CallInput[] | Turn | Result | string, options?: { mark?: string }): string;
  /** What a host may tell the model about an error of this code; null for a code that tells the model nothing to do. */
  errorHint(code: string): string | null;
  mark(): string;
  grammar(syntax: string, tools: ToolsInput, target: "lark" | "gbnf" | "structural-tag", options?: GrammarOptions): string;
  toolsNotes(tools: ToolsInput): { tool: string; pointer: string; message: string }[];
  prompt(syntax: string, tools: ToolsInput, options?: { variant?: "full" | "short" | "native"; mark?: string }): string;
  infer(
    samples: (string | { path: string; text: string })[],
    options?: { name?: string; calls?: { name: string; arguments: object }[][] },
  ): { script: string; page: string; report: string; explained: number };
  check(script: string, options?: { path?: string; look?: boolean }): { passes: boolean; verdict: string };
  explain(syntax: string, text: string, options?: StreamOptions): string;
  trace(
    syntax: string,
    text: string | Uint8Array,
    options?: StreamOptions & { words?: boolean },
  ): { spans: Span[]; events: Event[]; steps: Step[]; errors: Event[] };
  waiting(syntax: string, text: string | Uint8Array, options?: StreamOptions): StreamState & { steps: Step[]; literals: string[] };
  newScript(name: string, options?: { like?: string }): { script: string; page: string };
  describe(syntax: string): {
    name: string;
    path: string | null;
    script: string | null;
    parent: string | null;
    stop: string[];
    special: string[];
    examples: { text: string; content: string | null; reasoning: string | null; tools: ToolDefinition[] | null }[];
  };
  unwrap(body: string | Uint8Array, from: "openai" | "anthropic" | "ollama"): { choice: number; text: string }[];
}

export interface LoadOptions {
  /** The module: compiled, its bytes, a response with them, or their location. Default: the one of this package. */
  wasm?: WebAssembly.Module | BufferSource | Response | URL | string | Promise<WebAssembly.Module | BufferSource | Response>;
  /** Bytes that all scripts together may allocate; 0: 64 MiB. */
  memory?: number;
  /** Lua instructions per entry into a script; 0: 20 million. */
  instructions?: number;
  /** false: loads no syntaxes. */
  syntaxes?: boolean;
}

/** Makes an engine with all syntaxes. */
export function load(options?: LoadOptions): Promise<Sluice>;

/** Returns a function from byte offsets of a text to offsets in UTF-16 units, as in string methods and editors. */
export function utf16Offsets(text: string): (byte: number) => number;
