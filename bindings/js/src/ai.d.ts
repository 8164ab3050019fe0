import type { LanguageModelMiddleware } from "ai";
import type { Event, Sluice, StreamOptions } from "./index.js";

export interface MiddlewareOptions {
  /** The model's format: a syntax, "auto", or a function of the model. Default: by the model's id, else "auto". */
  syntax?: string | ((model: { modelId: string; provider: string }) => string);
  /** true: the tools are described in the system message; "native": by the script's own template; false: the server does that. */
  prompt?: boolean | "native";
  /** Options of the streams. */
  options?: Omit<StreamOptions, "tools">;
  /** Called with the errors of a response. */
  onError?: (event: Extract<Event, { type: "error" }>) => void;
}

/** A middleware for `wrapLanguageModel`: converts tool calls that the model writes as text. */
export function sluiceMiddleware(sluice: Sluice, options?: MiddlewareOptions): LanguageModelMiddleware;
